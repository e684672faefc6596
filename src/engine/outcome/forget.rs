//! Outcomes that go: those of a session that is to be forgotten, and those that are old.

use super::analyse::analyse;
use crate::engine::{Engine, EngineError, Session};
use crate::store::{KeepOutcomes, ReadOutcomes, SessionForgotten, Turn, WriteEvents, WriteOutcomes};
use serde::Serialize;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// What was forgotten of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SessionTaken {
    /// What is gone.
    #[serde(flatten)]
    pub gone: SessionForgotten,
    /// Whether a reader keeps traces on the disk.
    pub traces_left: bool,
}

impl Engine {
    /// Forgets what tools did in a session, with every trace on the disk. One that is not there is forgotten already.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; nothing is forgotten then.
    pub fn forget_session(&self, id: &str, session: &Session<'_>) -> Result<SessionTaken, EngineError> {
        let (lock, mut database) = self.write_database("ken forget", session)?;
        let scope = database.outcome_session(id)?.map(|found| found.scope);
        let batch = database.begin(&lock)?;
        let gone = batch.forget_outcomes(id)?;
        if gone == SessionForgotten::default() {
            drop(batch);
            return Ok(SessionTaken { gone, traces_left: database.has_traces()? });
        }
        batch.log(session.now(), "forgot", &serde_json::json!({"outcomes": gone.rows}))?;
        batch.commit()?;
        // A pattern goes with its evidence; other sessions may show the same.
        if let Some(scope) = scope.filter(|_| gone.patterns > 0) {
            analyse(&mut database, &scope, session)?;
        }
        let traces_left = self.erase(&mut database, &lock, session)?;
        Ok(SessionTaken { gone, traces_left })
    }

    /// Takes away runs that ended more than so many days ago; gives how many. Their failures stay counted.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn drop_old_outcomes(&self, days: usize, session: &Session<'_>) -> Result<usize, EngineError> {
        if self.read_database()?.is_none() {
            return Ok(0);
        }
        let before = session.now().saturating_sub(i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS));
        let lock = self.writer("ken gc")?;
        // It need not wait for the end of an indexing.
        Ok(self.open_in_turn(&lock, Turn::Change, None)?.drop_outcomes_before(before)?)
    }
}
