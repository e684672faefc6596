//! What the parts of the store share: a model on disk, the store's settings, its locks.

use super::record::Origin;
use crate::embed::EmbedError;
use crate::embed::event::PullEvent;
use crate::embed::lock::Lock;
use crate::embed::manifest::Manifest;
use crate::embed::settings::StoreSettings;
use std::path::PathBuf;

/// The file that makes a folder a model of ours.
pub(super) const RECORD: &str = "installed.json";

/// A model on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Installed {
    /// What it is: compiled in, or derived from its own files.
    pub manifest: Manifest,
    /// Where its files lie.
    pub root: PathBuf,
    /// How it came there.
    pub origin: Origin,
    /// Whether it can be loaded, as far as names and sizes tell.
    pub state: State,
    /// Bytes of its files.
    pub bytes: u64,
    pub(super) record: PathBuf,
}

/// Whether an installed model can be loaded, as far as names and sizes tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All files are there.
    Ready,
    /// It must be pulled or imported again.
    Damaged {
        /// Which file and what is wrong with it.
        why: String,
    },
}

impl Installed {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Files whose hash is not pinned in the manifest, only recorded.
    pub fn unpinned(&self) -> Vec<String> {
        self.manifest.files.iter().filter(|f| f.sha256.is_none()).map(|f| f.path.clone()).collect()
    }
}

/// The models on this machine.
#[derive(Debug, Clone)]
pub struct ModelStore {
    pub(super) settings: StoreSettings,
}

impl ModelStore {
    /// A store with these settings; nothing is touched yet.
    pub fn new(settings: StoreSettings) -> Self {
        Self { settings }
    }

    pub(super) fn lock(&self, name: &str, on: &mut dyn FnMut(PullEvent<'_>)) -> Result<Lock, EmbedError> {
        Lock::take(&self.lock_path(name), self.settings.lock_timeout, &mut || on(PullEvent::Waiting { path: name }))
    }

    pub(super) fn lock_path(&self, name: &str) -> PathBuf {
        self.settings.dir.join(".locks").join(format!("{name}.lock"))
    }
}
