//! Vectors of any texts, and how well texts answer a question, for programs that have an index of their own.

use super::{Engine, EngineError, Session};
use crate::embed::{Encoded, Encoder};
use crate::types::Role;
use std::sync::Arc;

/// Texts that go through the model between two questions whether anybody still waits for them. Fewer would leave a
/// thread idle at the end of each.
const AT_ONCE: usize = 64;

/// Vectors of texts, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct TextVectors {
    /// The model's name.
    pub model: String,
    /// Unit vectors, what each took, and whether its text was cut.
    pub texts: Vec<Encoded>,
}

impl Engine {
    /// The encoder of the active model.
    pub(super) fn some_encoder(&self) -> Result<(String, Arc<dyn Encoder>), EngineError> {
        let open = self.open_model()?;
        let open = open.ok_or_else(|| EngineError::NoModel { model: self.settings.model.clone() })?;
        Ok((open.installed.name().to_owned(), Arc::clone(&open.encoder)))
    }

    /// Embeds texts as this side of a search. `between` is called before each batch: whoever serves others meanwhile
    /// can let them go first.
    ///
    /// # Errors
    /// [`EngineError::NoModel`] when none is installed, [`EngineError`] when it fails or the session ends.
    pub fn embed_texts(
        &self,
        texts: &[&str],
        role: Role,
        between: &mut dyn FnMut(),
        session: &Session<'_>,
    ) -> Result<TextVectors, EngineError> {
        let (model, encoder) = self.some_encoder()?;
        let mut out = Vec::with_capacity(texts.len());
        for batch in texts.chunks(AT_ONCE) {
            session.check()?;
            between();
            out.extend(encoder.encode(batch, role, &mut |_| {})?);
        }
        Ok(TextVectors { model, texts: out })
    }

    /// How well each text answers a question, as the cross-encoder sees it: its name, and a logit for each text in
    /// their order. Greater is better; those of two questions do not compare.
    ///
    /// # Errors
    /// As [`Engine::embed_texts`].
    pub fn rerank_texts(
        &self,
        question: &str,
        texts: &[&str],
        between: &mut dyn FnMut(),
        session: &Session<'_>,
    ) -> Result<(String, Vec<f32>), EngineError> {
        let held = self.reranker()?;
        let mut out = Vec::with_capacity(texts.len());
        for batch in texts.chunks(AT_ONCE) {
            session.check()?;
            between();
            out.extend(held.reranker.score(question, batch)?);
        }
        Ok((self.settings.reranker.clone(), out))
    }
}
