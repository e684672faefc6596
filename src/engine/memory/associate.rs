//! From what a search found to what is linked with it: a problem brings what was tried against it, an attempt brings
//! the others against the same problem, and what was said later in a session stands before what it seems to revise.

use super::recollection::recollection;
use super::revisions::{Revisable, with_revisions};
use crate::engine::{Engine, EngineError, Session};
use crate::memory::{overrides_packs, title};
use crate::query::SearchOptions;
use crate::store::{Database, ReadMemory};
use crate::text::single_line;
use crate::types::{
    Answer, CausalRole, Content, Hit, Kind, Link, MEMORY_PREFIX, Memory, Passage, Recollection, Relation, Tier, Verdict,
};
use std::collections::BTreeMap;

/// What is left of relevance one link further. `benches/memory/association.py` draws the curve.
pub(super) const DECAY: f32 = 0.9;
/// Problems that are followed from one attempt at most.
const MOST_PROBLEMS: usize = 5;
/// Longest title and snippet, in characters.
const TITLE: usize = 120;
const SNIPPET: usize = 240;

impl Engine {
    /// Adds to each memory among the hits what is known of it and what is linked with it. The attempts against a
    /// problem come behind it. The other attempts against the same problem come behind an attempt. Both come if their
    /// relevance still reaches `gate` after the decay. The memories that seem to revise another come before it, and are
    /// as relevant as it.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub(in crate::engine) fn associate(
        &self,
        answer: &mut Answer,
        options: &SearchOptions,
        gate: f32,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let is_memory = |hit: &Hit| hit.id.starts_with(MEMORY_PREFIX);
        if !options.texts || !answer.results.iter().any(|finding| finding.hits.iter().any(is_memory)) {
            return Ok(());
        }
        let Some(database) = self.read_database()? else { return Ok(()) };
        let (access, kinds) = (&options.filter.access, &options.filter.kinds);
        let gate = options.min_relevance.unwrap_or(gate);
        let asks_more = options.filter.asks_beyond_kinds();
        let is_wanted = |kind: Kind| kinds.is_empty() || kinds.contains(&kind);
        let usable = |one: &Memory| one.is_served(session.now()) && access.remembers(&one.scope);
        for finding in &mut answer.results {
            let found: Vec<String> = finding.hits.iter().map(|hit| hit.id.clone()).collect();
            let mut left: BTreeMap<String, Hit> = std::mem::take(&mut finding.hits).into_iter().map(by_id).collect();
            let mut hits: Vec<Hit> = Vec::with_capacity(left.len());
            for id in &found {
                // It may stand further up already, before something that it revises.
                let Some(hit) = left.remove(id) else { continue };
                let memory = match is_memory(&hit) {
                    true => database.memory(id)?,
                    false => None,
                };
                let Some(memory) = memory else {
                    hits.push(hit);
                    continue;
                };
                // What a filter asks beside kinds and scopes cannot be told from a memory alone.
                let admits =
                    |one: &Memory| usable(one) && (found.contains(&one.id) || !asks_more && is_wanted(one.kind));
                let (relevance, score, tier) = (hit.relevance, hit.score, hit.tier);
                left.insert(id.clone(), hit);
                for one in with_revisions(&database, memory.clone(), &admits)? {
                    if hits.iter().any(|hit| hit.id == one.memory.id) {
                        continue;
                    }
                    let own = left.remove(&one.memory.id);
                    let mut hit = own.unwrap_or_else(|| Hit { tier, ..linked(&one.memory, relevance, score) });
                    (hit.relevance, hit.score) = (hit.relevance.max(relevance), hit.score.max(score));
                    hits.push(told(hit, one));
                }
                if !is_wanted(Kind::Tactic) {
                    continue;
                }
                for (problem, decay) in problems(&database, memory, &usable)? {
                    let (relevance, score) = (relevance * decay, score * decay);
                    if relevance < gate {
                        continue;
                    }
                    for link in problem.links.iter().filter(|link| is_attempt(link)) {
                        // One that was found stays where it is if that is not below its problem.
                        let is_placed = hits.iter().any(|hit| hit.id == link.to);
                        if is_placed || left.get(&link.to).is_some_and(|own| own.score >= score) {
                            continue;
                        }
                        let Some(attempt) = database.memory(&link.to)?.filter(admits) else { continue };
                        hits.push(match left.remove(&link.to) {
                            Some(own) => {
                                let own = Hit { score, relevance: own.relevance.max(relevance), ..own };
                                told(own, Revisable { memory: attempt, revised_by: Vec::new() })
                            }
                            None => linked(&attempt, relevance, score),
                        });
                    }
                }
            }
            hits.truncate(options.limit);
            finding.hits = hits;
            finding.verdict = Verdict::from(finding.hits.first().map(|hit| hit.tier));
        }
        Ok(())
    }
}

/// The problems that a memory leads to, each with the decay of the attempts against it. A problem is one link from its
/// attempts. An attempt is two links from the other attempts.
fn problems(
    database: &Database,
    memory: Memory,
    usable: &dyn Fn(&Memory) -> bool,
) -> Result<Vec<(Memory, f32)>, EngineError> {
    match memory.kind {
        Kind::Problem => Ok(vec![(memory, DECAY)]),
        Kind::Tactic => {
            let mut out = Vec::new();
            for id in database.memories_linked_to(&memory.id)?.into_iter().take(MOST_PROBLEMS) {
                let problem = database.memory(&id)?.filter(|one| one.kind == Kind::Problem && usable(one));
                out.extend(problem.map(|problem| (problem, DECAY * DECAY)));
            }
            Ok(out)
        }
        _ => Ok(Vec::new()),
    }
}

/// Whether a link leads from a problem to what was tried against it.
fn is_attempt(link: &Link) -> bool {
    matches!(link.relation, Relation::SolvedBy | Relation::FailedWith)
}

fn by_id(hit: Hit) -> (String, Hit) {
    (hit.id.clone(), hit)
}

/// A hit with what is known of its memory.
fn told(hit: Hit, found: Revisable) -> Hit {
    let overrides = overrides_packs(&found.memory);
    let recollection = Recollection { revised_by: found.revised_by, ..recollection(&found.memory) };
    Hit {
        source: "memory".to_owned(),
        memory: Some(recollection),
        overrides_canon: overrides.is_some(),
        override_reason: overrides.map(|why| why.reason().to_owned()),
        ..hit
    }
}

/// A memory that a link leads to, as a passage.
fn linked(memory: &Memory, relevance: f32, score: f32) -> Hit {
    let overrides = overrides_packs(memory);
    let words = &memory.words;
    Hit {
        id: memory.id.clone(),
        kind: memory.kind,
        title: single_line(&title(memory), TITLE),
        content: Content::Passage(Passage {
            snippet: single_line(&words.text, SNIPPET),
            text: Some(words.text.clone()),
            ..Passage::default()
        }),
        score,
        relevance,
        tier: Tier::Close,
        role: CausalRole::Cause,
        source: "memory".to_owned(),
        overrides_canon: overrides.is_some(),
        override_reason: overrides.map(|why| why.reason().to_owned()),
        tried: None,
        memory: Some(recollection(memory)),
        explain: None,
    }
}
