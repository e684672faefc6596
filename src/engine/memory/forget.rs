//! Forgetting memories: their words leave the log, the stored memories, the vectors, the backups and the free pages.
//! The log keeps an event that says that something was forgotten.

use super::change::record;
use crate::engine::{Engine, EngineError, Session};
use crate::store::{Batch, Database, Forgotten, ReadMemory, WriteMemory};
use crate::types::{Access, Author, Change, Kind, Memory, MemoryState, NewEvent, Relation, Wording};

impl Engine {
    /// The memories that go when this one is forgotten: it, and the problem that it alone was tried against.
    pub(in crate::engine) fn with_problem(
        database: &Database,
        id: &str,
        access: &Access,
    ) -> Result<Vec<Memory>, EngineError> {
        let memory = Self::find_memory(database, id, access)?;
        if memory.state == MemoryState::Forgotten {
            return Ok(Vec::new());
        }
        let mut out = Vec::new();
        for problem in database.memories_linked_to(&memory.id)? {
            let is_alone = |problem: &Memory| {
                let tactics = problem.links.iter().filter(|link| link.relation != Relation::DerivedFrom);
                problem.kind == Kind::Problem && tactics.map(|link| &link.to).all(|to| *to == memory.id)
            };
            out.extend(database.memory(&problem)?.filter(is_alone));
        }
        out.push(memory);
        Ok(out)
    }

    /// Forgets memories in a batch; their traces are to be erased behind it.
    pub(in crate::engine) fn forget_memories(
        batch: &Batch<'_>,
        memories: &[Memory],
        session: &Session<'_>,
    ) -> Result<Forgotten, EngineError> {
        for memory in memories {
            record(
                batch,
                [NewEvent {
                    at: session.now(),
                    memory: memory.id.clone(),
                    session: String::new(),
                    author: Author::Person,
                    change: Change::Forgotten,
                    words: Wording::default(),
                }],
            )?;
            batch.forget_words(&memory.id)?;
        }
        Ok(Forgotten { items: memories.len(), ..Forgotten::default() })
    }
}
