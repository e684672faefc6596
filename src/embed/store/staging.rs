//! Folders in which a model is put together before it takes its place, and what killed processes leave of them.
//!
//! Whoever works on a model holds its lock, so a folder whose model nobody holds belongs to nobody. A mark says that a
//! folder is ours; those of versions without it are told by holding nothing but files of models.

use super::{ModelStore, RECORD};
use crate::embed::EmbedError;
use crate::embed::lock::Lock;
use crate::embed::manifest::{CONFIG, TOKENIZER, WEIGHTS, check_name};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const PREFIX: &str = ".staging-";
/// Lies in every such folder until it becomes a model.
const MARK: &str = ".ken-staging";
/// Where the model lies that makes way for the new one.
pub(super) const OLD: &str = "old";
/// Characters that a name ends with which nobody else has.
const RANDOM: usize = 6;

/// What stopped imports and pulls left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// Folders.
    pub folders: usize,
    /// Bytes in them.
    pub bytes: u64,
}

/// The model that a folder of this name was made for.
fn model_of(name: &str) -> Option<&str> {
    let (model, random) = name.strip_prefix(PREFIX)?.rsplit_once('-')?;
    let fine = random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric());
    (fine && check_name(model).is_ok()).then_some(model)
}

fn is_ours(folder: &Path) -> bool {
    let entries = || fs::read_dir(folder).into_iter().flatten().flatten();
    let known = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let temporary = name.strip_prefix(".tmp").is_some_and(|rest| rest.len() == RANDOM);
        [CONFIG, TOKENIZER, WEIGHTS, RECORD, OLD].contains(&name.as_str())
            || name.starts_with(&format!(".{RECORD}-"))
            || temporary
    };
    fs::symlink_metadata(folder.join(MARK)).is_ok_and(|meta| meta.is_file()) || entries().all(known)
}

pub(super) fn size(folder: &Path) -> u64 {
    let bytes = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        _ => entry.metadata().map_or(0, |meta| meta.len()),
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(bytes).sum()
}

impl ModelStore {
    /// An empty directory in the store's own file system, for a model whose lock is held.
    pub(super) fn staging(&self, name: &str) -> Result<TempDir, EmbedError> {
        let dir = &self.settings.dir;
        fs::create_dir_all(dir).map_err(EmbedError::io(dir))?;
        let prefix = format!("{PREFIX}{name}-");
        let made = tempfile::Builder::new().prefix(&prefix).rand_bytes(RANDOM).tempdir_in(dir);
        let made = made.map_err(EmbedError::io(dir))?;
        fs::write(made.path().join(MARK), "").map_err(EmbedError::io(dir))?;
        Ok(made)
    }

    /// Such a directory is about to become a model.
    pub(super) fn unmark(staging: &Path) -> Result<(), EmbedError> {
        fs::remove_file(staging.join(MARK)).map_err(EmbedError::io(staging))
    }

    /// Folders that nobody works in any more, with the model they were made for. `held` is a model whose lock the
    /// caller has.
    fn abandoned(&self, held: Option<&str>) -> Vec<(PathBuf, String, Option<Lock>)> {
        let entries = fs::read_dir(&self.settings.dir).into_iter().flatten().flatten();
        let mut out = Vec::new();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(model) = model_of(&name).filter(|_| is_ours(&entry.path())) else { continue };
            let lock = if held == Some(model) {
                None
            } else {
                // Somebody is at work there, or it cannot be known.
                let Ok(lock) = Lock::take(&self.lock_path(model), Duration::ZERO, &mut || {}) else { continue };
                Some(lock)
            };
            out.push((entry.path(), model.to_owned(), lock));
        }
        out
    }

    /// What stopped imports and pulls left, as far as nobody works there.
    pub fn leftovers(&self) -> Leftovers {
        let mut out = Leftovers::default();
        for (path, _, _) in self.abandoned(None) {
            out.folders += 1;
            out.bytes += size(&path);
        }
        out
    }

    /// Removes what stopped imports and pulls left. A model that had made way for one that never came is put back.
    ///
    /// # Errors
    /// [`EmbedError::Io`] when a folder cannot be removed.
    pub fn sweep(&self, held: Option<&str>) -> Result<Leftovers, EmbedError> {
        let mut out = Leftovers::default();
        // Each lock is held until its folder is gone.
        for (path, model, _lock) in self.abandoned(held) {
            let (old, place) = (path.join(OLD), self.settings.dir.join(&model));
            if old.join(RECORD).is_file() && fs::symlink_metadata(&place).is_err() {
                fs::rename(&old, &place).map_err(EmbedError::io(&old))?;
            }
            out.folders += 1;
            out.bytes += size(&path);
            fs::remove_dir_all(&path).map_err(EmbedError::io(&path))?;
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_say_their_model() {
        assert_eq!(model_of(".staging-my-model-a1B2c3"), Some("my-model"));
        for other in [".staging-photos", ".staging-my-model-a1B2c", ".staging--a1B2c3", "staging-m-a1B2c3"] {
            assert_eq!(model_of(other), None, "{other}");
        }
    }
}
