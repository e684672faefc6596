//! One process at a time works on a model, by an advisory lock on a file beside what it guards.
//!
//! hf-hub takes the same kind of lock on the same names in the shared cache, so the two keep out of each other's way.

use super::EmbedError;
use crate::lock::{self, LockError, take};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _lock: lock::Lock,
}

impl Lock {
    /// Takes the lock on `path`, calling `waiting` once if somebody else holds it.
    ///
    /// # Errors
    /// [`EmbedError::Busy`] after `timeout`.
    pub(crate) fn take(path: &Path, timeout: Duration, waiting: &mut dyn FnMut()) -> Result<Self, EmbedError> {
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(EmbedError::io(dir))?;
        }
        take(path, timeout, waiting).map(|lock| Self { _lock: lock }).map_err(|error| match error {
            LockError::Open(error) | LockError::Unsupported(error) => EmbedError::io(path)(error),
            LockError::Held(waited) => EmbedError::Busy { path: path.into(), seconds: waited.as_secs() },
        })
    }
}
