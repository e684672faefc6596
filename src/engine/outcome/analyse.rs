//! Rows that nobody has looked at are claimed, and what recurs in the sessions of their scope is kept as patterns.

use crate::engine::{Engine, EngineError, Session};
use crate::lock::{self, LockError};
use crate::outcome::pattern::{Pattern, PatternKind, patterns};
use crate::store::{BatchState, FOUND, KeepOutcomes, OutcomeBatch, OutcomeSession, ReadOutcomes, StoredPattern};
use crate::types::{Scope, ToolOutcome};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// New rows of a session after which it is analysed.
pub const NEW_ROWS: u32 = 25;
/// How long an analysis in the background waits for further runs. An analysis reads all runs of its scope, so one for a
/// whole burst costs as much as one for the burst's first runs.
const GATHERING: Duration = Duration::from_secs(2);
/// Sessions that one analysis claims at most.
const MOST_SESSIONS: usize = 1_000;
/// A session in which nothing happened for so long is analysed with fewer new rows: it has probably ended.
const QUIET_MS: i64 = 600_000;
/// Rows of a scope that are compared at most: those of the sessions that were last.
const MOST_ROWS: usize = 50_000;
/// Patterns of each kind that are kept at most: the surest.
const MOST_PATTERNS: usize = 200;

/// Which sessions are analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// Those with [`NEW_ROWS`] new rows, and those that have probably ended.
    Due,
    /// All with new rows.
    All,
}

/// What an analysis came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Analysed {
    /// Batches that it claimed: new rows of one session each.
    pub batches: usize,
    /// New rows in them.
    pub rows: usize,
    /// Patterns of their scopes, old and new.
    pub patterns: usize,
}

impl Engine {
    /// Waits two seconds, so that further runs are analysed together with those that are there. Gives false if another
    /// process waits already, because its analysis covers these runs too.
    ///
    /// # Errors
    /// [`EngineError`] when the database cannot be opened.
    pub fn gather_outcomes(&self) -> Result<bool, EngineError> {
        let Some(mut lock) = self.read_database()?.map(|database| database.path().as_os_str().to_owned()) else {
            return Ok(true);
        };
        lock.push(".analysis.lock");
        // Where files cannot be locked, each process analyses.
        let alone = match lock::take(&PathBuf::from(lock), Duration::ZERO, &mut || {}) {
            Err(LockError::Held(_)) => return Ok(false),
            held => held.ok(),
        };
        std::thread::sleep(GATHERING);
        // Given back before rows are claimed, so that no run comes in between unseen.
        drop(alone);
        Ok(true)
    }

    /// Claims new rows and looks for patterns in the sessions of their scopes. Rows that another process has claimed
    /// are left to it. Rows are claimed once, even if the analysis is stopped or fails; the next analysis of their
    /// scope reads them too.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses, and at the request's deadline; batches that were claimed are marked
    /// as failed then.
    pub fn analyse_outcomes(
        &self,
        pending: Pending,
        worker: &str,
        session: &Session<'_>,
    ) -> Result<Analysed, EngineError> {
        let Some(mut database) = self.read_database()? else { return Ok(Analysed::default()) };
        let mut claimed: BTreeMap<Scope, Vec<OutcomeBatch>> = BTreeMap::new();
        let now = session.now();
        let is_due = |found: &OutcomeSession| {
            pending == Pending::All
                || found.rows - found.analysed >= NEW_ROWS
                || found.last_at < now.saturating_sub(QUIET_MS)
        };
        for found in database.sessions_to_analyse(1, MOST_SESSIONS)?.into_iter().filter(is_due) {
            session.check()?;
            if let Some(batch) = database.claim_batch(&found.session, found.analysed, worker, now)? {
                claimed.entry(found.scope).or_default().push(batch);
            }
        }
        let mut done = Analysed::default();
        let mut failed = None;
        for (scope, batches) in claimed {
            let found = match failed {
                None => analyse(&mut *database, &scope, session),
                // Nobody else will: that it was given up is on record.
                Some(_) => Ok(0),
            };
            let state = if failed.is_none() && found.is_ok() { BatchState::Done } else { BatchState::Failed };
            for batch in batches {
                database.finish_batch(batch.number, state)?;
                done.batches += 1;
                done.rows += (batch.to_row + 1 - batch.from_row) as usize;
            }
            match found {
                Ok(count) => done.patterns += count,
                Err(error) => failed = Some(error),
            }
        }
        // Patterns are kept, whatever comes of this.
        drop(database.end_in_background());
        failed.map_or(Ok(done), Err)
    }
}

/// Finds and stores the patterns of a scope; gives how many.
pub(super) fn analyse<D: ReadOutcomes + KeepOutcomes>(
    database: &mut D,
    scope: &Scope,
    session: &Session<'_>,
) -> Result<usize, EngineError> {
    let (rows, all) = rows_of(database, scope, session)?;
    let found = best(patterns(scope, &rows));
    session.check()?;
    let stored: Vec<StoredPattern> = found.iter().map(stored).collect();
    database.put_outcome_patterns(scope, &stored, all)?;
    Ok(stored.len())
}

/// The last rows of a scope, and whether these are all.
pub(super) fn rows_of<D: ReadOutcomes>(
    database: &D,
    scope: &Scope,
    session: &Session<'_>,
) -> Result<(Vec<ToolOutcome>, bool), EngineError> {
    let mut rows = Vec::new();
    for found in database.recent_sessions(scope, MOST_ROWS)? {
        session.check()?;
        rows.extend(database.session_outcomes(&found.session, 1, found.rows)?);
        if rows.len() >= MOST_ROWS {
            return Ok((rows, false));
        }
    }
    Ok((rows, true))
}

/// The surest of each kind. They come sorted so.
fn best(found: Vec<Pattern>) -> Vec<Pattern> {
    let mut counts: BTreeMap<PatternKind, usize> = BTreeMap::new();
    let mut fits = |pattern: &Pattern| {
        let count = counts.entry(pattern.kind).or_default();
        *count += 1;
        *count <= MOST_PATTERNS
    };
    found.into_iter().filter(|pattern| fits(pattern)).collect()
}

fn stored(pattern: &Pattern) -> StoredPattern {
    StoredPattern {
        id: pattern.id.clone(),
        scope: pattern.scope.clone(),
        kind: pattern.kind.name().to_owned(),
        state: FOUND.to_owned(),
        confidence: pattern.confidence,
        // What is written here always has a form in JSON.
        data: serde_json::to_value(pattern).unwrap_or_default().to_string(),
        last_at: pattern.last_at,
        memory: None,
    }
}
