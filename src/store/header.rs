//! A look at a database file before SQLite does: whether it is one at all, and whether it is whole.
//!
//! SQLite reports a truncated file only when it misses a page, which may be never or in the middle of an answer.

use super::StoreError;
use crate::map::open::{Links, open};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, or a file that was made and never written.
    Nothing,
    /// A database of SQLite, as long as it says.
    Database,
}

/// The file that SQLite keeps beside a database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    name.into()
}

fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() > 0)
}

/// Looks at the first bytes and the length.
///
/// # Errors
/// [`StoreError::Foreign`] for another kind of file, [`StoreError::Damaged`] for one that is shorter than it says.
pub(super) fn inspect(path: &Path) -> Result<Found, StoreError> {
    let mut file = match open(path, Links::Follow) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => return Err(StoreError::Foreign { path: path.to_owned() }),
        Err(source) => return Err(StoreError::Io { path: path.to_owned(), source }),
    };
    let meta = file.metadata().map_err(StoreError::io(path))?;
    // The log may hold everything that the file does not yet.
    let in_flight = has_content(&beside(path, "-wal")) || has_content(&beside(path, "-journal"));
    if meta.len() == 0 {
        return Ok(if in_flight { Found::Database } else { Found::Nothing });
    }
    let mut header = [0u8; HEADER_BYTES];
    let mut read = 0;
    while read < HEADER_BYTES {
        match file.read(&mut header[read..]).map_err(StoreError::io(path))? {
            0 => break,
            count => read += count,
        }
    }
    if !header.starts_with(&MAGIC[..read.min(16)]) || read < 16 {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let damaged = |what: String| Err(StoreError::Damaged { path: path.to_owned(), what });
    if read < HEADER_BYTES {
        return damaged("it ends within its header".to_owned());
    }
    // 1 is a rollback journal, 2 a log: SQLite takes anything higher for read-only.
    if !(1..=2).contains(&header[18]) || !(1..=2).contains(&header[19]) {
        return damaged("its header names a format that does not exist".to_owned());
    }
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    // The page count is valid only when it was written with the last change.
    let valid = number(24) == number(92);
    let wanted = page * u64::from(number(28));
    if valid && !in_flight && meta.len() < wanted {
        return damaged(format!("it has {} bytes of {wanted}", meta.len()));
    }
    Ok(Found::Database)
}
