//! What takes long, and what follows what.

use super::super::session::Session;
use super::kind::{Durations, FEWEST_SESSIONS, Pattern, PatternKind, Step, StepRole};
use super::tally::{About, Tally};
use crate::types::Scope;
use std::collections::BTreeMap;

/// Fewest times an action was timed before it is called slow.
const FEWEST_TIMES: usize = 5;
/// From here on, in milliseconds, an action is slow: one of twenty takes so long, and whoever waits notices.
const SLOW_MS: u64 = 5_000;

/// Actions that take long.
pub(super) fn slow(scope: &Scope, sessions: &[Session<'_>]) -> Vec<Pattern> {
    let mut timed: BTreeMap<(&str, &str), (Tally, Vec<u64>)> = BTreeMap::new();
    for row in sessions.iter().flatten() {
        if let Some(ms) = row.duration_ms {
            let of = timed.entry((&row.tool, &row.head)).or_default();
            of.0.add(row, row.is_ok);
            of.1.push(ms);
        }
    }
    let mut out = Vec::new();
    for ((tool, head), (tally, mut times)) in timed {
        times.sort_unstable();
        let durations = Durations {
            count: times.len(),
            p50_ms: percentile(&times, 50),
            p95_ms: percentile(&times, 95),
            max_ms: times.last().copied().unwrap_or(0),
        };
        if times.len() >= FEWEST_TIMES && durations.p95_ms >= SLOW_MS {
            let durations = Some(durations);
            let about = About {
                scope,
                kind: PatternKind::Slow,
                tool,
                head,
                error: "",
                error_fingerprint: None,
                steps: Vec::new(),
                durations,
            };
            out.push(about.pattern(&tally));
        }
    }
    out
}

/// The least of sorted values that so many of a hundred do not exceed (nearest rank).
fn percentile(sorted: &[u64], share: usize) -> u64 {
    let rank = (sorted.len() * share).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0)
}

/// Pairs of actions that follow each other in several sessions; how often the second works.
pub(super) fn sequences(scope: &Scope, sessions: &[Session<'_>]) -> Vec<Pattern> {
    type Action<'a> = (&'a str, &'a str);
    let mut pairs: BTreeMap<(Action<'_>, Action<'_>), (Tally, &str)> = BTreeMap::new();
    for pair in sessions.iter().flat_map(|rows| rows.windows(2)) {
        let [first, second] = pair else { continue };
        let key = ((first.tool.as_str(), first.head.as_str()), (second.tool.as_str(), second.head.as_str()));
        if key.0 != key.1 {
            let of = pairs.entry(key).or_insert_with(|| (Tally::default(), &second.input));
            of.0.add(second, second.is_ok);
            of.1 = of.1.min(&second.input);
        }
    }
    let recurring = pairs.into_iter().filter(|(_, (tally, _))| tally.worked.sessions() >= FEWEST_SESSIONS);
    let pattern = |(((tool, head), (tool2, head2)), (tally, example)): ((Action<'_>, Action<'_>), (Tally, &str))| {
        let step = Step {
            role: StepRole::Change,
            tool: tool2.to_owned(),
            head: head2.to_owned(),
            input: String::new(),
            example: example.to_owned(),
        };
        let about = About {
            scope,
            kind: PatternKind::Sequence,
            tool,
            head,
            error: "",
            error_fingerprint: None,
            steps: vec![step],
            durations: None,
        };
        about.pattern(&tally)
    };
    recurring.map(pattern).collect()
}
