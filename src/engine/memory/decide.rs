//! What somebody decides about a memory: that it is wrong, or true after all, or to be kept.

use super::change::{record, redacted};
use crate::engine::{Engine, EngineError, Session};
use crate::store::ReadMemory;
use crate::types::{Access, Author, Change, Memory, MemoryState, NewEvent, Wording};

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
        let (lock, mut database) = self.write_database("ken dispute", session)?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let memory = Self::find_memory(&database, id, access)?;
            if !decision.fits(memory.state) {
                return Err(EngineError::WrongState { id: memory.id, state: memory.state.name() });
            }
            found.push(memory.id);
        }
        let batch = database.begin(&lock)?;
        let event = |id: &String| NewEvent {
            at: session.now(),
            memory: id.clone(),
            session: from.to_owned(),
            author: author.clone(),
            change: decision.change(),
            words: words.clone(),
        };
        record(&batch, found.iter().map(event))?;
        batch.commit()?;
        self.follow_up(&found, &mut database, &lock, session)?;
        let memories = found.iter().map(|id| database.memory(id)).collect::<Result<Vec<_>, _>>()?;
        Ok(memories.into_iter().flatten().collect())
    }
}
