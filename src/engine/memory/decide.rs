//! What somebody decides about a memory: that it is wrong, or true after all, or to be kept.

use super::change::{record, redacted};
use crate::engine::{Engine, EngineError, Session};
use crate::store::{Database, ReadMemory};
use crate::text::redact;
use crate::types::{Access, Author, Change, Kind, Memory, MemoryState, NewEvent, Wording};

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is wrong: it is out of every answer at once, and so is what was concluded from it alone.
    Dispute,
    /// It is not wrong after all.
    Withdraw,
    /// It is true; only a person's word counts.
    Confirm,
    /// What was proposed is to be kept; only a person's word counts.
    Approve,
    /// What was proposed is not.
    Reject,
    /// Something spoke against it: it is less sure now.
    Contradict,
}

impl Decision {
    fn change(self) -> Change {
        match self {
            Self::Dispute => Change::Disputed,
            Self::Withdraw => Change::Withdrawn,
            Self::Confirm => Change::Confirmed,
            Self::Approve => Change::Approved,
            Self::Reject => Change::Rejected,
            Self::Contradict => Change::Contradicted,
        }
    }

    /// Whether it can be decided of a memory that stands so.
    fn fits(self, state: MemoryState) -> bool {
        match self {
            Self::Dispute | Self::Contradict => state == MemoryState::Active,
            Self::Withdraw => state == MemoryState::Disputed,
            Self::Confirm => matches!(state, MemoryState::Active | MemoryState::Disputed),
            Self::Approve | Self::Reject => state == MemoryState::Proposed,
        }
    }

    const fn needs_person(self) -> bool {
        matches!(self, Self::Confirm | Self::Approve)
    }
}

impl Engine {
    /// Decides about memories by id; all of them or none. `words` may say why, or, of an approval, what it is to say.
    ///
    /// # Errors
    /// [`EngineError::NoMemory`] for an id that none has or that may not be seen, [`EngineError::WrongState`] for one
    /// of which that cannot be decided, [`EngineError::NeedsPerson`] where a program cannot decide.
    pub fn decide(
        &self,
        ids: &[String],
        decision: Decision,
        words: Wording,
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<Memory>, EngineError> {
        let (author, from) = by;
        if decision.needs_person() && *author != Author::Person {
            return Err(EngineError::NeedsPerson);
        }
        let (words, _) = redacted(words);
        let from = redact(from).text;
        let (lock, mut database) = self.write_between("ken dispute", session)?;
        let (mut found, mut problems) = (Vec::with_capacity(ids.len()), Vec::new());
        for id in ids {
            let memory = Self::find_memory(&database, id, access)?;
            if !decision.fits(memory.state) {
                return Err(EngineError::WrongState { id: memory.id, state: memory.state.name() });
            }
            if decision == Decision::Approve {
                problems.extend(proposed_problems(&database, &memory)?);
            }
            found.push(memory.id);
        }
        problems.retain(|id| !found.contains(id));
        problems.dedup();
        session.check()?;
        let batch = database.begin(&lock)?;
        let event = |id: &String| NewEvent {
            at: session.now(),
            memory: id.clone(),
            session: from.clone().into_owned(),
            author: author.clone(),
            change: decision.change(),
            // A problem keeps its own.
            words: if problems.contains(id) { Wording::default() } else { words.clone() },
        };
        record(&batch, problems.iter().chain(&found).map(event))?;
        batch.commit()?;
        let written = [problems.as_slice(), found.as_slice()].concat();
        self.follow_up(&written, &mut database, &lock, session)?;
        let memories = found.iter().map(|id| database.memory(id)).collect::<Result<Vec<_>, _>>()?;
        Ok(memories.into_iter().flatten().collect())
    }
}

/// The problems that a proposed tactic was tried against and that wait with it.
fn proposed_problems(database: &Database, tactic: &Memory) -> Result<Vec<String>, EngineError> {
    let mut out = Vec::new();
    for id in database.memories_linked_to(&tactic.id)? {
        let waits = |one: &Memory| one.kind == Kind::Problem && one.state == MemoryState::Proposed;
        out.extend(database.memory(&id)?.filter(waits).map(|one| one.id));
    }
    Ok(out)
}
