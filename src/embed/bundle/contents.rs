//! The first file of a bundle: what it is, which model it holds, and every other file with its size and hash.

use crate::embed::manifest::{CONFIG, Manifest, TOKENIZER, WEIGHTS};
use crate::embed::{EmbedError, hash};
use crate::render::json_pretty;
use crate::types::limits::{self, BUNDLE_VECTORS, Limit, MODEL_JSON};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The name of the file.
pub(super) const CONTENTS: &str = "ken-model-bundle.json";
/// The file with the vectors of the packs.
pub(crate) const VECTORS: &str = "vectors.ann";
/// Tells such a file from other JSON.
const KIND: &str = "ken model bundle";
/// The number of this format; a later one is not read.
const FORMAT: u32 = 1;
/// The files of a model, in the order in which a bundle has them.
pub(crate) const FILES: [&str; 3] = [CONFIG, TOKENIZER, WEIGHTS];
/// How large each may be.
const LIMITS: [Limit; 3] = [MODEL_JSON, limits::TOKENIZER, limits::WEIGHTS];

/// What a bundle holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contents {
    kind: String,
    format: u32,
    pub manifest: Manifest,
    /// The model's files, in the order in which they follow.
    pub files: Vec<Entry>,
    /// Vectors of the packs, which follow last.
    pub vectors: Option<Vectors>,
}

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Its name.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Lower-case hex.
    pub sha256: String,
}

/// Vectors of the packs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vectors {
    /// The fingerprint of the model that made them.
    pub model: String,
    /// Their file.
    pub file: Entry,
}

/// What the contents of every format have.
#[derive(Deserialize)]
struct Head {
    kind: String,
    format: u32,
}

impl Contents {
    /// Of a model with these files.
    pub fn new(manifest: Manifest, files: Vec<Entry>, vectors: Option<Vectors>) -> Self {
        Self { kind: KIND.into(), format: FORMAT, manifest, files, vectors }
    }

    /// Reads and checks the contents of the bundle at `path`.
    ///
    /// # Errors
    /// [`EmbedError::NoBundle`], [`EmbedError::NewerBundle`] or [`EmbedError::BrokenBundle`].
    pub(super) fn parse(text: &[u8], path: &Path) -> Result<Self, EmbedError> {
        let head: Head = serde_json::from_slice(text).map_err(|_| EmbedError::NoBundle {
            path: path.into(),
            what: format!("{CONTENTS} in it does not say so"),
        })?;
        if head.kind != KIND {
            return Err(EmbedError::NoBundle { path: path.into(), what: format!("it is {:?}", head.kind) });
        }
        if head.format > FORMAT {
            return Err(EmbedError::NewerBundle { path: path.into(), format: head.format, known: FORMAT });
        }
        let broken = |what: String| EmbedError::BrokenBundle { path: path.into(), what };
        let contents: Self = serde_json::from_slice(text).map_err(|error| broken(format!("{CONTENTS}: {error}")))?;
        contents.check().map_err(broken)?;
        Ok(contents)
    }

    /// What is wrong with it.
    fn check(&self) -> Result<(), String> {
        self.manifest.check().map_err(|error| error.to_string())?;
        // The manifest names each of them once, or it would have failed its own check.
        if self.manifest.files.len() != FILES.len() || !self.files.iter().map(|file| &*file.path).eq(FILES) {
            let names = FILES.join(", ");
            return Err(format!("a model in a bundle has the files {names}, in this order and no others"));
        }
        let vectors = self.vectors.iter().map(|vectors| (&vectors.file, BUNDLE_VECTORS));
        if self.vectors.as_ref().is_some_and(|vectors| vectors.file.path != VECTORS) {
            return Err(format!("vectors are in {VECTORS} and in no other file"));
        }
        for (entry, limit) in self.files.iter().zip(LIMITS).chain(vectors) {
            if entry.size > limit.bytes {
                let (number, unit) = limit.size();
                return Err(format!("{}: {} may have {number} {unit} at most", entry.path, limit.what));
            }
            if !hash::is_sha256(&entry.sha256) {
                return Err(format!("{:?} is not a SHA-256 in lower-case hex", entry.sha256));
            }
            if let Some(pin) = self.manifest.pin(&entry.path).filter(|pin| *pin != entry.sha256) {
                return Err(format!("{} has SHA-256 {}; its own manifest says {pin}", entry.path, entry.sha256));
            }
        }
        Ok(())
    }

    /// All files that follow.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.files.iter().chain(self.vectors.iter().map(|vectors| &vectors.file))
    }

    /// As it is written.
    pub(super) fn text(&self) -> Result<String, EmbedError> {
        json_pretty(self)
            .map_err(|error| EmbedError::BadManifest { name: self.manifest.name.clone(), what: error.to_string() })
    }
}
