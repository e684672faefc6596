//! Canon's vectors: made when a model is pulled, ready in a file, completed when a pack has changed since.

use super::{Engine, EngineError, OnProgress, Progress};
use crate::ann::{Image, Index, Origin};
use crate::canon::EntryText;
use crate::embed::{Encoder, Installed, Manifest};
use crate::query::Semantics;
use crate::query::relevance::SemanticIndex;
use crate::store::make_private;
use crate::text::{TextHash, text_hash};
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

    /// The vectors of all entries under this encoder, from the file that holds them if it was made from these packs.
    pub(super) fn canon_index(
        &self,
        encoder: &dyn Encoder,
        progress: OnProgress<'_>,
    ) -> Result<SemanticIndex, EngineError> {
        let image = match self.canon_file(encoder) {
            Some(image) => image,
            None => self.make_canon_image(encoder, progress)?,
        };
        Ok(SemanticIndex::new(Index::new(image)))
    }

    /// The file of canon's vectors, if there is one of these packs.
    pub(super) fn canon_file(&self, encoder: &dyn Encoder) -> Option<Image> {
        Image::open(&self.vector_path(encoder)?, &self.canon_origin(encoder))
    }

    /// Makes the vectors of all entries again, those that were there and are whole excepted, and keeps them.
    pub(super) fn make_canon_image(
        &self,
        encoder: &dyn Encoder,
        progress: OnProgress<'_>,
    ) -> Result<Image, EngineError> {
        let path = self.vector_path(encoder);
        let (origin, dims) = (self.canon_origin(encoder), encoder.dims());
        let old = path.as_ref().and_then(|path| Image::open_stale(path, &origin.model));
        let old = old.filter(|old| old.dims() == dims);
        let known = |hash: &TextHash| old.as_ref().and_then(|old| old.checked(old.row_of(hash)?));
        let entries = self.canon().entries().iter().zip(0u64..);
        let texts: Vec<(u64, u32, EntryText)> = entries
            .flat_map(|(stored, entry)| {
                stored.entry().texts().into_iter().zip(0u32..).map(move |(text, part)| (entry, part, text))
            })
            .collect();
        let hashes: Vec<TextHash> = texts.iter().map(|(_, _, text)| text_hash(&text.key())).collect();
        let kept: Vec<Option<Vec<f32>>> = hashes.iter().map(known).collect();
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| kept[at].is_none()).collect();
        let mut made = Vec::new();
        if !missing.is_empty() {
            let name = encoder.fingerprint().name();
            let total = missing.len();
            progress(Progress::Embedding { what: "the canon", done: 0, total, model: name });
            let wanted: Vec<String> = missing.iter().map(|&at| texts[at].2.embedded()).collect();
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            made = encoder.encode(&wanted, Role::Passage, &mut |done| {
                progress(Progress::Embedding { what: "the canon", done, total, model: name });
            })?;
        }
        let new = missing.iter().zip(&made).map(|(&at, encoded)| (hashes[at], encoded.vector.as_slice()));
        let old = hashes.iter().zip(&kept).filter_map(|(hash, vector)| Some((*hash, vector.as_deref()?)));
        let vectors = old.chain(new);
        let links = texts.iter().zip(&hashes).map(|((entry, part, _), hash)| (*entry, *part, *hash));
        let image = Image::new(&origin, dims, vectors, links);
        let Some(path) = path else { return Ok(image) };
        let folder = path.parent().map_or(Ok(()), make_private).map_err(|error| error.to_string());
        let kept = folder.and_then(|()| image.write(&path).map_err(|error| format!("{}: {error}", path.display())));
        if let Err(error) = kept {
            self.note(format!("vectors could not be kept and will be made again: {error}"));
        }
        // Mapped, it takes only the memory that is used.
        Ok(Image::open(&path, &origin).unwrap_or(image))
    }

    /// Makes vectors of the packs again of which a search has met damaged ones; it left them out.
    pub(super) fn mend_canon(&self) {
        let Some(Some(semantics)) = self.semantics.get() else { return };
        if semantics.index.index().is_damaged() {
            let mended = self.make_canon_image(semantics.encoder.as_ref(), &mut |_| {});
            let what = "vectors of the packs were damaged and have been left out of this answer";
            self.note(match mended {
                Ok(_) => format!("{what}; they have been made again, so ask again"),
                Err(error) => format!("{what}; they cannot be made again: {error}"),
            });
        }
    }

    fn canon_origin(&self, encoder: &dyn Encoder) -> Origin {
        Origin { model: encoder.fingerprint().as_str().to_owned(), state: format!("canon {}", self.canon().digest()) }
    }

    fn vector_path(&self, encoder: &dyn Encoder) -> Option<PathBuf> {
        let name: String = encoder
            .fingerprint()
            .as_str()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' })
            .collect();
        self.settings.vectors.as_ref().map(|folder| folder.join(format!("canon-{name}.ann")))
    }
}

/// The calibration of an installed model: the one that ships for its name, else the one it came with.
fn calibration(installed: &Installed) -> Result<Calibration, EngineError> {
    let shipped = Manifest::builtin().iter().find(|m| m.name == installed.name()).and_then(|m| m.calibration.clone());
    shipped
        .or_else(|| installed.manifest.calibration.clone())
        .ok_or_else(|| EngineError::NotCalibrated { model: installed.name().to_owned() })
}
