//! Links between memories of one session, where the later seems to revise the earlier: "No, make that Newark" after "I
//! want to fly to Boston". The later one is shown before the earlier.
//!
//! A link is a guess (`memory::revising`). It changes the order of what is found, and hides nothing. A memory that
//! names its subject has no such links: it replaces the older memory of that subject.

use super::change::Saying;
use crate::engine::EngineError;
use crate::memory::{MOST_EARLIER, revised};
use crate::store::{Database, MemoryFilter, ReadMemory};
use crate::types::{Change, Kind, Memory, MemoryState, NewEvent, Relation, Scope, Wording};
use std::collections::BTreeSet;

/// How many of the latest memories are searched for those of the session.
const LOOKED_THROUGH: usize = 200;
/// How many revisions are followed from one memory.
const MOST_REVISIONS: usize = 16;

/// The events that link a new memory of this kind and scope to the memories that it seems to revise.
pub(super) fn revisions(
    database: &Database,
    (kind, scope): (Kind, &Scope),
    words: &Wording,
    id: &str,
    by: Saying<'_>,
) -> Result<Vec<NewEvent>, EngineError> {
    let said = [Kind::Preference, Kind::Fact];
    if by.session.is_empty() || !said.contains(&kind) || has_subject(words) {
        return Ok(Vec::new());
    }
    let filter = MemoryFilter {
        scopes: vec![scope.clone()],
        kinds: said.to_vec(),
        states: vec![MemoryState::Active, MemoryState::Proposed],
        held: false,
    };
    let mut earlier = database.memories(&filter, None, LOOKED_THROUGH)?;
    earlier.retain(|one| one.id != id && one.sessions.contains(by.session) && !has_subject(&one.words));
    earlier.sort_by_key(|one| (one.last_at, one.first_event));
    let earlier = &earlier[earlier.len().saturating_sub(MOST_EARLIER)..];
    let texts: Vec<&str> = earlier.iter().map(|one| one.words.text.as_str()).collect();
    let link = |place: usize| {
        let to = earlier.get(place)?.id.clone();
        Some(by.event(id, Change::Linked { to, relation: Relation::Revises }, Wording::default()))
    };
    Ok(revised(&words.text, &texts).into_iter().filter_map(link).collect())
}

/// Whether it names its subject. Then a memory that names the same subject replaces it.
fn has_subject(words: &Wording) -> bool {
    let Wording { category, pattern, service, region, subject, .. } = words;
    [category, pattern, service, region, subject].iter().any(|part| part.is_some())
}

/// A memory, and what seems to revise it.
#[derive(Debug)]
pub(super) struct Revisable {
    pub memory: Memory,
    /// Ids of the memories that seem to revise it, the latest first.
    pub revised_by: Vec<String>,
}

/// A memory, after the memories that seem to revise it, the latest first. Only those that `admits` accepts are read.
pub(super) fn with_revisions(
    database: &Database,
    memory: Memory,
    admits: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<Revisable>, EngineError> {
    let (mut out, mut seen) = (Vec::new(), BTreeSet::from([memory.id.clone()]));
    push(database, memory, admits, &mut seen, &mut out)?;
    Ok(out)
}

/// Puts a memory after those that revise it, and each of these after its own revisions.
fn push(
    database: &Database,
    memory: Memory,
    admits: &dyn Fn(&Memory) -> bool,
    seen: &mut BTreeSet<String>,
    out: &mut Vec<Revisable>,
) -> Result<(), EngineError> {
    let later = revised_by(database, &memory, admits)?;
    let revised_by = later.iter().map(|one| one.id.clone()).collect();
    for one in later {
        if seen.len() <= MOST_REVISIONS && seen.insert(one.id.clone()) {
            push(database, one, admits, seen, out)?;
        }
    }
    out.push(Revisable { memory, revised_by });
    Ok(())
}

/// The memories that seem to revise a memory, the latest first.
pub(super) fn revised_by(
    database: &Database,
    memory: &Memory,
    admits: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<Memory>, EngineError> {
    let mut out = Vec::new();
    for id in database.memories_linked_to(&memory.id)? {
        out.extend(database.memory(&id)?.filter(|later| later.stands_before(memory) && admits(later)));
    }
    out.sort_by_key(|one| std::cmp::Reverse((one.last_at, one.first_event)));
    Ok(out)
}
