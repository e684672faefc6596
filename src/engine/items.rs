//! All indexed items, one after another, for whoever makes something else of them.

use super::{Engine, EngineError, Session};
use crate::store::{ItemFilter, ReadItems};
use crate::types::{Item, MEMORY_PREFIX};

/// Items that are read at once.
const BATCH: usize = 256;

impl Engine {
    /// Hands over every item that may be served and is no memory, all of one moment.
    ///
    /// # Errors
    /// [`EngineError::NothingIndexed`] when there is none, [`EngineError`] when the database refuses.
    pub fn each_item(&self, session: &Session<'_>, take: &mut dyn FnMut(Item)) -> Result<(), EngineError> {
        let database = self.read_database()?.ok_or(EngineError::NothingIndexed)?;
        let moment = database.snapshot()?;
        let ids = database.admitted(&ItemFilter::default(), None)?;
        if ids.is_empty() {
            return Err(EngineError::NothingIndexed);
        }
        for batch in ids.chunks(BATCH) {
            session.check()?;
            // Memories are more than their text; they go out with what they rest on.
            let is_memory = |item: &Item| item.uid.starts_with(MEMORY_PREFIX);
            let items = database.items(batch)?.into_iter().map(|(_, item)| item);
            items.filter(|item| !is_memory(item)).for_each(&mut *take);
        }
        drop(moment);
        Ok(())
    }
}
