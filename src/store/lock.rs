//! One writer at a time for a data directory. Readers take no lock: the database's log keeps them out of the way. A
//! shared store keeps its writers apart itself.
//!
//! The file names the holder for error messages. What it says is valid only while the lock is held.

use super::StoreError;
use super::folder::WRITER_LOCK;
use crate::lock::{Lock, LockError, take};
use crate::map::open::{Links, open};
use std::fs;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How long a second writer waits for the first.
pub const WRITER_WAIT: Duration = Duration::from_secs(3);

/// The right to write, held until it is dropped. What writes to the database asks for it.
#[derive(Debug)]
pub struct WriterLock {
    /// None for a shared store.
    lock: Option<Arc<Lock>>,
    folder: PathBuf,
    purpose: String,
    /// Whoever lent it waits until this is gone.
    lender: Option<Sender<Never>>,
}

/// A right to write that was lent to somebody.
#[derive(Debug)]
pub struct Lent(Receiver<Never>);

/// What is never sent.
#[derive(Debug)]
enum Never {}

impl Lent {
    /// Waits until it is given back.
    pub fn wait(self) {
        // Nothing is sent: the other end goes with the lock.
        drop(self.0.recv());
    }
}

impl WriterLock {
    /// Takes the right to write in a data directory; `purpose` is what others are told, such as `ken index`.
    ///
    /// # Errors
    /// [`StoreError::Busy`] with the holder after `patience`, [`StoreError::NoLocks`] where files cannot be locked.
    pub fn take(folder: &Path, purpose: &str, patience: Duration) -> Result<Self, StoreError> {
        let path = folder.join(WRITER_LOCK);
        let mut lock = take(&path, patience, &mut || {}).map_err(|error| match error {
            LockError::Open(source) => StoreError::Io { path: path.clone(), source },
            LockError::Unsupported(source) => StoreError::NoLocks { path: path.clone(), source },
            LockError::Held(_) => StoreError::Busy { folder: folder.to_owned(), holder: holder(&path) },
        })?;
        // For people only: a full disk must not keep anybody from the lock.
        let file = lock.file();
        drop(file.set_len(0).and_then(|()| file.rewind()));
        drop(write!(file, "{purpose}, process {}", std::process::id()));
        let (lock, folder, purpose) = (Some(Arc::new(lock)), folder.to_owned(), purpose.to_owned());
        Ok(Self { lock, folder, purpose, lender: None })
    }

    /// The same for a shared store, which gives the right to write itself. No file is locked, so it does not protect
    /// files in the data directory.
    pub fn of_shared(folder: &Path, purpose: &str) -> Self {
        Self { lock: None, folder: folder.to_owned(), purpose: purpose.to_owned(), lender: None }
    }

    /// Lends the right to another thread. That thread may change nothing that the lender relies on. The lender writes
    /// nothing until the right is given back.
    pub fn lend(&self) -> (Self, Lent) {
        let (lender, lent) = channel();
        let (lock, folder, purpose) = (self.lock.clone(), self.folder.clone(), self.purpose.clone());
        (Self { lock, folder, purpose, lender: Some(lender) }, Lent(lent))
    }

    /// Whether somebody else goes on writing after this.
    pub fn is_lent(&self) -> bool {
        self.lender.is_some()
    }

    /// What others are told, such as `ken index`.
    pub fn purpose(&self) -> &str {
        &self.purpose
    }

    /// The directory it is for.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

fn holder(path: &Path) -> String {
    let mut text = String::new();
    let read = open(path, Links::Follow).and_then(|file| file.take(200).read_to_string(&mut text));
    match read {
        Ok(_) if !text.trim().is_empty() => crate::text::single_line(&text, 200),
        _ => "a process that does not say its name".to_owned(),
    }
}

/// Who holds the right to write in a data directory now, as far as is known.
pub fn current_writer(folder: &Path) -> Option<String> {
    let path = folder.join(WRITER_LOCK);
    let file = open(&path, Links::Follow).ok()?;
    match file.try_lock_shared() {
        Err(fs::TryLockError::WouldBlock) => Some(holder(&path)),
        _ => {
            // A child process that is just being started has a copy of the file, which would keep the lock.
            drop(file.unlock());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lent_right_comes_back_and_keeps_others_out_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let first = WriterLock::take(dir.path(), "ken index docs", Duration::ZERO).unwrap();
        let (second, lent) = first.lend();
        assert!(second.is_lent() && !first.is_lent() && second.folder() == dir.path());
        let ended = std::thread::spawn(move || lent.wait());
        drop(second);
        ended.join().unwrap();
        // The first still holds it.
        assert!(WriterLock::take(dir.path(), "ken gc", Duration::ZERO).is_err());
    }

    #[test]
    fn a_second_writer_hears_who_is_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = WriterLock::take(dir.path(), "ken index docs", Duration::ZERO).unwrap();
        let second = WriterLock::take(dir.path(), "ken gc", Duration::from_millis(60)).unwrap_err();
        assert!(matches!(&second, StoreError::Busy { holder, .. }
            if *holder == format!("ken index docs, process {}", std::process::id())));
        drop(first);
        WriterLock::take(dir.path(), "ken gc", Duration::ZERO).unwrap();
    }
}
