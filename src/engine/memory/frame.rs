//! What was learnt, for a frame: what fits the task, the most certain first, then the preferences that count whatever
//! the task is.

use super::revisions::with_revisions;
use crate::engine::EngineError;
use crate::memory::{sure, title};
use crate::query::Recall;
use crate::store::{Database, ItemFilter, MemoryFilter, ReadMemory};
use crate::types::{Authority, Kind, MEMORY_PREFIX, Memory, MemoryState, Piece, Relation, Standing};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Preferences that are looked at: those that were met last.
const PREFERENCES: usize = 200;

/// Takes what was learnt out of what was recalled, and gives what is at least as relevant as `gate` as it stands in a
/// frame.
pub(in crate::engine) fn learnings(
    database: &Database,
    recall: &mut Recall,
    filter: &ItemFilter,
    gate: f32,
    now: i64,
) -> Result<Vec<Piece>, EngineError> {
    if !database.has_memories()? {
        return Ok(Vec::new());
    }
    // By id: relevance, score and what speaks for it.
    let mut found: BTreeMap<String, (f32, f32, &'static str)> = BTreeMap::new();
    for one in recall.all.extract_if(.., |one| one.uid.starts_with(MEMORY_PREFIX)) {
        // What nobody asked for is to be surer than what is asked for; a frame is filled with what it finds otherwise.
        if one.passes && one.relevance >= gate {
            found.insert(one.uid, (one.relevance, one.score, one.reason));
        }
    }
    let (mut fitting, mut seen) = (Vec::new(), Vec::new());
    for (id, said) in &found {
        let Some(memory) = database.memory(id)? else { continue };
        if memory.kind != Kind::Problem && !memory.is_served(now) {
            continue;
        }
        if memory.kind != Kind::Problem {
            seen.push(memory.id.clone());
            fitting.push((memory, *said));
            continue;
        }
        // A problem is told by what was tried against it.
        for link in memory.links.iter().filter(|link| link.relation != Relation::DerivedFrom) {
            let is_new = !seen.contains(&link.to) && !found.contains_key(&link.to);
            if let Some(tactic) = database.memory(&link.to)?.filter(|tactic| is_new && tactic.is_served(now)) {
                seen.push(tactic.id.clone());
                fitting.push((tactic, *said));
            }
        }
    }
    fitting.sort_by(|(a, (of_a, ..)), (b, (of_b, ..))| {
        sure(b).cmp(&sure(a)).then(of_b.total_cmp(of_a)).then_with(|| a.id.cmp(&b.id))
    });
    let admits = |one: &Memory| {
        let is_wanted = filter.kinds.is_empty() || filter.kinds.contains(&one.kind);
        let is_found = seen.contains(&one.id) || is_wanted && !filter.asks_beyond_kinds();
        is_found && one.is_served(now) && filter.access.remembers(&one.scope)
    };
    let mut ordered: Vec<(Memory, (f32, f32, &'static str))> = Vec::new();
    for (memory, (relevance, score, reason)) in fitting {
        for one in with_revisions(database, memory, &admits)? {
            if ordered.iter().any(|(placed, _)| placed.id == one.memory.id) {
                continue;
            }
            let (own_relevance, own_score, _) = found.get(&one.memory.id).copied().unwrap_or_default();
            ordered.push((one.memory, (relevance.max(own_relevance), score.max(own_score), reason)));
        }
    }
    seen.extend(ordered.iter().map(|(memory, _)| memory.id.clone()));
    let wanted = filter.kinds.is_empty() || filter.kinds.contains(&Kind::Preference);
    let mut always = Vec::new();
    if wanted && filter.paths.is_empty() && filter.endings.is_empty() && filter.condition.is_none() {
        let of_all = MemoryFilter {
            scopes: filter.access.remembered(),
            kinds: vec![Kind::Preference],
            states: vec![MemoryState::Active],
            held: false,
        };
        always = database.memories(&of_all, None, PREFERENCES)?;
        always.retain(|memory| memory.is_served(now) && !seen.contains(&memory.id));
        always.sort_by(|a, b| Reverse(sure(a)).cmp(&Reverse(sure(b))).then_with(|| a.id.cmp(&b.id)));
    }
    let always = always.into_iter().map(|memory| (memory, (0.0, 0.0, "always")));
    Ok(ordered.into_iter().chain(always).map(|(memory, said)| piece(&memory, said)).collect())
}

fn piece(memory: &Memory, (relevance, score, reason): (f32, f32, &'static str)) -> Piece {
    let about = title(memory);
    let mut said = match memory.kind {
        Kind::Tactic if memory.has_failed() => "a fix that did not help".to_owned(),
        Kind::Tactic => "a fix that worked".to_owned(),
        other => other.name().to_owned(),
    };
    match memory.authority {
        Authority::Personal => said.push_str(&format!(", confidence {} %", sure(memory))),
        Authority::Team => said.push_str(" of the team"),
        Authority::Org => said.push_str(" of the organisation"),
    }
    if !about.is_empty() {
        said.push_str(&format!(": {about}"));
    }
    Piece {
        id: memory.id.clone(),
        joined: Vec::new(),
        kind: memory.kind,
        title: said,
        path: None,
        line_start: None,
        line_end: None,
        tokens: 0,
        score,
        relevance,
        reason,
        state: Standing::Unfiled,
        text: memory.words.text.clone(),
    }
}
