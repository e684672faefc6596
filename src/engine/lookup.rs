//! The first job: an input in, what is known about its errors out.

use super::database::Reader;
use super::{Engine, EngineError, OnProgress};
use crate::query::{Candidates, LookupOptions, frequency, lookup, probe};
use crate::text::decode;
use crate::types::Answer;
use std::cell::{OnceCell, RefCell};

impl Engine {
    /// Looks up the errors of an input. Without a usable model the answer says that semantics are off, and a note why.
    ///
    /// # Errors
    /// [`EngineError::Decode`] for an input that is no text, [`EngineError::Embed`] when the model fails on it.
    pub fn lookup(
        &self,
        input: &[u8],
        options: &LookupOptions,
        progress: OnProgress<'_>,
    ) -> Result<Answer, EngineError> {
        let raw = decode(input)?;
        let progress = RefCell::new(progress);
        let semantics = || self.semantics(&mut **progress.borrow_mut());
        let database: OnceCell<Option<Reader<'_>>> = OnceCell::new();
        let used = |id: &str| {
            // Counters are best effort: without a database everything was used equally often.
            let database = database.get_or_init(|| self.read_database().ok().flatten()).as_ref()?;
            let usage = database.usage(&[id]).ok()?;
            Some(usage.get(id).map_or(0.0, |usage| frequency(usage.days)))
        };
        let answer = lookup(&self.knowledge, &raw, options, &semantics, &used)?;
        self.mend_canon();
        Ok(answer)
    }

    /// The scored candidates of every question of a text that patterns and fingerprints leave open, without a gate.
    ///
    /// # Errors
    /// [`EngineError`] when there is no usable model or it fails.
    pub fn probe(&self, text: &str, progress: OnProgress<'_>) -> Result<Vec<Candidates>, EngineError> {
        let Some(semantics) = self.semantics(progress) else {
            return Err(EngineError::NoModel { model: self.settings.model.clone() });
        };
        Ok(probe(&self.knowledge, text, semantics)?)
    }
}
