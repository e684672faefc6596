//! Canon's vectors: made when a model is pulled, ready in a file, completed when a pack has changed since.

use super::{Engine, EngineError, PacksSnapshot, Progress, Session};
use crate::ann::{Image, Index, Origin};
use crate::canon::{Canon, EntryText};
use crate::embed::{Encoder, Installed, Manifest};
use crate::map::open::{Links, read_text};
use crate::query::Semantics;
use crate::screen::shown;
use crate::store::make_private;
use crate::text::{TextHash, text_hash};
use crate::types::limits::MODEL_JSON;
use crate::types::{Calibration, Role};
use std::path::PathBuf;

/// Vector files of other sets of packs that are kept.
const OTHER_SETS: usize = 3;

impl Engine {
    /// The calibration of the model in use; `None` if it has none, or there is no model.
    pub fn calibration(&self, session: &Session<'_>) -> Option<Calibration> {
        let packs = self.packs(session);
        Some(self.semantics(&packs, session)?.semantics.calibration.clone())
    }

    /// Keeps a calibration for this user and the model in use; gives the file.
    ///
    /// # Errors
    /// [`EngineError`] without a model or a folder for the configuration, or when the file cannot be written.
    pub fn keep_calibration(&self, calibration: &Calibration) -> Result<PathBuf, EngineError> {
        let missing = || EngineError::NoModel { model: self.settings.model.clone() };
        let name = self.open_model()?.ok_or_else(missing)?.installed.name().to_owned();
        let path = self.calibration_path(&name).ok_or(EngineError::NoHome)?;
        let io = |source| EngineError::Io { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let text = toml::to_string(calibration).map_err(|error| io(std::io::Error::other(error)))?;
        crate::map::write_aside(&path, text.as_bytes()).map_err(io)?;
        Ok(path)
    }

    pub(super) fn calibration_path(&self, model: &str) -> Option<PathBuf> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = model.chars().map(plain).collect();
        Some(self.calibrations()?.join(format!("{name}.toml")))
    }

    /// Where calibrations of the user's own lie.
    pub(super) fn calibrations(&self) -> Option<PathBuf> {
        Some(self.settings.config.as_ref()?.parent()?.join("calibrations"))
    }

    /// The calibration of an installed model: the user's own, else the one that ships for its name, else the one it
    /// came with; and whether it is the user's own.
    pub(super) fn calibration_of(
        &self,
        installed: &Installed,
        session: &Session<'_>,
    ) -> Result<(Calibration, bool), EngineError> {
        if let Some(path) = self.calibration_path(installed.name()) {
            match read_text(&path, Links::Follow, MODEL_JSON) {
                Ok(text) => match toml::from_str(&text) {
                    Ok(own) => return Ok((own, true)),
                    Err(error) => {
                        let error = error.message().lines().next().unwrap_or_default().to_owned();
                        session.note(format!("{} is not used: {error}", shown(&path)));
                    }
                },
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => session.note(format!("{} is not used: {error}", shown(&path))),
            }
        }
        let shipped = Manifest::builtin().iter().find(|m| m.name == installed.name());
        let shipped = shipped.and_then(|manifest| manifest.calibration.clone());
        shipped
            .or_else(|| installed.manifest.calibration.clone())
            .map(|calibration| (calibration, false))
            .ok_or_else(|| EngineError::NotCalibrated { model: installed.name().to_owned() })
    }

    /// The vectors of all entries under this encoder, from the file that holds them if it was made from these packs.
    pub(super) fn canon_index(
        &self,
        packs: &PacksSnapshot,
        encoder: &dyn Encoder,
        session: &Session<'_>,
    ) -> Result<Index, EngineError> {
        let image = match self.canon_file(packs, encoder) {
            Some(image) => image,
            None => self.make_canon_image(packs, encoder, session)?,
        };
        Ok(Index::new(image))
    }

    /// The file of canon's vectors, if there is one of these packs.
    pub(super) fn canon_file(&self, packs: &PacksSnapshot, encoder: &dyn Encoder) -> Option<Image> {
        Image::open(&self.vector_path(packs, encoder)?, &canon_origin(packs, encoder))
    }

    /// Makes the vectors of all entries again, those that were there and are whole excepted, and keeps them.
    pub(super) fn make_canon_image(
        &self,
        packs: &PacksSnapshot,
        encoder: &dyn Encoder,
        session: &Session<'_>,
    ) -> Result<Image, EngineError> {
        let path = self.vector_path(packs, encoder);
        let (origin, dims) = (canon_origin(packs, encoder), encoder.dims());
        let files = self.vector_files(encoder);
        let old: Vec<Image> = files.iter().filter_map(|path| Image::open_stale(path, &origin.model)).collect();
        let old: Vec<&Image> = old.iter().filter(|old| old.dims() == dims).collect();
        let known = |hash: &TextHash| old.iter().find_map(|old| old.checked(old.row_of(hash)?));
        let texts = entry_texts(packs.canon());
        let hashes: Vec<TextHash> = texts.iter().map(|text| text_hash(&text.text.key())).collect();
        let kept: Vec<Option<Vec<f32>>> = hashes.iter().map(known).collect();
        let missing: Vec<usize> = (0..texts.len()).filter(|&at| kept[at].is_none()).collect();
        let mut made = Vec::new();
        if !missing.is_empty() {
            let name = encoder.fingerprint().name();
            let total = missing.len();
            session.tell(Progress::Embedding { what: "the canon", done: 0, total, model: name });
            let wanted: Vec<String> = missing.iter().map(|&at| texts[at].text.embedded()).collect();
            let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            made = encoder.encode(&wanted, Role::Passage, &mut |done| {
                session.tell(Progress::Embedding { what: "the canon", done, total, model: name });
            })?;
        }
        let mut vectors = kept;
        missing.iter().zip(made).for_each(|(&at, encoded)| vectors[at] = Some(encoded.vector));
        let rows = || hashes.iter().zip(&vectors).filter_map(|(hash, vector)| Some((*hash, vector.as_deref()?)));
        let links = |wanted: &dyn Fn(usize) -> bool| -> Vec<(u64, u32, TextHash)> {
            let wanted = (0..texts.len()).filter(|&at| wanted(at));
            wanted.map(|at| (texts[at].entry, texts[at].part, hashes[at])).collect()
        };
        let mut image = Image::new(&origin, dims, rows(), links(&|at| !texts[at].generated));
        if texts.iter().any(|text| text.generated) {
            // A string of a pattern that is nearer to another entry would only mislead.
            let index = Index::new(image);
            let own = |at: usize| {
                let nearest = vectors[at].as_ref().map(|vector| index.search(vector, 1, None));
                let row = nearest.and_then(|found| found.first().map(|near| near.row));
                row.is_some_and(|row| index.owners_of(row).any(|(owner, _)| owner == texts[at].entry))
            };
            image = Image::new(&origin, dims, rows(), links(&|at| !texts[at].generated || own(at)));
        }
        let Some(path) = path else { return Ok(image) };
        let folder = path.parent().map_or(Ok(()), make_private).map_err(|error| error.to_string());
        let kept = folder.and_then(|()| image.write(&path).map_err(|error| format!("{}: {error}", shown(&path))));
        if let Err(error) = kept {
            session.note(format!("vectors could not be kept and will be made again: {error}"));
        }
        // Of sets of packs that are no longer in use, as far as that can be told.
        let others = self.vector_files(encoder).into_iter().filter(|other| *other != path);
        others.skip(OTHER_SETS).for_each(|unused| drop(std::fs::remove_file(unused)));
        // Mapped, it takes only the memory that is used.
        Ok(Image::open(&path, &origin).unwrap_or(image))
    }

    /// Makes vectors of the packs again of which a search has met damaged ones; it left them out.
    pub(super) fn mend_canon(&self, packs: &PacksSnapshot, semantics: &Semantics, session: &Session<'_>) {
        if semantics.canon.is_damaged() {
            let mended = self.make_canon_image(packs, semantics.encoder.as_ref(), &session.heard_by(|_| {}));
            let what = "vectors of the packs were damaged and have been left out of this answer";
            session.note(match mended {
                Ok(_) => format!("{what}; they have been made again, so ask again"),
                Err(error) => format!("{what}; they cannot be made again: {error}"),
            });
        }
    }

    /// A file for each set of packs: repositories may have packs of their own, and going from one to another must not
    /// cost the other's vectors.
    pub(super) fn vector_path(&self, packs: &PacksSnapshot, encoder: &dyn Encoder) -> Option<PathBuf> {
        let set = match packs.sources.is_empty() {
            true => String::new(),
            false => format!("-{}", &packs.canon().digest()[..8]),
        };
        let folder = self.settings.vectors.as_ref()?;
        Some(folder.join(format!("{}{set}.ann", vector_name(encoder))))
    }

    /// The files of this model's vectors, of whatever packs, the newest first.
    pub(super) fn vector_files(&self, encoder: &dyn Encoder) -> Vec<PathBuf> {
        let prefix = vector_name(encoder);
        let inside =
            self.settings.vectors.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let own = inside.filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with(&prefix) && name.ends_with(".ann")
        });
        let mut files: Vec<_> =
            own.map(|entry| (entry.metadata().and_then(|meta| meta.modified()).ok(), entry.path())).collect();
        files.sort_by(|a, b| b.cmp(a));
        files.into_iter().map(|(_, path)| path).collect()
    }
}

fn canon_origin(packs: &PacksSnapshot, encoder: &dyn Encoder) -> Origin {
    let model = encoder.fingerprint().as_str().to_owned();
    Origin { model, state: format!("canon {}", packs.canon().digest()), ..Origin::default() }
}

/// A text of an entry, to be embedded.
struct Part {
    entry: u64,
    part: u32,
    text: EntryText,
    /// Whether it was made from a pattern.
    generated: bool,
}

fn entry_texts(canon: &Canon) -> Vec<Part> {
    let entries = canon.entries().iter().zip(0u64..);
    entries
        .flat_map(|(stored, entry)| {
            let own = stored.entry().texts().into_iter().map(|text| (text, false));
            let made = stored.entry().generated_texts().into_iter().map(|text| (text, true));
            let all = own.chain(made).zip(0u32..);
            all.map(move |((text, generated), part)| Part { entry, part, text, generated })
        })
        .collect()
}

/// How the names of a model's vector files begin.
fn vector_name(encoder: &dyn Encoder) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' };
    format!("canon-{}", encoder.fingerprint().as_str().chars().map(plain).collect::<String>())
}
