//! Upkeep of a shared store after a write or a copy: its lists of words, its index of vectors and their certificate.

use super::WORDS;
use crate::engine::derived::Keep;
use crate::engine::{Engine, EngineError, Progress, Session};
use crate::store::{
    FindWords, IndexModel, KeepNearest, KeepWords, LogChanges, NearestIndex, ReadChanges, ReadNearest, ReadVectors,
    SharedDatabase,
};

/// Rows that are worked on at once.
const AT_ONCE: usize = 2_000;
/// So few vectors need no index.
const FEW: usize = 1_000;
/// Changes that the log may hold.
const LOGGED: usize = 10_000;
/// Entries of one segment of words that is made by whoever writes; larger ones are for `ken gc`.
const MERGED: usize = 1_000_000;

impl Engine {
    /// Does the upkeep after which a shared store finds everything that it holds.
    pub(in crate::engine) fn keep_stored(
        &self,
        database: &mut SharedDatabase,
        keep: Keep,
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
        if !database.reads_all() {
            return Ok(());
        }
        // Nothing is derived from the store that would ask what has changed.
        if database.logged_changes()? > LOGGED {
            let now = database.generation()?;
            database.forget_changes_before(now)?;
        }
        let Some(model) = database.index_model()? else { return Ok(()) };
        // Counting reads all vectors, and what was written just now can be searched. Only copies lack something.
        let is_exact = self.settings.recall_target >= 1.0;
        if keep == Keep::Usable && (is_exact || !is_due(database, &model)?) {
            return Ok(());
        }
        let total = database.embedded_texts()?;
        let mut done = 0;
        loop {
            match database.index_vectors(&model, AT_ONCE)? {
                0 => break,
                more => done += more,
            }
            session.check()?;
            session.tell(Progress::Linking { done: done.min(total), total });
        }
        if database.ensure_nearest_index(&model)? != NearestIndex::Ready || is_exact {
            return Ok(());
        }
        let known = database.nearest_certificate(&model)?;
        let vectors = database.searchable_vectors(&model)?;
        let target = self.settings.recall_target;
        if known.is_none_or(|known| known.is_stale(vectors) || known.target < target) {
            let made = database.certify(&model, target)?;
            if made.recall < target {
                let found = made.recall;
                session.note(format!(
                    "the index of vectors in the store finds {found:.3} of the nearest and not {target}"
                ));
            }
        }
        Ok(())
    }
}

/// Whether there may be so many vectors by now that they need an index, or one that is measured anew.
fn is_due(database: &SharedDatabase, model: &IndexModel) -> Result<bool, EngineError> {
    let about = database.about_vectors()?;
    Ok(match database.nearest_certificate(model)? {
        Some(known) => about.is_some_and(|about| known.is_stale(about)),
        None => about.is_none_or(|about| about >= FEW),
    })
}
