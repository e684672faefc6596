//! Read-only memory maps of files that nobody writes in place.
//!
//! Model weights and index files are written aside, synced and renamed, so a mapped file never changes under its map:
//! a new version is a new file. Everything that reads a map checks lengths and offsets first; this module only owns
//! the one `unsafe` call and its reason.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, paged in as they are touched.
#[derive(Debug)]
pub struct Map(memmap2::Mmap);

impl Map {
    /// Maps a whole file.
    ///
    /// # Errors
    /// When the file cannot be opened or mapped.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the map is private and read-only. Its bytes could change only if another process wrote into the same
        // file; our own files are replaced by rename, never rewritten, and files of other tools' caches follow the same
        // rule. A process that truncates such a file anyway ends us with SIGBUS, not with undefined behaviour that
        // could spread: the bytes are only ever read as plain numbers and text.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self(map))
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
