//! Runs requests on the engine. A request does not say the settings, its folder or the time; the service adds them.

use super::requests::{Asker, LookupRequest, PackRequest, RequestError, SearchRequest};
use crate::config::Settings;
use crate::engine::{Engine, Notes, Session, Status};
use crate::types::{Answer, Frame};
use std::path::PathBuf;

/// Answers requests; shared by all threads that run them.
pub struct Service {
    engine: Engine,
    settings: Settings,
    here: PathBuf,
    clock: fn() -> i64,
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
        Self { engine, settings, here, clock }
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

    /// Writes what is kept in memory until the end.
    pub fn close(&self) {
        self.engine.close();
    }
}
