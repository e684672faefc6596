//! Runs requests on the engine. A request does not say the settings, its folder or the time; the service adds them.

mod memory;
mod outcome;
mod tools;

pub use tools::KnownTools;

use super::requests::{
    Asker, DeleteItemsRequest, Here, ItemRequest, ListItemsRequest, LookupRequest, PackRequest, PutItemsRequest,
    RequestError, SearchRequest, Sought, outcomes_seen_from, seen_from,
};
use crate::config::Settings;
use crate::engine::face::indexing::{IndexOptions, IndexReport};
use crate::engine::face::stores::SharedJobs;
use crate::engine::{Deleted, Engine, EngineError, ItemPage, Notes, Progress, PutReport, Session, Status, TextVectors};
use crate::types::{Access, Answer, Author, Frame, Role, StoredItem};
use std::path::PathBuf;
use std::time::Duration;

/// Answers requests; shared by all threads that run them.
pub struct Service {
    engine: Engine,
    settings: Settings,
    here: Here,
    clock: fn() -> i64,
    /// The user's own ignore rules of git.
    excludes: Option<PathBuf>,
}

/// Who a request is from: what they may see, and whether they still want the answer.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// Scopes that they may see; every use case asks for it.
    pub access: &'a Access,
    /// Asked between the steps of a use case: whether nobody wants the answer any more.
    pub stopped: &'a dyn Fn() -> bool,
    /// How long they wait for their turn to write; none for as long as a command does.
    pub patience: Option<Duration>,
    /// Hears what is being done.
    pub heard: &'a dyn Fn(&Progress<'_>),
}

/// The owner of this machine may see everything.
static EVERYTHING: Access = Access::all();

impl<'a> Caller<'a> {
    /// The owner of this machine.
    pub fn owner(stopped: &'a dyn Fn() -> bool) -> Self {
        Self { access: &EVERYTHING, stopped, patience: None, heard: &|_| {} }
    }
}

/// Who says something that is kept, and in which session.
#[derive(Clone, Copy)]
pub struct Speaker<'a> {
    /// Who.
    pub author: &'a Author,
    /// The session where the request names none; without either, all of a day is one.
    pub session: Option<&'a str>,
}

/// An answer with what should be known beside it, a sentence each.
pub struct Answered<T> {
    /// The answer.
    pub value: T,
    /// What could not be used, and the like.
    pub notes: Vec<String>,
}

impl Service {
    /// A service of this engine. `here` is a folder as files are known by; the clock gives milliseconds since 1970.
    pub fn new(engine: Engine, settings: Settings, here: PathBuf, clock: fn() -> i64) -> Self {
        Self { engine, settings, here: Here::new(here), clock, excludes: None }
    }

    /// The same, which leaves out what the user's own ignore rules of git name.
    #[must_use]
    pub fn with_excludes(self, excludes: Option<PathBuf>) -> Self {
        Self { excludes, ..self }
    }

    /// The folder that paths are relative to, as text.
    pub fn here(&self) -> String {
        self.here.path().to_string_lossy().into_owned()
    }

    fn asker<'a>(&'a self, caller: Caller<'a>, notes: &'a Notes) -> Asker<'a> {
        let notes = Some(notes);
        Asker { engine: &self.engine, settings: &self.settings, here: &self.here, access: caller.access, notes }
    }

    /// Runs one use case. What it opens of a shared store is limited to the scopes of the caller.
    fn run<T>(
        &self,
        caller: Caller<'_>,
        case: impl FnOnce(&Session<'_>) -> Result<T, RequestError>,
    ) -> Result<Answered<T>, RequestError> {
        let session =
            Session::new(self.clock, Notes::default()).heard_by(|p| (caller.heard)(&p)).stopped_by(caller.stopped);
        let session = match caller.patience {
            Some(patience) => session.patient(patience),
            None => session,
        };
        let value = self.engine.within(caller.access, || case(&session));
        // Read in any case: a failure says what is wrong by itself.
        let notes = session.take_notes();
        Ok(Answered { value: value?, notes })
    }

    /// Looks up an error.
    ///
    /// # Errors
    /// [`RequestError`] when the request means nothing or the engine fails.
    pub fn lookup(&self, request: LookupRequest, caller: Caller<'_>) -> Result<Answered<Answer>, RequestError> {
        self.run(caller, |session| {
            request.check()?;
            let counts = !request.dry_run;
            let mut request = request;
            let text = std::mem::take(&mut request.text);
            let mut options = request.options(&self.settings.lookup);
            options.feedback = self.engine.usable_feedback(session);
            options.access = seen_from(&self.engine, caller.access, &self.here);
            let answer = self.engine.lookup(text.as_bytes(), &options, session)?;
            if counts {
                self.engine.count_looked_up(&answer, session);
            }
            Ok(answer)
        })
    }

    /// Searches indexed files and packs.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn search(&self, request: SearchRequest, caller: Caller<'_>) -> Result<Answered<Answer>, RequestError> {
        self.run(caller, |session| {
            request.check()?;
            let counts = !request.dry_run;
            let sought = request.sought()?;
            let options = request.options(self.asker(caller, session.notes()))?;
            let answer = match sought {
                Sought::Question(question) => self.engine.search(question.as_bytes(), &options, session)?,
                Sought::Alike(sample) => self.engine.search_alike(&sample, &options, session)?,
            };
            if counts {
                self.engine.count_served(&answer, session);
            }
            Ok(answer)
        })
    }

    /// Makes a frame.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn pack(&self, request: PackRequest, caller: Caller<'_>) -> Result<Answered<Frame>, RequestError> {
        self.run(caller, |session| {
            request.check()?;
            let counts = !request.dry_run;
            let mut request = request;
            let task = std::mem::take(&mut request.task);
            let options = request.options(self.asker(caller, session.notes()))?;
            let frame = self.engine.pack(task.as_bytes(), &options, session)?;
            if counts {
                self.engine.count_packed(&frame, session);
            }
            Ok(frame)
        })
    }

    /// What there is to be asked. Whoever may not see every scope is told of theirs alone, and of no file.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn status(&self, caller: Caller<'_>) -> Result<Answered<Status>, RequestError> {
        self.run(caller, |session| {
            let access = seen_from(&self.engine, caller.access, &self.here);
            let memories = self.engine.count_memories(&access)?;
            let kept = self.engine.outcomes_kept(&outcomes_seen_from(&self.engine, caller.access, &self.here))?;
            Ok(self.engine.status(session)?.seen_by(caller.access).remembering(memories).keeping(kept))
        })
    }

    /// What has this id, as a page of Markdown; none if there is nothing, or the caller may not see it.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn page_of(&self, id: &str, caller: Caller<'_>) -> Result<Answered<Option<String>>, RequestError> {
        self.run(caller, |session| {
            Ok(self.engine.page_of(id, &seen_from(&self.engine, caller.access, &self.here), session)?)
        })
    }

    /// Puts items in: all of them or none.
    ///
    /// # Errors
    /// As [`Service::lookup`]; nothing is stored then.
    pub fn put_items(&self, request: PutItemsRequest, caller: Caller<'_>) -> Result<Answered<PutReport>, RequestError> {
        self.run(caller, |session| {
            let items = request.items(self.asker(caller, session.notes()))?;
            Ok(self.engine.put_items(items, caller.access, session)?)
        })
    }

    /// One item; none if there is none, or the caller may not see it.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn item(&self, request: ItemRequest, caller: Caller<'_>) -> Result<Answered<Option<StoredItem>>, RequestError> {
        self.run(caller, |session| {
            let (scope, id) = request.place(self.asker(caller, session.notes()))?;
            Ok(self.engine.external_item(&scope, &id, caller.access)?)
        })
    }

    /// A page of the items that pass.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn list_items(
        &self,
        request: ListItemsRequest,
        caller: Caller<'_>,
    ) -> Result<Answered<ItemPage>, RequestError> {
        self.run(caller, |session| {
            request.check()?;
            let filter = request.filter(self.asker(caller, session.notes()))?;
            Ok(self.engine.list_items(&filter, request.after.as_deref(), request.most(), session)?)
        })
    }

    /// Deletes one item; none if there is none, or the caller may not see it.
    ///
    /// # Errors
    /// As [`Service::lookup`]; nothing is deleted then.
    pub fn delete_item(&self, request: ItemRequest, caller: Caller<'_>) -> Result<Answered<Deleted>, RequestError> {
        self.run(caller, |session| {
            let (scope, id) = request.place(self.asker(caller, session.notes()))?;
            Ok(self.engine.delete_item(&scope, &id, caller.access, session)?)
        })
    }

    /// Deletes the items that pass.
    ///
    /// # Errors
    /// As [`Service::lookup`], and for a filter that asks nothing; nothing is deleted then.
    pub fn delete_items(
        &self,
        request: DeleteItemsRequest,
        caller: Caller<'_>,
    ) -> Result<Answered<Deleted>, RequestError> {
        self.run(caller, |session| {
            let filter = request.filter(self.asker(caller, session.notes()))?;
            Ok(self.engine.delete_items(&filter, session)?)
        })
    }

    /// Indexes files and folders of this machine.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn index(
        &self,
        paths: &[PathBuf],
        thorough: bool,
        heard: &mut dyn FnMut(Progress<'_>),
        stopped: &dyn Fn() -> bool,
    ) -> Result<Answered<IndexReport>, RequestError> {
        let session = Session::new(self.clock, Notes::default()).heard_by(heard).stopped_by(stopped);
        let options = IndexOptions { thorough, excludes: self.excludes.clone() };
        let value = self.engine.index(paths, &options, &session);
        let notes = session.take_notes();
        Ok(Answered { value: value?, notes })
    }

    /// Whether other services may use the same store.
    pub fn is_shared(&self) -> bool {
        self.engine.is_shared()
    }

    /// Whether the store can be asked now.
    pub fn reaches_store(&self) -> bool {
        self.engine.reaches_store()
    }

    /// A worker on the jobs of a shared store.
    ///
    /// # Errors
    /// As [`Engine::shared_jobs`].
    pub fn shared_jobs(&self) -> Result<Option<SharedJobs>, EngineError> {
        self.engine.shared_jobs()
    }

    /// Vectors of texts, as this side of a search; `between` is called before each batch.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn embed(
        &self,
        texts: &[&str],
        role: Role,
        between: &mut dyn FnMut(),
        stopped: &dyn Fn() -> bool,
    ) -> Result<TextVectors, RequestError> {
        let made =
            self.run(Caller::owner(stopped), |session| Ok(self.engine.embed_texts(texts, role, between, session)?))?;
        Ok(made.value)
    }

    /// How well each text answers a question: the reranker's name, and a logit for each.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn rerank(
        &self,
        question: &str,
        texts: &[&str],
        between: &mut dyn FnMut(),
        stopped: &dyn Fn() -> bool,
    ) -> Result<(String, Vec<f32>), RequestError> {
        let made = self.run(Caller::owner(stopped), |session| {
            Ok(self.engine.rerank_texts(question, texts, between, session)?)
        })?;
        Ok(made.value)
    }

    /// The name of the model that makes vectors.
    ///
    /// # Errors
    /// As [`Service::lookup`]; without a model too.
    pub fn encoder_name(&self) -> Result<String, RequestError> {
        let model = self.engine.model(None)?.map(|model| model.name().to_owned());
        Ok(model.ok_or_else(|| EngineError::NoModel { model: self.settings.model.name.clone() })?)
    }

    /// The names of the models in use that are there: what makes vectors, and what puts texts in order.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn model_names(&self) -> Result<Vec<String>, RequestError> {
        let both = [self.engine.model(None)?, self.engine.model(Some(&self.settings.model.reranker))?];
        Ok(both.into_iter().flatten().map(|model| model.name().to_owned()).collect())
    }

    /// Writes what is kept in memory until the end.
    pub fn close(&self) {
        self.engine.close();
    }
}
