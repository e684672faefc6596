//! Vectors by text hash, one file per model fingerprint, written whole, mapped to be read. Layout in `index/FORMAT.md`.
//!
//! The file is derived: damaged, of another version or fingerprint, it is made again from texts and model. It is written
//! aside, synced and renamed, so a reader sees the old file or the new one.

use super::StoreError;
use crate::map::Map;
use crate::text::sha256;
use crate::types::Fingerprint;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// First bytes of the file.
const MAGIC: &[u8; 8] = b"KENVEC\0\0";
/// Version of the layout.
const FORMAT: u32 = 2;
/// Vectors begin at a multiple of this, so that they can be used where they lie.
const ALIGNMENT: usize = 64;
/// Bytes before the fingerprint: magic, format, dims, rows, length of the fingerprint.
const HEADER: usize = 8 + 4 + 4 + 8 + 4;

/// The first 16 bytes of the SHA-256 of a text.
pub type TextHash = [u8; 16];

/// Hashes a text for [`VectorFile`].
pub fn text_hash(text: &str) -> TextHash {
    let mut out = [0; 16];
    out.copy_from_slice(&sha256(text.as_bytes())[..16]);
    out
}

/// Vectors of one model by text hash. What was read stays in the file, mapped; what is added lies in memory.
#[derive(Debug)]
pub struct VectorFile {
    fingerprint: Fingerprint,
    dims: usize,
    rows: HashMap<TextHash, usize>,
    mapped: Option<Mapped>,
    /// Rows after the mapped ones.
    added: Vec<f32>,
}

#[derive(Debug)]
struct Mapped {
    map: Map,
    /// Where the vectors begin.
    start: usize,
    rows: usize,
}

impl VectorFile {
    /// No vectors yet.
    pub fn new(fingerprint: Fingerprint, dims: usize) -> Self {
        Self { fingerprint, dims, rows: HashMap::new(), mapped: None, added: Vec::new() }
    }

    /// Whose vectors these are.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// Components of a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row of a text.
    pub fn row(&self, hash: &TextHash) -> Option<usize> {
        self.rows.get(hash).copied()
    }

    /// The vector of a row, `dims` components of unit length; empty for a row that is not there.
    pub fn vector(&self, row: usize) -> &[f32] {
        let in_file = self.mapped.as_ref().map_or(0, |mapped| mapped.rows);
        match &self.mapped {
            Some(mapped) if row < in_file => {
                let start = mapped.start + row * self.dims * 4;
                let bytes = mapped.map.get(start..start + self.dims * 4).unwrap_or_default();
                // Aligned by the layout, which was checked when the file was read.
                bytemuck::try_cast_slice(bytes).unwrap_or_default()
            }
            _ => {
                let start = (row - in_file) * self.dims;
                self.added.get(start..start + self.dims).unwrap_or_default()
            }
        }
    }

    /// The vector of a text, `dims` components of unit length.
    pub fn get(&self, hash: &TextHash) -> Option<&[f32]> {
        self.row(hash).map(|row| self.vector(row))
    }

    /// Adds the vector of a text; one that is there already stays. A vector of another length is not added.
    pub fn insert(&mut self, hash: TextHash, vector: &[f32]) {
        if vector.len() == self.dims && !self.rows.contains_key(&hash) {
            let in_file = self.mapped.as_ref().map_or(0, |mapped| mapped.rows);
            self.rows.insert(hash, in_file + self.added.len() / self.dims.max(1));
            self.added.extend_from_slice(vector);
        }
    }

    /// Keeps the vectors of these texts alone.
    pub fn retain(&mut self, wanted: &HashSet<TextHash>) {
        let old = std::mem::replace(self, Self::new(self.fingerprint.clone(), self.dims));
        for hash in wanted {
            if let Some(vector) = old.get(hash) {
                self.insert(*hash, vector);
            }
        }
    }

    /// Reads the file; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, is damaged, or belongs to another model.
    pub fn read(path: &Path, wanted: &Fingerprint) -> Result<Option<Self>, StoreError> {
        let bytes = match Map::open(path) {
            Ok(map) => map,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Io { path: path.to_owned(), source }),
        };
        let damaged = |what: &str| StoreError::Damaged { path: path.to_owned(), what: what.to_owned() };
        if bytes.len() < HEADER + 32 || &bytes[..8] != MAGIC {
            return Err(damaged("it is not a vector file"));
        }
        let (body, sum) = bytes.split_at(bytes.len() - 32);
        if sha256(body) != sum {
            return Err(damaged("its checksum is wrong"));
        }
        let number = |at: usize| u32::from_le_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]) as usize;
        if number(8) != FORMAT as usize || cfg!(target_endian = "big") {
            return Err(damaged("its format is not known here"));
        }
        let (dims, count, name_end) = (number(12), number(16), HEADER + number(24));
        let places = || -> Option<(usize, usize, usize)> {
            let rows_end = name_end.checked_add(count.checked_mul(16)?)?;
            let start = rows_end.checked_next_multiple_of(ALIGNMENT)?;
            Some((rows_end, start, start.checked_add(count.checked_mul(dims.checked_mul(4)?)?)?))
        };
        let Some((rows_end, start, _)) = places().filter(|(_, _, end)| *end == body.len() && number(20) == 0) else {
            return Err(damaged("its length does not match its header"));
        };
        let found = String::from_utf8_lossy(&body[HEADER..name_end]);
        if found != wanted.as_str() {
            return Err(StoreError::Mismatch {
                path: path.to_owned(),
                wanted: wanted.clone(),
                found: found.into_owned(),
            });
        }
        let hash = |chunk: &[u8]| {
            let mut hash = [0; 16];
            hash.copy_from_slice(chunk);
            hash
        };
        let rows =
            body[name_end..rows_end].chunks_exact(16).enumerate().map(|(row, chunk)| (hash(chunk), row)).collect();
        let mapped = Some(Mapped { start, rows: count, map: bytes });
        Ok(Some(Self { fingerprint: wanted.clone(), dims, rows, mapped, added: Vec::new() }))
    }

    /// Writes the file in one step: readers see what was there or what is new.
    ///
    /// # Errors
    /// [`StoreError::Io`]; what was there is untouched then.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let io = |source| StoreError::Io { path: path.to_owned(), source };
        let name = self.fingerprint.as_str().as_bytes();
        let mut body = Vec::with_capacity(HEADER + name.len() + self.rows.len() * (16 + 4 * self.dims) + 32);
        body.extend_from_slice(MAGIC);
        for number in [FORMAT, self.dims as u32, self.rows.len() as u32, 0, name.len() as u32] {
            body.extend_from_slice(&number.to_le_bytes());
        }
        body.extend_from_slice(name);
        let mut order: Vec<(&TextHash, usize)> = self.rows.iter().map(|(hash, row)| (hash, *row)).collect();
        order.sort_unstable();
        order.iter().for_each(|(hash, _)| body.extend_from_slice(&hash[..]));
        body.resize(body.len().next_multiple_of(ALIGNMENT), 0);
        for (_, row) in order {
            self.vector(row).iter().for_each(|value| body.extend_from_slice(&value.to_le_bytes()));
        }
        body.extend_from_slice(&sha256(&body));
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut aside = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
        aside.write_all(&body).map_err(io)?;
        aside.as_file().sync_all().map_err(io)?;
        aside.persist(path).map_err(|e| io(e.error))?;
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn sample() -> VectorFile {
        let mut file = VectorFile::new(Fingerprint::new("m", "0123456789abcdef"), 3);
        file.insert(text_hash("b"), &[0.0, 1.0, 0.0]);
        file.insert(text_hash("a"), &[1.0, 0.0, 0.5]);
        file
    }

    #[test]
    fn reads_back_what_was_written_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("canon.vec");
        let file = sample();
        assert!(VectorFile::read(&path, file.fingerprint()).unwrap().is_none());
        file.write(&path).unwrap();
        let back = VectorFile::read(&path, file.fingerprint()).unwrap().unwrap();
        assert_eq!(back.get(&text_hash("a")), Some(&[1.0, 0.0, 0.5][..]));
        assert_eq!((back.len(), back.get(&text_hash("c"))), (2, None));
        let mut less = back;
        less.retain(&[text_hash("a"), text_hash("z")].into());
        assert_eq!((less.len(), less.get(&text_hash("a"))), (1, Some(&[1.0, 0.0, 0.5][..])));
        let other = Fingerprint::new("n", "0123456789abcdef");
        assert!(matches!(VectorFile::read(&path, &other), Err(StoreError::Mismatch { .. })));
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("canon.vec");
        sample().write(&path).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            fs::write(&path, &bytes).unwrap();
            assert!(VectorFile::read(&path, sample().fingerprint()).is_err(), "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert!(VectorFile::read(&path, sample().fingerprint()).is_err(), "cut at {at}");
        }
    }
}
