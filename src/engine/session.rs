//! A request: what a use case is told about the moment and about who asks, and where it says what they should know.

use super::{EngineError, Notes, Progress};
use crate::ingest::IngestError;
use std::cell::RefCell;
use std::time::Duration;

/// Hears progress.
pub type OnProgress<'a> = dyn FnMut(Progress<'_>) + 'a;

/// One request, used by one thread. Many can be served at once, each with a session of its own.
pub struct Session<'a> {
    clock: fn() -> i64,
    deadline_ms: Option<i64>,
    stopped: &'a dyn Fn() -> bool,
    patience: Option<Duration>,
    progress: RefCell<Box<OnProgress<'a>>>,
    notes: Notes,
}

impl Session<'static> {
    /// One that nobody watches: without a deadline, without progress.
    pub fn new(clock: fn() -> i64, notes: Notes) -> Self {
        Self {
            clock,
            deadline_ms: None,
            stopped: &|| false,
            patience: None,
            progress: RefCell::new(Box::new(|_| {})),
            notes,
        }
    }
}

impl<'a> Session<'a> {
    /// The same request with somebody who hears its progress, in place of who heard it so far.
    pub fn heard_by<'b>(&self, progress: impl FnMut(Progress<'_>) + 'b) -> Session<'b>
    where
        'a: 'b,
    {
        Session {
            clock: self.clock,
            deadline_ms: self.deadline_ms,
            stopped: self.stopped,
            patience: self.patience,
            progress: RefCell::new(Box::new(progress)),
            notes: self.notes.clone(),
        }
    }

    /// The same request, which ends early when this says so: it is asked between steps.
    #[must_use]
    pub fn stopped_by(self, stopped: &'a dyn Fn() -> bool) -> Self {
        Self { stopped, ..self }
    }

    /// The same request, which waits so long for its turn to write.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience: Some(patience), ..self }
    }

    /// The same request at another time: to measure what does not depend on when it is measured.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> i64) -> Self {
        Self { clock, ..self }
    }

    /// The same request, which is given up at this moment, milliseconds since 1970.
    #[must_use]
    pub fn until(self, deadline_ms: i64) -> Self {
        Self { deadline_ms: Some(deadline_ms), ..self }
    }

    /// Now, milliseconds since 1970.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Whether whoever asked wants no answer any more.
    pub fn is_stopped(&self) -> bool {
        (self.stopped)()
    }

    /// An error if there is no time left, or nobody wants an answer any more.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`], [`EngineError::DeadlinePassed`].
    pub fn check(&self) -> Result<(), EngineError> {
        if self.is_stopped() {
            return Err(EngineError::Cancelled);
        }
        match self.deadline_ms {
            Some(deadline) if self.now() >= deadline => Err(EngineError::DeadlinePassed),
            _ => Ok(()),
        }
    }

    /// How long it waits for its turn to write; `None` for the usual time.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.patience
    }

    /// The error of an indexing. If it was cancelled, the request says why: it was cancelled, or its time is over.
    pub(super) fn why(&self, error: IngestError) -> EngineError {
        match (error, self.check()) {
            (IngestError::Cancelled, Err(why)) => why,
            (error, _) => error.into(),
        }
    }

    /// Says what is being done. Progress that is reported while another report is being handled is dropped.
    pub fn tell(&self, progress: Progress<'_>) {
        if let Ok(mut heard) = self.progress.try_borrow_mut() {
            heard(progress);
        }
    }

    /// Says what could not be used, or should be known, beside the answer.
    pub fn note(&self, text: String) {
        self.notes.add(text);
    }

    /// Where it says so.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// What has been noted and nobody has read yet, a sentence each.
    pub fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_ends_when_its_time_is_over_or_nobody_wants_it() {
        let session = Session::new(|| 1_000, Notes::default());
        assert!(session.check().is_ok());
        assert!(matches!(session.until(1_000).check(), Err(EngineError::DeadlinePassed)));
        let session = Session::new(|| 1_000, Notes::default()).stopped_by(&|| true);
        assert!(matches!(session.check(), Err(EngineError::Cancelled)));
    }

    #[test]
    fn whoever_listens_instead_hears_and_the_notes_stay_in_one_place() {
        let session = Session::new(|| 0, Notes::default());
        let mut heard = 0;
        session.heard_by(|_| heard += 1).tell(Progress::Linking { done: 1, total: 2 });
        session.heard_by(|_| {}).note("a".to_owned());
        assert_eq!((heard, session.take_notes()), (1, vec!["a".to_owned()]));
    }
}
