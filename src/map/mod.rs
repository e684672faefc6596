//! Read-only memory maps of files that nobody writes in place.
//!
//! Model weights and index files are written aside, synced and renamed, so a mapped file never changes under its map:
//! a new version is a new file. Everything that reads a map checks lengths and offsets first; this module only owns
//! the one `unsafe` call and its reason.
#![allow(unsafe_code)]

mod aside;
mod derived;
pub mod open;

pub use aside::{Aside, AsideGroup, Placed, write_aside, write_behind_link};
pub use derived::{Bytes, HEADER, Label, Room, checksum};

use crate::platform;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, paged in as they are touched.
#[derive(Debug)]
pub struct Map {
    map: memmap2::Mmap,
    file: File,
}

impl Map {
    /// Maps a whole file.
    ///
    /// # Errors
    /// When the file cannot be opened or mapped.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(open::open(path, open::Links::Follow)?)
    }

    /// Maps a file that is open.
    ///
    /// # Errors
    /// When it cannot be mapped.
    pub fn of(file: File) -> io::Result<Self> {
        // SAFETY: the map is private and read-only. Its bytes could change only if another process wrote into the same
        // file; our own files are replaced by rename, never rewritten, what is still being made gives up its map before
        // more is written (`Bytes::into_room`), and files of other tools' caches and packs of git follow the same rule.
        // A process that truncates such a file anyway ends us with SIGBUS, not with undefined behaviour that could
        // spread: the bytes are only ever read as plain numbers and text.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(Self { map, file })
    }

    /// Copies bytes from `start` on without mapping them: what is read here and there would otherwise bring its
    /// neighbourhood of 64 KB into the process with each touch.
    ///
    /// # Errors
    /// When the file ends before, or cannot be read.
    pub fn copy_to(&self, start: usize, out: &mut [u8]) -> io::Result<()> {
        platform::read_exact_at(&self.file, out, start as u64)
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}
