//! Everything that Kenning keeps, and how to be rid of it.

use super::feedback::{FILE as FEEDBACK, LAST};
use super::labels::FILE as LABELS;
use super::passing::{ENDING, PASSING};
use super::{Engine, EngineError};
use crate::pack::CL100K_FILE;
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

/// What is made of packs and encodings.
const DERIVED: &str = "vectors and words of the packs, ranks of tokens";

/// Copies of the database, which the store tells from what is not ours.
const COPY: &str = "index, a copy of it";

/// What `ken` puts into its data directory; whatever else lies there is not ours.
const OURS: &[(&str, &str)] = &[
    ("models", "models"),
    ("vectors", DERIVED),
    (DATABASE, "index"),
    (WRITER_LOCK, "lock"),
    ("canon", "your packs"),
    ("trust.json", "trusted repositories"),
    (PASSING, PASSED),
    (FEEDBACK, "answers that you called right or wrong"),
    (LAST, ANSWERED),
    ("tokens.json", "tokens of the service"),
    ("token", "your token of the service"),
    ("open.html", "address of the service's page"),
    (LABELS, "hits that you called good, with their questions"),
];

/// What lies beside the database and belongs to it.
const BESIDE: [&str; 10] = [
    "-wal",
    "-shm",
    "-journal",
    ".vectors",
    ".vectors.lock",
    ".terms",
    ".traces.lock",
    ".analysis.lock",
    ".copies",
    ".lost",
];

/// Whether an entry of one of our folders, which are called `folder`, was put there by us.
fn is_entry_of_ours(folder: &str, entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    let Ok(meta) = fs::symlink_metadata(entry) else { return false };
    let aside =
        |name: &str| name.strip_prefix('.').and_then(|name| name.rsplit_once('-')).map(|(name, _)| name.to_owned());
    let whole = aside(&name).unwrap_or_else(|| name.clone().into_owned());
    match folder {
        "models" => meta.is_dir() && (matches!(&*name, ".seen" | ".locks") || entry.join("installed.json").is_file()),
        "vectors" => {
            let is_named = ["canon", "foreign-", "tools-"].iter().any(|own| whole.starts_with(own));
            let is_derived = is_named && [".ann", ".ann.lock", ".terms"].iter().any(|end| whole.ends_with(end));
            meta.is_file() && (is_derived || whole == CL100K_FILE)
        }
        "canon" => meta.is_file() && whole.ends_with(".json"),
        LAST => meta.is_file() && whole.ends_with(".json"),
        PASSING => meta.is_file() && whole.ends_with(ENDING),
        "calibrations" => meta.is_file() && whole.ends_with(".toml"),
        "cache" => meta.is_dir() && name == "bench",
        _ => false,
    }
}

/// What of a file or folder of ours goes: itself if it is a file, a link or empty, else those of its entries that are
/// ours.
fn parts(folder: &str, path: &Path) -> Vec<PathBuf> {
    if !fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()) {
        return vec![path.to_owned()];
    }
    let entries: Vec<PathBuf> = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    if entries.is_empty() {
        return vec![path.to_owned()];
    }
    entries.into_iter().filter(|entry| is_entry_of_ours(folder, entry)).collect()
}

/// What one holding is, as its entries are judged by.
fn kind_of(what: &str) -> &'static str {
    match what {
        "models" => "models",
        DERIVED => "vectors",
        "your packs" => "canon",
        CALIBRATIONS => "calibrations",
        CACHE => "cache",
        PASSED => PASSING,
        ANSWERED => LAST,
        _ => "",
    }
}

/// Of the setting `run.keep_passing`.
const PASSED: &str = "what commands printed that passed, as hashes";
const ANSWERED: &str = "ids of the last answer in each terminal";
const CALIBRATIONS: &str = "your calibrations";
const CACHE: &str = "indexes of measurements";

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
        let mut hold = |what: &'static str, path: PathBuf| {
            let parts = parts(kind_of(what), &path);
            if fs::symlink_metadata(&path).is_ok() && !parts.is_empty() {
                out.push(Holding { what, bytes: parts.iter().map(|part| size(part)).sum(), path });
            }
        };
        for data in self.settings.data.iter() {
            OURS.iter().for_each(|(name, what)| hold(what, data.join(name)));
            for end in BESIDE {
                hold("index, what belongs to it", data.join(format!("{DATABASE}{end}")));
            }
            for path in crate::store::copies(&data.join(DATABASE)) {
                hold(COPY, path);
            }
        }
        if let Some(cache) = &self.settings.cache {
            hold(CACHE, cache.clone());
        }
        if let Some(config) = &self.settings.config {
            hold("configuration", config.clone());
        }
        if let Some(folder) = self.calibrations() {
            hold(CALIBRATIONS, folder);
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
        if let Ok(store) = self.store() {
            store.sweep(None)?;
        }
        for data in self.settings.data.iter() {
            crate::store::remove_copies(&data.join(DATABASE))?;
        }
        // In the shared cache the store has removed what was ours; the rest belongs to other tools.
        for holding in holdings.iter().filter(|h| ![SHARED, COPY].contains(&h.what)) {
            for path in parts(kind_of(holding.what), &holding.path) {
                let Ok(meta) = fs::symlink_metadata(&path) else { continue };
                let removed = if meta.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(|source| EngineError::Io { path, source })?;
            }
            drop(fs::remove_dir(&holding.path));
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
        Origin::Hub { .. } | Origin::Package { .. } | Origin::Import { .. } | Origin::Bundle { .. } => true,
        Origin::Cache | Origin::Directory => false,
    }
}
