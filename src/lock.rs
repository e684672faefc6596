//! One process at a time: an advisory lock on a file, waited for a while.
//!
//! The lock goes with the process, so a crash leaves none behind; the file stays and means nothing.

use crate::platform;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

const STEP: Duration = Duration::from_millis(50);

/// Why a lock was not had.
#[derive(Debug)]
pub enum LockError {
    /// The file could not be opened.
    Open(io::Error),
    /// The filesystem does not lock.
    Unsupported(io::Error),
    /// Somebody else still holds it after this time.
    Held(Duration),
}

/// Opens `path`, making it if needed, and takes the lock on it, calling `waiting` once if somebody else holds it.
/// Whoever drops the file gives the lock back.
///
/// # Errors
/// [`LockError::Held`] after `timeout`, or what opening or locking failed with.
pub fn take(path: &Path, timeout: Duration, waiting: &mut dyn FnMut()) -> Result<File, LockError> {
    let mut options = File::options();
    options.create(true).read(true).write(true).truncate(false);
    platform::create_for_owner(&mut options);
    let file = options.open(path).map_err(LockError::Open)?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(LockError::Unsupported(error)),
            Err(TryLockError::WouldBlock) if waited >= timeout => return Err(LockError::Held(waited)),
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
