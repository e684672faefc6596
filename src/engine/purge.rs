//! Everything that Kenning keeps, and how to be rid of it.

use super::{Engine, EngineError};
use crate::store::{DATABASE, WRITER_LOCK};
use std::fs;
use std::path::{Path, PathBuf};

/// A model that lies where other tools keep theirs.
const SHARED: &str = "model in the shared cache";

/// One thing that is kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Holding {
    /// What it is.
    pub what: &'static str,
    /// Where it lies.
    #[serde(flatten, serialize_with = "crate::screen::path_fields")]
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What `ken` puts into its data directory; whatever else lies there is not ours.
const OURS: &[(&str, &str)] = &[
    ("models", "models"),
    ("vectors", "vectors of the canon"),
    (DATABASE, "index"),
    (WRITER_LOCK, "lock"),
    ("canon", "your packs"),
    ("trust.json", "trusted repositories"),
];

impl Engine {
    /// What is kept now: models in the shared cache that were pulled by us, our part of the data directory, and the
    /// configuration, the cache.
    pub fn holdings(&self) -> Vec<Holding> {
        let mut out = Vec::new();
        for installed in self.store().map(|store| store.installed()).unwrap_or_default() {
            let outside = self.settings.data.as_ref().is_none_or(|data| !installed.root.starts_with(data));
            if outside && ours(&installed) {
                out.push(Holding { what: SHARED, bytes: installed.bytes, path: installed.root });
            }
        }
        for (name, what) in OURS {
            let path = self.settings.data.as_ref().map(|data| data.join(name));
            if let Some(path) = path.filter(|path| path.exists()) {
                out.push(Holding { what, bytes: size(&path), path });
            }
        }
        // Beside the database lie its log, backups and what a repair put aside.
        for entry in self.settings.data.iter().filter_map(|data| fs::read_dir(data).ok()).flatten().flatten() {
            let name = entry.file_name();
            let path = entry.path();
            if name != DATABASE && name.to_string_lossy().starts_with(DATABASE) {
                out.push(Holding { what: "index, what belongs to it", bytes: size(&path), path });
            }
        }
        for data in self.settings.data.iter() {
            for path in crate::store::copies(&data.join(DATABASE)) {
                if !out.iter().any(|holding| holding.path == path) {
                    out.push(Holding { what: "index, what an interrupted repair left", bytes: size(&path), path });
                }
            }
        }
        if let Some(cache) = self.settings.cache.as_ref().filter(|cache| cache.exists()) {
            out.push(Holding { what: "indexes of measurements", path: cache.clone(), bytes: size(cache) });
        }
        if let Some(config) = self.settings.config.as_ref().filter(|config| config.exists()) {
            out.push(Holding { what: "configuration", path: config.clone(), bytes: size(config) });
        }
        if let Some(folder) = self.calibrations().filter(|folder| folder.exists()) {
            out.push(Holding { what: "your calibrations", bytes: size(&folder), path: folder });
        }
        out
    }

    /// Removes all of [`Engine::holdings`]; gives what was removed.
    ///
    /// # Errors
    /// [`EngineError::Io`] at the first that cannot be removed.
    pub fn purge(&self) -> Result<Vec<Holding>, EngineError> {
        let holdings = self.holdings();
        if let Ok(store) = self.store() {
            for installed in store.installed().iter().filter(|installed| ours(installed)) {
                store.remove(installed.name())?;
            }
        }
        // In the shared cache the store has removed what was ours; the rest belongs to other tools.
        for holding in holdings.iter().filter(|h| h.what != SHARED && h.path.exists()) {
            let io = |source| EngineError::Io { path: holding.path.clone(), source };
            if holding.path.is_dir() {
                fs::remove_dir_all(&holding.path).map_err(io)?;
            } else {
                fs::remove_file(&holding.path).map_err(io)?;
            }
        }
        // Empty folders of ours go too; one that holds something else stays.
        for folder in [self.settings.config.as_ref().and_then(|c| c.parent()), self.settings.data.as_deref()]
            .into_iter()
            .flatten()
        {
            drop(fs::remove_dir(folder));
        }
        Ok(holdings)
    }
}

fn size(path: &Path) -> u64 {
    let Ok(meta) = fs::metadata(path) else { return 0 };
    if meta.is_file() {
        return meta.len();
    }
    fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum()
}

/// Whether a model's files were put there by us; what another tool pulled is its own.
fn ours(installed: &crate::embed::Installed) -> bool {
    use crate::embed::Origin;
    match installed.origin {
        Origin::Hub { .. } | Origin::Package { .. } | Origin::Import { .. } => true,
        Origin::Cache | Origin::Directory => false,
    }
}
