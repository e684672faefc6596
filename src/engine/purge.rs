//! Everything that Kenning keeps, and how to be rid of it.

use super::{Engine, EngineError};
use std::fs;
use std::path::{Path, PathBuf};

/// One thing that is kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Holding {
    /// What it is.
    pub what: &'static str,
    /// Where it lies.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Engine {
    /// What is kept now: the data directory, the configuration, and models in the shared cache that were pulled by us.
    pub fn holdings(&self) -> Vec<Holding> {
        let mut out = Vec::new();
        if let Some(models) = self.settings.models.clone() {
            for installed in crate::embed::ModelStore::new(models).installed() {
                let outside = self.settings.data.as_ref().is_none_or(|data| !installed.root.starts_with(data));
                if outside && ours(&installed) {
                    let bytes = size(&installed.root);
                    out.push(Holding { what: "model in the shared cache", path: installed.root, bytes });
                }
            }
        }
        if let Some(data) = self.settings.data.as_ref().filter(|data| data.exists()) {
            out.push(Holding { what: "models, vectors, packs, trust", path: data.clone(), bytes: size(data) });
        }
        let data = self.settings.data.as_deref();
        if let Some(config) =
            self.settings.config.as_ref().filter(|c| c.exists() && data.is_none_or(|d| !c.starts_with(d)))
        {
            out.push(Holding { what: "configuration", path: config.clone(), bytes: size(config) });
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
            for installed in store.installed().into_iter().filter(|i| ours(i)) {
                store.remove(installed.name())?;
            }
        }
        for holding in holdings.iter().filter(|h| h.path.exists()) {
            let io = |source| EngineError::Io { path: holding.path.clone(), source };
            if holding.path.is_dir() {
                fs::remove_dir_all(&holding.path).map_err(io)?;
            } else {
                fs::remove_file(&holding.path).map_err(io)?;
            }
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
