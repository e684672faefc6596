//! Vectors of tasks and of tools.

use super::suggest::PAST_TASKS;
use crate::ann::{Image, Origin};
use crate::embed::Encoder;
use crate::engine::knowledge::alone;
use crate::engine::{Engine, EngineError, Progress, Session};
use crate::query::{embed_questions, foreign_questions};
use crate::screen::shown;
use crate::store::{ReadLearning, ReadTools, make_private};
use crate::text::{TextHash, text_hash};
use crate::tools::discover::embedded_text;
use crate::types::Role;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// What the file of vectors is of.
const STATE: &str = "tools";

/// Texts that go through the model between two questions whether anybody still waits for them.
const AT_ONCE: usize = 64;

/// So many texts are embedded while somebody waits, which takes a second or two; more are left to the background.
pub(super) const AT_HAND: usize = 64;

/// Texts that are embedded before the file is written.
const PIECE: usize = 256;

/// The unit vectors of a task.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedVectors {
    /// Of all that it says.
    pub whole: Vec<f32>,
    /// Its clauses, if it has several, with theirs.
    pub clauses: Vec<(String, Option<Vec<f32>>)>,
}

impl Engine {
    /// Embeds tasks as a search embeds questions.
    ///
    /// # Errors
    /// [`EngineError::NoModel`] when none is installed, [`EngineError`] when it fails or the session ends.
    pub fn embed_questions(&self, texts: &[&str], session: &Session<'_>) -> Result<Vec<AskedVectors>, EngineError> {
        let encoder = self.some_encoder()?.1;
        let mut out = Vec::with_capacity(texts.len());
        for batch in texts.chunks(AT_ONCE) {
            session.check()?;
            session.tell(Progress::Asking { what: "Embedding tasks", done: out.len(), total: texts.len() });
            for (parts, vectors) in embed_questions(batch, encoder.as_ref())? {
                let clauses = parts.into_iter().zip(vectors.parts.into_iter().map(Some)).collect();
                out.push(AskedVectors { whole: vectors.whole, clauses });
            }
        }
        Ok(out)
    }
}

/// Vectors of tools and past tasks that are known, by the hash of the text.
struct Kept {
    path: Option<PathBuf>,
    origin: Origin,
    dims: usize,
    image: Option<Image>,
    made: BTreeMap<TextHash, Vec<f32>>,
}

impl Kept {
    fn open(path: Option<PathBuf>, encoder: &dyn Encoder) -> Self {
        let model = encoder.fingerprint().as_str().to_owned();
        let origin = Origin { model, state: STATE.to_owned(), ..Origin::default() };
        let dims = encoder.dims();
        let image = path.as_ref().and_then(|path| Image::open(path, &origin)).filter(|image| image.dims() == dims);
        Self { path, origin, dims, image, made: BTreeMap::new() }
    }

    fn get(&self, hash: &TextHash) -> Option<Vec<f32>> {
        let kept = || self.image.as_ref().and_then(|image| image.checked(image.row_of(hash)?));
        self.made.get(hash).cloned().or_else(kept)
    }

    /// The vector of each text, where there is one.
    fn all(&self, texts: &[String]) -> Vec<Option<Vec<f32>>> {
        texts.iter().map(|text| self.get(&text_hash(text))).collect()
    }

    /// Makes vectors.
    fn make(&mut self, texts: &[&str], engine: &Engine, session: &Session<'_>) -> Result<(), EngineError> {
        let made = engine.embed_texts(texts, Role::Passage, &mut || {}, session)?.texts;
        let hashes = texts.iter().map(|text| text_hash(text));
        self.made.extend(hashes.zip(made.into_iter().map(|one| one.vector)));
        Ok(())
    }

    /// Writes the file with the vectors of these texts, as far as they are known; a note says if that fails.
    fn write(&self, texts: &[String], session: &Session<'_>) {
        let Some(path) = &self.path else { return };
        let known: BTreeMap<TextHash, Vec<f32>> =
            texts.iter().map(|text| text_hash(text)).filter_map(|hash| Some((hash, self.get(&hash)?))).collect();
        let rows = known.iter().map(|(hash, vector)| (*hash, vector.as_slice()));
        let links = (0u64..).zip(known.keys()).map(|(owner, hash)| (owner, 0, *hash));
        let image = Image::new(&self.origin, self.dims, rows, links);
        let folder = path.parent().map_or(Ok(()), |folder| make_private(folder).map_err(|e| e.to_string()));
        if let Err(error) = folder.and_then(|()| image.write(path).map_err(|error| error.to_string())) {
            session.note(format!("{} could not be kept and will be made again: {error}", shown(path)));
        }
    }
}

/// The texts for which nothing was found, each once.
fn without<'t>(found: &[Option<Vec<f32>>], texts: &'t [String]) -> Vec<&'t str> {
    let missing = texts.iter().zip(found).filter(|(_, found)| found.is_none()).map(|(text, _)| text.as_str());
    missing.collect::<BTreeSet<_>>().into_iter().collect()
}

impl Engine {
    /// The unit vectors of what tools say, in order; none without a model, or while a process in the background makes
    /// many that are missing. They are kept in a file beside the other vectors, by the hash of the text.
    pub(super) fn tool_vectors(
        &self,
        texts: &[String],
        session: &Session<'_>,
    ) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let Some(open) = self.open_model()? else { return Ok(None) };
        let encoder = open.encoder.as_ref();
        let mut kept = Kept::open(self.vector_file("tools", encoder), encoder);
        let mut found = kept.all(texts);
        let missing = without(&found, texts);
        if !missing.is_empty() {
            if missing.len() > AT_HAND && kept.path.is_some() && self.settings.later.is_some_and(|later| later()) {
                session.note(format!(
                    "only words were compared: vectors of {} tools are being made in the background",
                    missing.len()
                ));
                return Ok(None);
            }
            kept.make(&missing, self, session)?;
            kept.write(&self.all_tool_texts(texts)?, session);
            found = kept.all(texts);
        }
        Ok(Some(found.into_iter().flatten().collect()))
    }

    /// Makes the missing vectors of all tools and past tasks. Gives whether there was anything to make. If another
    /// process is making them, this does nothing. The file is written after each piece, so a process that is stopped
    /// loses one piece at most.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses, the model fails or the session ends.
    pub fn complete_tools(&self, session: &Session<'_>) -> Result<bool, EngineError> {
        let texts = self.all_tool_texts(&[])?;
        if texts.is_empty() {
            return Ok(false);
        }
        let Some(open) = self.open_model()? else { return Ok(false) };
        let encoder = open.encoder.as_ref();
        let mut kept = Kept::open(self.vector_file("tools", encoder), encoder);
        let missing = without(&kept.all(&texts), &texts);
        let Some(path) = kept.path.clone().filter(|_| !missing.is_empty()) else { return Ok(false) };
        let Some(_lock) = alone(&path, Duration::ZERO, &mut || {}) else { return Ok(false) };
        for piece in missing.chunks(PIECE) {
            kept.make(piece, self, session)?;
            kept.write(&texts, session);
        }
        // The gate of tools compares these.
        self.foreign_vectors(&foreign_questions(), encoder, session)?;
        Ok(true)
    }

    /// What every tool says, in whatever repository, every past task that counts, and these: what no tool says any more
    /// and what was forgotten is to have no vector.
    fn all_tool_texts(&self, besides: &[String]) -> Result<Vec<String>, EngineError> {
        let mut out = besides.to_vec();
        if let Some(database) = self.read_database()? {
            for scope in database.tool_scopes()? {
                let scope = std::slice::from_ref(&scope);
                out.extend(database.tools(scope)?.iter().map(|one| embedded_text(&one.tool)));
                out.extend(database.tool_tasks(scope, true, PAST_TASKS)?.into_iter().map(|one| one.task));
            }
        }
        Ok(out)
    }
}
