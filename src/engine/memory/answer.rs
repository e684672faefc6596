//! What was learnt, in the answer of a lookup: what helped against an error that was met before, and what did not.
//!
//! A problem is found by the fingerprint of its error, else by its meaning. From there links lead to what was tried.

use super::associate::DECAY;
use super::recollection::recollection;
use crate::engine::{Engine, EngineError, Session};
use crate::memory::confidence::wilson;
use crate::memory::overrides_packs;
use crate::query::{LookupOptions, SearchOptions};
use crate::store::{Database, ItemFilter, ReadMemory};
use crate::text::single_line;
use crate::types::{
    Access, Advice, Answer, Attempt, CausalRole, Content, Finding, Hit, Kind, Link, Memory, Relation, Semantic, Tier,
    Verdict,
};
use std::collections::HashMap;

/// Problems that are followed.
const PROBLEMS: usize = 5;
/// Title of a fix that has none.
const HELPED: &str = "Helped here before";
/// Longest title, in characters: where others stand before it, it is all that is shown.
const TITLE: usize = 90;

impl Engine {
    /// Adds to an answer what was learnt about its errors. `asked` holds the text of each error, by its fingerprint.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub(in crate::engine) fn add_memories(
        &self,
        answer: &mut Answer,
        asked: &HashMap<String, String>,
        options: &LookupOptions,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let Some(database) = self.read_database()? else { return Ok(()) };
        if !database.has_memories()? {
            return Ok(());
        }
        let access = &options.access;
        for finding in &mut answer.results {
            let known = database.memories_of_error(&finding.error.fingerprint, &access.remembered())?;
            let problems = known.into_iter().filter(|memory| memory.kind == Kind::Problem && memory.stands());
            let mut problems: Vec<(Memory, f32, Tier)> = problems.map(|one| (one, 1.0, Tier::Fingerprint)).collect();
            // As with packs: where something is sure, guesses would only bury it.
            if let Some(question) = asked.get(&finding.error.fingerprint)
                && problems.is_empty()
                && finding.hits.is_empty()
                && finding.semantic != Semantic::NotNeeded
            {
                problems = self.problems_like(question, &database, access, session)?;
            }
            add(finding, &problems, &database, options, session.now())?;
        }
        Ok(())
    }

    /// Problems that mean the same and pass the gate, with their relevance.
    fn problems_like(
        &self,
        question: &str,
        database: &Database,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<(Memory, f32, Tier)>, EngineError> {
        let filter = ItemFilter { kinds: vec![Kind::Problem], access: access.clone(), ..ItemFilter::default() };
        let options = SearchOptions { limit: PROBLEMS, filter, ..SearchOptions::default() };
        let found = self.search(question.as_bytes(), &options, session)?;
        let mut out = Vec::new();
        for hit in found.results.into_iter().flat_map(|finding| finding.hits) {
            out.extend(database.memory(&hit.id)?.map(|memory| (memory, hit.relevance, Tier::Close)));
        }
        Ok(out)
    }
}

/// Adds what was tried against these problems to a finding.
fn add(
    finding: &mut Finding,
    problems: &[(Memory, f32, Tier)],
    database: &Database,
    options: &LookupOptions,
    now: i64,
) -> Result<(), EngineError> {
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for (problem, relevance, tier) in problems {
        let relevance = if *tier == Tier::Close { relevance * DECAY } else { *relevance };
        let tried = |link: &&Link| matches!(link.relation, Relation::SolvedBy | Relation::FailedWith);
        for link in problem.links.iter().filter(tried) {
            let Some(tactic) = database.memory(&link.to)? else { continue };
            let is_seen = tactic.is_served(now) && options.access.remembers(&tactic.scope);
            let shown = |hit: &Hit| hit.id == tactic.id;
            if !is_seen || before.iter().chain(&behind).any(shown) || finding.failed.iter().any(|at| at.id == tactic.id)
            {
                continue;
            }
            if tactic.has_failed() {
                finding.failed.push(attempt(&tactic));
                continue;
            }
            let hit = solution(&tactic, relevance, *tier);
            if hit.overrides_canon { &mut before } else { &mut behind }.push(hit);
        }
    }
    let surest = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id));
    before.sort_by(surest);
    behind.sort_by(surest);
    let packs = std::mem::take(&mut finding.hits);
    // What stands before nothing overrides nothing.
    if packs.is_empty() {
        before.iter_mut().for_each(|hit| (hit.overrides_canon, hit.override_reason) = (false, None));
    }
    finding.hits = before.into_iter().chain(packs).chain(behind).collect();
    finding.hits.truncate(options.limit);
    finding.verdict = Verdict::from(finding.hits.first().map(|hit| hit.tier));
    if !finding.hits.is_empty() {
        finding.candidates.clear();
    }
    Ok(())
}

/// A tactic that worked, as advice. It is scored by how surely it works again.
fn solution(tactic: &Memory, relevance: f32, tier: Tier) -> Hit {
    let overrides = overrides_packs(tactic);
    let words = &tactic.words;
    let title = if words.title.is_empty() { format!("{HELPED}: {}", words.text) } else { words.title.clone() };
    Hit {
        id: tactic.id.clone(),
        kind: tactic.kind,
        title: single_line(&title, TITLE),
        content: Content::Advice(Advice {
            cause: words.because.clone().unwrap_or_default(),
            fix: vec![words.text.clone()],
            ..Advice::default()
        }),
        score: relevance * (0.8 + 0.2 * wilson(tactic.worked, tactic.worked + tactic.failed)),
        relevance,
        tier,
        role: CausalRole::Cause,
        source: "memory".to_owned(),
        overrides_canon: overrides.is_some(),
        override_reason: overrides.map(|why| why.reason().to_owned()),
        tried: None,
        memory: Some(recollection(tactic)),
        explain: None,
    }
}

fn attempt(tactic: &Memory) -> Attempt {
    Attempt {
        id: tactic.id.clone(),
        text: tactic.words.text.clone(),
        failed: tactic.failed,
        sessions: tactic.sessions.len(),
        last_at: tactic.last_at,
    }
}
