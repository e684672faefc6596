//! Memories as they are: listed, counted, and each with its whole story.

use super::revisions::revised_by;
use crate::engine::{Engine, EngineError, Session};
use crate::memory::{overrides_packs, sure};
use crate::store::{MemoryCount, MemoryFilter, ReadMemory};
use crate::types::limits::ITEM_PAGE;
use crate::types::{Access, Memory, MemoryEvent, Overrides};
use serde::Serialize;

/// A memory as a list tells of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Told {
    /// The memory.
    #[serde(flatten)]
    pub memory: Memory,
    /// How sure it is, in hundredths.
    pub confidence: u8,
    /// Why it stands before what packs say; none where it does not.
    pub overrides: Option<Overrides>,
    /// Whether it is served now.
    pub served: bool,
    /// What seems to revise it and stands before it. Only its history tells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revised_by: Vec<String>,
}

impl Told {
    /// A memory at a moment, milliseconds since 1970.
    pub fn of(memory: Memory, now_ms: i64) -> Self {
        let (confidence, overrides, served) = (sure(&memory), overrides_packs(&memory), memory.is_served(now_ms));
        Self { memory, confidence, overrides, served, revised_by: Vec::new() }
    }
}

/// A page of memories.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MemoryPage {
    /// The one that was met last first.
    pub memories: Vec<Told>,
    /// Where the next page begins; none behind the last.
    pub next: Option<String>,
}

impl Engine {
    /// The memories that pass and may be seen, the one that was met last first: `most` of them, from behind `after` on,
    /// which is the `next` of the page before.
    ///
    /// # Errors
    /// [`EngineError::BadCursor`] for what is no `next`, [`EngineError`] when the database refuses.
    pub fn list_memories(
        &self,
        filter: &MemoryFilter,
        after: Option<&str>,
        most: usize,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<MemoryPage, EngineError> {
        session.check()?;
        let read = |text: &str| read_cursor(text).ok_or_else(|| EngineError::BadCursor { cursor: text.to_owned() });
        let after = after.map(read).transpose()?;
        let most = most.clamp(1, ITEM_PAGE);
        let Some(database) = self.read_database()? else { return Ok(MemoryPage::default()) };
        let seen = access.remembered();
        let scopes = match filter.scopes.as_slice() {
            [] => seen,
            wanted => seen.into_iter().filter(|scope| wanted.contains(scope)).collect(),
        };
        let filter = MemoryFilter { scopes, ..filter.clone() };
        let after = after.as_ref().map(|(at, id)| (*at, id.as_str()));
        let mut found = database.memories(&filter, after, most + 1)?;
        let is_more = found.len() > most;
        found.truncate(most);
        let next = found.last().filter(|_| is_more).map(|last| format!("{}:{}", last.last_at, last.id));
        let memories = found.into_iter().map(|memory| Told::of(memory, session.now())).collect();
        Ok(MemoryPage { memories, next })
    }

    /// A memory by its id or the beginning of it, and all that happened to it.
    ///
    /// # Errors
    /// [`EngineError::NoMemory`] where there is none, or whoever asks may not see it.
    pub fn history(
        &self,
        id: &str,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<(Told, Vec<MemoryEvent>), EngineError> {
        let missing = || EngineError::NoMemory { id: id.to_owned() };
        let database = self.read_database()?.ok_or_else(missing)?;
        let memory = Self::find_memory(&database, id, access)?;
        let events = database.events_of_memory(&memory.id)?;
        let admits = |one: &Memory| one.is_served(session.now()) && access.remembers(&one.scope);
        let later = revised_by(&database, &memory, &admits)?;
        let revised_by = later.into_iter().map(|one| one.id).collect();
        Ok((Told { revised_by, ..Told::of(memory, session.now()) }, events))
    }

    /// How many memories of each kind and state whoever asks may see.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn count_memories(&self, access: &Access) -> Result<Vec<MemoryCount>, EngineError> {
        match self.read_database()? {
            Some(database) => Ok(database.count_memories(Some(&access.remembered()))?),
            None => Ok(Vec::new()),
        }
    }

    /// Whether anything was ever learnt on this machine. Cheap: whoever only looks something up need not find out
    /// where they ask from otherwise.
    pub fn has_memories(&self) -> bool {
        self.holds_memories().unwrap_or(false)
    }

    /// Like [`Engine::has_memories`], with a note when the store cannot be reached.
    pub(in crate::engine) fn asks_memories(&self, session: &Session<'_>) -> bool {
        self.holds_memories().unwrap_or_else(|error| {
            session.note(format!("memories could not be searched: {error}"));
            false
        })
    }

    fn holds_memories(&self) -> Result<bool, EngineError> {
        match self.read_database()? {
            Some(database) => Ok(database.has_memories()?),
            None => Ok(false),
        }
    }
}

fn read_cursor(text: &str) -> Option<(i64, String)> {
    let (at, id) = text.split_once(':')?;
    (!id.is_empty()).then_some((at.parse().ok()?, id.to_owned()))
}
