//! Vectors of tasks and of tools.

use crate::ann::{Image, Origin};
use crate::engine::{Engine, EngineError, Progress, Session};
use crate::query::embed_questions;
use crate::screen::shown;
use crate::store::make_private;
use crate::text::{TextHash, text_hash};
use crate::types::Role;
use std::collections::BTreeMap;

/// What the file of vectors is of.
const STATE: &str = "tools";

/// Texts that go through the model between two questions whether anybody still waits for them.
const AT_ONCE: usize = 64;

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

impl Engine {
    /// The unit vectors of what tools say, in order; none without a model. They are kept in a file beside the other
    /// vectors, by the hash of the text; what is missing is made, and what no tool says any more is left out.
    pub(super) fn tool_vectors(
        &self,
        texts: &[String],
        session: &Session<'_>,
    ) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let Some(open) = self.open_model()? else { return Ok(None) };
        let encoder = open.encoder.as_ref();
        let origin =
            Origin { model: encoder.fingerprint().as_str().to_owned(), state: STATE.to_owned(), ..Origin::default() };
        let path = self.vector_file("tools", encoder);
        let image =
            path.as_ref().and_then(|path| Image::open(path, &origin)).filter(|image| image.dims() == encoder.dims());
        let hashes: Vec<TextHash> = texts.iter().map(|text| text_hash(text)).collect();
        let kept = |hash: &TextHash| image.as_ref().and_then(|image| image.checked(image.row_of(hash)?));
        let mut known: BTreeMap<TextHash, Vec<f32>> =
            hashes.iter().filter_map(|hash| Some((*hash, kept(hash)?))).collect();
        let new: BTreeMap<TextHash, &str> = hashes
            .iter()
            .zip(texts)
            .filter(|(hash, _)| !known.contains_key(*hash))
            .map(|(hash, text)| (*hash, text.as_str()))
            .collect();
        if !new.is_empty() {
            let (hashes, texts): (Vec<TextHash>, Vec<&str>) = new.into_iter().unzip();
            let made = self.embed_texts(&texts, Role::Passage, &mut || {}, session)?.texts;
            known.extend(hashes.into_iter().zip(made.into_iter().map(|one| one.vector)));
            if let Some(path) = path {
                let rows = known.iter().map(|(hash, vector)| (*hash, vector.as_slice()));
                let links = (0u64..).zip(known.keys()).map(|(owner, hash)| (owner, 0, *hash));
                let image = Image::new(&origin, encoder.dims(), rows, links);
                let folder = path.parent().map_or(Ok(()), |folder| make_private(folder).map_err(|e| e.to_string()));
                if let Err(error) = folder.and_then(|()| image.write(&path).map_err(|error| error.to_string())) {
                    session.note(format!("{} could not be kept and will be made again: {error}", shown(&path)));
                }
            }
        }
        Ok(Some(hashes.iter().filter_map(|hash| known.get(hash).cloned()).collect()))
    }
}
