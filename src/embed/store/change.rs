//! Models that come and go: a filled folder becomes one, and one is removed.

use super::record::{Origin, Record};
use super::staging;
use super::{ModelStore, RECORD};
use crate::embed::{EmbedError, hub};
use crate::platform::sync_folder;
use std::fs;
use std::path::Path;

impl ModelStore {
    /// Removes a model that this store installed, its files in the hub's cache included, and says how many bytes that
    /// freed.
    ///
    /// # Errors
    /// [`EmbedError::NotOurs`] for a model that another tool put into the cache, or an explicit directory.
    pub fn remove(&self, name: &str) -> Result<u64, EmbedError> {
        let found = match self.found(name) {
            // What it says of its files cannot be read; the files beside it are ours all the same.
            Err(EmbedError::Damaged { path, .. }) if path == self.settings.dir.join(name).join(RECORD) => {
                let _lock = self.lock(name, &mut |_| {})?;
                let dir = self.settings.dir.join(name);
                let freed = staging::size(&dir);
                fs::remove_dir_all(&dir).map_err(EmbedError::io(&dir))?;
                return Ok(freed);
            }
            other => other?,
        };
        let name = found.name().to_owned();
        let path = found.root.clone();
        if matches!(found.origin, Origin::Cache | Origin::Directory) {
            return Err(EmbedError::NotOurs { name, path });
        }
        let _lock = self.lock(&name, &mut |_| {})?;
        let mut freed = 0;
        if let Origin::Hub { .. } = found.origin {
            for file in &found.manifest.files {
                freed += hub::remove_from_cache(&found.root, &file.path)?;
            }
        } else {
            freed += found.bytes;
        }
        let dir = self.settings.dir.join(&name);
        fs::remove_dir_all(&dir).map_err(EmbedError::io(&dir))?;
        Ok(freed)
    }

    /// Turns a filled staging directory into the model `name`.
    pub(super) fn install(&self, name: &str, staging: tempfile::TempDir, record: &Record) -> Result<(), EmbedError> {
        record.write(&staging.path().join(RECORD))?;
        Self::unmark(staging.path())?;
        sync_dir(staging.path());
        let dir = self.settings.dir.join(name);
        // The old one steps aside first: a rename onto a full directory fails. Dropping `old` deletes it.
        let old = self.staging(name)?;
        let aside = old.path().join(staging::OLD);
        match fs::rename(&dir, &aside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(EmbedError::io(&dir)(error)),
            _ => {}
        }
        if let Err(error) = fs::rename(staging.path(), &dir) {
            let _ = fs::rename(&aside, &dir);
            return Err(EmbedError::io(&dir)(error));
        }
        let _ = staging.keep(); // It has moved; there is nothing left to delete.
        sync_dir(&self.settings.dir);
        Ok(())
    }
}

/// Makes a rename of `path` last.
fn sync_dir(path: &Path) {
    // Not every system can sync a directory; the files themselves are synced already.
    drop(sync_folder(path));
}
