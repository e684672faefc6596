//! Keeping runs: one on its own as fast as that goes, or several of a service.

use crate::engine::{Engine, EngineError, Session, limit};
use crate::ingest::scope_in_store;
use crate::outcome::{Moment, row};
use crate::store::{Database, KeepOutcomes, Place, StoreError, make_private};
use crate::types::{Execution, Scope};
use std::path::Path;
use std::time::Duration;

/// How long whoever keeps the first run of all waits for the right to make the database.
const MAKER_WAIT: Duration = Duration::from_secs(2);

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// The session of a run that names none: all of a day is one.
fn session_of(now_ms: i64) -> String {
    format!("day {}", now_ms.div_euclid(DAY_MS))
}

impl Engine {
    /// Keeps a run; gives its number in its session. `here` is its folder where it names none. Nothing is opened but
    /// the store of this place, which is made if there is none.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses or is busy; the run is lost then.
    pub fn keep_outcome(place: &Place, run: &Execution, here: &Path, now_ms: i64) -> Result<u32, EngineError> {
        let folder = run.folder.as_deref().map_or(here, Path::new);
        // Once more where a repair put another file in its place meanwhile.
        for _ in 0..2 {
            let mut database = open(place)?;
            let (scope, found) = scope_in_store(folder, &database)?;
            let row = row(run, Moment { at: now_ms, scope, session: session_of(now_ms) });
            let found = found.as_ref().map(|found| (found.root.as_str(), &found.scope));
            let sequence = database.record_outcome(&row, found)?;
            if database.is_in_place() {
                // The row is kept, whatever comes of this.
                drop(database.end_recording());
                return Ok(sequence);
            }
        }
        Err(replaced(&place.folder))
    }

    /// Keeps runs of this scope; gives the numbers in their sessions.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; those before the one that failed are kept.
    pub fn keep_outcomes(
        &self,
        runs: &[Execution],
        scope: &Scope,
        session: &Session<'_>,
    ) -> Result<Vec<u32>, EngineError> {
        session.check()?;
        // A session belongs to the scope of its first run, and callers of another scope may add to it.
        limit::lifted(|| {
            if self.read_database()?.is_none() {
                drop(self.write_database("ken, keeping outcomes", session)?);
            }
            let mut database = self.read_database()?.ok_or(EngineError::NoHome)?;
            let moment = || {
                let at = session.now();
                Moment { at, scope: scope.clone(), session: session_of(at) }
            };
            runs.iter().map(|run| Ok(database.record_outcome(&row(run, moment()), None)?)).collect()
        })
    }
}

fn open(place: &Place) -> Result<Database, EngineError> {
    if let Some(database) = Database::open_to_record_at(place)? {
        return Ok(database);
    }
    make_private(&place.folder)?;
    let lock = place.writer("ken hook", MAKER_WAIT)?;
    drop(Database::open_to_write_at(place, &lock)?);
    drop(lock);
    Database::open_to_record_at(place)?.ok_or_else(|| replaced(&place.folder))
}

/// The database goes away again and again: somebody repairs it.
fn replaced(data: &Path) -> EngineError {
    StoreError::Busy { folder: data.to_owned(), holder: "a repair".to_owned() }.into()
}
