//! One process at a time, by an advisory lock on a file beside what it guards.
//!
//! The lock goes with the process, so a crash leaves none behind; the file stays and means nothing. hf-hub takes the
//! same kind of lock on the same names in the shared cache, so the two keep out of each other's way.

use crate::embed::EmbedError;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::Duration;

const STEP: Duration = Duration::from_millis(100);

/// Held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
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
        let file = File::options().create(true).write(true).truncate(false).open(path).map_err(EmbedError::io(path))?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(EmbedError::io(path)(error)),
                Err(TryLockError::WouldBlock) if waited >= timeout => {
                    return Err(EmbedError::Busy { path: path.into(), seconds: waited.as_secs() });
                }
                Err(TryLockError::WouldBlock) => {
                    if waited.is_zero() {
                        waiting();
                    }
                    std::thread::sleep(STEP);
                    waited += STEP;
                }
            }
        }
    }
}
