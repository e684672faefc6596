//! How well plans agree with what is known of requests.

use super::set::{ToolQuery, ToolSet};
use crate::tools::plan::{plan, precedence};
use serde::Serialize;
use std::collections::BTreeSet;

/// How well tools and their order agree with a request. Means over requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Planned {
    /// Requests.
    pub requests: usize,
    /// F1 of the tools.
    pub node_f1: f64,
    /// F1 of the edges.
    pub edge_f1: f64,
    /// Share of the known edges that the plan has. Where only some edges are known, this alone says something of them.
    pub edge_recall: f64,
    /// Share of the known edges whose ends stand in the right order, whether or not there is an edge.
    pub in_order: f64,
    /// Tools and edges are all as they are known.
    pub exact: f64,
}

/// Plans, and the order of pairs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PlanFigures {
    /// Of the right tools: the order alone.
    pub given: Planned,
    /// Of the tools that were found for the request.
    pub found: Planned,
    /// Pairs of tools that histories say something of, and the share of them that is in the order of the calls.
    pub pairs: (usize, f64),
}

fn f1(found: usize, known: usize, both: usize) -> f64 {
    if found + known == 0 { 1.0 } else { 2.0 * both as f64 / (found + known) as f64 }
}

/// Plans of the tools that `chosen` gives for each request with known edges.
fn planned<'s>(set: &'s ToolSet, sessions: &[Vec<usize>], chosen: impl Fn(usize) -> Vec<usize> + 's) -> Planned {
    let mut out = Planned::default();
    let of = |(at, query): (usize, &'s ToolQuery)| {
        Some((at, query, query.edges.as_ref().filter(|known| !(query.is_partial && known.is_empty()))?))
    };
    for (at, query, known) in set.queries.iter().enumerate().filter_map(of) {
        let tools = chosen(at);
        let plan = plan(&tools.iter().map(|tool| &set.tools[*tool]).collect::<Vec<_>>(), &precedence(&tools, sessions));
        let place = |key: &str| tools.iter().copied().find(|tool| set.tools[*tool].key() == key);
        let edges: BTreeSet<(usize, usize)> =
            plan.edges.iter().filter_map(|edge| Some((place(&edge.from)?, place(&edge.to)?))).collect();
        let level = |tool: usize| {
            let key = set.tools[tool].key();
            plan.levels.iter().position(|level| level.contains(&key))
        };
        let in_order = |(a, b): &&(usize, usize)| level(*a).zip(level(*b)).is_some_and(|(a, b)| a < b);
        let both = known.intersection(&edges).count();
        let nodes = tools.iter().filter(|tool| query.tools.contains(tool)).count();
        let share = |part: usize| if known.is_empty() { 1.0 } else { part as f64 / known.len() as f64 };
        out.requests += 1;
        out.node_f1 += f1(tools.len(), query.tools.len(), nodes);
        out.edge_f1 += f1(edges.len(), known.len(), both);
        out.edge_recall += share(both);
        out.in_order += share(known.iter().filter(in_order).count());
        let same = nodes == tools.len() && nodes == query.tools.len();
        out.exact += f64::from(u8::from(same && edges == *known));
    }
    let count = out.requests.max(1) as f64;
    let sums = [&mut out.node_f1, &mut out.edge_f1, &mut out.edge_recall, &mut out.in_order, &mut out.exact];
    sums.into_iter().for_each(|sum| *sum /= count);
    out
}

/// All figures of plans. `found` gives the tools that were found for a request.
pub(super) fn plan_figures(set: &ToolSet, sessions: &[Vec<usize>], found: impl Fn(usize) -> Vec<usize>) -> PlanFigures {
    let all: Vec<usize> = (0..set.tools.len()).collect();
    let counts: std::collections::BTreeMap<(usize, usize), u32> =
        precedence(&all, sessions).into_iter().map(|(a, b, times)| ((a, b), times)).collect();
    let times = |a: usize, b: usize| counts.get(&(a, b)).copied().unwrap_or(0);
    let (mut pairs, mut right) = (0, 0.0);
    for query in &set.queries {
        for (at, first) in query.tools.iter().enumerate() {
            for second in &query.tools[at + 1..] {
                let (forward, backward) = (times(*first, *second), times(*second, *first));
                if forward + backward > 0 {
                    pairs += 1;
                    right += match forward.cmp(&backward) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
        }
    }
    PlanFigures {
        given: planned(set, sessions, |at| set.queries[at].tools.clone()),
        found: planned(set, sessions, found),
        pairs: (pairs, right / pairs.max(1) as f64),
    }
}
