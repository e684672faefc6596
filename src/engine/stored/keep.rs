//! Upkeep of a shared store after a write or a copy: its lists of words, its index of vectors and their certificate.
//!
//! Two jobs take long: making and measuring the index, and measuring the noise of the texts. A writer leaves both to a
//! separate process if it can start one. Others can write in either case. An index that a stopped process left half
//! made counts as missing, so the next write makes it again.

use super::WORDS;
use crate::engine::derived::{Keep, Renewed, renewal_lock};
use crate::engine::{Engine, EngineError, Progress, Session};
use crate::lock::{self, LockError};
use crate::store::{
    Database, FindWords, IndexModel, KeepNearest, KeepWords, LogChanges, NearestIndex, ReadChanges, ReadNearest,
    ReadVectors, SharedDatabase,
};
use std::path::Path;
use std::time::Duration;

/// Rows that are worked on at once.
const AT_ONCE: usize = 2_000;
/// Changes that the log may hold.
const LOGGED: usize = 10_000;
/// Rounds of work that a background process does at most. Each does what became due during the one before.
const ROUNDS: usize = 4;
/// Entries of one merged segment of words at most, after a write. `ken gc` merges ten times as many.
const MERGED: usize = 1_000_000;

impl Engine {
    /// Does the upkeep after which a shared store finds everything that it holds. A background process holds the lock
    /// `renewal` while it works.
    pub(in crate::engine) fn keep_stored(
        &self,
        database: &mut SharedDatabase,
        keep: Keep,
        renewal: &Path,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        if database.lacking_words()? > 0 {
            while database.index_words(WORDS, AT_ONCE)? > 0 {
                session.check()?;
            }
        }
        let most = if keep == Keep::Usable { MERGED } else { 10 * MERGED };
        while database.merge_words(most)? {
            session.check()?;
        }
        // What follows is made of all scopes, and measured on all.
        if !database.sees_all_scopes() {
            return Ok(());
        }
        // No file is derived from a shared store, so nobody reads its log of changes.
        if database.logged_changes()? > LOGGED {
            let now = database.generation()?;
            database.forget_changes_before(now)?;
        }
        let Some(model) = database.index_model()? else { return Ok(()) };
        if keep == Keep::Usable {
            // Looking for vectors without a half vector reads all vectors. Only a copied store can have some, because
            // every write adds its half vectors.
            if !self.is_due(database, &model)? || self.leaves_for_later(renewal) {
                return Ok(());
            }
        }
        let mut kept = Ok(false);
        database.with_lock_released(&mut || kept = self.keep_nearest(database, &model, session))?;
        kept.map(drop)
    }

    /// Whether an index of vectors is to be made, or one that is there to be measured anew.
    fn is_due(&self, database: &SharedDatabase, model: &IndexModel) -> Result<bool, EngineError> {
        let target = self.settings.recall_target;
        if target >= 1.0 {
            return Ok(false);
        }
        match database.nearest_index(model)? {
            NearestIndex::Missing => return Ok(true),
            NearestIndex::Ready => {}
            _ => return Ok(false),
        }
        let Some(known) = database.nearest_certificate(model)? else { return Ok(true) };
        let about = database.about_vectors()?;
        // The server knows how many there are of all models together.
        let is_stale =
            about.is_some_and(|about| known.is_stale(about)) && known.is_stale(database.searchable_vectors(model)?);
        Ok(known.target < target || is_stale)
    }

    /// Makes all vectors searchable, makes their index and measures it. Others write meanwhile. Gives whether it is all
    /// done: another process may be making the index.
    fn keep_nearest(
        &self,
        database: &SharedDatabase,
        model: &IndexModel,
        session: &Session<'_>,
    ) -> Result<bool, EngineError> {
        let target = self.settings.recall_target;
        let total = database.embedded_texts()?;
        let mut done = 0;
        loop {
            match database.index_vectors(model, AT_ONCE)? {
                0 => break,
                more => done += more,
            }
            session.check()?;
            session.tell(Progress::Linking { done: done.min(total), total });
        }
        let index = database.ensure_nearest_index(model)?;
        if index != NearestIndex::Ready || target >= 1.0 {
            return Ok(index != NearestIndex::BeingMade);
        }
        let known = database.nearest_certificate(model)?;
        let vectors = database.searchable_vectors(model)?;
        if known.is_none_or(|known| known.is_stale(vectors) || known.target < target) {
            let made = database.certify(model, target)?;
            if made.recall < target {
                let found = made.recall;
                session.note(format!(
                    "the index of vectors in the store has a recall of {found:.3}, below the target {target}"
                ));
            }
        }
        Ok(true)
    }

    /// Does the work of the background process that is due. It builds the index of vectors of a shared store, measures
    /// the recall of the index, and measures the noise of the texts. Other processes can write at the same time.
    pub(in crate::engine) fn renew_stored(&self, session: &Session<'_>) -> Result<Renewed, EngineError> {
        let Some(database) = self.open_database()? else { return Ok(Renewed::NotDue) };
        // The index and the noise cover all scopes, so only users who see all scopes renew them.
        let Some(shared) = database.shared().filter(|shared| shared.sees_all_scopes()) else {
            return Ok(Renewed::NotDue);
        };
        // This lock is for processes of this machine. The server's own locks keep machines apart.
        let path = renewal_lock(&database.vector_file());
        let alone = match lock::take(&path, Duration::ZERO, &mut || {}) {
            Ok(lock) => lock,
            Err(LockError::Held(_)) => return Ok(Renewed::Busy),
            Err(LockError::Open(source) | LockError::Unsupported(source)) => {
                return Err(EngineError::Io { path, source });
            }
        };
        let renewed = self.renew_in_rounds(&database, shared, session);
        drop(alone);
        renewed
    }

    /// Does all work that is due, and work that becomes due meanwhile. No writer starts a second process for that.
    fn renew_in_rounds(
        &self,
        database: &Database,
        shared: &SharedDatabase,
        session: &Session<'_>,
    ) -> Result<Renewed, EngineError> {
        let mut renewed = Renewed::NotDue;
        for _ in 0..ROUNDS {
            let model = database.index_model()?;
            let is_due = model.as_ref().map_or(Ok(false), |model| self.is_due(shared, model))?;
            if let Some(model) = model.as_ref().filter(|_| is_due) {
                if !self.keep_nearest(shared, model, session)? {
                    return Ok(Renewed::Busy);
                }
                renewed = Renewed::Done;
            }
            // Without the index each question would be compared with all vectors.
            if let Some(model) = model.filter(|_| self.settings.recall_target < 1.0)
                && matches!(shared.nearest_index(&model)?, NearestIndex::Missing | NearestIndex::BeingMade)
            {
                return Ok(Renewed::Busy);
            }
            if !self.renew_noise(database, session)? && !is_due {
                break;
            }
        }
        Ok(renewed)
    }

    /// Whether a background process does the work. One is started if none is running.
    pub(in crate::engine) fn leaves_for_later(&self, path: &Path) -> bool {
        let Some(later) = self.settings.later else { return false };
        matches!(lock::take(path, Duration::ZERO, &mut || {}), Err(LockError::Held(_))) || later()
    }
}
