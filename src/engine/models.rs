//! Models: what is there, getting one, checking one, removing one.

use super::state::NeededVectors;
use super::{Engine, EngineError, Progress, Session};
use crate::embed::{EmbedError, Encoder, FileCheck, Installed, Manifest, ModelKind, PullEvent, State};
use crate::types::Fingerprint;
use std::path::{Path, PathBuf};

impl Engine {
    /// Every model that ships with a manifest or is installed, with its installation, and whether it is the active one.
    ///
    /// # Errors
    /// [`EngineError::NoHome`].
    pub fn models(&self) -> Result<Vec<(Manifest, Option<Installed>, bool)>, EngineError> {
        let store = self.store()?;
        let active = self.active_model(&store).ok().flatten().map(|found| found.name().to_owned());
        let mut installed = store.installed();
        let mut out = Vec::new();
        for manifest in Manifest::builtin() {
            let at = installed.iter().position(|i| i.name() == manifest.name);
            let is_active = active.as_deref() == Some(&manifest.name);
            out.push((manifest.clone(), at.map(|at| installed.remove(at)), is_active));
        }
        for other in installed {
            let is_active = active.as_deref() == Some(other.name());
            out.push((other.manifest.clone(), Some(other), is_active));
        }
        Ok(out)
    }

    /// Loads the active model's encoder anew, to measure it.
    ///
    /// # Errors
    /// [`EngineError::NoModel`] when it is not installed, and whatever loading fails with.
    pub fn load_encoder(&self) -> Result<Box<dyn Encoder>, EngineError> {
        let store = self.store()?;
        let found = self.active_model(&store)?;
        let installed = found.ok_or_else(|| EngineError::NoModel { model: self.settings.model.clone() })?;
        Ok(store.load(&installed)?)
    }

    /// The fingerprint of the active model; `None` if none is installed.
    ///
    /// # Errors
    /// [`EngineError`] when the model is there and cannot be loaded.
    pub fn fingerprint(&self) -> Result<Option<Fingerprint>, EngineError> {
        Ok(self.encoder()?.map(|encoder| encoder.fingerprint().clone()))
    }

    /// Gets a model (the configured one if none is named) and makes canon's vectors with it, if it is the one that
    /// lookups use.
    ///
    /// # Errors
    /// [`EngineError`] when no source has it or the vectors cannot be made.
    pub fn pull(&self, name: Option<&str>, session: &Session<'_>) -> Result<Installed, EngineError> {
        let installed = self.get(name, session)?;
        self.prepare(&installed, session)?;
        Ok(installed)
    }

    /// Gets a model, and nothing else.
    fn get(&self, name: Option<&str>, session: &Session<'_>) -> Result<Installed, EngineError> {
        self.data()?;
        let store = self.store()?;
        let name = name.unwrap_or(&self.settings.model);
        let directory = name.contains(std::path::is_separator);
        // One whose record is damaged is got again.
        let found = match store.find(name) {
            Err(EmbedError::Damaged { .. }) if !directory => None,
            found => found?,
        };
        Ok(match found {
            Some(found) if directory => found,
            _ => store.pull(name, &mut |event: PullEvent<'_>| session.tell(Progress::Pull(&event)))?,
        })
    }

    /// Gets the active model if it is missing or damaged, and embeds indexed texts that have no vector. It does not
    /// embed the packs: the lookup that follows embeds the entries that it needs.
    ///
    /// # Errors
    /// As [`Engine::pull`].
    pub fn pull_if_missing(&self, session: &Session<'_>) -> Result<(), EngineError> {
        match self.active_model(&self.store()?)? {
            Some(found) if found.state == State::Ready => Ok(()),
            // One that is damaged is pulled again.
            _ => {
                let installed = self.get(None, session)?;
                self.complete_index(self.store()?.load(&installed)?.as_ref(), session)
            }
        }
    }

    /// Takes in a directory of the sentence-transformers layout, or a bundle, and makes canon's vectors with it, as far
    /// as a bundle does not bring them. Gives whether the very same model had been installed before.
    ///
    /// # Errors
    /// [`EngineError`] when there is no such model.
    pub fn import(
        &self,
        path: &Path,
        name: Option<&str>,
        session: &Session<'_>,
    ) -> Result<(Installed, bool), EngineError> {
        self.data()?;
        let (installed, was_there) = match std::fs::metadata(path) {
            Ok(meta) if !meta.is_dir() => self.unbundle(path, name, session)?,
            _ => (self.store()?.import(path, name)?, false),
        };
        self.prepare(&installed, session)?;
        Ok((installed, was_there))
    }

    /// Makes canon's vectors with an installed model, and those of indexed texts that have none yet. Of a reranker
    /// there are none to make: it is opened, which packs its weights.
    ///
    /// # Errors
    /// [`EngineError`] when the model cannot be loaded or fails.
    pub fn prepare(&self, installed: &Installed, session: &Session<'_>) -> Result<(), EngineError> {
        if installed.manifest.kind == ModelKind::Reranker {
            drop(self.store()?.load_reranker(installed)?);
            return Ok(());
        }
        let encoder = self.store()?.load(installed)?;
        self.canon_index(&self.packs(session), encoder.as_ref(), NeededVectors::All, session)?;
        self.complete_index(encoder.as_ref(), session)
    }

    /// The installed model of this name or directory.
    ///
    /// # Errors
    /// [`EngineError`] when there is no such model.
    pub fn model(&self, name: Option<&str>) -> Result<Option<Installed>, EngineError> {
        let store = self.store()?;
        match name {
            Some(name) => Ok(store.find(name)?),
            None => self.active_model(&store),
        }
    }

    /// An error if this model makes no vectors, and so cannot be the one in use.
    ///
    /// # Errors
    /// [`EmbedError::WrongKind`].
    pub fn check_encoder(&self, installed: &Installed) -> Result<(), EngineError> {
        let (name, kind) = (installed.name().to_owned(), installed.manifest.kind);
        match kind {
            ModelKind::Encoder => Ok(()),
            ModelKind::Reranker => Err(EmbedError::WrongKind { name, kind, wanted: ModelKind::Encoder }.into()),
        }
    }

    /// Hashes all files of a model.
    ///
    /// # Errors
    /// [`EngineError`] when it is not installed or cannot be read.
    pub fn verify_model(&self, name: &str) -> Result<Vec<FileCheck>, EngineError> {
        Ok(self.store()?.verify(name)?)
    }

    /// Where a model's files lie.
    ///
    /// # Errors
    /// [`EngineError`] when it is not installed.
    pub fn model_path(&self, name: &str) -> Result<PathBuf, EngineError> {
        Ok(self.store()?.path(name)?)
    }

    /// Removes a model's files that are ours to remove, and its vectors; gives the bytes freed.
    ///
    /// # Errors
    /// [`EngineError`] when it is not installed or cannot be removed.
    pub fn remove_model(&self, name: &str) -> Result<u64, EngineError> {
        let mut freed = self.store()?.remove(name)?;
        if let Some(folder) = &self.settings.vectors {
            let prefix = format!("canon-{name}@");
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(&prefix) {
                    let size = entry.metadata().map_or(0, |m| m.len());
                    let removed = std::fs::remove_file(entry.path());
                    removed.map_err(|source| EngineError::Io { path: entry.path(), source })?;
                    freed += size;
                }
            }
        }
        Ok(freed)
    }
}
