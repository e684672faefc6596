//! A search over everything that is known.

use super::state::{ItemsSnapshot, NeededVectors, SemanticsSnapshot};
use super::{Engine, EngineError, PacksSnapshot, Progress, Session};
use crate::ann::Asking;
use crate::embed::Encoder;
use crate::ingest::{Provenance, is_elsewhere};
use crate::query::{
    Around, Files, Gates, ItemCollection, Legs, Noise, Probed, SearchContext, SearchOptions, Stage, named_entries,
    probe_items, respelled, search,
};
use crate::screen::line;
use crate::store::{
    Database, IndexModel, ItemFilter, PooledReader, ReadEvents, ReadNearest, ReadSources, ReadVectors, StoreError,
};
use crate::text::{decode, ends, near_names};
use crate::types::limits::QUESTION_BYTES;
use crate::types::{Access, Answer, Item, Kind, Scope, Span, Standing};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Relevance that memories of these kinds must reach where they alone are asked for. Chosen on half of the users of two
/// sets (docs/benchmarks.md, "Memory").
const PREFERENCE_GATE: f32 = 0.01;
const FACT_GATE: f32 = 0.05;

/// What a request over items holds to its end: snapshots, and a connection.
pub(super) struct Request<'a, 's> {
    engine: &'a Engine,
    session: &'a Session<'s>,
    pub packs: Arc<PacksSnapshot>,
    pub model: Option<Arc<SemanticsSnapshot>>,
    database: Option<PooledReader<'a>>,
}

/// The indexed files as they are now. Files that an import brought, and files of other machines, are not here.
pub(super) struct RequestFiles<'a> {
    database: &'a Database,
    files: &'a Provenance,
}

impl<'a> RequestFiles<'a> {
    pub fn new(database: &'a Database, files: &'a Provenance) -> Self {
        Self { database, files }
    }

    fn is_elsewhere(&self, path: &str) -> bool {
        is_elsewhere_in(self.database, path).unwrap_or(false)
    }
}

/// Whether an indexed file is none of this machine's.
///
/// # Errors
/// [`StoreError`] when the database refuses.
pub(super) fn is_elsewhere_in(database: &Database, path: &str) -> Result<bool, StoreError> {
    let root = database.source_root(path)?;
    Ok(root.is_some_and(|root| is_elsewhere(path, &root, database.is_shared())))
}

impl Files for RequestFiles<'_> {
    fn is_present(&self, path: &str) -> bool {
        Path::new(path).exists() || self.is_elsewhere(path)
    }

    fn standing(&self, item: &Item) -> Option<(Standing, Option<Span>)> {
        let path = item.path.as_deref().filter(|path| !self.is_elsewhere(path))?;
        Some(self.files.check(path, &item.body, item.span))
    }

    fn around(&self, path: &str, stretch: Range<usize>, count: usize) -> Option<Around> {
        let (line_start, before, behind) = self.files.around(path, stretch, count)?;
        Some(Around { line_start, before, behind })
    }
}

impl Request<'_, '_> {
    pub fn database(&self) -> Option<&Database> {
        self.database.as_deref()
    }

    /// Asks in one moment of the database, and again without the file of vectors if that turns out to be damaged.
    pub fn ask<T>(
        &self,
        filter: &ItemFilter,
        answer: impl Fn(SearchContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.ask_as_of(filter, self.session.now(), answer)
    }

    /// The same with the memories that are true at this time, in milliseconds since 1970.
    pub(super) fn ask_as_of<T>(
        &self,
        filter: &ItemFilter,
        now: i64,
        answer: impl Fn(SearchContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let access = &filter.access;
        let Some(database) = &self.database else {
            return self.answer(None, access, &answer);
        };
        let mut moment = database.snapshot()?;
        // A moment that another thread's snapshot has left behind is taken again: no two make older and newer ones in
        // turns.
        for _ in 0..2 {
            if !self.engine.is_left_behind(&database.stamp()?) {
                break;
            }
            drop(moment);
            moment = database.snapshot()?;
        }
        let made_with = self.model.as_ref().map(|model| model.semantics.encoder.fingerprint());
        let items = self.engine.items(database, filter, made_with, now)?;
        if let Some(model) = &self.model {
            self.engine.agree_with(items.model(), model.semantics.encoder.as_ref())?;
            self.tell_of_change(database)?;
        }
        let no_entry_may_answer = !filter.paths.is_empty()
            || !filter.endings.is_empty()
            || !filter.scopes.is_empty()
            || filter.condition.is_some();
        if no_entry_may_answer && items.admits_nothing(database)? {
            self.session.note(
                "the filters leave nothing: no indexed text has this path, type, scope, tag or attribute".to_owned(),
            );
        }
        let mut found = self.answer(Some((database, &items)), access, &answer)?;
        if items.is_damaged() {
            let items = self.engine.items(database, filter, made_with, now)?;
            found = self.answer(Some((database, &items)), access, &answer)?;
            self.session.note(
                "the file of vectors is damaged and was not used; `ken doctor --repair` makes it again".to_owned(),
            );
        }
        let missing = items.without_vector();
        if missing > 0 {
            let what = format!("{missing} texts have no vector yet, so only their words are searched: `ken index`");
            self.session.note(what);
        }
        let unfound = items.without_words();
        if unfound > 0 {
            let what = format!("items that are not found by words yet: {unfound}; `ken gc` indexes them");
            self.session.note(what);
        }
        drop(moment);
        Ok(found)
    }

    /// Says so if other machines that share the store have changed to another model already.
    fn tell_of_change(&self, database: &Database) -> Result<(), EngineError> {
        let (Some(model), Some(_)) = (&self.model, database.shared()) else { return Ok(()) };
        let active = database.index_model()?;
        if let Some(active) = active.filter(|active| active.fingerprint != *model.semantics.encoder.fingerprint()) {
            let name = active.name();
            self.session.note(format!(
                "the store uses the model {name} by now, so what is new is searched by its words alone: \
                 `ken model use {name}`"
            ));
        }
        Ok(())
    }

    fn answer<T>(
        &self,
        items: Option<(&Database, &ItemsSnapshot)>,
        access: &Access,
        answer: &dyn Fn(SearchContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.session.check()?;
        let files = Provenance::default();
        let files = items.map(|(database, _)| RequestFiles::new(database, &files));
        let noise = items.map(|(database, _)| self.engine.noise_of(database, self.model.as_deref())).transpose()?;
        let noise = noise.flatten();
        let finder = items.map(|(database, items)| items.finder(database));
        let found = items.zip(finder.as_ref()).zip(files.as_ref());
        let collection = found.map(|(((database, _), finder), files)| ItemCollection {
            documents: database,
            finder: finder.as_dyn(),
            files,
            access,
            noise: noise.as_ref().map(|measured| Noise { measured, budget: self.engine.settings.max_noise }),
        });
        let usage = self.engine.usage();
        let context = SearchContext {
            knowledge: &self.packs.knowledge,
            items: collection.as_ref(),
            semantics: self.model.as_ref().map(|model| &model.semantics),
            used: &|id| usage.frequency(id),
            now_ms: self.session.now(),
            stage: &|stage: Stage| self.session.tell(Progress::Search(stage)),
        };
        answer(context)
    }

    /// The relevance that one question needs among documents, as the open model was calibrated. It waits for no vectors
    /// of packs.
    pub fn gate(&self) -> f32 {
        let fit = self.model.as_ref().map(|model| model.semantics.calibration.of_documents());
        Gates::new(fit, None).among(1)
    }

    /// What is to be done when all is answered.
    pub fn end(&self) {
        if let Some(model) = &self.model {
            self.engine.mend_canon(&self.packs, &model.semantics, self.session);
        }
    }
}

impl Engine {
    /// Takes what a request over items needs. The packs may have no vectors yet. Then a request with a question makes
    /// those of the entries that share words with it, and a request without one waits for all.
    pub(super) fn request<'a, 's>(
        &'a self,
        question: Option<&str>,
        options: &SearchOptions,
        session: &'a Session<'s>,
    ) -> Result<Request<'a, 's>, EngineError> {
        let packs = self.packs(session);
        let database = self.read_database()?;
        let with_model = options.legs.semantic;
        // Before the packs' vectors may have to be made with a model whose questions the index cannot answer.
        if let (true, Some(database), Ok(Some(model))) = (with_model, &database, self.open_model()) {
            self.agree(database, model.encoder.as_ref())?;
        }
        let by_words = || question.map_or_else(Vec::new, |asked| named_entries(&packs.knowledge, asked, options));
        // Without words no entry is likely; nobody waits for the vectors of all of them.
        let wanted = NeededVectors::Entries(&by_words);
        let model = if with_model { self.semantics(&packs, wanted, session) } else { None };
        Ok(Request { engine: self, session, packs, model, database })
    }

    /// Searches packs and index. Without a usable model the answer says that semantics are off; without the
    /// cross-encoder that `options` ask for there is none.
    ///
    /// # Errors
    /// [`EngineError::ModelMismatch`] when the index was made with another model, [`EngineError`] when a model or the
    /// database fails.
    pub fn search(
        &self,
        question: &[u8],
        options: &SearchOptions,
        session: &Session<'_>,
    ) -> Result<Answer, EngineError> {
        let _asking = Asking::begin();
        let decoded = decode(question)?;
        let question = ends(decoded.trim(), QUESTION_BYTES);
        if matches!(question, Cow::Owned(_)) {
            let most = QUESTION_BYTES >> 10;
            session
                .note(format!("the question is longer than {most} KiB; only the beginning and the end were looked at"));
        }
        let of_memories = self.gate_of_memories(options);
        let options = of_memories.as_ref().unwrap_or(options);
        let request = self.request(Some(question.trim()), options, session)?;
        let reranker = if options.rerank { Some(self.reranker()?) } else { None };
        let reranker = reranker.as_ref().map(|reranker| reranker.reranker.as_ref());
        let mut answer = request.ask(&options.filter, |context| {
            let answer = search(context, question.trim(), options, reranker)?;
            // Without texts the answer is for a measurement: the question stays as it is spelt.
            let is_read = options.texts && options.why_not.is_none();
            let may_be_misspelt = is_read && !answer.found() && options.legs.keyword;
            let respelled = if may_be_misspelt { respelled(&context, question.trim())? } else { None };
            let Some(respelled) = respelled else { return Ok(answer) };
            let meant = search(context, &respelled, options, reranker)?;
            if !meant.found() {
                return Ok(answer);
            }
            session.note(format!("nothing is known about this as it is spelt; searched for `{}`", line(&respelled)));
            Ok(meant)
        })?;
        self.associate(&mut answer, options, request.gate(), session)?;
        request.end();
        Ok(answer)
    }

    /// The same search with the gate of memories, if it asks for memories alone and names no relevance. Memories are
    /// short and few, so the gate of documents would hide most of them. The gate of preferences is lower: to miss one
    /// costs more than to show one too many. A wrong fact does harm.
    fn gate_of_memories(&self, options: &SearchOptions) -> Option<SearchOptions> {
        let kinds = &options.filter.kinds;
        let gate = kinds.iter().map(|kind| match kind {
            Kind::Preference => Some(PREFERENCE_GATE),
            Kind::Fact | Kind::Tactic => Some(FACT_GATE),
            _ => None,
        });
        let gates = gate.collect::<Option<Vec<f32>>>()?;
        let gate = gates.into_iter().reduce(f32::max)?;
        let asks = options.min_relevance.is_none() && self.has_memories();
        asks.then(|| SearchOptions { min_relevance: Some(gate), ..options.clone() })
    }

    /// `None` if the scope `name` holds something that the caller may see. Otherwise the names of scopes that are spelt
    /// much like it, of those that the caller may see.
    ///
    /// # Errors
    /// [`EngineError::Store`] when the database fails.
    pub fn empty_scope(&self, name: &str, access: &Access) -> Result<Option<Vec<String>>, EngineError> {
        let scopes = self.read_database()?.map(|database| database.inventory()).transpose()?.unwrap_or_default().scopes;
        let known = scopes.iter().map(|known| known.scope.as_str());
        let seen: Vec<&str> = known.filter(|known| access.admits(&Scope::repository(*known))).collect();
        Ok((!seen.contains(&name)).then(|| near_names(name, seen.into_iter())))
    }

    /// What a search among indexed items would put before the gate; `None` without an index or a model.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn probe_items(&self, question: &str, session: &Session<'_>) -> Result<Option<Probed>, EngineError> {
        let request = self.request(None, &SearchOptions::default(), session)?;
        request.ask(&ItemFilter::default(), |context| match context.items.filter(|_| context.semantics.is_some()) {
            Some(items) => Ok(Some(probe_items(context, items, question)?)),
            None => Ok(None),
        })
    }

    /// The relevance that one question of indexed texts needs when it is answered by these signals.
    pub fn gate(&self, legs: Legs, session: &Session<'_>) -> f32 {
        let packs = self.packs(session);
        let model = if legs.semantic { self.semantics(&packs, NeededVectors::All, session) } else { None };
        let fit = model.as_ref().map(|model| model.semantics.calibration.of_documents());
        Gates::new(fit, None).among(1)
    }

    /// An error if the index is made with another model than this one. Machines that share a store change their models
    /// one after another, so there it is none as long as vectors of this model are left.
    pub(super) fn agree(&self, database: &Database, encoder: &dyn Encoder) -> Result<(), EngineError> {
        let agreed = self.agree_with(database.index_model()?.as_ref(), encoder);
        if let (Err(_), Some(shared)) = (&agreed, database.shared())
            && let Some(model) = database.former_model()?
            && model.fingerprint == *encoder.fingerprint()
            && shared.searchable_vectors(&model)? > 0
        {
            return Ok(());
        }
        agreed
    }

    /// An error if this model of an index is another one.
    pub(super) fn agree_with(&self, index: Option<&IndexModel>, encoder: &dyn Encoder) -> Result<(), EngineError> {
        match index {
            Some(index) if index.fingerprint != *encoder.fingerprint() => Err(EngineError::ModelMismatch {
                index: index.fingerprint.clone(),
                model: encoder.fingerprint().clone(),
                given: self.settings.model.clone(),
                is_shared: self.is_shared(),
            }),
            _ => Ok(()),
        }
    }
}
