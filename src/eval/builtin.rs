//! Runs cases through the engine and keeps what calibration and report need.

use super::cases::{Case, CaseKind};
use super::observation::{Guess, Observation};
use super::report::Report;
use crate::engine::{Engine, EngineError, Session};
use crate::query::LookupOptions;
use crate::types::Tier;

/// Looks all cases up, once as people do and once without a gate to see the best candidate.
///
/// # Errors
/// [`EngineError`] when a lookup fails.
pub fn observe(engine: &Engine, cases: &[Case], session: &Session<'_>) -> Result<Vec<Observation>, EngineError> {
    let mut out = Vec::with_capacity(cases.len());
    let open = LookupOptions { min_relevance: Some(0.0), ..LookupOptions::default() };
    for case in cases {
        let answer = engine.lookup(case.text.as_bytes(), &LookupOptions::default(), session)?;
        let all = engine.lookup(case.text.as_bytes(), &open, session)?;
        let findings: Vec<_> = answer.results.iter().filter(|f| !f.hits.is_empty()).collect();
        let hits: Vec<String> = findings.iter().flat_map(|f| f.hits.iter().map(|h| h.id.clone())).collect();
        let tier = findings.first().and_then(|f| f.hits.first()).map(|h| format!("{:?}", h.tier).to_lowercase());
        let firsts = all.results.iter().filter_map(|f| f.hits.first());
        let guess = firsts.max_by(|a, b| a.relevance.total_cmp(&b.relevance));
        let best = guess.map_or(0.0, |hit| hit.relevance);
        let guess = guess.filter(|hit| hit.tier == Tier::Close);
        out.push(Observation {
            id: case.id.clone(),
            kind: case.kind,
            domain: case.domain.clone(),
            class: case.class.clone(),
            held_back: case.held_back,
            expect: case.expect.clone(),
            hits,
            tier,
            best,
            guess: guess.map(|hit| Guess { claimed: hit.relevance, right: case.expect.contains(&hit.id) }),
        });
    }
    Ok(out)
}

/// Observes and reports. Answerable cases that no entry answers are left out and counted by the caller.
///
/// # Errors
/// As [`observe`].
pub fn run(engine: &Engine, cases: &[Case], session: &Session<'_>) -> Result<(Report, Vec<Observation>), EngineError> {
    let covered: Vec<Case> =
        cases.iter().filter(|case| case.kind == CaseKind::Unanswerable || !case.expect.is_empty()).cloned().collect();
    let observations = observe(engine, &covered, session)?;
    Ok((Report::new(&observations), observations))
}
