//! Vectors by text hash, one file per model fingerprint, written whole and read whole. Layout in `index/FORMAT.md`.
//!
//! The file is derived: damaged, of another version or fingerprint, it is made again from texts and model. It is written
//! aside, synced and renamed, so a reader sees the old file or the new one.

use super::StoreError;
use crate::text::sha256;
use crate::types::Fingerprint;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// First bytes of the file.
const MAGIC: &[u8; 8] = b"KENVEC\0\0";
/// Version of the layout.
const FORMAT: u32 = 1;
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

/// Vectors of one model by text hash.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorFile {
    fingerprint: Fingerprint,
    dims: usize,
    rows: HashMap<TextHash, usize>,
    data: Vec<f32>,
}

impl VectorFile {
    /// No vectors yet.
    pub fn new(fingerprint: Fingerprint, dims: usize) -> Self {
        Self { fingerprint, dims, rows: HashMap::new(), data: Vec::new() }
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

    /// The vector of a text, `dims` components of unit length.
    pub fn get(&self, hash: &TextHash) -> Option<&[f32]> {
        self.rows.get(hash).map(|row| &self.data[row * self.dims..(row + 1) * self.dims])
    }

    /// Adds the vector of a text; one that is there already stays. A vector of another length is not added.
    pub fn insert(&mut self, hash: TextHash, vector: &[f32]) {
        if vector.len() == self.dims && !self.rows.contains_key(&hash) {
            self.rows.insert(hash, self.data.len() / self.dims.max(1));
            self.data.extend_from_slice(vector);
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
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Io { path: path.to_owned(), source }),
        };
        let damaged = |what: &str| StoreError::Damaged { path: path.to_owned(), what: String::from(what) };
        if bytes.len() < HEADER + 32 || &bytes[..8] != MAGIC {
            return Err(damaged("it is not a vector file"));
        }
        let (body, sum) = bytes.split_at(bytes.len() - 32);
        if sha256(body) != *sum {
            return Err(damaged("its checksum does not match"));
        }
        let u32_at = |at: usize| u32::from_le_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
        if u32_at(8) != FORMAT {
            return Err(damaged("its format is of another version"));
        }
        let dims = u32_at(12) as usize;
        let count = u32_at(16) as usize;
        let name_end = HEADER + u32_at(24) as usize;
        let rows_end =
            count.checked_mul(16).and_then(|n| n.checked_add(name_end)).ok_or_else(|| damaged("too many rows"))?;
        let size = count.checked_mul(dims).and_then(|n| n.checked_mul(4)).and_then(|n| n.checked_add(rows_end));
        if u32_at(20) != 0 || size != Some(body.len()) {
            return Err(damaged("its length does not match its header"));
        }
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
        let data = body[rows_end..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        Ok(Some(Self { fingerprint: wanted.clone(), dims, rows, data }))
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
        for (_, row) in order {
            for value in &self.data[row * self.dims..(row + 1) * self.dims] {
                body.extend_from_slice(&value.to_le_bytes());
            }
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
