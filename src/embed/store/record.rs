//! What is written down about a model that is on disk: `installed.json`.
//!
//! A record holds the hash of each file with the size and time of the file that was hashed. While size and time stay
//! the same the hash is trusted; when they change the file is hashed again, and a file that is no longer what was
//! recorded is an error. So a load costs a few `stat` calls, not the hash of 133 MB. Records are written aside and
//! renamed.

use crate::embed::manifest::Manifest;
use crate::embed::{EmbedError, hash};
use crate::map::open::{self, Links};
use crate::map::write_aside;
use crate::render::json_pretty;
use crate::types::limits::MODEL_JSON;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The number of this format; another one is not read.
const FORMAT: u32 = 1;

/// Where a model's files came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// Pulled from the hub by us, into the shared cache.
    Hub {
        /// `owner/name`.
        repo: String,
        /// The commit that was fetched.
        commit: String,
    },
    /// Taken out of a package by us.
    Package {
        /// Its name.
        package: String,
        /// Its version.
        version: String,
    },
    /// Copied from a directory by us.
    Import {
        /// The directory.
        from: PathBuf,
    },
    /// Taken out of a bundle by us.
    Bundle {
        /// The file.
        from: PathBuf,
    },
    /// Found in the hub's cache, where another tool put it.
    Cache,
    /// A directory that was named explicitly; used in place.
    Directory,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub format: u32,
    pub origin: Origin,
    /// Where the files lie; absent when they lie beside the record.
    pub root: Option<PathBuf>,
    /// For models that are not compiled in.
    pub manifest: Option<Manifest>,
    pub files: Vec<FileRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    pub path: String,
    pub sha256: String,
    pub size: u64,
    /// Nanoseconds since 1970 of the last change, as the file system tells.
    pub modified_ns: u64,
}

impl FileRecord {
    /// Hashes the file `path` under `root`.
    pub(super) fn make(root: &Path, path: &str) -> Result<Self, EmbedError> {
        let full = root.join(path);
        let sha256 = hash::of_file(&full)?;
        Self::stamped(root, path, sha256)
    }

    /// With a hash that was just computed.
    pub(super) fn stamped(root: &Path, path: &str, sha256: String) -> Result<Self, EmbedError> {
        let (size, modified_ns) = stamp(&root.join(path))?;
        Ok(Self { path: path.to_owned(), sha256, size, modified_ns })
    }

    /// Whether size and time are as recorded.
    pub(super) fn is_fresh(&self, root: &Path) -> Result<bool, EmbedError> {
        Ok(stamp(&root.join(&self.path))? == (self.size, self.modified_ns))
    }
}

/// Size in bytes and time of the last change.
fn stamp(path: &Path) -> Result<(u64, u64), EmbedError> {
    let meta = fs::metadata(path).map_err(EmbedError::io(path))?;
    let time = meta.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
    Ok((meta.len(), time.map_or(0, |t| t.as_nanos() as u64)))
}

impl Record {
    pub(super) fn new(origin: Origin, files: Vec<FileRecord>) -> Self {
        Self { format: FORMAT, origin, root: None, manifest: None, files }
    }

    /// Keeps the manifest of a model that is not compiled in, which nothing else would remember.
    pub(super) fn describe(&mut self, manifest: &Manifest) {
        let compiled_in = Manifest::builtin().iter().any(|m| m == manifest);
        self.manifest = (!compiled_in).then(|| manifest.clone());
    }

    /// The record at `path`, if there is one.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, EmbedError> {
        let bytes = match open::read(path, Links::Follow, MODEL_JSON) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(EmbedError::io(path)(error)),
        };
        let damaged = |what: String| EmbedError::Damaged { path: path.into(), what };
        let record: Self = serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if record.format != FORMAT {
            return Err(damaged(format!("it has the format {}, this version reads {FORMAT}", record.format)));
        }
        Ok(Some(record))
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), EmbedError> {
        let text = json_pretty(self).map_err(|e| EmbedError::Damaged { path: path.into(), what: e.to_string() })?;
        write_aside(path, text.as_bytes()).map_err(EmbedError::io(path))
    }

    pub(super) fn file(&self, path: &str) -> Option<&FileRecord> {
        self.files.iter().find(|f| f.path == path)
    }
}
