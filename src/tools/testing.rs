//! Random graphs and a generator for tests.

use super::graph::{Call, ToolGraph};

/// SplitMix64 (Steele, Lea and Flood, 2014).
pub(super) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Sessions of random calls of so many tools.
pub(super) fn random_sessions(seed: u64, tools: usize, sessions: usize) -> Vec<Vec<Call>> {
    let mut random = Random(seed);
    (0..sessions)
        .map(|_| {
            let length = 1 + random.below(7);
            (0..length).map(|_| Call { tool: random.below(tools), is_ok: random.below(4) > 0 }).collect()
        })
        .collect()
}

/// Their graph.
pub(super) fn random_graph(seed: u64, tools: usize, sessions: usize) -> ToolGraph {
    ToolGraph::of(tools, random_sessions(seed, tools, sessions).iter().map(Vec::as_slice))
}
