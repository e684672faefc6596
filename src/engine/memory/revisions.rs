//! What people say in passing revises what they said before: "No, make that Newark". What is remembered is linked to
//! what it seems to revise of its session, and is read before that.
//!
//! It is a guess (`memory::revising`), so it orders what is found and hides nothing. What names what it is about has a
//! rule of its own, which takes the place of what was known, and is never guessed about.

use super::change::Saying;
use crate::engine::EngineError;
use crate::memory::{MOST_EARLIER, revised};
use crate::store::{Database, MemoryFilter, ReadMemory};
use crate::types::{Change, Kind, Memory, MemoryState, NewEvent, Relation, Scope, Wording};
use std::collections::BTreeSet;

/// Memories that are looked through for those of the session: those that were met last.
const LOOKED_THROUGH: usize = 200;
/// Revisions that are followed from one memory.
const MOST_REVISIONS: usize = 16;

/// The events that link what is remembered, of this kind and in this scope, with what it seems to revise.
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

/// Whether it names what it is about, so that another that names the same takes its place.
fn has_subject(words: &Wording) -> bool {
    let Wording { category, pattern, service, region, subject, .. } = words;
    [category, pattern, service, region, subject].iter().any(|part| part.is_some())
}

/// A memory, and what seems to revise it.
#[derive(Debug)]
pub(super) struct Revisable {
    pub memory: Memory,
    /// Ids of what seems to revise it, what was said last first.
    pub revised_by: Vec<String>,
}

/// A memory behind those that seem to revise it, what was said last first. Only what `admits` lets through is read.
pub(super) fn with_revisions(
    database: &Database,
    memory: Memory,
    admits: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<Revisable>, EngineError> {
    let (mut out, mut seen) = (Vec::new(), BTreeSet::from([memory.id.clone()]));
    push(database, memory, admits, &mut seen, &mut out)?;
    Ok(out)
}

/// Puts a memory behind those that revise it, and each of these behind those that revise it in turn.
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

/// What stands before a memory because it seems to revise it, what was said last first.
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
