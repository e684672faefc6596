//! Canon's vectors: made when a model is pulled, ready in a file, completed when a pack has changed since.

use super::state::NeededVectors;
use super::{Engine, EngineError, PacksSnapshot, Progress, Session};
use crate::ann::{Image, Index, Origin};
use crate::canon::{Canon, EntryText, Stored};
use crate::embed::{Encoder, Installed, Manifest};
use crate::lock::{self, Lock};
use crate::map::open::{Links, read_text};
use crate::query::Semantics;
use crate::screen::shown;
use crate::store::make_private;
use crate::text::{TextHash, text_hash};
use crate::types::limits::MODEL_JSON;
use crate::types::{Calibration, Role};
use crate::vector::dot;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Vector files of other sets of packs that are kept.
const OTHER_SETS: usize = 3;
/// Texts that are embedded between two writes of the file: some seconds of work.
const PIECE: usize = 1_024;
/// Texts that are embedded to see whether somebody else's vectors are what a model makes.
const SAMPLE: usize = 32;
/// Cosine of two vectors of one text from which they are the same but for rounding.
const SAME: f32 = 0.99;
/// Longest wait for another process that makes the same file.
const OTHER_PROCESS: Duration = Duration::from_secs(600);

impl Engine {
    /// The calibration of the model in use; `None` if it has none, or there is no model.
    pub fn calibration(&self, session: &Session<'_>) -> Option<Calibration> {
        let packs = self.packs(session);
        Some(self.semantics(&packs, NeededVectors::All, session)?.semantics.calibration.clone())
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

    /// The entries' vectors under this encoder, and whether they are those of some entries only. They come from the
    /// file if it was made from these packs.
    pub(super) fn canon_index(
        &self,
        packs: &PacksSnapshot,
        encoder: &dyn Encoder,
        wanted: NeededVectors<'_>,
        session: &Session<'_>,
    ) -> Result<(Index, bool), EngineError> {
        if let Some(image) = self.canon_file(packs, encoder) {
            return Ok((Index::new(image), false));
        }
        if let NeededVectors::Entries(by_words) = wanted
            && let Some(later) = self.settings.later.filter(|_| self.settings.vectors.is_some())
            && self.takes_long(packs, encoder)
        {
            let entries = by_words();
            let mut texts = CanonTexts::new(packs.canon(), |entry| entries.binary_search(&entry).is_ok());
            texts.reuse(&self.old_images(encoder));
            texts.embed(usize::MAX, encoder, session)?;
            // So that the same question costs this once, however long the background takes.
            if let Some(path) = self.vector_path(packs, encoder)
                && self.piece_of_canon(packs, encoder).is_none()
                && let Some(_lock) = alone(&path, Duration::ZERO, &mut || {})
            {
                drop(keep(&texts.stock(&piece_origin(packs, encoder), encoder.dims()), &path));
            }
            if later() {
                note_partial(entries.len(), session);
                let image = texts.image(&canon_origin(packs, encoder), encoder.dims());
                return Ok((Index::new(image), true));
            }
        }
        Ok((Index::new(self.make_canon_image(packs, encoder, session)?), false))
    }

    /// The file of canon's vectors, if there is one of these packs.
    pub(super) fn canon_file(&self, packs: &PacksSnapshot, encoder: &dyn Encoder) -> Option<Image> {
        Image::open(&self.vector_path(packs, encoder)?, &canon_origin(packs, encoder))
    }

    /// The unfinished file of canon's vectors: another process is making it, or was stopped.
    fn piece_of_canon(&self, packs: &PacksSnapshot, encoder: &dyn Encoder) -> Option<Image> {
        Image::open(&self.vector_path(packs, encoder)?, &piece_origin(packs, encoder))
    }

    /// Whether the missing vectors of the packs take longer to make than somebody would wait. Those of other packs are
    /// reused, so that after a small change of a pack it takes a moment.
    fn takes_long(&self, packs: &PacksSnapshot, encoder: &dyn Encoder) -> bool {
        self.vector_files(encoder).is_empty()
            || self.piece_of_canon(packs, encoder).is_some()
            || self.canon_texts(packs, encoder).missing > PIECE
    }

    /// Vectors of this model's files, of whatever packs.
    fn old_images(&self, encoder: &dyn Encoder) -> Vec<Image> {
        let model = encoder.fingerprint().as_str();
        let files = self.vector_files(encoder);
        let old = files.iter().filter_map(|path| Image::open_stale(path, model));
        old.filter(|old| old.dims() == encoder.dims()).collect()
    }

    /// Makes the vectors of all entries and writes them to the file. Intact vectors of older files are reused. The file
    /// is written after each piece, so that a stopped process loses one piece at most. This waits for another process
    /// that makes the same file.
    pub(super) fn make_canon_image(
        &self,
        packs: &PacksSnapshot,
        encoder: &dyn Encoder,
        session: &Session<'_>,
    ) -> Result<Image, EngineError> {
        let was_there = self.canon_file(packs, encoder).is_some();
        let lock = self.lock_canon(packs, encoder, session);
        // Where there was a file, it is wanted anew.
        if let Some(made) = self.canon_file(packs, encoder).filter(|_| !was_there) {
            return Ok(made);
        }
        self.embed_canon(packs, self.canon_texts(packs, encoder), encoder, lock.as_ref(), session)
    }

    /// Locks the file of the packs' vectors. If another process is making that file, this waits until it has finished.
    /// `None` if the file cannot be locked.
    fn lock_canon(&self, packs: &PacksSnapshot, encoder: &dyn Encoder, session: &Session<'_>) -> Option<Lock> {
        let what = "the vectors of the packs";
        alone(&self.vector_path(packs, encoder)?, OTHER_PROCESS, &mut || session.tell(Progress::Waiting { what }))
    }

    /// The texts of all entries, with the vectors that files have.
    fn canon_texts(&self, packs: &PacksSnapshot, encoder: &dyn Encoder) -> CanonTexts {
        let mut texts = CanonTexts::new(packs.canon(), |_| true);
        texts.reuse(&self.old_images(encoder));
        texts
    }

    /// The vectors of the built-in packs that files have; `None` if there are none. A note says how many are missing.
    pub(super) fn builtin_vectors(&self, encoder: &dyn Encoder, session: &Session<'_>) -> Option<Image> {
        let (canon, _) = Canon::load(&[]);
        let origin = origin_of(&canon, encoder);
        let file = self.settings.vectors.as_ref()?.join(format!("{}.ann", vector_name(encoder)));
        if let Some(whole) = Image::open(&file, &origin) {
            return Some(whole);
        }
        let mut texts = CanonTexts::new(&canon, |_| true);
        texts.reuse(&self.old_images(encoder));
        // Of the texts that are made from patterns, files leave some out.
        let parts = texts.parts.iter().zip(&texts.vectors);
        let missing = parts.filter(|(part, vector)| !part.generated && vector.is_none()).count();
        if missing > 0 {
            session.note(format!("{missing} texts of the packs have no vectors yet; the other machine makes them"));
        }
        Some(texts.stock(&origin, encoder.dims())).filter(|image| !image.is_empty())
    }

    /// Makes the file of canon's vectors with those of somebody else, and embeds what they lack. False if this model
    /// makes other vectors: then nothing is taken.
    pub(super) fn take_canon(
        &self,
        given: &Image,
        encoder: &dyn Encoder,
        session: &Session<'_>,
    ) -> Result<bool, EngineError> {
        let packs = self.packs(session);
        let lock = self.lock_canon(&packs, encoder, session);
        if self.canon_file(&packs, encoder).is_some() {
            return Ok(true);
        }
        let mut texts = self.canon_texts(&packs, encoder);
        if !texts.take(given, encoder)? {
            return Ok(false);
        }
        self.embed_canon(&packs, texts, encoder, lock.as_ref(), session)?;
        Ok(true)
    }

    /// The vectors of all entries, and their file, for whoever holds the lock, or works without one.
    fn embed_canon(
        &self,
        packs: &PacksSnapshot,
        mut texts: CanonTexts,
        encoder: &dyn Encoder,
        _lock: Option<&Lock>,
        session: &Session<'_>,
    ) -> Result<Image, EngineError> {
        let path = self.vector_path(packs, encoder);
        let origin = canon_origin(packs, encoder);
        let piece = piece_origin(packs, encoder);
        while texts.embed(PIECE, encoder, session)? {
            if let Some(path) = &path {
                // What cannot be kept now is said at the end.
                drop(keep(&texts.stock(&piece, encoder.dims()), path));
            }
        }
        let image = texts.image(&origin, encoder.dims());
        let Some(path) = path else { return Ok(image) };
        if let Err(error) = keep(&image, &path) {
            session.note(format!("vectors could not be kept and will be made again: {error}"));
        }
        // Of sets of packs that are no longer in use, as far as that can be told.
        let others = self.vector_files(encoder).into_iter().filter(|other| *other != path);
        others.skip(OTHER_SETS).for_each(|unused| drop(std::fs::remove_file(unused)));
        // Mapped, it takes only the memory that is used.
        Ok(Image::open(&path, &origin).unwrap_or(image))
    }

    /// Makes the vectors of all entries if a model is installed and the file is missing; gives whether it did. Does
    /// nothing while another process makes them.
    ///
    /// # Errors
    /// [`EngineError`] when the model cannot be loaded or fails.
    pub fn complete_packs(&self, session: &Session<'_>) -> Result<bool, EngineError> {
        let Some(model) = self.open_model()? else { return Ok(false) };
        let packs = self.packs(session);
        let encoder = model.encoder.as_ref();
        let Some(path) = self.vector_path(&packs, encoder) else { return Ok(false) };
        if self.canon_file(&packs, encoder).is_some() {
            return Ok(false);
        }
        let Some(lock) = alone(&path, Duration::ZERO, &mut || {}) else { return Ok(false) };
        self.embed_canon(&packs, self.canon_texts(&packs, encoder), encoder, Some(&lock), session)?;
        Ok(true)
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
    origin_of(packs.canon(), encoder)
}

fn origin_of(canon: &Canon, encoder: &dyn Encoder) -> Origin {
    let model = encoder.fingerprint().as_str().to_owned();
    Origin { model, state: format!("canon {}", canon.digest()), ..Origin::default() }
}

/// The origin of a file that does not hold all vectors yet.
fn piece_origin(packs: &PacksSnapshot, encoder: &dyn Encoder) -> Origin {
    let whole = canon_origin(packs, encoder);
    Origin { state: format!("part of {}", whole.state), ..whole }
}

/// A text of an entry, to be embedded.
struct Part {
    entry: u64,
    part: u32,
    text: EntryText,
    /// Whether it was made from a pattern.
    generated: bool,
}

/// Texts of entries with the vectors that there are.
struct CanonTexts {
    parts: Vec<Part>,
    hashes: Vec<TextHash>,
    /// One for each text; none where it is still to be made.
    vectors: Vec<Option<Vec<f32>>>,
    /// Texts that had no vector at first.
    missing: usize,
}

impl CanonTexts {
    /// The texts of the entries that are wanted, by their places. Those made from patterns take some time to make.
    fn new(canon: &Canon, wanted: impl Fn(usize) -> bool) -> Self {
        let entries = canon.entries().iter().zip(0u64..).filter(|(_, entry)| wanted(*entry as usize));
        let of_entry = |(stored, entry): (&Stored, u64)| {
            let own = stored.entry().texts().into_iter().map(|text| (text, false));
            let made = stored.entry().generated_texts().into_iter().map(|text| (text, true));
            let all: Vec<(EntryText, bool)> = own.chain(made).collect();
            all.into_iter().zip(0u32..).map(move |((text, generated), part)| Part { entry, part, text, generated })
        };
        let parts: Vec<Part> = entries.flat_map(of_entry).collect();
        let hashes: Vec<TextHash> = parts.iter().map(|part| text_hash(&part.text.key())).collect();
        Self { vectors: vec![None; parts.len()], missing: parts.len(), parts, hashes }
    }

    /// Takes the vectors that these images hold whole.
    fn reuse(&mut self, old: &[Image]) {
        for (vector, hash) in self.vectors.iter_mut().zip(&self.hashes) {
            *vector = old.iter().find_map(|old| old.checked(old.row_of(hash)?));
        }
        self.missing = self.vectors.iter().filter(|vector| vector.is_none()).count();
    }

    /// Takes the whole vectors of somebody else's image for texts that have none yet. A sample is embedded here and
    /// compared first. False if this encoder makes other vectors, or if the image holds none of these texts.
    fn take(&mut self, given: &Image, encoder: &dyn Encoder) -> Result<bool, EngineError> {
        let is_unit = |vector: &Vec<f32>| (dot(vector, vector).sqrt() - 1.0).abs() < 1e-3;
        let of = |at: usize| Some((at, given.checked(given.row_of(&self.hashes[at])?).filter(is_unit)?));
        let found: Vec<(usize, Vec<f32>)> = (0..self.parts.len()).filter_map(of).collect();
        let sample: Vec<&(usize, Vec<f32>)> = found.iter().step_by(found.len().div_ceil(SAMPLE).max(1)).collect();
        let texts: Vec<String> = sample.iter().map(|(at, _)| self.parts[*at].text.embedded()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let made = encoder.encode(&texts, Role::Passage, &mut |_| {})?;
        let is_same = sample.iter().zip(&made).all(|((_, theirs), own)| dot(theirs, &own.vector) > SAME);
        if found.is_empty() || !is_same {
            return Ok(false);
        }
        for (at, vector) in found {
            self.vectors[at].get_or_insert(vector);
        }
        self.missing = self.vectors.iter().filter(|vector| vector.is_none()).count();
        Ok(true)
    }

    /// Makes the vectors of the next texts that have none, at most `most`; gives whether some are left.
    fn embed(&mut self, most: usize, encoder: &dyn Encoder, session: &Session<'_>) -> Result<bool, EngineError> {
        let all: Vec<usize> = (0..self.parts.len()).filter(|&at| self.vectors[at].is_none()).collect();
        let next = &all[..all.len().min(most)];
        if !next.is_empty() {
            let (total, before) = (self.missing, self.missing - all.len());
            let (what, model) = ("the packs", encoder.fingerprint().name());
            session.tell(Progress::Embedding { what, done: before, total, model });
            let texts: Vec<String> = next.iter().map(|&at| self.parts[at].text.embedded()).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let made = encoder.encode(&texts, Role::Passage, &mut |done| {
                session.tell(Progress::Embedding { what, done: before + done, total, model });
            })?;
            next.iter().zip(made).for_each(|(&at, encoded)| self.vectors[at] = Some(encoded.vector));
        }
        Ok(next.len() < all.len())
    }

    /// The vectors that there are.
    fn image(&self, origin: &Origin, dims: usize) -> Image {
        let image = self.image_where(origin, dims, |at| !self.parts[at].generated);
        if !self.parts.iter().any(|part| part.generated) {
            return image;
        }
        // A string of a pattern that is nearer to another entry would only mislead.
        let index = Index::new(image);
        let own = |at: usize| {
            let nearest = self.vectors[at].as_ref().map(|vector| index.search(vector, 1, None));
            let row = nearest.and_then(|found| found.first().map(|near| near.row));
            row.is_some_and(|row| index.owners_of(row).any(|(owner, _)| owner == self.parts[at].entry))
        };
        self.image_where(origin, dims, |at| !self.parts[at].generated || own(at))
    }

    /// All vectors that there are, to be reused by their texts and not to be searched. Each is linked all the same: an
    /// image leaves out what nobody owns.
    fn stock(&self, origin: &Origin, dims: usize) -> Image {
        self.image_where(origin, dims, |_| true)
    }

    /// All vectors that there are, of which those of these texts are found.
    fn image_where(&self, origin: &Origin, dims: usize, found: impl Fn(usize) -> bool) -> Image {
        let rows = self.hashes.iter().zip(&self.vectors).filter_map(|(hash, v)| Some((*hash, v.as_deref()?)));
        let linked = (0..self.parts.len()).filter(|&at| self.vectors[at].is_some() && found(at));
        let link = |at: usize| (self.parts[at].entry, self.parts[at].part, self.hashes[at]);
        let links: Vec<(u64, u32, TextHash)> = linked.map(link).collect();
        Image::new(origin, dims, rows, links)
    }
}

/// Tells that only some entries were compared; nothing where none may answer anyway.
fn note_partial(entries: usize, session: &Session<'_>) {
    if entries > 0 {
        session.note(format!(
            "{entries} entries were compared by meaning; vectors of the others are being made in the background"
        ));
    }
}

/// Writes an image where the user alone can read it.
fn keep(image: &Image, path: &Path) -> Result<(), String> {
    path.parent().map_or(Ok(()), make_private).map_err(|error| error.to_string())?;
    image.write(path).map_err(|error| format!("{}: {error}", shown(path)))
}

/// Locks this file of vectors against other processes. It waits at most `patience` for the process that holds the lock.
/// `None` if there is no lock to be had; two processes that make the same file do no harm.
pub(super) fn alone(path: &Path, patience: Duration, waiting: &mut dyn FnMut()) -> Option<Lock> {
    path.parent().map(make_private)?.ok()?;
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    lock::take(Path::new(&lock), patience, waiting).ok()
}

/// How the names of a model's vector files begin.
fn vector_name(encoder: &dyn Encoder) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' };
    format!("canon-{}", encoder.fingerprint().as_str().chars().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::{PackLayer, PackSource};
    use crate::embed::{EmbedError, Encoded, Precision, Running};
    use crate::types::Fingerprint;

    /// A text's vector is told by its length alone.
    struct ByLength(Fingerprint);

    fn vector_of(text: &str) -> Vec<f32> {
        let angle = text.len() as f32;
        vec![angle.sin(), angle.cos()]
    }

    impl Encoder for ByLength {
        fn fingerprint(&self) -> &Fingerprint {
            &self.0
        }
        fn running(&self) -> Running {
            Running { encoder: "test", precision: Precision::F32, kernel: "none", threads: 1 }
        }
        fn dims(&self) -> usize {
            2
        }
        fn max_tokens(&self) -> usize {
            9
        }
        fn prefix(&self, _: Role) -> &str {
            ""
        }
        fn overhead_tokens(&self, _: Role) -> usize {
            0
        }
        fn encode(&self, texts: &[&str], _: Role, _: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError> {
            Ok(texts.iter().map(|text| Encoded { vector: vector_of(text), tokens: 1, truncated: false }).collect())
        }
        fn count_tokens(&self, _: &str) -> Result<usize, EmbedError> {
            Ok(1)
        }
    }

    fn texts() -> CanonTexts {
        let entry = |at: usize| {
            let (title, symptom) =
                (format!("Mill {} stands", "x".repeat(at)), format!("it {} stopped", "y".repeat(at)));
            serde_json::json!({"id": format!("p/{at}"), "title": title, "error_patterns": [], "symptoms": [symptom],
                               "cause": format!("Drought {}.", "z".repeat(at)), "fix": ["f"]})
        };
        let entries: Vec<_> = (0..40).map(entry).collect();
        let text = serde_json::json!({"schema_version": 1, "pack": "p", "title": "P", "entries": entries});
        let source = PackSource { layer: PackLayer::User, origin: "p.json".into(), text: text.to_string().into() };
        let (canon, problems) = Canon::only(&[source]);
        assert!(problems.is_empty(), "{problems:?}");
        CanonTexts::new(&canon, |_| true)
    }

    /// The image of these texts, each with the vector that `make` gives.
    fn image(texts: &CanonTexts, make: impl Fn(usize, &str) -> Option<Vec<f32>>) -> Image {
        let vectors = texts.parts.iter().enumerate().map(|(at, part)| make(at, &part.text.embedded())).collect();
        let made = CanonTexts { parts: Vec::new(), hashes: texts.hashes.clone(), vectors, missing: 0 };
        let rows = made.hashes.iter().zip(&made.vectors).filter_map(|(hash, v)| Some((*hash, v.as_deref()?)));
        let links = made.hashes.iter().enumerate().map(|(at, hash)| (at as u64, 0, *hash));
        Image::new(&Origin::default(), 2, rows, links)
    }

    /// What a stopped process has embedded is not embedded again.
    #[test]
    fn a_piece_holds_the_vectors_that_there_are() {
        let encoder = ByLength(Fingerprint::new("m", "00"));
        let session = Session::new(|| 0, crate::engine::Notes::default());
        let (mut stopped, mut next) = (texts(), texts());
        let all = next.parts.len();
        assert!(stopped.embed(50, &encoder, &session).unwrap());
        next.reuse(&[stopped.stock(&Origin::default(), 2)]);
        assert_eq!(next.missing, all - 50);
    }

    #[test]
    fn vectors_of_somebody_else_are_taken_if_they_are_what_the_model_makes() {
        let encoder = ByLength(Fingerprint::new("m", "00"));
        let mut taken = texts();
        let all = taken.parts.len();
        // All but a few, which are not unit vectors or not there.
        let given = image(&taken, |at, text| match at {
            3 => Some(vec![f32::NAN, 0.0]),
            5 => Some(vec![0.0, 9.0]),
            7 => None,
            _ => Some(vector_of(text)),
        });
        assert!(taken.take(&given, &encoder).unwrap());
        assert_eq!(taken.missing, 3);
        assert!([3, 5, 7].iter().all(|at| taken.vectors[*at].is_none()));
        // Those of another model, or of no text of ours.
        for given in [image(&texts(), |_, text| Some(vector_of(&format!("{text}!")))), image(&texts(), |_, _| None)] {
            let mut untouched = texts();
            assert!(!untouched.take(&given, &encoder).unwrap());
            assert_eq!((untouched.missing, untouched.vectors.iter().flatten().count()), (all, 0));
        }
    }
}
