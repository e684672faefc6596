//! Canon's vectors: made when a model is pulled, kept by text hash, completed when a pack has grown since.

use super::{Engine, EngineError, OnProgress, Progress};
use crate::canon::EntryText;
use crate::embed::{Encoder, Installed, Manifest};
use crate::query::Semantics;
use crate::query::relevance::SemanticIndex;
use crate::store::{VectorFile, make_private, text_hash};
use crate::types::{Calibration, Role};
use std::path::PathBuf;

impl Engine {
    /// Model, vectors and calibration, opened at the first call; `None`, with a note that says why, if there is no
    /// usable model.
    pub(super) fn semantics(&self, progress: OnProgress<'_>) -> Option<&Semantics> {
        self.semantics
            .get_or_init(|| match self.open_semantics(progress) {
                Ok(found) => found,
                Err(error) => {
                    self.note(format!("the model cannot be used: {error}"));
                    None
                }
            })
            .as_ref()
    }

    fn open_semantics(&self, progress: OnProgress<'_>) -> Result<Option<Semantics>, EngineError> {
        let Some(encoder) = self.encoder()? else { return Ok(None) };
        let Some(installed) = self.encoder_model() else { return Ok(None) };
        let calibration = match &self.settings.calibration {
            Some(own) => own.clone(),
            None => calibration(installed)?,
        };
        let index = self.canon_index(encoder.as_ref(), progress)?;
        Ok(Some(Semantics { encoder, index, calibration }))
    }

    /// The vectors of all entries under this encoder; those that are missing are made and kept.
    pub(super) fn canon_index(
        &self,
        encoder: &dyn Encoder,
        progress: OnProgress<'_>,
    ) -> Result<SemanticIndex, EngineError> {
        let path = self.vector_path(encoder);
        let fingerprint = encoder.fingerprint();
        let knowledge = &self.knowledge;
        // Reading the file and reading the entries take about as long, and neither needs the other.
        let (known, (texts, hashes)) = std::thread::scope(|scope| {
            let read = scope.spawn(|| match &path {
                // What cannot be read is made again: the file is derived.
                Some(path) => VectorFile::read(path, fingerprint).unwrap_or_default(),
                None => None,
            });
            let entries = knowledge.canon().entries().iter().enumerate();
            let texts: Vec<(usize, EntryText)> = entries
                .flat_map(|(entry, stored)| stored.entry().texts().into_iter().map(move |text| (entry, text)))
                .collect();
            let hashes: Vec<_> = texts.iter().map(|(_, text)| text_hash(&text.key())).collect();
            knowledge.index_keywords();
            (read.join().unwrap_or_default(), (texts, hashes))
        });
        let mut vectors = known.unwrap_or_else(|| VectorFile::new(fingerprint.clone(), encoder.dims()));
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| vectors.get(&hashes[at]).is_none()).collect();
        if !missing.is_empty() {
            let model = encoder.fingerprint().as_str().to_owned();
            let name = model.split('@').next().unwrap_or(&model);
            let total = missing.len();
            progress(Progress::Embedding { what: "the canon", done: 0, total, model: name });
            let made: Vec<String> = missing.iter().map(|&at| texts[at].1.embedded()).collect();
            let wanted: Vec<&str> = made.iter().map(String::as_str).collect();
            let encoded = encoder.encode(&wanted, Role::Passage, &mut |done| {
                progress(Progress::Embedding { what: "the canon", done, total, model: name });
            })?;
            let dead = vectors.len().saturating_sub(texts.len() - missing.len());
            if dead > texts.len() / 2 {
                vectors.retain(&hashes.iter().copied().collect());
            }
            missing.iter().zip(encoded).for_each(|(&at, encoded)| vectors.insert(hashes[at], &encoded.vector));
            if let Some(path) = &path {
                let kept = path.parent().map_or(Ok(()), make_private).and_then(|()| vectors.write(path));
                if let Err(error) = kept {
                    self.note(format!("vectors could not be kept and will be made again: {error}"));
                }
            }
        }
        Ok(SemanticIndex::new(vectors, texts.iter().map(|(entry, _)| *entry).zip(hashes)))
    }

    fn vector_path(&self, encoder: &dyn Encoder) -> Option<PathBuf> {
        let name: String = encoder
            .fingerprint()
            .as_str()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' })
            .collect();
        self.settings.vectors.as_ref().map(|folder| folder.join(format!("canon-{name}.vec")))
    }
}

/// The calibration of an installed model: the one that ships for its name, else the one it came with.
fn calibration(installed: &Installed) -> Result<Calibration, EngineError> {
    let shipped = Manifest::builtin().iter().find(|m| m.name == installed.name()).and_then(|m| m.calibration.clone());
    shipped
        .or_else(|| installed.manifest.calibration.clone())
        .ok_or_else(|| EngineError::NotCalibrated { model: installed.name().to_owned() })
}
