//! In which order tools can run, and what can run at once.
//!
//! `depend` looks at all pairs in both directions: which of the two gives what the other takes, and which was called
//! first so far. Where both directions have something for them the surer one counts. `order` breaks cycles by leaving
//! out the least sure edges of them, and puts the rest into levels. A plan depends on the set of tools alone, not on
//! the order in which they are named.

mod depend;
mod order;
mod picture;
#[cfg(test)]
mod tests;

pub use depend::{Because, ENDS, FIELD_AND_TYPE, FIELD_NAME, LEAST_ORDER, REFERENCE, VERB_ORDER, VERBS};
pub use picture::{dot, mermaid};

use crate::types::Tool;
use serde::Serialize;

/// One tool before another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Edge {
    /// The tool that runs first.
    pub from: String,
    /// The tool that needs it.
    pub to: String,
    /// How sure that is, in \[0, 1\].
    pub surety: f64,
    /// Why.
    pub because: Because,
}

/// What a call must be given that no tool of the plan gives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Missing {
    /// The tool.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
    /// Its type; empty if the tool does not say.
    #[serde(rename = "type")]
    pub kind: String,
}

/// In which order tools can run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Plan {
    /// Tools by level: those of one level can run at once, when those of the levels before are done.
    pub levels: Vec<Vec<String>>,
    /// What needs what, without what follows from the rest.
    pub edges: Vec<Edge>,
    /// Edges that were left out because they would close a cycle.
    pub broken: Vec<Edge>,
    /// What somebody has to provide.
    pub missing: Vec<Missing>,
}

/// Puts tools in order. `before` says how often the first of a pair was called before the second, by their places; what
/// is not named was never seen. A tool that is named twice counts once.
pub fn plan(tools: &[&Tool], before: &[(usize, usize, u32)]) -> Plan {
    let mut keyed: Vec<(String, usize)> = tools.iter().enumerate().map(|(at, tool)| (tool.key(), at)).collect();
    keyed.sort();
    keyed.dedup_by(|a, b| a.0 == b.0);
    let mut places = vec![None; tools.len()];
    keyed.iter().enumerate().for_each(|(place, (_, at))| places[*at] = Some(place));
    let sorted: Vec<&Tool> = keyed.iter().map(|(_, at)| tools[*at]).collect();
    let place = |at: usize| places.get(at).copied().flatten();
    let seen: Vec<(usize, usize, u32)> =
        before.iter().filter_map(|(a, b, times)| Some((place(*a)?, place(*b)?, *times))).collect();
    let depend = depend::dependencies(&sorted, &seen);
    let ordered = order::order(sorted.len(), depend);
    let key = |place: usize| keyed[place].0.clone();
    let edge = |one: depend::Dependency| Edge {
        from: key(one.from),
        to: key(one.to),
        surety: one.surety,
        because: one.because,
    };
    let missing = depend::missing(&sorted, &ordered.kept);
    Plan {
        levels: ordered.levels.iter().map(|level| level.iter().map(|place| key(*place)).collect()).collect(),
        edges: ordered.kept.into_iter().map(edge).collect(),
        broken: ordered.broken.into_iter().map(edge).collect(),
        missing: missing
            .into_iter()
            .map(|(place, parameter, kind)| Missing { tool: key(place), parameter, kind })
            .collect(),
    }
}

/// How often each of these tools was called before each other one, from sessions of calls; a session counts once, by
/// the first calls.
pub fn precedence(tools: &[usize], sessions: &[Vec<usize>]) -> Vec<(usize, usize, u32)> {
    let place: std::collections::BTreeMap<usize, usize> =
        tools.iter().enumerate().map(|(at, tool)| (*tool, at)).collect();
    let mut counts: std::collections::BTreeMap<(usize, usize), u32> = std::collections::BTreeMap::new();
    for calls in sessions {
        let mut first: Vec<usize> = Vec::new();
        for at in calls.iter().filter_map(|tool| place.get(tool)) {
            if !first.contains(at) {
                first.iter().for_each(|before| *counts.entry((*before, *at)).or_default() += 1);
                first.push(*at);
            }
        }
    }
    counts.into_iter().map(|((a, b), times)| (a, b, times)).collect()
}
