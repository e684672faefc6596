//! Counters: how often something was of use. Best effort: no read fails or waits for them, and an answer that is sure
//! opens no database for one.

use super::{Engine, Session};
use crate::query::frequency;
use crate::store::{CountUsage, PooledReader, ReadUsage};
use crate::types::{Answer, Frame, Semantic};
use std::cell::OnceCell;
use std::sync::PoisonError;

/// Counters of one request, which opens a database when the first is asked for.
pub(super) struct UsageReader<'a> {
    engine: &'a Engine,
    database: OnceCell<Option<PooledReader<'a>>>,
}

impl UsageReader<'_> {
    /// The frequency of an id, in \[0, 1\]; `None` where nothing was ever counted because there is no database.
    pub fn frequency(&self, id: &str) -> Option<f32> {
        let database = self.database.get_or_init(|| self.engine.read_database().ok().flatten()).as_ref()?;
        let usage = database.usage(&[id]).ok()?;
        Some(usage.get(id).map_or(0.0, |usage| frequency(usage.days)))
    }
}

impl Engine {
    pub(super) fn usage(&self) -> UsageReader<'_> {
        UsageReader { engine: self, database: OnceCell::new() }
    }

    /// Counts what a lookup has shown, if it had to guess: an answer that was sure opens no database, and is not kept
    /// waiting for a counter.
    pub fn count_looked_up(&self, answer: &Answer, session: &Session<'_>) {
        if answer.results.iter().any(|finding| finding.semantic != Semantic::NotNeeded) {
            self.count_served(answer, session);
        }
    }

    /// Counts that these were served. Best effort: a database that is busy, read-only or missing is let be.
    pub fn count_served(&self, answer: &Answer, session: &Session<'_>) {
        let hits = answer.results.iter().flat_map(|finding| &finding.hits);
        self.count_ids(&hits.map(|hit| hit.id.as_str()).collect::<Vec<_>>(), session);
    }

    /// Counts that what is in a frame was served. Best effort, as in searches.
    pub fn count_packed(&self, frame: &Frame, session: &Session<'_>) {
        let mut ids: Vec<&str> =
            frame.pieces().flat_map(|piece| piece.joined.iter().chain([&piece.id])).map(String::as_str).collect();
        // Parts of one chunk may stand apart.
        ids.sort_unstable();
        ids.dedup();
        self.count_ids(&ids, session);
    }

    fn count_ids(&self, ids: &[&str], session: &Session<'_>) {
        if ids.is_empty() {
            return;
        }
        let _counting = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(Some(mut database)) = self.read_database() {
            drop(database.count_served(ids, session.now()));
        }
    }
}
