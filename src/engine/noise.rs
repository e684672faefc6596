//! Fits the gate to the indexed texts. When they have changed, questions that have nothing to do with them are asked.
//! The share that gets an answer, the noise, is kept beside the texts.

use super::derived::renewal_lock;
use super::search::RequestFiles;
use super::state::{NeededVectors, SemanticsSnapshot, fit_digest};
use super::{Engine, EngineError, Progress, Session};
use crate::ann::{Image, Index, Origin};
use crate::embed::Encoder;
use crate::ingest::Provenance;
use crate::query::{
    ForeignOdds, ForeignQuestion, ItemCollection, Knowledge, Legs, QuestionVectors, SearchContext, Semantics,
    embed_foreign, foreign_odds, foreign_questions, signal_noise,
};
use crate::screen::shown;
use crate::store::{
    Database, ItemFilter, ReadItems, ReadNoise, ReadVectors, SharedDatabase, WriteNoise, WriterLock, make_private,
};
use crate::text::{TextHash, hex, sha256, text_hash};
use crate::types::{Access, Calibration, CorpusNoise, ModelNoise, SignalSet};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

/// Fewer texts have no gate of their own, because noise and answers cannot be told apart among so few.
const MIN_TEXTS: usize = 20;
/// The process that writes to a shared store measures up to this many texts itself. That takes a few seconds.
const MANY_TEXTS: usize = 1_000;
/// The noise is measured again when more than a fifth of the texts has been added or removed: one in this many.
const DUE: usize = 5;
/// Questions that are embedded at once.
const BATCH: usize = 64;
/// What is told while it is measured.
const WHAT: &str = "Fitting the gate";

/// Digest of the foreign questions.
static QUESTIONS: LazyLock<String> = LazyLock::new(|| {
    let all: Vec<String> = foreign_questions().into_iter().map(|one| format!("{} {}", one.family, one.text)).collect();
    hex(&sha256(all.join("\0").as_bytes())[..8])
});

/// Whether so much has changed since that it is to be measured again. `old` counts the texts up to the last one that
/// was measured, and `new` those that were added since.
fn is_due(known: &CorpusNoise, (old, new): (usize, usize)) -> bool {
    let gone = known.texts.saturating_sub(old);
    known.questions != *QUESTIONS || (new + gone) * DUE > known.texts
}

/// The key of the vector of a part of a question. The prefix tells it from a whole question with the same text.
fn part_hash(part: &str) -> TextHash {
    text_hash(&format!("part {part}"))
}

/// The vectors that a file holds of these questions; none if one is missing.
fn kept_vectors(image: &Image, questions: &[ForeignQuestion]) -> Option<Vec<QuestionVectors>> {
    let vector = |hash: TextHash| image.checked(image.row_of(&hash)?);
    let both = |question: &ForeignQuestion| {
        let parts = question.parts().iter().map(|part| vector(part_hash(part))).collect::<Option<_>>()?;
        Some(QuestionVectors { whole: vector(text_hash(&question.text))?, parts })
    };
    questions.iter().map(both).collect()
}

fn image_of(origin: &Origin, dims: usize, questions: &[ForeignQuestion], vectors: &[QuestionVectors]) -> Image {
    let mut rows: BTreeMap<TextHash, &[f32]> = BTreeMap::new();
    let mut links: Vec<(u64, u32, TextHash)> = Vec::new();
    for (owner, (question, vectors)) in (0u64..).zip(questions.iter().zip(vectors)) {
        let parts = question.parts();
        let parts = parts.iter().map(|part| part_hash(part)).zip(&vectors.parts);
        let all = std::iter::once((text_hash(&question.text), &vectors.whole)).chain(parts);
        for (part, (hash, vector)) in (0u32..).zip(all) {
            rows.insert(hash, vector);
            links.push((owner, part, hash));
        }
    }
    Image::new(origin, dims, rows, links)
}

/// What to do with the stored noise.
enum Due {
    /// It stays.
    Nothing,
    /// It goes: there are too few texts.
    Removal,
    /// It is measured anew.
    Measure(Wanted),
}

/// What is to be measured.
struct Wanted {
    texts: usize,
    /// The last item among them.
    last: u64,
    /// The calibration with what identifies its log-odds; none where words alone answer.
    fit: Option<(Calibration, String)>,
}

impl Wanted {
    fn made_with(&self) -> Option<&str> {
        self.fit.as_ref().map(|(_, made_with)| made_with.as_str())
    }
}

/// A model whose answers are to be measured.
struct Measured {
    semantics: Semantics,
    made_with: String,
    vectors: Vec<QuestionVectors>,
}

impl Engine {
    /// The noise that was measured, as far as it holds for this model; `None` if nothing was measured. A calibration by
    /// own labels sets the gate of a model itself.
    pub(super) fn noise_of(
        &self,
        database: &Database,
        model: Option<&SemanticsSnapshot>,
    ) -> Result<Option<CorpusNoise>, EngineError> {
        let Some(mut noise) = database.noise()?.filter(|noise| noise.questions == *QUESTIONS) else { return Ok(None) };
        let holds = |both: &ModelNoise| model.is_some_and(|model| !model.is_own && model.fit == both.made_with);
        noise.both = noise.both.filter(holds);
        Ok(Some(noise))
    }

    /// What searches go by now, and for which signals; none where the gate is that of a calibration.
    pub(super) fn noise_in_use(
        &self,
        database: &Database,
        session: &Session<'_>,
    ) -> Result<Option<(CorpusNoise, SignalSet)>, EngineError> {
        let Some(noise) = database.noise()?.filter(|noise| noise.questions == *QUESTIONS) else { return Ok(None) };
        let fit = self.fit_to_measure(database, session)?.map(|(_, fit)| fit);
        let signals = match (fit, &noise.both) {
            (Some(fit), Some(both)) if both.made_with == fit => SignalSet::Both,
            (None, _) if database.index_model()?.is_none() => SignalSet::Words,
            _ => return Ok(None),
        };
        Ok(Some((noise, signals)))
    }

    /// Whether the gate of the indexed texts is fitted to them where these signals answer.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn has_fitted_gate(&self, legs: Legs, session: &Session<'_>) -> Result<bool, EngineError> {
        let Some(database) = self.read_database()?.filter(|_| legs.keyword) else { return Ok(false) };
        let model =
            if legs.semantic { self.semantics(&self.packs(session), NeededVectors::All, session) } else { None };
        let signals = if model.is_some() { SignalSet::Both } else { SignalSet::Words };
        Ok(self.noise_of(&database, model.as_deref())?.is_some_and(|noise| noise.of(signals).is_some()))
    }

    /// Fits the gate to the indexed texts if that is due, though none of them has changed: an older version may have
    /// indexed them, or with another calibration.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses or the model fails.
    pub fn fit_gate(&self, session: &Session<'_>) -> Result<(), EngineError> {
        let (lock, mut database) = self.write_database("ken", session)?;
        self.keep_noise(&mut database, &lock, session)
    }

    /// Measures the noise of the items if that is due, and keeps it. On a shared store each question is a query, so
    /// measuring takes long. Above [`MANY_TEXTS`] a background process measures, if one can be started.
    pub(super) fn keep_noise(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let renewal = renewal_lock(&database.vector_file());
        match self.due_noise(database, session)? {
            Due::Nothing => Ok(()),
            Due::Removal => self.put_noise(database, lock, None),
            Due::Measure(wanted) => {
                let Some(shared) = database.shared() else {
                    let noise = self.measure_noise(database, &wanted, session)?;
                    return self.put_noise(database, lock, Some(&noise));
                };
                if wanted.texts > MANY_TEXTS && self.leaves_for_later(&renewal) {
                    return Ok(());
                }
                let mut measured = Ok(None);
                shared.with_lock_released(&mut || measured = self.measure_alone(shared, database, &wanted, session))?;
                match measured? {
                    Some(noise) => self.put_if_wanted(database, lock, &wanted, &noise, session),
                    None => Ok(()),
                }
            }
        }
    }

    /// Measures the noise of the items of a shared store if that is due. Others write meanwhile. Gives whether it was.
    pub(super) fn renew_noise(&self, database: &Database, session: &Session<'_>) -> Result<bool, EngineError> {
        let Some(shared) = database.shared() else { return Ok(false) };
        let mut last = None;
        // Writes during the measurement can make it due again.
        while let Due::Measure(wanted) = self.due_noise(database, session)?
            && last != Some(wanted.last)
        {
            let Some(noise) = self.measure_alone(shared, database, &wanted, session)? else { break };
            let (lock, mut writing) = self.write_between("ken gc --auto", session)?;
            self.put_if_wanted(&mut writing, &lock, &wanted, &noise, session)?;
            last = Some(wanted.last);
        }
        Ok(last.is_some())
    }

    /// Decides from the number of texts and the model whether the noise is measured, removed or kept.
    fn due_noise(&self, database: &Database, session: &Session<'_>) -> Result<Due, EngineError> {
        // The noise is measured on all texts, so a user must see all of them.
        if database.shared().is_some_and(|shared| !shared.sees_all_scopes()) {
            return Ok(Due::Nothing);
        }
        let known = database.noise()?;
        let (old, new) = database.counted_around(known.as_ref().map_or(0, |known| known.last))?;
        if old + new < MIN_TEXTS {
            return Ok(if known.is_some() { Due::Removal } else { Due::Nothing });
        }
        let fit = self.fit_to_measure(database, session)?;
        let is_current = |known: &CorpusNoise| {
            let made_with = known.both.as_ref().map(|both| &both.made_with);
            !is_due(known, (old, new)) && fit.as_ref().is_none_or(|(_, fit)| made_with == Some(fit))
        };
        if known.as_ref().is_some_and(is_current) {
            return Ok(Due::Nothing);
        }
        Ok(Due::Measure(Wanted { texts: old + new, last: database.last_item()?, fit }))
    }

    fn measure_noise(
        &self,
        database: &Database,
        wanted: &Wanted,
        session: &Session<'_>,
    ) -> Result<CorpusNoise, EngineError> {
        let questions = foreign_questions();
        let model = match wanted.fit.clone() {
            Some((calibration, made_with)) => {
                self.model_to_measure(database, &questions, calibration, made_with, session)?
            }
            None => None,
        };
        let odds = self.ask_foreign(database, &questions, model.as_ref(), session)?;
        let both = model.map(|model| {
            let noise = signal_noise(&questions, |at| odds[at].both.unwrap_or(f32::MIN));
            ModelNoise { made_with: model.made_with, noise }
        });
        let words = signal_noise(&questions, |at| odds[at].words);
        Ok(CorpusNoise { questions: QUESTIONS.clone(), texts: wanted.texts, last: wanted.last, both, words })
    }

    /// Measures the noise unless another machine does now.
    fn measure_alone(
        &self,
        shared: &SharedDatabase,
        database: &Database,
        wanted: &Wanted,
        session: &Session<'_>,
    ) -> Result<Option<CorpusNoise>, EngineError> {
        let mut measured = Ok(None);
        shared.fit_alone(&mut || measured = self.measure_noise(database, wanted, session).map(Some))?;
        measured
    }

    /// Stores a measurement during which others could write. It is dropped if the model has changed since, or if a
    /// newer measurement is stored already.
    fn put_if_wanted(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        wanted: &Wanted,
        noise: &CorpusNoise,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        match self.due_noise(database, session)? {
            Due::Measure(now) if now.made_with() == wanted.made_with() => self.put_noise(database, lock, Some(noise)),
            _ => Ok(()),
        }
    }

    fn put_noise(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        noise: Option<&CorpusNoise>,
    ) -> Result<(), EngineError> {
        let batch = database.begin(lock)?;
        batch.put_noise(noise)?;
        Ok(batch.commit()?)
    }

    /// The calibration of the index's model, with what identifies its log-odds; none if that model is not in use, or its
    /// gate was set by labels. Opens no model.
    fn fit_to_measure(
        &self,
        database: &Database,
        session: &Session<'_>,
    ) -> Result<Option<(Calibration, String)>, EngineError> {
        let Some(index) = database.index_model()? else { return Ok(None) };
        let Ok(store) = self.store() else { return Ok(None) };
        let Some(installed) = self.active_model(&store)?.filter(|one| one.name() == index.name()) else {
            return Ok(None);
        };
        let Ok((calibration, false)) = self.calibration_of(&installed, session) else { return Ok(None) };
        let made_with = fit_digest(&index.fingerprint, &calibration);
        Ok((self.settings.calibration.is_none()).then_some((calibration, made_with)))
    }

    /// The index's model; none if it is not the one in use. The packs' vectors take part as they do in a search, where
    /// they are there or were there for other packs: most are taken over then. Nobody waits for all of them here.
    fn model_to_measure(
        &self,
        database: &Database,
        questions: &[ForeignQuestion],
        calibration: Calibration,
        made_with: String,
        session: &Session<'_>,
    ) -> Result<Option<Measured>, EngineError> {
        let (Some(index), Some(model)) = (database.index_model()?, self.open_model()?) else { return Ok(None) };
        let encoder = Arc::clone(&model.encoder);
        if index.fingerprint != *encoder.fingerprint() {
            return Ok(None);
        }
        let vectors = self.foreign_vectors(questions, encoder.as_ref(), session)?;
        let packs = self.packs(session);
        let canon = match self.canon_file(&packs, encoder.as_ref()) {
            None if !self.vector_files(encoder.as_ref()).is_empty() => {
                Some(self.make_canon_image(&packs, encoder.as_ref(), session)?)
            }
            found => found,
        };
        let nothing = || Image::new(&Origin::default(), encoder.dims(), std::iter::empty(), Vec::new());
        let canon = Index::new(canon.unwrap_or_else(nothing));
        Ok(Some(Measured { semantics: Semantics { encoder, canon, calibration }, made_with, vectors }))
    }

    /// Asks the items all questions.
    fn ask_foreign(
        &self,
        database: &Database,
        questions: &[ForeignQuestion],
        model: Option<&Measured>,
        session: &Session<'_>,
    ) -> Result<Vec<ForeignOdds>, EngineError> {
        let made_with = model.map(|model| model.semantics.encoder.fingerprint());
        let items = self.items(database, &ItemFilter::default(), made_with, session.now())?;
        let packs = self.packs(session);
        let files = Provenance::default();
        let files = RequestFiles::new(database, &files);
        let finder = items.finder(database);
        let collection = ItemCollection {
            documents: database,
            finder: finder.as_dyn(),
            files: &files,
            access: &Access::all(),
            noise: None,
        };
        let knowledge: &Knowledge = &packs.knowledge;
        let context = SearchContext {
            knowledge,
            items: Some(&collection),
            semantics: model.map(|model| &model.semantics),
            used: &|_| None,
            now_ms: session.now(),
            stage: &|_| {},
        };
        let total = questions.len();
        let ask = |(done, question): (usize, &ForeignQuestion)| {
            session.check()?;
            session.tell(Progress::Asking { what: WHAT, done, total });
            let vector = model.map(|model| model.vectors[done].clone());
            Ok(foreign_odds(context, &collection, question, vector)?)
        };
        questions.iter().enumerate().map(ask).collect()
    }

    /// The vectors of the foreign questions: from their file, or made and kept there.
    pub(super) fn foreign_vectors(
        &self,
        questions: &[ForeignQuestion],
        encoder: &dyn Encoder,
        session: &Session<'_>,
    ) -> Result<Vec<QuestionVectors>, EngineError> {
        let model = encoder.fingerprint().as_str().to_owned();
        let origin = Origin { model, state: format!("foreign {}", *QUESTIONS), ..Origin::default() };
        let path = self.foreign_path(encoder);
        let kept = path.as_ref().and_then(|path| Image::open(path, &origin));
        if let Some(kept) = kept.and_then(|image| kept_vectors(&image, questions)) {
            return Ok(kept);
        }
        let mut vectors = Vec::with_capacity(questions.len());
        for batch in questions.chunks(BATCH) {
            session.check()?;
            session.tell(Progress::Asking { what: WHAT, done: vectors.len(), total: questions.len() });
            vectors.extend(embed_foreign(batch, encoder)?);
        }
        if let Some(path) = path {
            let image = image_of(&origin, encoder.dims(), questions, &vectors);
            let folder = path.parent().map_or(Ok(()), |folder| make_private(folder).map_err(|e| e.to_string()));
            if let Err(error) = folder.and_then(|()| image.write(&path).map_err(|error| error.to_string())) {
                session.note(format!("{} could not be kept and will be made again: {error}", shown(&path)));
            }
        }
        Ok(vectors)
    }

    fn foreign_path(&self, encoder: &dyn Encoder) -> Option<PathBuf> {
        self.vector_file("foreign", encoder)
    }

    /// Where vectors of this model lie that belong to no pack.
    pub(super) fn vector_file(&self, of: &str, encoder: &dyn Encoder) -> Option<PathBuf> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' };
        let name: String = encoder.fingerprint().as_str().chars().map(plain).collect();
        Some(self.settings.vectors.as_ref()?.join(format!("{of}-{name}.ann")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_once_a_fifth_has_come_or_gone() {
        let known = CorpusNoise { questions: QUESTIONS.clone(), texts: 100, last: 100, ..CorpusNoise::default() };
        assert!(!is_due(&known, (100, 0)) && !is_due(&known, (100, 20)) && is_due(&known, (100, 21)));
        assert!(!is_due(&known, (80, 0)) && is_due(&known, (79, 0)));
        assert!(is_due(&known, (50, 50)), "as many as before, half of them others");
        assert!(is_due(&CorpusNoise { questions: "others".to_owned(), ..known }, (100, 0)));
    }
}
