//! The first job: an input in, what is known about its errors out.

use super::{Engine, EngineError, OnProgress};
use crate::query::{LookupOptions, lookup};
use crate::text::decode;
use crate::types::Answer;
use std::cell::RefCell;

impl Engine {
    /// Looks up the errors of an input. Without a usable model the answer says that semantics are off, and a note why.
    ///
    /// # Errors
    /// [`EngineError::Decode`] for an input that is no text, [`EngineError::Embed`] when the model fails on it.
    pub fn lookup(&self, input: &[u8], options: &LookupOptions, progress: OnProgress<'_>) -> Result<Answer, EngineError> {
        let raw = decode(input)?;
        let progress = RefCell::new(progress);
        let semantics = || self.semantics(&mut **progress.borrow_mut());
        Ok(lookup(&self.knowledge, &raw, options, &semantics)?)
    }
}
