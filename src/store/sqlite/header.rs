//! A look at a database file before SQLite does: whether it is one at all, and whether it is whole.
//!
//! SQLite reports a truncated file only when it misses a page, which may be never or in the middle of an answer.

use super::StoreError;
use crate::map::open::{Links, open};
use crate::store::folder::beside;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// `KENN`, the application id in the header of our databases.
pub(super) const APPLICATION_ID: i64 = 0x4B45_4E4E;

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
    let read = read_up_to(&mut file, &mut header).map_err(StoreError::io(path))?;
    if read < 16 || header[..16] != *MAGIC {
        if was_ours(&mut file, &header, meta.len()).map_err(StoreError::io(path))? {
            return Err(StoreError::Damaged {
                path: path.to_owned(),
                what: "its first page is not what was written".into(),
            });
        }
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

fn read_up_to(from: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match from.read(&mut into[read..])? {
            0 => break,
            count => read += count,
        }
    }
    Ok(read)
}

/// What the disk says when a database and its log are read from end to end; `None` when it gives all of them.
pub(super) fn unreadable(path: &Path) -> Option<io::Error> {
    let mut room = vec![0; 1 << 18];
    let mut read = |path: &Path| -> io::Result<()> {
        let mut file = open(path, Links::Follow)?;
        while file.read(&mut room)? > 0 {}
        Ok(())
    };
    let failed = |error: &io::Error| !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput);
    [path.to_owned(), beside(path, "-wal")].iter().find_map(|path| read(path).err().filter(failed))
}

/// Bits of our application id that a header does not have.
fn missing_bits(header: &[u8; HEADER_BYTES]) -> u32 {
    let id = u32::from_be_bytes([header[68], header[69], header[70], header[71]]);
    (i64::from(id) ^ APPLICATION_ID).count_ones()
}

/// Whether a file is a database with our application id: as far as a header tells that may be damaged in places.
pub(super) fn is_ours(path: &Path) -> bool {
    let mut header = [0u8; HEADER_BYTES];
    let is_file = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
    let mut read = || read_up_to(&mut open(path, Links::Follow)?, &mut header);
    if !is_file || !read().is_ok_and(|count| count == HEADER_BYTES) {
        return false;
    }
    let like = header.iter().zip(MAGIC).filter(|(found, wanted)| found == wanted).count();
    let missing = missing_bits(&header);
    like == MAGIC.len() && missing <= 2 || like >= MAGIC.len() / 2 && missing == 0
}

/// Pages that are looked at to tell a database without its first page.
const SAMPLE: u64 = 32;
/// Bytes of a page of our databases.
const PAGE: u64 = 8192;

/// Whether a file that does not begin as a database was one of ours: its id is there, or its other pages are such as
/// SQLite writes. What is told wrongly is put aside, never removed.
fn was_ours(file: &mut File, header: &[u8; HEADER_BYTES], bytes: u64) -> io::Result<bool> {
    let pages = bytes / PAGE;
    if missing_bits(header) == 0 && bytes > HEADER_BYTES as u64 {
        return Ok(true);
    }
    if !bytes.is_multiple_of(PAGE) || pages < 4 {
        return Ok(false);
    }
    let step = (pages / SAMPLE).max(1);
    let (mut trees, mut looked_at) = (0, 0);
    for number in (1..pages).step_by(usize::try_from(step).unwrap_or(1)) {
        let mut page = [0u8; 12];
        file.seek(SeekFrom::Start(number * PAGE))?;
        read_up_to(file, &mut page)?;
        let word = |at: usize| u64::from(u16::from_be_bytes([page[at], page[at + 1]]));
        // Kind of a tree's page, first free block, cells, where cells begin, bytes that are lost.
        let tree = matches!(page[0], 2 | 5 | 10 | 13)
            && word(1) < PAGE
            && word(3) < PAGE / 4
            && word(5) <= PAGE
            && page[7] <= 60;
        trees += u64::from(tree);
        looked_at += u64::from(page != [0; 12]);
    }
    Ok(trees >= 2 && trees * 3 >= looked_at)
}

/// Gives a copy of a database whose header is damaged the header of a new one, so that SQLite reads its other pages.
///
/// # Errors
/// When the disk refuses.
pub(super) fn mend(copy: &Path, fresh: &Path) -> io::Result<()> {
    let mut header = [0u8; HEADER_BYTES];
    read_up_to(&mut open(fresh, Links::Follow)?, &mut header)?;
    let mut file = File::options().write(true).open(copy)?;
    let pages = u32::try_from(file.metadata()?.len() / PAGE).unwrap_or(u32::MAX);
    let mut put = |at: usize, number: u32| header[at..at + 4].copy_from_slice(&number.to_be_bytes());
    // Length, with a stamp that says it counts; no free pages, for nobody knows where their list begins.
    [(24, 1), (28, pages), (32, 0), (36, 0), (92, 1)].into_iter().for_each(|(at, number)| put(at, number));
    file.write_all(&header)?;
    file.sync_all()
}
