//! Files that are made from a model's files and may be thrown away: packed weights, the compact tokenizer.
//!
//! Such a file is one stretch of bytes, a header and a body, the same in memory and on disk, so that it can be mapped
//! and used in place. The header names what the body was made from and carries a checksum of it. What does not fit is
//! made again by the caller; a file that cannot be written costs only the making. Layout in `index/FORMAT.md`.

use super::hash;
use super::store::write_aside;
use crate::map::Map;
use std::path::Path;

/// Bytes before the body: magic, format, nothing, length, checksum, key; filled up.
pub(crate) const HEADER: usize = 128;

/// What a file is and what it was made from.
pub(crate) struct Label {
    magic: [u8; 8],
    format: u32,
    key: String,
}

impl Label {
    /// `made_from` is a text that names everything that the body depends on.
    pub(crate) fn new(magic: &[u8; 8], format: u32, made_from: &str) -> Self {
        Self { magic: *magic, format, key: hash::of_bytes(made_from.as_bytes()) }
    }

    fn header(&self, len: usize, sum: u64) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&self.magic);
        header[8..12].copy_from_slice(&self.format.to_le_bytes());
        header[16..24].copy_from_slice(&(len as u64).to_le_bytes());
        header[24..32].copy_from_slice(&sum.to_le_bytes());
        header[32..96].copy_from_slice(self.key.as_bytes()); // 64 hex digits.
        header
    }

    /// Whether `bytes` are such a file, whole. Numbers in a body are the machine's own; a file from a machine of the
    /// other byte order has another checksum and does not fit.
    fn fits(&self, bytes: &[u8]) -> bool {
        bytes.len() >= HEADER
            && bytes.len().is_multiple_of(64)
            && bytes[..HEADER] == self.header(bytes.len(), checksum(&bytes[HEADER..]))
    }

    /// The file at `path`, if it is there and fits.
    pub(crate) fn open(&self, path: &Path) -> Option<Bytes> {
        let map = Map::open(path).ok().filter(|map| self.fits(map))?;
        Some(Bytes::Mapped(map))
    }

    /// Fills in the header of `words`, header and body in words, and keeps them at `path` if that can be.
    pub(crate) fn seal(&self, mut words: Vec<u64>, path: Option<&Path>) -> Bytes {
        words.resize(words.len().next_multiple_of(8), 0);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        let header = self.header(bytes.len(), checksum(&bytes[HEADER..]));
        bytes[..HEADER].copy_from_slice(&header);
        if let Some(path) = path {
            let _ = write_aside(path, bytes); // A read-only store only costs the making again.
        }
        Bytes::Owned(words)
    }
}

/// A file's bytes, mapped or in memory. Words keep the memory aligned for whatever is read from it.
pub(crate) enum Bytes {
    Mapped(Map),
    Owned(Vec<u64>),
}

impl Bytes {
    pub(crate) fn get(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(words) => bytemuck::cast_slice(words),
        }
    }
}

/// A checksum against damage, not against malice: eight streams of multiplied words, so that it runs as fast as the
/// memory. The length is a multiple of 64.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIMES: [u64; 2] = [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f];
    let mut lanes = [PRIMES[1]; 8];
    for block in bytes.as_chunks::<64>().0 {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = (*lane ^ u64::from_ne_bytes(*word)).wrapping_mul(PRIMES[0]).rotate_left(29);
        }
    }
    lanes.into_iter().fold(bytes.len() as u64, |sum, lane| (sum ^ lane).wrapping_mul(PRIMES[1]).rotate_left(31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damaged_byte_is_noticed() {
        let label = Label::new(b"TESTFILE", 3, "a");
        let sealed = label.seal((0..48).map(|i| i * 0x0123_4567_89ab_cdef).collect(), None);
        let mut bytes = sealed.get().to_vec();
        assert!(label.fits(&bytes));
        for at in 0..bytes.len() {
            bytes[at] ^= 0x10;
            assert!(!label.fits(&bytes), "byte {at}");
            bytes[at] ^= 0x10;
        }
        assert!(!label.fits(&bytes[..bytes.len() - 64]) && !label.fits(&[]));
        assert!(!Label::new(b"TESTFILE", 3, "b").fits(&bytes) && !Label::new(b"TESTFILE", 4, "a").fits(&bytes));
    }
}
