//! Runs requests on the engine. A request does not say the settings, its folder or the time; the service adds them.

use super::requests::{Asker, LookupRequest, PackRequest, RequestError, SearchRequest};
use crate::config::Settings;
use crate::engine::face::indexing::{IndexOptions, IndexReport};
use crate::engine::{Engine, EngineError, Notes, Progress, Session, Status, TextVectors};
use crate::types::{Answer, Frame, Role};
use std::path::PathBuf;

/// Answers requests; shared by all threads that run them.
pub struct Service {
    engine: Engine,
    settings: Settings,
    here: PathBuf,
    clock: fn() -> i64,
    /// The user's own ignore rules of git.
    excludes: Option<PathBuf>,
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
        Self { engine, settings, here, clock, excludes: None }
    }

    /// The same, which leaves out what the user's own ignore rules of git name.
    #[must_use]
    pub fn with_excludes(self, excludes: Option<PathBuf>) -> Self {
        Self { excludes, ..self }
    }

    /// The folder that paths are relative to, as text.
    pub fn here(&self) -> String {
        self.here.to_string_lossy().into_owned()
    }

    fn asker(&self) -> Asker<'_> {
        Asker { engine: &self.engine, settings: &self.settings, here: &self.here }
    }

    /// Runs one use case; `stopped` is asked between its steps whether nobody wants the answer any more.
    fn run<T>(
        &self,
        stopped: &dyn Fn() -> bool,
        case: impl FnOnce(&Session<'_>) -> Result<T, RequestError>,
    ) -> Result<Answered<T>, RequestError> {
        let session = Session::new(self.clock, Notes::default()).heard_by(|_| {}).stopped_by(stopped);
        let value = case(&session)?;
        Ok(Answered { value, notes: session.take_notes() })
    }

    /// Looks up an error.
    ///
    /// # Errors
    /// [`RequestError`] when the request means nothing or the engine fails.
    pub fn lookup(&self, request: LookupRequest, stopped: &dyn Fn() -> bool) -> Result<Answered<Answer>, RequestError> {
        self.run(stopped, |session| {
            request.check()?;
            let mut request = request;
            let text = std::mem::take(&mut request.text);
            let mut options = request.options(&self.settings.lookup);
            options.feedback = self.engine.usable_feedback(session);
            let answer = self.engine.lookup(text.as_bytes(), &options, session)?;
            self.engine.count_looked_up(&answer, session);
            Ok(answer)
        })
    }

    /// Searches indexed files and packs.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn search(&self, request: SearchRequest, stopped: &dyn Fn() -> bool) -> Result<Answered<Answer>, RequestError> {
        self.run(stopped, |session| {
            request.check()?;
            let mut request = request;
            let question = std::mem::take(&mut request.query);
            let options = request.options(self.asker())?;
            let answer = self.engine.search(question.as_bytes(), &options, session)?;
            self.engine.count_served(&answer, session);
            Ok(answer)
        })
    }

    /// Makes a frame.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn pack(&self, request: PackRequest, stopped: &dyn Fn() -> bool) -> Result<Answered<Frame>, RequestError> {
        self.run(stopped, |session| {
            request.check()?;
            let mut request = request;
            let task = std::mem::take(&mut request.task);
            let options = request.options(self.asker())?;
            let frame = self.engine.pack(task.as_bytes(), &options, session)?;
            self.engine.count_packed(&frame, session);
            Ok(frame)
        })
    }

    /// What there is to be asked.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn status(&self, stopped: &dyn Fn() -> bool) -> Result<Answered<Status>, RequestError> {
        self.run(stopped, |session| Ok(self.engine.status(session)?))
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
        let made = self.run(stopped, |session| Ok(self.engine.embed_texts(texts, role, between, session)?))?;
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
        let made = self.run(stopped, |session| Ok(self.engine.rerank_texts(question, texts, between, session)?))?;
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
