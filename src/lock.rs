//! One process at a time: an advisory lock on a file, waited for a while.
//!
//! The lock goes with the process, so a crash leaves none behind; the file stays and means nothing.

use crate::platform;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

const STEP: Duration = Duration::from_millis(50);

/// A lock on a file, held until it is dropped.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// The locked file.
    pub fn file(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Drop for Lock {
    /// Closing the file is not enough: a child process that another thread is just starting has a copy of it until its
    /// own program runs, and the lock is held as long as any copy is open.
    fn drop(&mut self) {
        // Where this fails, the lock goes with the last copy.
        drop(self.0.unlock());
    }
}

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
///
/// # Errors
/// [`LockError::Held`] after `timeout`, or what opening or locking failed with.
pub fn take(path: &Path, timeout: Duration, waiting: &mut dyn FnMut()) -> Result<Lock, LockError> {
    let mut options = File::options();
    options.create(true).read(true).write(true).truncate(false);
    platform::create_for_owner(&mut options);
    let file = options.open(path).map_err(LockError::Open)?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_given_back_though_a_child_process_has_a_copy_of_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let mut first = take(&path, Duration::ZERO, &mut || {}).unwrap();
        // Stands for the copy that a child process has until its own program runs.
        let copy = first.file().try_clone().unwrap();
        let mut told = 0;
        let second = take(&path, STEP, &mut || told += 1);
        assert!(matches!(second, Err(LockError::Held(waited)) if waited == STEP) && told == 1);
        drop(first);
        take(&path, Duration::ZERO, &mut || {}).unwrap();
        drop(copy);
    }
}
