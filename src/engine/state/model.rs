//! The model in use: its encoder, and what is made with it for the packs. One that cannot be opened is tried again by
//! the next request that needs it.

use super::{PacksSnapshot, Watched};
use crate::embed::{CACHE_BYTES, EmbedError, Encoder, Installed, ModelStore, QueryCache, Reranker};
use crate::engine::{Engine, EngineError, Session};
use crate::query::Semantics;
use crate::store::ReadVectors;
use crate::text::{hex, sha256};
use crate::types::{Calibration, Fingerprint};
use std::path::PathBuf;
use std::sync::Arc;

/// An open model.
pub(in crate::engine) struct ModelSnapshot {
    pub installed: Installed,
    pub encoder: Arc<dyn Encoder>,
    /// What the index says about models, which decides whether this is the one in use.
    choice: ModelChoice,
    files: Watched,
}

/// The model that the index is made with, and a change of it that the configuration has not followed yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::engine) struct ModelChoice {
    pub index: Option<String>,
    pub pending: Option<(String, String)>,
}

/// A model with the packs' vectors.
pub(in crate::engine) struct SemanticsSnapshot {
    pub semantics: Semantics,
    /// Whether its calibration was made with the user's own labels, or is being measured.
    pub is_own: bool,
    /// Digest of what the log-odds of items are made with.
    pub fit: String,
    /// The packs that the vectors are of.
    packs: String,
    /// Whether they are those of some entries alone.
    is_partial: bool,
    files: Watched,
}

/// Of which entries vectors are needed where those of all are not there yet.
#[derive(Clone, Copy)]
pub(in crate::engine) enum NeededVectors<'a> {
    /// Of all, however long that takes.
    All,
    /// Of these, by their places; the others are left to a process in the background where one can be started.
    Entries(&'a dyn Fn() -> Vec<usize>),
}

/// An open cross-encoder.
pub(in crate::engine) struct RerankerSnapshot {
    pub reranker: Box<dyn Reranker>,
    files: Watched,
}

/// Digest of what log-odds are made with.
pub(in crate::engine) fn fit_digest(model: &Fingerprint, calibration: &Calibration) -> String {
    let fit = calibration.of_documents();
    hex(&sha256(format!("{model}\0{}\0{fit:?}", calibration.neighbours).as_bytes())[..8])
}

impl Engine {
    /// The cross-encoder. Unlike an encoder it is only opened where it was asked for, so that one that is missing is an
    /// error.
    pub(in crate::engine) fn reranker(&self) -> Result<Arc<RerankerSnapshot>, EngineError> {
        let name = &self.settings.reranker;
        let open = |_| -> Result<RerankerSnapshot, EngineError> {
            let store = self.store()?;
            let files = Watched::new(store.files_of(name));
            let installed = store.find(name)?.ok_or_else(|| EmbedError::NotInstalled { name: name.clone() })?;
            Ok(RerankerSnapshot { reranker: store.load_reranker(&installed)?, files })
        };
        self.reranker.current(|held| held.files.is_unchanged(), open)
    }

    /// What the index says about models; nothing where there is no index or it cannot be read.
    pub(in crate::engine) fn model_choice(&self) -> ModelChoice {
        let Ok(Some(database)) = self.read_database() else { return ModelChoice::default() };
        ModelChoice {
            index: database.index_model().ok().flatten().map(|model| model.name().to_owned()),
            pending: database.pending_switch().ok().flatten(),
        }
    }

    /// The encoder of the active model; `None` if no model is installed.
    pub(in crate::engine) fn open_model(&self) -> Result<Option<Arc<ModelSnapshot>>, EngineError> {
        let Some(settings) = self.settings.models.clone() else { return Ok(None) };
        let choice = self.model_choice();
        let is_current = |held: &ModelSnapshot| held.choice == choice && held.files.is_unchanged();
        if let Some(held) = self.model.get().filter(|held| is_current(held)) {
            return Ok(Some(held));
        }
        let store = ModelStore::new(settings);
        let files = Watched::new(self.model_names(&choice).iter().flat_map(|name| store.files_of(name)));
        let Some(installed) = self.active_model_of(&store, &choice)? else {
            self.model.clear();
            return Ok(None);
        };
        let open = |_| -> Result<ModelSnapshot, EngineError> {
            let encoder = Arc::new(QueryCache::new(store.load(&installed)?, CACHE_BYTES));
            Ok(ModelSnapshot { installed, encoder, choice: choice.clone(), files })
        };
        self.model.current(is_current, open).map(Some)
    }

    /// The encoder of the active model; `None` if no model is installed.
    pub(in crate::engine) fn encoder(&self) -> Result<Option<Arc<dyn Encoder>>, EngineError> {
        Ok(self.open_model()?.map(|model| Arc::clone(&model.encoder)))
    }

    /// Model, vectors and calibration; `None`, with a note that says why, if there is no usable model.
    pub(in crate::engine) fn semantics(
        &self,
        packs: &PacksSnapshot,
        wanted: NeededVectors<'_>,
        session: &Session<'_>,
    ) -> Option<Arc<SemanticsSnapshot>> {
        match self.open_semantics(packs, wanted, session) {
            Ok(found) => found,
            Err(error) => {
                session.note(format!("the model cannot be used: {error}"));
                None
            }
        }
    }

    fn open_semantics(
        &self,
        packs: &PacksSnapshot,
        wanted: NeededVectors<'_>,
        session: &Session<'_>,
    ) -> Result<Option<Arc<SemanticsSnapshot>>, EngineError> {
        let Some(model) = self.open_model()? else { return Ok(None) };
        let is_current = |held: &SemanticsSnapshot| {
            !held.is_partial
                && held.packs == packs.canon().digest()
                && Arc::ptr_eq(&held.semantics.encoder, &model.encoder)
                && held.files.is_unchanged()
                && !held.semantics.canon.is_damaged()
        };
        let open = |_| -> Result<SemanticsSnapshot, EngineError> {
            let (calibration, is_own) = match &self.settings.calibration {
                Some(own) => (own.clone(), true),
                None => self.calibration_of(&model.installed, session)?,
            };
            let (canon, is_partial) = self.canon_index(packs, model.encoder.as_ref(), wanted, session)?;
            let canon = self.remembering(canon);
            // Looked at after the vectors were made, if they had to be.
            let vectors = self.vector_path(packs, model.encoder.as_ref());
            let own: Option<PathBuf> = self.calibration_path(model.installed.name());
            let files = Watched::new(vectors.into_iter().chain(own));
            let semantics = Semantics { encoder: Arc::clone(&model.encoder), canon, calibration };
            let fit = fit_digest(semantics.encoder.fingerprint(), &semantics.calibration);
            let packs = packs.canon().digest().to_owned();
            Ok(SemanticsSnapshot { semantics, is_own, fit, packs, is_partial, files })
        };
        self.semantics.current(is_current, open).map(Some)
    }
}
