//! From what a search found to what is linked with it: a problem brings what was tried against it, and what was said
//! later in a session stands before what it seems to revise.

use super::recollection::recollection;
use super::revisions::{Revisable, with_revisions};
use crate::engine::{Engine, EngineError, Session};
use crate::memory::{overrides_packs, title};
use crate::query::SearchOptions;
use crate::store::ReadMemory;
use crate::text::single_line;
use crate::types::{
    Answer, CausalRole, Content, Hit, Kind, Link, MEMORY_PREFIX, Memory, Passage, Recollection, Relation, Tier, Verdict,
};
use std::collections::BTreeMap;

/// What is left of a problem's relevance one link further. Not measured yet.
pub(super) const DECAY: f32 = 0.9;
/// Longest title and snippet, in characters.
const TITLE: usize = 120;
const SNIPPET: usize = 240;

impl Engine {
    /// Says of the memories among the hits what is known of them, puts behind each problem what was tried against it,
    /// if that is still as relevant as `gate` one link further, and before each memory those that seem to revise it: as
    /// relevant as it, for they answer what it answers.
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
                let (relevance, score) = (relevance * DECAY, score * DECAY);
                let tried = |link: &&Link| matches!(link.relation, Relation::SolvedBy | Relation::FailedWith);
                if relevance < gate || !is_wanted(Kind::Tactic) {
                    continue;
                }
                for link in memory.links.iter().filter(tried) {
                    let is_new = !found.contains(&link.to) && !hits.iter().any(|hit| hit.id == link.to);
                    let usable = |one: &Memory| is_new && usable(one);
                    hits.extend(database.memory(&link.to)?.filter(usable).map(|one| linked(&one, relevance, score)));
                }
            }
            hits.truncate(options.limit);
            finding.hits = hits;
            finding.verdict = Verdict::from(finding.hits.first().map(|hit| hit.tier));
        }
        Ok(())
    }
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
