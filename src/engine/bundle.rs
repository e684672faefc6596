//! A model as one file: written with the vectors of the built-in packs, and taken in with them on another machine.
//!
//! Vectors of other packs stay here: what a private text says can be guessed from its vector. On the other machine each
//! vector counts for the text that has its hash, so a bundle is worth something to another version of the packs too.

use super::{Engine, EngineError, Progress, Session};
use crate::ann::Image;
use crate::embed::{BundleExtras, BundledVectors, Encoder, Installed, Manifest, ModelKind, PullEvent};
use crate::types::{Calibration, Fingerprint};
use std::path::Path;

/// A bundle that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundled {
    /// The model in it.
    pub model: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// How many vectors of the packs are in it.
    pub vectors: usize,
}

impl Engine {
    /// Writes an installed model (the one in use if none is named) and the vectors of the built-in packs that there are
    /// into one file, which is replaced if it is there.
    ///
    /// # Errors
    /// [`EngineError`] when the model is not installed or is damaged, or the file cannot be written.
    pub fn bundle(&self, name: Option<&str>, file: &Path, session: &Session<'_>) -> Result<Bundled, EngineError> {
        let store = self.store()?;
        let missing = || EngineError::NoModel { model: name.unwrap_or(&self.settings.model).to_owned() };
        let installed = self.model(name)?.ok_or_else(missing)?;
        let encoder = match installed.manifest.kind {
            ModelKind::Encoder => Some(store.load(&installed)?),
            ModelKind::Reranker => None,
        };
        let image = encoder.as_ref().and_then(|encoder| self.builtin_vectors(encoder.as_ref(), session));
        let vectors = encoder.as_ref().map(|encoder| encoder.fingerprint());
        let extras = BundleExtras {
            calibration: self.own_calibration(&installed, session),
            vectors: vectors.zip(image.as_ref().map(Image::file_bytes)),
        };
        let bytes = store.bundle(&installed, &extras, file, &|| session.is_stopped(), &mut |event| {
            session.tell(Progress::Pull(&event));
        })?;
        Ok(Bundled { model: installed.name().to_owned(), bytes, vectors: image.map_or(0, |image| image.len()) })
    }

    /// A calibration of the user's own for a model that ships with none.
    fn own_calibration(&self, installed: &Installed, session: &Session<'_>) -> Option<Calibration> {
        let ships = Manifest::builtin().iter().any(|m| m.name == installed.name() && m.calibration.is_some());
        let own = self.calibration_of(installed, session).ok().filter(|(_, is_own)| *is_own && !ships);
        own.map(|(calibration, _)| calibration)
    }

    /// Takes in a bundle, with the vectors in it as far as they are of use.
    pub(super) fn unbundle(
        &self,
        file: &Path,
        name: Option<&str>,
        session: &Session<'_>,
    ) -> Result<(Installed, bool), EngineError> {
        let store = self.store()?;
        let on = &mut |event: PullEvent<'_>| session.tell(Progress::Pull(&event));
        let unbundled = store.import_bundle(file, name, on)?;
        let installed = unbundled.installed;
        if let Some(given) = &unbundled.vectors
            && installed.manifest.kind == ModelKind::Encoder
        {
            let encoder = store.load(&installed)?;
            self.take_vectors(given, encoder.as_ref(), session)?;
        }
        Ok((installed, unbundled.was_there))
    }

    fn take_vectors(
        &self,
        given: &BundledVectors,
        encoder: &dyn Encoder,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        // The same model may have another name here.
        let digest = |model: &Fingerprint| model.as_str().rsplit_once('@').map(|(_, digest)| digest.to_owned());
        let same_model = digest(&given.model).is_some_and(|own| Some(own) == digest(encoder.fingerprint()));
        let image = if same_model { Image::open_stale(&given.path(), given.model.as_str()) } else { None };
        let taken = match image.filter(|image| image.dims() == encoder.dims()) {
            Some(image) => self.take_canon(&image, encoder, session)?,
            None => false,
        };
        if !taken {
            session.note("the vectors in the bundle are not what this model makes; they are made here".to_owned());
        }
        Ok(())
    }
}
