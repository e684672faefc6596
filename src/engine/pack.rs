//! A frame for a task.

use super::memory::learnings;
use super::search::is_elsewhere_in;
use super::{Engine, EngineError, Session};
use crate::embed::Encoder;
use crate::ingest::Provenance;
use crate::pack::{Request, Tokenizer, pack};
use crate::query::{RecallOptions, SearchContext, SearchOptions, recall};
use crate::store::ItemFilter;
use crate::text::{CountTokens, decode, ends};
use crate::types::limits::QUESTION_BYTES;
use crate::types::{Frame, Scope};
use std::sync::Arc;

/// Tokens of the shortest piece that is worth a place: how many candidates a budget can use.
const LEAST_PIECE: usize = 40;
/// Bounds of the number of candidates.
const CANDIDATES: (usize, usize) = (200, 5_000);

/// Up to this budget chunks are read again, part by part: as many tokens as the budget has, and at least and at most so
/// many. Beyond it that would take longer than it is worth.
const READ_UP_TO: usize = 8_000;
const READ: (usize, usize) = (6_000, 8_000);

/// How a frame is made.
#[derive(Debug, Clone)]
pub struct PackOptions {
    /// Tokens that it may cost.
    pub budget: usize,
    /// Whose tokens.
    pub tokenizer: Tokenizer,
    /// The present state; may be empty.
    pub state: String,
    /// Standing instructions; may be empty.
    pub instructions: String,
    /// Which items may be recalled.
    pub filter: ItemFilter,
    /// Whose files come before those of others at about the same relevance.
    pub prefer: Option<Scope>,
    /// The moment that ages are counted from, milliseconds since 1970; none is now.
    pub as_of: Option<i64>,
    /// Paths below this folder are shown relative to it.
    pub here: String,
    /// Whether the frame says what it left out.
    pub explain: bool,
}

impl Engine {
    /// Makes a frame for a task.
    ///
    /// # Errors
    /// [`EngineError::Pack`] when the task alone is beyond the budget, [`EngineError::NoModel`] when the model's tokens
    /// are to be counted and there is none, else as [`Engine::search`].
    pub fn pack(&self, task: &[u8], options: &PackOptions, session: &Session<'_>) -> Result<Frame, EngineError> {
        let task = decode(task)?;
        let counter = options.tokenizer.ahead(self.settings.vectors.clone());
        let as_of = options.as_of.unwrap_or_else(|| session.now());
        let search = SearchOptions {
            limit: (options.budget / LEAST_PIECE).clamp(CANDIDATES.0, CANDIDATES.1),
            filter: options.filter.clone(),
            prefer: options.prefer.clone(),
            ..SearchOptions::default()
        };
        let read = if options.budget <= READ_UP_TO { options.budget.clamp(READ.0, READ.1) } else { 0 };
        let searched = RecallOptions { search, read, considered: options.explain };
        let asked = ends(task.trim(), QUESTION_BYTES);
        let request = self.request(Some(&asked), &searched.search, session)?;
        let mut recall = request.ask_as_of(&options.filter, as_of, |context| {
            Ok(recall(SearchContext { now_ms: as_of, ..context }, &asked, &searched)?)
        })?;
        for one in &mut recall.all {
            // What an import or another machine brought has no file here to be compared with.
            let path = one.path.as_deref();
            if let (Some(path), Some(database)) = (path, request.database())
                && is_elsewhere_in(database, path)?
            {
                one.span = None;
                one.path = None;
            }
        }
        let learnings = match request.database() {
            Some(database) => learnings(database, &mut recall, &options.filter, request.gate(), as_of)?,
            None => Vec::new(),
        };
        let wanted = Request {
            learnings: &learnings,
            task: task.trim(),
            budget: options.budget,
            state: &options.state,
            instructions: &options.instructions,
            as_of,
            here: &options.here,
            explain: options.explain,
        };
        let counter = match counter.ready() {
            Some(counter) => counter,
            None => {
                let model = self.settings.model.clone();
                Box::new(ModelTokens(self.encoder()?.ok_or(EngineError::NoModel { model })?)) as Box<dyn CountTokens>
            }
        };
        let frame = pack(&wanted, &recall, counter.as_ref(), &Provenance::default())?;
        request.end();
        Ok(frame)
    }
}

/// The tokens of the embedding model.
struct ModelTokens(Arc<dyn Encoder>);

impl CountTokens for ModelTokens {
    fn name(&self) -> &str {
        self.0.fingerprint().name()
    }

    fn count(&self, text: &str) -> usize {
        // Never too few: more tokens than bytes there cannot be.
        self.0.count_tokens(text).unwrap_or(text.len())
    }
}
