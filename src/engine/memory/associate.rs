//! From what a search found to what is linked with it: a problem brings what was tried against it.

use super::recollection::recollection;
use crate::engine::{Engine, EngineError, Session};
use crate::memory::{overrides_packs, title};
use crate::query::SearchOptions;
use crate::store::ReadMemory;
use crate::text::single_line;
use crate::types::{
    Answer, CausalRole, Content, Hit, Kind, Link, MEMORY_PREFIX, Memory, Passage, Relation, Tier, Verdict,
};

/// What is left of a problem's relevance one link further. Not measured yet.
pub(super) const DECAY: f32 = 0.9;
/// Longest title and snippet, in characters.
const TITLE: usize = 120;
const SNIPPET: usize = 240;

impl Engine {
    /// Says of the memories among the hits what is known of them, and puts behind each problem what was tried against
    /// it, if that is still as relevant as `gate` one link further.
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
        for finding in &mut answer.results {
            let found: Vec<String> = finding.hits.iter().map(|hit| hit.id.clone()).collect();
            let mut hits: Vec<Hit> = Vec::with_capacity(finding.hits.len());
            for mut hit in std::mem::take(&mut finding.hits) {
                let memory = match is_memory(&hit) {
                    true => database.memory(&hit.id)?,
                    false => None,
                };
                let Some(memory) = memory else {
                    hits.push(hit);
                    continue;
                };
                "memory".clone_into(&mut hit.source);
                hit.memory = Some(recollection(&memory));
                let overrides = overrides_packs(&memory);
                hit.overrides_canon = overrides.is_some();
                hit.override_reason = overrides.map(|why| why.reason().to_owned());
                let relevance = hit.relevance * DECAY;
                let score = hit.score * DECAY;
                hits.push(hit);
                let tried = |link: &&Link| matches!(link.relation, Relation::SolvedBy | Relation::FailedWith);
                let is_wanted = kinds.is_empty() || kinds.contains(&Kind::Tactic);
                if relevance < gate || !is_wanted {
                    continue;
                }
                for link in memory.links.iter().filter(tried) {
                    let is_new = !found.contains(&link.to) && !hits.iter().any(|hit| hit.id == link.to);
                    let usable = |one: &Memory| is_new && one.is_served(session.now()) && access.remembers(&one.scope);
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
