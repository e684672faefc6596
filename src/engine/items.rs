//! All indexed items, one after another, for whoever makes something else of them.

use super::{Engine, EngineError, Session};
use crate::store::{ItemFilter, ReadItems};
use crate::types::Item;

/// Items that are read at once.
const BATCH: usize = 256;

impl Engine {
    /// Hands over every item that may be served, all of one moment.
    ///
    /// # Errors
    /// [`EngineError::NothingIndexed`] when there is none, [`EngineError`] when the database refuses.
    pub fn each_item(&self, session: &Session<'_>, take: &mut dyn FnMut(Item)) -> Result<(), EngineError> {
        let database = self.read_database()?.ok_or(EngineError::NothingIndexed)?;
        let moment = database.snapshot()?;
        let ids = database.admitted(&ItemFilter::default())?;
        if ids.is_empty() {
            return Err(EngineError::NothingIndexed);
        }
        for batch in ids.chunks(BATCH) {
            session.check()?;
            database.items(batch)?.into_iter().for_each(|(_, item)| take(item));
        }
        drop(moment);
        Ok(())
    }
}
