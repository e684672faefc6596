//! One writer at a time for a data directory. Readers take no lock: the database's log keeps them out of the way.
//!
//! The file says who holds the lock, for whoever waits in vain; it counts only while the lock is held.

use super::StoreError;
use super::database::DATABASE;
use crate::lock::{LockError, take};
use crate::map::open::{Links, open};
use crate::screen::shown;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the lock file in the data directory.
pub const WRITER_LOCK: &str = "writer.lock";

/// How long a second writer waits.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// The right to write, held until it is dropped. What writes to the database asks for it.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
    folder: PathBuf,
}

impl WriterLock {
    /// Takes the right to write in a data directory; `purpose` is what others are told, such as `ken index`.
    ///
    /// # Errors
    /// [`StoreError::Busy`] with the holder after `patience`, [`StoreError::NoLocks`] where files cannot be locked.
    pub fn take(folder: &Path, purpose: &str, patience: Duration) -> Result<Self, StoreError> {
        let path = folder.join(WRITER_LOCK);
        let mut file = take(&path, patience, &mut || {}).map_err(|error| match error {
            LockError::Open(source) => StoreError::Io { path: path.clone(), source },
            LockError::Unsupported(source) => StoreError::NoLocks { path: path.clone(), source },
            LockError::Held(_) => StoreError::Busy { folder: folder.to_owned(), holder: holder(&path) },
        })?;
        // For people only: a full disk must not keep anybody from the lock.
        drop(file.set_len(0).and_then(|()| file.rewind()));
        drop(write!(file, "{purpose}, process {}", std::process::id()));
        Ok(Self { _file: file, folder: folder.to_owned() })
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
        _ => None,
    }
}

/// Makes a directory that its owner alone can read.
///
/// # Errors
/// [`StoreError::Io`] when it cannot be made.
pub fn make_private(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(StoreError::io(folder))
}

/// What of a data directory others than its owner may read or write, a sentence each. Models are no secret.
pub fn exposed(folder: &Path) -> Vec<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = |path: &PathBuf| fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0);
        let say = |path: PathBuf| format!("others than you may look into {}", shown(&path));
        private_paths(folder).into_iter().filter(open).map(say).collect()
    }
    #[cfg(not(unix))]
    Vec::new()
}

/// Takes away what others may do.
///
/// # Errors
/// [`StoreError::Io`] when permissions cannot be changed.
pub fn keep_private(folder: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    for path in private_paths(folder) {
        use std::os::unix::fs::PermissionsExt;
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).map_err(StoreError::io(&path))?;
    }
    Ok(())
}

/// The directory and the database's files in it, those that exist.
fn private_paths(folder: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(DATABASE);
    // What a link of such a name leads to is not ours, unless it is the database itself.
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    let ours = inside.filter(|entry| named(entry) && (!is_link(entry) || entry.file_name() == DATABASE));
    std::iter::once(folder.to_owned()).chain(ours.map(|entry| entry.path())).filter(|path| path.exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_hears_who_is_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = WriterLock::take(dir.path(), "ken index docs", Duration::ZERO).unwrap();
        let second = WriterLock::take(dir.path(), "ken gc", Duration::from_millis(60)).unwrap_err();
        assert!(matches!(&second, StoreError::Busy { holder, .. }
            if *holder == format!("ken index docs, process {}", std::process::id())));
        drop(first);
        // A process that another test is starting may hold a copy of the file for a moment.
        WriterLock::take(dir.path(), "ken gc", PATIENCE).unwrap();
    }
}
