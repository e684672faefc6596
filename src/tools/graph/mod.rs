//! What sessions did with tools, as a graph.
//!
//! Nodes are tools. An edge between two of them counts the sessions that used both, a directed one how often the one
//! was called right after the other. The counts are exact and grow by one call at a time; everything else is worked out
//! of them: `conditional` how likely a tool is beside others, `adamic` by which common neighbours, `rank` how central
//! it is, `community` which tools belong together.

mod adamic;
mod community;
mod conditional;
mod rank;
#[cfg(test)]
mod tests;

pub use community::{communities, modularity};
pub use conditional::{Conditional, PSEUDO_COUNTS};
pub use rank::{DAMPING, page_rank};

use std::collections::{BTreeMap, BTreeSet};

/// One call of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: usize,
    /// Whether it did what was asked.
    pub is_ok: bool,
}

/// What is counted of a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolNode {
    /// Sessions that used it.
    pub sessions: u32,
    /// Calls.
    pub calls: u32,
    /// Calls that went well.
    pub ok: u32,
    /// Sessions that used it with another tool.
    pub with: BTreeMap<usize, u32>,
    /// How often another tool was called right after it.
    pub then: BTreeMap<usize, u32>,
}

impl ToolNode {
    /// Share of its calls that went well; none without calls.
    pub fn success(&self) -> Option<f64> {
        (self.calls > 0).then(|| f64::from(self.ok) / f64::from(self.calls))
    }
}

/// Tools, and what sessions did with them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolGraph {
    nodes: Vec<ToolNode>,
    /// Tools of each session in the order of the calls, and each once.
    sessions: Vec<Vec<usize>>,
    sets: Vec<BTreeSet<usize>>,
}

impl ToolGraph {
    /// Of so many tools, and of sessions of calls in their order. Calls of other tools are passed over.
    pub fn of<'a>(tools: usize, sessions: impl IntoIterator<Item = &'a [Call]>) -> Self {
        let mut graph = Self { nodes: vec![ToolNode::default(); tools], ..Self::default() };
        for calls in sessions {
            let session = graph.begin();
            calls.iter().for_each(|call| graph.record(session, *call));
        }
        graph
    }

    /// Begins a session; gives its number.
    pub fn begin(&mut self) -> usize {
        self.sessions.push(Vec::new());
        self.sets.push(BTreeSet::new());
        self.sessions.len() - 1
    }

    /// Adds a call to a session. The cost grows with the distinct tools of that session, and only if this one is new in
    /// it.
    pub fn record(&mut self, session: usize, call: Call) {
        let Call { tool, is_ok } = call;
        let known = self.sessions.get_mut(session).zip(self.sets.get_mut(session));
        let Some((calls, set)) = known.filter(|_| tool < self.nodes.len()) else { return };
        let last = calls.last().copied();
        calls.push(tool);
        let node = &mut self.nodes[tool];
        node.calls += 1;
        node.ok += u32::from(is_ok);
        if set.insert(tool) {
            node.sessions += 1;
            for other in set.iter().copied().filter(|other| *other != tool) {
                *self.nodes[tool].with.entry(other).or_default() += 1;
                *self.nodes[other].with.entry(tool).or_default() += 1;
            }
        }
        if let Some(last) = last.filter(|last| *last != tool) {
            *self.nodes[last].then.entry(tool).or_default() += 1;
        }
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What is counted of each tool.
    pub fn nodes(&self) -> &[ToolNode] {
        &self.nodes
    }

    /// Tools of each session, in the order of the calls.
    pub fn sessions(&self) -> &[Vec<usize>] {
        &self.sessions
    }

    /// Share of all pairs of tools that were used together, in \[0, 1\].
    pub fn density(&self) -> f64 {
        let pairs = self.len() * self.len().saturating_sub(1);
        self.nodes.iter().map(|node| node.with.len()).sum::<usize>() as f64 / pairs.max(1) as f64
    }

    /// Weights of the edges of co-use: for each tool its neighbours by number.
    pub fn weights(&self) -> Vec<Vec<(usize, f64)>> {
        let of = |node: &ToolNode| node.with.iter().map(|(other, count)| (*other, f64::from(*count))).collect();
        self.nodes.iter().map(of).collect()
    }
}

/// Neighbours of each node with the weights of the edges, from edges that are named once. A weight that is named twice
/// is added up.
pub fn weights_of(nodes: usize, edges: impl IntoIterator<Item = (usize, usize, f64)>) -> Vec<Vec<(usize, f64)>> {
    let mut all: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); nodes];
    for (a, b, weight) in edges.into_iter().filter(|(a, b, _)| *a < nodes && *b < nodes && a != b) {
        *all[a].entry(b).or_default() += weight;
        *all[b].entry(a).or_default() += weight;
    }
    all.into_iter().map(|of| of.into_iter().collect()).collect()
}

pub use adamic::adamic_adar;
