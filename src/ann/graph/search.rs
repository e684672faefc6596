//! Search in a graph.

use super::beam::{Filtered, Pool};
use super::key::Key;
use super::rows::{CodeRows, Probe};
use super::view::GraphView;
use super::walk::Steps;
use crate::ann::Neighbour;
use std::collections::BinaryHeap;

/// How wide and how long a search may be.
#[derive(Clone, Copy)]
pub struct SearchOptions<'a> {
    /// Nearest rows that the walk keeps; the wider, the less it misses. At least 1.
    pub ef: usize,
    /// Which rows may be found; `None`: all. The walk goes over others too. Rows that are dead are not admitted.
    pub admits: Option<&'a dyn Fn(u32) -> bool>,
    /// Comparisons after which the walk is given up.
    pub budget: usize,
    /// A row that the walk does without, as if it were not there: to ask for the neighbours of a row as a held-out
    /// query would.
    pub without: Option<u32>,
}

impl SearchOptions<'_> {
    /// Among all rows, without a limit.
    pub fn new(ef: usize) -> Self {
        Self { ef, admits: None, budget: usize::MAX, without: None }
    }
}

/// What a search took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// Rows that were compared on the lowest layer.
    pub comparisons: usize,
    /// Whether the walk came to its end. If not, what was found is only the best of what was met, and comparing all
    /// admitted rows is the better search.
    pub complete: bool,
}

/// Room for searches, for one thread at a time; a bit a row, once it is warm.
#[derive(Debug, Default)]
pub struct Searcher {
    steps: Steps,
    pool: Pool,
    frontier: BinaryHeap<Key>,
    out: Vec<Neighbour>,
}

impl Searcher {
    /// Without any room yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The best `k` rows by their bytes, at most `ef`, nearest first. They are among the nearest with a probability
    /// that `certify` measures; none is found twice, and only admitted ones are.
    pub fn search(
        &mut self,
        graph: &GraphView<'_>,
        codes: &CodeRows<'_>,
        probe: &Probe,
        k: usize,
        options: SearchOptions<'_>,
    ) -> (&[Neighbour], Spent) {
        let (ef, budget) = (options.ef, options.budget);
        self.steps.without = options.without;
        let comparisons = if let Some(admits) = options.admits {
            let mut beam = Filtered::new(admits, &mut self.pool, &mut self.frontier, ef);
            self.steps.search(graph, codes, probe, (&mut beam, budget))
        } else {
            self.pool.reset(ef);
            self.steps.search(graph, codes, probe, (&mut self.pool, budget))
        };
        self.out.clear();
        let nearest = self.pool.keys().iter().take(k);
        self.out.extend(nearest.map(|key| Neighbour { row: key.node(), similarity: key.similarity() }));
        (&self.out, Spent { comparisons, complete: comparisons <= budget })
    }
}
