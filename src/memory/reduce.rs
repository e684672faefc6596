//! Applies an event to a memory. The same code runs when the event happens and when the log is replayed, so both give
//! the same bytes. Nothing here depends on what the words say: they may have been forgotten since.

use super::confidence::{BASE, CONTRADICTED, CORRECTION, MOST_SESSIONS, REINFORCEMENT, raised};
use super::shelf::Shelf;
use crate::types::limits::EVIDENCE;
use crate::types::{
    Author, Authority, Change, Kind, Link, Memory, MemoryEvent, MemorySource, MemoryState, Observation, Relation,
    Wording,
};
use std::collections::BTreeSet;

/// Applies an event. What makes no sense of a memory as it is (an approval of what was not proposed, a word of an
/// unknown one) changes nothing.
///
/// # Errors
/// Where the shelf cannot be read or written.
pub fn apply<S: Shelf>(shelf: &mut S, event: &MemoryEvent) -> Result<(), S::Error> {
    let before = shelf.get(&event.memory)?;
    let after = match (before.clone(), &event.change) {
        (None, Change::Observed(first)) => Some(observed(event, first, MemoryState::Active)),
        (None, Change::Proposed(first)) => Some(observed(event, first, MemoryState::Proposed)),
        (None, _) => None,
        (Some(memory), change) => Some(changed(shelf, memory, event, change)?),
    };
    match after {
        Some(mut after) if before.as_ref() != Some(&after) => {
            after.held_by = holders(shelf, &after)?;
            let id = after.id.clone();
            shelf.put(after)?;
            hold(shelf, &id)
        }
        _ => Ok(()),
    }
}

fn observed(event: &MemoryEvent, first: &Observation, state: MemoryState) -> Memory {
    let words = event.words.clone().unwrap_or_default();
    let is_tactic = first.kind == Kind::Tactic;
    let count = |wanted: bool| u32::from(is_tactic && first.worked == Some(wanted));
    Memory {
        id: event.memory.clone(),
        kind: first.kind,
        scope: first.scope.clone(),
        authority: authority(first.authority, &event.author),
        source: first.source,
        author: event.author.clone(),
        state,
        validated: first.source == MemorySource::Validated && event.author == Author::Person,
        held_by: Vec::new(),
        independent: first.anchored,
        raw_confidence: BASE,
        sessions: BTreeSet::from([event.session.clone()]),
        seen: 1,
        worked: count(true),
        failed: count(false),
        last_at: event.at,
        until: first.until,
        words,
        dispute: None,
        superseded_by: None,
        links: Vec::new(),
        first_event: event.number,
        created_at: event.at,
        updated_at: event.at,
    }
}

/// No more authority than whoever says so has: a program speaks for one person.
fn authority(wanted: Authority, author: &Author) -> Authority {
    match author {
        Author::Person => wanted,
        Author::Program(_) => Authority::Personal,
    }
}

fn changed<S: Shelf>(shelf: &S, mut memory: Memory, event: &MemoryEvent, change: &Change) -> Result<Memory, S::Error> {
    // What was forgotten stays forgotten.
    if memory.state == MemoryState::Forgotten {
        return Ok(memory);
    }
    let said = event.words.clone().unwrap_or_default();
    let is_program = event.author != Author::Person;
    match change {
        // It was there already.
        Change::Observed(_) | Change::Proposed(_) => {}
        Change::Reinforced { worked } => {
            memory.raw_confidence = raised(memory.raw_confidence, REINFORCEMENT);
            memory.independent = true;
            if memory.kind == Kind::Tactic {
                memory.worked += u32::from(*worked == Some(true));
                memory.failed += u32::from(*worked == Some(false));
            }
            met(&mut memory, event, &said);
        }
        // What others stand behind is not changed by a program.
        Change::Corrected { .. } if is_program && memory.authority != Authority::Personal => {}
        Change::Corrected { until } => {
            // Whoever confirmed it confirmed other words.
            memory.validated &= !is_program;
            memory.raw_confidence = raised(memory.raw_confidence, CORRECTION);
            memory.words.take_over(&said);
            memory.until = *until;
            memory.updated_at = event.at;
            met(&mut memory, event, &said);
        }
        Change::Contradicted => {
            // Whoever spoke for it before spoke for what turned out otherwise.
            memory.raw_confidence = CONTRADICTED;
            memory.sessions = BTreeSet::from([event.session.clone()]);
            memory.last_at = memory.last_at.max(event.at);
        }
        Change::Confirmed if !is_program => {
            memory.validated = true;
            memory.independent = true;
        }
        Change::Disputed if memory.state == MemoryState::Active => {
            memory.state = MemoryState::Disputed;
            memory.dispute = said.because;
        }
        Change::Withdrawn if memory.state == MemoryState::Disputed => {
            memory.state = MemoryState::Active;
            memory.dispute = None;
        }
        Change::Superseded { by } if memory.state == MemoryState::Active => {
            memory.state = MemoryState::Superseded;
            memory.superseded_by = Some(by.clone());
        }
        Change::Linked { to, relation } => {
            // From one that is older: so nothing is derived from itself, over however many steps.
            let needs_older = *relation == Relation::DerivedFrom;
            let fits = |other: Memory| !needs_older || other.first_event < memory.first_event;
            let fits = shelf.get(to)?.is_some_and(fits) && *to != memory.id;
            let link = Link { relation: *relation, to: to.clone() };
            if let (true, Err(at)) = (fits, memory.links.binary_search(&link)) {
                memory.links.insert(at, link);
            }
        }
        Change::Promoted { authority } if !is_program => {
            memory.authority = *authority;
            rest_on(&mut memory, &said);
        }
        Change::Approved if memory.state == MemoryState::Proposed && !is_program => {
            memory.state = MemoryState::Active;
            memory.words.take_over(&said);
        }
        Change::Rejected if memory.state == MemoryState::Proposed => memory.state = MemoryState::Rejected,
        Change::Forgotten => {
            memory.state = MemoryState::Forgotten;
            memory.words = Wording::default();
            memory.dispute = None;
            memory.sessions = BTreeSet::new();
            memory.links = Vec::new();
        }
        Change::Confirmed
        | Change::Disputed
        | Change::Withdrawn
        | Change::Superseded { .. }
        | Change::Promoted { .. }
        | Change::Approved
        | Change::Rejected => {}
    }
    Ok(memory)
}

/// It was met once more.
fn met(memory: &mut Memory, event: &MemoryEvent, said: &Wording) {
    memory.seen += 1;
    if memory.sessions.len() < MOST_SESSIONS {
        memory.sessions.insert(event.session.clone());
    }
    memory.last_at = memory.last_at.max(event.at);
    rest_on(memory, said);
}

/// It rests on this evidence too.
fn rest_on(memory: &mut Memory, said: &Wording) {
    for evidence in &said.evidence {
        if memory.words.evidence.len() <= EVIDENCE && !memory.words.evidence.contains(evidence) {
            memory.words.evidence.push(evidence.clone());
        }
    }
}

/// What holds a memory back: all that it was derived from, if none of it stands and nothing else speaks for it.
fn holders<S: Shelf>(shelf: &S, memory: &Memory) -> Result<Vec<String>, S::Error> {
    if memory.independent {
        return Ok(Vec::new());
    }
    let mut withheld = Vec::new();
    for id in memory.derived_from() {
        let is_withheld = |source: &Memory| source.state == MemoryState::Disputed || !source.held_by.is_empty();
        match shelf.get(id)? {
            Some(source) if is_withheld(&source) => withheld.push(id.to_owned()),
            // One that stands is enough; what was forgotten was not wrong.
            _ => return Ok(Vec::new()),
        }
    }
    Ok(withheld)
}

/// Holds back, or lets go, what was derived from a memory, and what was derived from that.
fn hold<S: Shelf>(shelf: &mut S, id: &str) -> Result<(), S::Error> {
    // What is derived is younger, so this ends.
    let mut changed = vec![id.to_owned()];
    while let Some(source) = changed.pop() {
        for derived in shelf.derived_from(&source)? {
            let Some(mut memory) = shelf.get(&derived)? else { continue };
            let held_by = holders(shelf, &memory)?;
            if memory.held_by != held_by {
                memory.held_by = held_by;
                shelf.put(memory)?;
                changed.push(derived);
            }
        }
    }
    Ok(())
}
