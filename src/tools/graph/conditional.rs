//! How likely a tool is in a session that used others.
//!
//! Counts alone would call everything unseen impossible. So each estimate is mixed with how common tools are at all, as
//! `mu` sessions more would (Dirichlet smoothing; Zhai and Lafferty, "A study of smoothing methods for language models
//! applied to information retrieval", 2004):
//!
//! ```text
//! base(t)   = (sessions(t) + 1) / sum over all x of (sessions(x) + 1)
//! P(t | u)  = (with(u, t) + mu * base(t)) / (sum over x of with(u, x) + mu)
//! N(t | u)  = (then(u, t) + mu * base(t)) / (sum over x of then(u, x) + mu)
//! ```
//!
//! `mu` is not chosen: of [`PSEUDO_COUNTS`] the one is taken under which tools that are hidden from their own sessions
//! are likeliest (leave one out). A graph that foretells nothing gets a large one, and then says what `base` says.

use super::ToolGraph;

/// What is tried for `mu`: half a decade apart, from one session to more than histories are long.
pub const PSEUDO_COUNTS: [f64; 7] = [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0];
/// Sessions that are looked at to choose it, spread evenly: the mean of a log-likelihood over so many pairs is known to
/// some hundredths, and the curve is flat around its maximum.
const SESSIONS: usize = 1_000;
/// Most tools of a session that are paired with each other.
const PER_SESSION: usize = 20;

/// Probabilities of tools beside others.
#[derive(Debug, Clone)]
pub struct Conditional<'a> {
    graph: &'a ToolGraph,
    base: Vec<f64>,
    together: f64,
    after: f64,
}

impl<'a> Conditional<'a> {
    /// Of a graph; `mu` is chosen for co-use and for succession, each by itself.
    pub fn of(graph: &'a ToolGraph) -> Self {
        let total: f64 = graph.nodes().iter().map(|node| f64::from(node.sessions) + 1.0).sum();
        let base: Vec<f64> = graph.nodes().iter().map(|node| (f64::from(node.sessions) + 1.0) / total).collect();
        let mut out = Self { graph, base, together: PSEUDO_COUNTS[6], after: PSEUDO_COUNTS[6] };
        let step = graph.sessions().len().div_ceil(SESSIONS).max(1);
        let (mut pairs, mut steps) = (Vec::new(), Vec::new());
        for tools in graph.sessions().iter().step_by(step) {
            let set = distinct(tools);
            for &used in set.iter().take(PER_SESSION) {
                let taken = (set.len() - 1) as f64;
                let hidden = set.iter().take(PER_SESSION).filter(|hidden| **hidden != used);
                pairs.extend(hidden.map(|hidden| (used, *hidden, taken)));
            }
            steps.extend(tools.windows(2).filter(|two| two[0] != two[1]).map(|two| (two[0], two[1], 1.0)));
        }
        let nodes = graph.nodes();
        let with: Vec<f64> = nodes.iter().map(|node| node.with.values().map(|count| f64::from(*count)).sum()).collect();
        let then: Vec<f64> = nodes.iter().map(|node| node.then.values().map(|count| f64::from(*count)).sum()).collect();
        out.together = out.likeliest(&pairs, &with, |used, hidden| nodes[used].with.get(&hidden).copied());
        out.after = out.likeliest(&steps, &then, |used, hidden| nodes[used].then.get(&hidden).copied());
        out
    }

    /// The `mu` under which the hidden tools are likeliest. Each pair says how much of the counts is its own session's,
    /// which is taken out.
    fn likeliest(
        &self,
        pairs: &[(usize, usize, f64)],
        totals: &[f64],
        count: impl Fn(usize, usize) -> Option<u32>,
    ) -> f64 {
        let likelihood = |mu: f64| -> f64 {
            let of = |(used, hidden, own): &(usize, usize, f64)| {
                let seen = (f64::from(count(*used, *hidden).unwrap_or(0)) - 1.0).max(0.0);
                ((seen + mu * self.base[*hidden]) / ((totals[*used] - own).max(0.0) + mu)).ln()
            };
            pairs.iter().map(of).sum()
        };
        let mut best = (PSEUDO_COUNTS[6], f64::NEG_INFINITY);
        for mu in PSEUDO_COUNTS.into_iter().rev().filter(|_| !pairs.is_empty()) {
            let reached = likelihood(mu);
            if reached > best.1 {
                best = (mu, reached);
            }
        }
        best.0
    }

    /// How common each tool is; sums to 1.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// The `mu` of co-use and of succession.
    pub fn pseudo_counts(&self) -> (f64, f64) {
        (self.together, self.after)
    }

    /// The mean of `P(t | u)` over tools `u` with these weights, by tool. Sums to 1 for weights that do.
    pub fn together(&self, used: &[(usize, f64)]) -> Vec<f64> {
        self.mix(used, self.together, |node| &node.with, None)
    }

    /// The same for a session of the graph, as if that had not been.
    pub fn together_without(&self, used: &[(usize, f64)], session: &[usize]) -> Vec<f64> {
        self.mix(used, self.together, |node| &node.with, Some(session))
    }

    /// `N(t | last)`, by tool.
    pub fn after(&self, last: usize) -> Vec<f64> {
        self.mix(&[(last, 1.0)], self.after, |node| &node.then, None)
    }

    fn mix(
        &self,
        used: &[(usize, f64)],
        mu: f64,
        counts: impl Fn(&super::ToolNode) -> &std::collections::BTreeMap<usize, u32>,
        without: Option<&[usize]>,
    ) -> Vec<f64> {
        let mut out = vec![0.0; self.base.len()];
        let mut smooth = 0.0;
        for (tool, weight) in used {
            let Some(node) = self.graph.nodes().get(*tool) else { continue };
            let own = without.map(distinct).unwrap_or_default();
            let counts = counts(node);
            let count = |other: usize, count: u32| {
                let taken = u32::from(own.contains(tool) && own.contains(&other));
                f64::from(count.saturating_sub(taken))
            };
            let total: f64 = counts.iter().map(|(other, seen)| count(*other, *seen)).sum::<f64>() + mu;
            counts.iter().for_each(|(other, seen)| out[*other] += weight * count(*other, *seen) / total);
            smooth += weight * mu / total;
        }
        out.iter_mut().zip(&self.base).for_each(|(sum, base)| *sum += smooth * base);
        out
    }
}

fn distinct(tools: &[usize]) -> Vec<usize> {
    let mut set = tools.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}
