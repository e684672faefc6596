//! A frame for a task.

use super::{Engine, EngineError, OnProgress, Progress};
use crate::embed::Encoder;
use crate::ingest::Provenance;
use crate::pack::{Request, Tokenizer, pack};
use crate::query::{Documents, RecallOptions, SearchOptions, Stage, recall};
use crate::store::{ItemFilter, ReadSources};
use crate::text::{CountTokens, decode, ends};
use crate::types::Frame;
use crate::types::limits::QUESTION_BYTES;
use std::cell::RefCell;
use std::rc::Rc;

/// Tokens of the shortest piece that is worth a place: how many candidates a budget can use.
const LEAST_PIECE: usize = 40;
/// Bounds of the number of candidates.
const CANDIDATES: (usize, usize) = (200, 5_000);

/// Up to this budget chunks are read again, part by part: so many tokens for each token of the budget. Beyond it that would
/// take longer than it is worth.
const READ_UP_TO: usize = 4_000;
const READ: f32 = 1.5;

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
    pub fn pack(&self, task: &[u8], options: &PackOptions, progress: OnProgress<'_>) -> Result<Frame, EngineError> {
        let task = decode(task)?;
        let counter = options.tokenizer.ahead();
        let semantics = self.semantics(progress);
        let database = self.read_database()?;
        let vectors = self.vectors_for(database.as_deref(), semantics)?;
        let present = |path: &str| self.is_present(database.as_deref(), path);
        let heard = RefCell::new(progress);
        let stage = |stage: Stage| (heard.borrow_mut())(Progress::Search(stage));
        let as_of = options.as_of.unwrap_or_else(|| self.now());
        let search = SearchOptions {
            limit: (options.budget / LEAST_PIECE).clamp(CANDIDATES.0, CANDIDATES.1),
            filter: options.filter.clone(),
            ..SearchOptions::default()
        };
        let read = if options.budget <= READ_UP_TO { (options.budget as f32 * READ) as usize } else { 0 };
        let searched = RecallOptions { search, read };
        let documents = database.as_deref().map(|database| Documents {
            database,
            vectors: vectors.as_ref().map(|(vectors, _)| vectors.as_ref()),
            present: &present,
        });
        let mut recall = recall(
            &self.knowledge,
            documents.as_ref(),
            &ends(task.trim(), QUESTION_BYTES),
            &searched,
            semantics,
            as_of,
            &stage,
        )?;
        for one in &mut recall.all {
            // What an import brought has no file here to be compared with.
            let path = one.path.as_deref();
            if let (Some(path), Some(database)) = (path, database.as_deref())
                && database.is_imported(path)?
            {
                one.span = None;
                one.path = None;
            }
        }
        let request = Request {
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
        let frame = pack(&request, &recall, counter.as_ref(), &Provenance::default())?;
        self.mend_canon();
        Ok(frame)
    }

    /// Counts that what is in a frame was served. Best effort, as in searches.
    pub fn count_packed(&self, frame: &Frame) {
        let mut ids: Vec<&str> =
            frame.pieces().flat_map(|piece| piece.joined.iter().chain([&piece.id])).map(String::as_str).collect();
        // Parts of one chunk may stand apart.
        ids.sort_unstable();
        ids.dedup();
        self.count_ids(&ids);
    }
}

/// The tokens of the embedding model.
struct ModelTokens(Rc<dyn Encoder>);

impl CountTokens for ModelTokens {
    fn name(&self) -> &str {
        self.0.fingerprint().name()
    }

    fn count(&self, text: &str) -> usize {
        // Never too few: more tokens than bytes there cannot be.
        self.0.count_tokens(text).unwrap_or(text.len())
    }
}
