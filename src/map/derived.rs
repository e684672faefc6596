//! Files that are made from other files and may be thrown away: packed weights, a compact tokenizer, word statistics,
//! vectors ready to be searched.
//!
//! Such a file is one stretch of bytes, a header and a body, the same in memory and on disk, so that it can be mapped
//! and used in place. The header names what the body was made from and carries a checksum of it, or of its first part
//! where whoever reads the rest checks that piece by piece. What does not fit is made again by the caller; a file that
//! cannot be written costs only the making. Layout in `index/FORMAT.md`.

// Bodies are used where they are mapped, as numbers of the machine's own.
#[cfg(target_endian = "big")]
compile_error!(
    "kenning maps files of little-endian numbers and uses them in place: it cannot run on a big-endian machine"
);

use super::{Aside, Map};
use std::io;
use std::path::Path;

/// Bytes before the body: magic, format, sealed length, length, checksum, key; filled up.
pub const HEADER: usize = 128;

/// What a file is and what it was made from.
#[derive(Debug, Clone)]
pub struct Label {
    magic: [u8; 8],
    format: u32,
    key: [u8; 64],
    /// Bytes of the body that the checksum covers; none: all.
    sealed: Option<usize>,
}

impl Label {
    /// `key` is the digest, in hex, of a text that names everything the body depends on.
    pub fn new(magic: &[u8; 8], format: u32, key: &str) -> Self {
        let mut bytes = [0; 64];
        bytes.iter_mut().zip(key.bytes()).for_each(|(to, from)| *to = from);
        Self { magic: *magic, format, key: bytes, sealed: None }
    }

    /// The same, with a checksum over the first bytes of the body alone, a multiple of 64.
    pub fn sealing(self, bytes: usize) -> Self {
        Self { sealed: Some(bytes), ..self }
    }

    fn header(&self, len: usize, sum: u64) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&self.magic);
        header[8..12].copy_from_slice(&self.format.to_le_bytes());
        header[12..16].copy_from_slice(&(self.sealed.unwrap_or(0) as u32).to_le_bytes());
        header[16..24].copy_from_slice(&(len as u64).to_le_bytes());
        header[24..32].copy_from_slice(&sum.to_le_bytes());
        header[32..96].copy_from_slice(&self.key);
        header
    }

    fn sum(&self, bytes: &[u8]) -> u64 {
        let end = self.sealed.map_or(bytes.len(), |sealed| bytes.len().min(HEADER + sealed));
        checksum(&bytes[HEADER..end])
    }

    /// Whether `bytes` are such a file, whole.
    fn fits(&self, bytes: &[u8]) -> bool {
        bytes.len() >= HEADER
            && bytes.len().is_multiple_of(64)
            && bytes[..HEADER] == self.header(bytes.len(), self.sum(bytes))
    }

    /// The file at `path`, if it is there and fits.
    pub fn open(&self, path: &Path) -> Option<Bytes> {
        let map = Map::open(path).ok().filter(|map| self.fits(map))?;
        Some(Bytes::Mapped(map))
    }

    /// The file at `path`, whatever it was made from: its magic, format and checksum fit.
    pub fn open_any(&self, path: &Path) -> Option<Bytes> {
        let map = Map::open(path).ok().filter(|map| map.len() >= HEADER)?;
        let mut label = self.clone();
        label.key.copy_from_slice(&map[32..96]);
        label.fits(&map).then_some(Bytes::Mapped(map))
    }

    /// The header of a file of `len` bytes whose sealed part is `body`.
    pub fn head(&self, len: usize, body: &[u8]) -> [u8; HEADER] {
        self.header(len, checksum(body))
    }

    /// Fills in the header of `words`, header and body in words.
    pub fn seal(&self, mut words: Vec<u64>) -> Bytes {
        words.resize(words.len().next_multiple_of(8), 0);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let header = self.header(bytes.len(), self.sum(bytes));
        bytes[..HEADER].copy_from_slice(&header);
        Bytes::Owned(words)
    }
}

/// A file's bytes, mapped or in memory. Words keep the memory aligned for whatever is read from it.
#[derive(Debug)]
pub enum Bytes {
    /// Of a file.
    Mapped(Map),
    /// Just made.
    Owned(Vec<u64>),
    /// Of a file that has not taken its place yet.
    Aside(Map, Aside),
}

impl Bytes {
    /// Header and body.
    pub fn get(&self) -> &[u8] {
        match self {
            Self::Mapped(map) | Self::Aside(map, _) => map,
            Self::Owned(words) => bytemuck::cast_slice(words),
        }
    }

    /// Copies bytes from `start` on, which need not be mapped for it.
    ///
    /// # Errors
    /// When they are beyond the end, or cannot be read.
    pub fn copy_to(&self, start: usize, out: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Mapped(map) | Self::Aside(map, _) => map.copy_to(start, out),
            Self::Owned(_) => {
                let from = self.get().get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
                out.copy_from_slice(from);
                Ok(())
            }
        }
    }

    /// To be changed: where it is being made, or a copy in memory of a file that is in its place.
    pub fn into_room(self) -> Room {
        match self {
            Self::Owned(words) => Room::Memory(words),
            Self::Aside(_, aside) => Room::Aside(aside),
            Self::Mapped(map) => {
                Room::Memory(map.as_chunks::<8>().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect())
            }
        }
    }
}

/// Room for the bytes of a file that is being made.
#[derive(Debug)]
pub enum Room {
    /// In memory, in words, which keep it aligned for whatever is read from it.
    Memory(Vec<u64>),
    /// On the disk: what is made there need not fit into memory.
    Aside(Aside),
}

impl Room {
    /// In memory.
    pub fn memory() -> Self {
        Self::Memory(Vec::new())
    }

    /// Makes it `bytes` long, a multiple of 8. The first `kept` stay, the rest is zero.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn resize(&mut self, kept: usize, bytes: usize) -> io::Result<()> {
        match self {
            Self::Memory(words) => {
                words.truncate(kept.div_ceil(8));
                if let Some(last) = words.last_mut().filter(|_| !kept.is_multiple_of(8)) {
                    bytemuck::bytes_of_mut(last)[kept % 8..].fill(0);
                }
                words.resize(bytes / 8, 0);
                Ok(())
            }
            Self::Aside(aside) => aside.resize(kept).and_then(|()| aside.resize(bytes)),
        }
    }

    /// Writes bytes from `start` on, within its length.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn put(&mut self, start: usize, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Memory(words) => {
                bytemuck::cast_slice_mut::<_, u8>(words)[start..start + bytes.len()].copy_from_slice(bytes);
                Ok(())
            }
            Self::Aside(aside) => aside.put(start, bytes),
        }
    }

    /// To be read.
    ///
    /// # Errors
    /// When a file cannot be mapped.
    pub fn into_bytes(self) -> io::Result<Bytes> {
        Ok(match self {
            Self::Memory(words) => Bytes::Owned(words),
            Self::Aside(aside) => Bytes::Aside(aside.map()?, aside),
        })
    }
}

/// A checksum against damage, not against malice: eight streams of multiplied words, so that it runs as fast as the
/// memory.
pub fn checksum(bytes: &[u8]) -> u64 {
    const PRIMES: [u64; 2] = [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f];
    let mut lanes = [PRIMES[1]; 8];
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    for block in blocks.iter().chain((!rest.is_empty()).then_some(&last)) {
        let words = block.as_chunks::<8>().0;
        // A plain loop: without local LTO, `zip` would be a function call for each block.
        for i in 0..8 {
            lanes[i] = (lanes[i] ^ u64::from_le_bytes(words[i])).wrapping_mul(PRIMES[0]).rotate_left(29);
        }
    }
    lanes.into_iter().fold(bytes.len() as u64, |sum, lane| (sum ^ lane).wrapping_mul(PRIMES[1]).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::write_aside;

    #[test]
    fn memory_and_disk_are_alike() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/file");
        let made = |mut room: Room| {
            room.resize(0, 64).unwrap();
            room.put(3, &[7; 40]).unwrap();
            room.resize(21, 128).unwrap();
            room.put(64, &[1, 2]).unwrap();
            let bytes = room.into_bytes().unwrap();
            let read = bytes.get().to_vec();
            let mut room = bytes.into_room();
            room.put(0, &[9]).unwrap();
            (read, room.into_bytes().unwrap())
        };
        let (memory, _) = made(Room::memory());
        let (disk, bytes) = made(Room::Aside(Aside::new(&path).unwrap()));
        assert_eq!(memory, disk);
        assert_eq!((disk.len(), disk[20], disk[21], disk[64]), (128, 7, 0, 1));
        let Room::Aside(aside) = bytes.into_room() else { panic!("it lies on the disk") };
        assert!(aside.path().exists() && !path.exists());
        aside.persist().unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[0], 9);
        assert_eq!(std::fs::read_dir(dir.path().join("new")).unwrap().count(), 1);
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let label = Label::new(b"TESTFILE", 3, "a");
        let words: Vec<u64> = (0..48).map(|i| i * 0x0123_4567_89ab_cdef).collect();
        let mut bytes = label.seal(words.clone()).get().to_vec();
        assert!(label.fits(&bytes));
        for at in 0..bytes.len() {
            bytes[at] ^= 0x10;
            assert!(!label.fits(&bytes), "byte {at}");
            bytes[at] ^= 0x10;
        }
        assert!(!label.fits(&bytes[..bytes.len() - 64]) && !label.fits(&[]));
        assert!(!Label::new(b"TESTFILE", 3, "b").fits(&bytes) && !Label::new(b"TESTFILE", 4, "a").fits(&bytes));
        let part = Label::new(b"TESTFILE", 3, "a").sealing(64);
        assert!(!part.fits(&bytes));
        let mut bytes = part.seal(words).get().to_vec();
        for at in 0..bytes.len() {
            bytes[at] ^= 0x10;
            assert_eq!(part.fits(&bytes), at >= HEADER + 64, "byte {at}");
            bytes[at] ^= 0x10;
        }
    }

    /// The bytes that `index/FORMAT.md` names, whatever machine this runs on.
    #[test]
    fn numbers_are_little_endian() {
        let sealed =
            Label::new(b"TESTFILE", 0x0102_0304, "a").seal((0..24).map(|i| 0x0807_0605_0403_0201 + i).collect());
        let bytes = sealed.get();
        assert_eq!(bytes[8..12], [4, 3, 2, 1]);
        assert_eq!(bytes[16..24], [192, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[HEADER..HEADER + 8], [0x11, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(bytes[24..32], CHECKSUM.to_le_bytes(), "{:#x}", checksum(&bytes[HEADER..]));
        let mut swapped = bytes.to_vec();
        swapped[HEADER..].as_chunks_mut::<8>().0.iter_mut().for_each(|word| word.reverse());
        assert!(!Label::new(b"TESTFILE", 0x0102_0304, "a").fits(&swapped));
    }

    /// Of the body in the test above.
    const CHECKSUM: u64 = 0x6b1b_0a09_7fdf_dcdd;

    #[test]
    fn a_file_of_another_origin_can_be_opened_knowingly() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/file");
        let (old, new) = (Label::new(b"TESTFILE", 3, "a"), Label::new(b"TESTFILE", 3, "b"));
        write_aside(&path, old.seal(vec![7; 32]).get()).unwrap();
        assert!(new.open(&path).is_none() && new.open_any(&path).is_some() && old.open(&path).is_some());
        assert!(Label::new(b"TESTFIL2", 3, "b").open_any(&path).is_none());
    }
}
