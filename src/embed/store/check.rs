//! Whether the files of a model are what they should be.
//!
//! The expected hash of a file is its pin in the manifest, else what was recorded when it first came. An explicit
//! directory has neither: its files are hashed when they change, and the fingerprint tells the difference.

use super::record::{FileRecord, Origin, Record};
use super::{Installed, ModelStore, RECORD, State};
use crate::embed::config::Config;
use crate::embed::manifest::{CONFIG, WEIGHTS};
use crate::embed::weights::Weights;
use crate::embed::{EmbedError, Manifest, hash};
use crate::screen::shown;
use std::collections::HashMap;
use std::path::Path;

/// What `ken model verify` says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCheck {
    /// Relative to the model's directory.
    pub path: String,
    /// The hash that was found, if the file could be read.
    pub found: Option<String>,
    /// The hash that should be there, if one is known.
    pub expected: Option<String>,
    /// Whether `expected` is pinned in the manifest, not only recorded at the first pull.
    pub pinned: bool,
    /// Why the file is not right; `None` when it is.
    pub problem: Option<String>,
}

/// The error for an installed file with another hash than expected.
fn changed(root: &Path, path: &str, expected: &str, got: String, pinned: bool) -> EmbedError {
    let path = root.join(path);
    if pinned {
        EmbedError::Damaged { path, what: format!("its SHA-256 is {got} instead of {expected}") }
    } else {
        EmbedError::UnpinnedChanged { path, recorded: expected.into(), got }
    }
}

/// What must hold of a hash: it is the pin, or else the one recorded earlier.
pub(super) fn agree(
    root: &Path,
    manifest: &Manifest,
    earlier: Option<&Record>,
    path: &str,
    got: &str,
) -> Result<(), EmbedError> {
    if let Some(pin) = manifest.pin(path) {
        return if pin == got { Ok(()) } else { Err(changed(root, path, pin, got.into(), true)) };
    }
    match earlier.and_then(|r| r.file(path)) {
        Some(old) if old.sha256 != got => Err(changed(root, path, &old.sha256, got.into(), false)),
        _ => Ok(()),
    }
}

/// The hash of each file, trusted or computed, and the record to keep when it is not the old one.
pub(super) fn digests(installed: &Installed) -> Result<(HashMap<String, String>, Option<Record>), EmbedError> {
    let old = Record::read(&installed.record)?;
    let mut record = old.clone().unwrap_or_else(|| Record::new(installed.origin.clone(), Vec::new()));
    let in_place = installed.origin == Origin::Directory;
    let mut files = Vec::new();
    for spec in &installed.manifest.files {
        let known = match record.file(&spec.path) {
            Some(file) if file.is_fresh(&installed.root)? => file.clone(),
            _ => {
                // Whether they are weights at all is told by their header: nobody waits for gigabytes that are none.
                if in_place && spec.path == WEIGHTS {
                    Weights::open(&installed.root.join(WEIGHTS))?;
                }
                FileRecord::make(&installed.root, &spec.path)?
            }
        };
        let earlier = if in_place { None } else { old.as_ref() };
        agree(&installed.root, &installed.manifest, earlier, &spec.path, &known.sha256)?;
        files.push(known);
    }
    let hashes = files.iter().map(|f| (f.path.clone(), f.sha256.clone())).collect();
    record.files = files;
    let new = (Some(&record) != old.as_ref()).then_some(record);
    Ok((hashes, new))
}

/// Hashes every file and compares.
pub(super) fn verify(installed: &Installed) -> Result<Vec<FileCheck>, EmbedError> {
    let record = Record::read(&installed.record)?;
    let check = |spec: &crate::embed::FileSpec| {
        let recorded = record.as_ref().and_then(|r| r.file(&spec.path)).map(|f| f.sha256.clone());
        let expected = spec.sha256.clone().or(recorded);
        let found = hash::of_file(&installed.root.join(&spec.path));
        let problem = match (&found, &expected) {
            (Err(error), _) => Some(error.to_string()),
            (Ok(found), Some(expected)) if found != expected => Some("it has another SHA-256".to_owned()),
            _ => None,
        };
        FileCheck { path: spec.path.clone(), found: found.ok(), expected, pinned: spec.sha256.is_some(), problem }
    };
    Ok(installed.manifest.files.iter().map(check).collect())
}

/// Presence and sizes only.
pub(super) fn glance(root: &Path, manifest: &Manifest, record: Option<&Record>) -> (State, u64) {
    let mut bytes = 0;
    for spec in &manifest.files {
        let Ok(meta) = std::fs::metadata(root.join(&spec.path)) else {
            return (State::Damaged { why: format!("{} is missing", spec.path) }, bytes);
        };
        bytes += meta.len();
        let expected = spec.size.or_else(|| Some(record?.file(&spec.path)?.size));
        if let Some(expected) = expected.filter(|e| *e != meta.len()) {
            let why = format!("{} has {} bytes instead of {expected}", spec.path, meta.len());
            return (State::Damaged { why }, bytes);
        }
    }
    (State::Ready, bytes)
}

/// What is wrong with a model on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFault {
    /// The model.
    pub model: String,
    /// What is wrong, for people.
    pub what: String,
    /// The command that gets it again.
    pub mend: String,
}

impl ModelStore {
    /// The checked hash of each file; keeps what it had to compute.
    pub(super) fn digests(&self, installed: &Installed) -> Result<HashMap<String, String>, EmbedError> {
        let (hashes, new) = digests(installed)?;
        if let Some(record) = new {
            let _ = record.write(&installed.record); // A read-only store only costs the hash again.
        }
        Ok(hashes)
    }

    /// Hashes every file of a model and compares it with its pin, or with what was recorded.
    ///
    /// # Errors
    /// When there is no such model. A wrong file is not an error here but a [`FileCheck::problem`].
    pub fn verify(&self, name: &str) -> Result<Vec<FileCheck>, EmbedError> {
        verify(&self.found(name)?)
    }

    /// Checks every model: its record, the hash of each of its files, its configuration.
    ///
    /// # Errors
    /// [`EmbedError::Io`] when a file is there and cannot be read, which says nothing of what is in it.
    pub fn faults(&self) -> Result<Vec<ModelFault>, EmbedError> {
        let mut out = Vec::new();
        let pull = |name: &str| match self.manifest(name).is_ok_and(|manifest| !manifest.sources.is_empty()) {
            true => format!("ken model pull {name}"),
            false => format!("ken model import PATH --name {name}"),
        };
        let mut tell = |model: &str, what: String| {
            out.push(ModelFault { model: model.to_owned(), what, mend: pull(model) });
        };
        let mut seen = Vec::new();
        for name in self.names() {
            let dir = self.settings.dir.join(&name);
            match self.in_store(&name) {
                Ok(Some(_)) => {}
                // A folder of somebody else's, or a model whose record is gone.
                Ok(None) if dir.join(WEIGHTS).is_file() && dir.join(CONFIG).is_file() => {
                    tell(&name, format!("{} is missing", shown(&dir.join(RECORD))));
                    seen.push(name);
                }
                Ok(None) => {}
                Err(error @ EmbedError::Io { .. }) => return Err(error),
                Err(error) => {
                    tell(&name, error.to_string());
                    seen.push(name);
                }
            }
        }
        for installed in self.installed().iter().filter(|installed| !seen.iter().any(|name| name == installed.name())) {
            if let Some(what) = fault_of(installed)? {
                tell(installed.name(), what);
            }
        }
        Ok(out)
    }
}

/// The first thing that is wrong with an installed model.
fn fault_of(installed: &Installed) -> Result<Option<String>, EmbedError> {
    let record = Record::read(&installed.record).ok().flatten();
    for spec in &installed.manifest.files {
        let path = installed.root.join(&spec.path);
        let found = match hash::of_file(&path) {
            Err(EmbedError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Some(format!("{} is missing", shown(&path))));
            }
            found => found?,
        };
        let recorded = || record.as_ref()?.file(&spec.path).map(|file| file.sha256.clone());
        if spec.sha256.clone().or_else(recorded).is_some_and(|expected| expected != found) {
            return Ok(Some(format!("{} is not what was stored: it has another SHA-256", shown(&path))));
        }
    }
    let path = installed.root.join(CONFIG);
    let agrees = Config::read(&path).and_then(|config| config.agree(&installed.manifest, &path));
    Ok(agrees.err().map(|error| error.to_string()))
}
