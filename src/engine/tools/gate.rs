//! The gate of tools, by questions that have nothing to do with any.

use super::ready::ReadyTools;
use crate::engine::{Engine, EngineError, Session};
use crate::query::foreign_questions;
use crate::tools::discover::{Finder, Legs, ToolGate};

impl Engine {
    /// What the best tool's evidence comes to, of each foreign question; by words alone without vectors.
    ///
    /// # Errors
    /// [`EngineError`] when the model fails or the session ends.
    pub fn foreign_evidence(
        &self,
        finder: &Finder<'_>,
        with_model: bool,
        session: &Session<'_>,
    ) -> Result<Vec<f64>, EngineError> {
        let questions = foreign_questions();
        let vectors = match with_model {
            true => self.foreign_vectors(&questions, self.some_encoder()?.1.as_ref(), session)?,
            false => Vec::new(),
        };
        let of = |(at, text): (usize, &str)| {
            let vector = vectors.get(at).map(|vectors| vectors.whole.as_slice());
            finder.evidence(text, vector, Legs::ALL).into_iter().fold(f64::NEG_INFINITY, f64::max)
        };
        Ok(questions.iter().map(|question| question.text.as_str()).enumerate().map(of).collect())
    }

    /// The gate of these tools, at the share of foreign questions that the settings allow.
    pub(super) fn tool_gate(
        &self,
        ready: &ReadyTools,
        finder: &Finder<'_>,
        with_model: bool,
        session: &Session<'_>,
    ) -> Result<ToolGate, EngineError> {
        let encoder = if with_model { Some(self.some_encoder()?.1) } else { None };
        let model = encoder.as_ref().map(|encoder| encoder.fingerprint().as_str());
        let foreign = ready.foreign(model, || self.foreign_evidence(finder, with_model, session))?;
        Ok(ToolGate::of(foreign.to_vec(), self.settings.max_noise))
    }
}
