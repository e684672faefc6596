//! The log is replayed, and the memories that follow from it are compared with those that are stored.

use super::change::{BatchShelf, key_of};
use crate::engine::{Engine, EngineError, Session};
use crate::memory::{Memories, Shelf, apply, item_of};
use crate::store::{Database, ReadMemory, StoredMemory, WriteMemory, WriterLock};
use crate::types::Memory;
use serde::Serialize;

/// Events that are read at once.
const PAGE: usize = 2_000;

/// What a replay came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Events of the log.
    pub events: usize,
    /// Memories that follow from them.
    pub memories: usize,
    /// Ids of memories that are stored otherwise, or should not be there, or are not.
    pub different: Vec<String>,
}

impl Engine {
    /// Replays the log and compares the result with what is stored, byte for byte. Nothing is changed.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn check_replay(&self, session: &Session<'_>) -> Result<Replayed, EngineError> {
        let Some(database) = self.read_database()? else { return Ok(Replayed::default()) };
        let moment = database.snapshot()?;
        let (events, all) = replayed(&database, session)?;
        let mut out = Replayed { events, memories: all.iter().count(), different: Vec::new() };
        for memory in all.iter() {
            if database.stored_memory(&memory.id)?.as_ref() != Some(&stored(memory)) {
                out.different.push(memory.id.clone());
            }
        }
        for id in database.memory_ids("", usize::MAX)? {
            let Ok(known) = all.get(&id);
            if known.is_none() {
                out.different.push(id);
            }
        }
        drop(moment);
        Ok(out)
    }

    /// Makes all memories again from the log, if what is stored differs.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; all is as it was then.
    pub fn replay(&self, session: &Session<'_>) -> Result<Replayed, EngineError> {
        let before = self.check_replay(session)?;
        if before.different.is_empty() {
            return Ok(before);
        }
        let lock = self.writer("ken memory replay")?;
        self.replay_with(&lock, session)?;
        Ok(before)
    }

    /// The same for whoever writes already.
    pub(in crate::engine) fn replay_with(&self, lock: &WriterLock, session: &Session<'_>) -> Result<(), EngineError> {
        let mut database = self.open_to_write(lock)?;
        if database.last_memory_event()? == 0 {
            return Ok(());
        }
        let (_, all) = replayed(&database, session)?;
        let batch = database.begin(lock)?;
        batch.clear_memories()?;
        for memory in all.iter() {
            BatchShelf(&batch).put(memory.clone())?;
        }
        batch.commit()?;
        let ids: Vec<String> = all.iter().map(|memory| memory.id.clone()).collect();
        self.follow_up(&ids, &mut database, lock, session)
    }
}

/// How a memory is to be stored.
fn stored(memory: &Memory) -> StoredMemory {
    StoredMemory {
        data: StoredMemory::data_of(memory),
        match_key: key_of(memory),
        item: memory.stands().then(|| item_of(memory)),
    }
}

fn replayed(database: &Database, session: &Session<'_>) -> Result<(usize, Memories), EngineError> {
    let (mut all, mut last, mut count) = (Memories::default(), 0, 0);
    loop {
        session.check()?;
        let events = database.memory_events(last, PAGE)?;
        let Some(end) = events.last() else { return Ok((count, all)) };
        last = end.number;
        count += events.len();
        for event in &events {
            let Ok(()) = apply(&mut all, event);
        }
    }
}
