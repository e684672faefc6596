//! Jobs that services on one shared store share.

use super::{Engine, EngineError};
use crate::store::SharedJobs;

impl Engine {
    /// Whether other machines may use the same store.
    pub fn is_shared(&self) -> bool {
        self.settings.shared.is_some()
    }

    /// Whether the store can be asked now.
    pub fn reaches_store(&self) -> bool {
        self.read_database().is_ok()
    }

    /// A worker on the jobs of the shared store; none if the store is a file, whose jobs are its service's alone.
    ///
    /// # Errors
    /// [`EngineError`] when the store cannot be reached or refuses.
    pub fn shared_jobs(&self) -> Result<Option<SharedJobs>, EngineError> {
        let Some(shared) = &self.settings.shared else { return Ok(None) };
        Ok(Some(SharedJobs::open(&shared.url, &shared.access)?))
    }
}
