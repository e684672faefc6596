//! From edges to an order: the surest first, each kept unless those before it lead back already. So of each cycle the
//! least sure edge is left out. Then a tool stands in the first level in which all that it needs is done.

use super::depend::Dependency;

/// What can be kept of the edges, and the levels that follow from it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Ordered {
    /// Places by level, rising in each.
    pub levels: Vec<Vec<usize>>,
    /// By their places.
    pub kept: Vec<Dependency>,
    /// By their places.
    pub broken: Vec<Dependency>,
}

/// Which nodes can be reached from which.
struct Reach {
    rows: Vec<Vec<u64>>,
}

impl Reach {
    fn new(count: usize) -> Self {
        Self { rows: vec![vec![0; count.div_ceil(64)]; count] }
    }

    fn has(&self, from: usize, to: usize) -> bool {
        self.rows[from][to / 64] >> (to % 64) & 1 == 1
    }

    fn add(&mut self, from: usize, to: usize) {
        if self.has(from, to) {
            return;
        }
        let mut beyond = self.rows[to].clone();
        beyond[to / 64] |= 1 << (to % 64);
        for node in 0..self.rows.len() {
            if node == from || self.has(node, from) {
                self.rows[node].iter_mut().zip(&beyond).for_each(|(own, more)| *own |= more);
            }
        }
    }
}

/// Orders so many tools. Edges of equal surety are taken in the order of their ends.
pub(super) fn order(count: usize, edges: &[Dependency]) -> Ordered {
    let mut surest: Vec<&Dependency> = edges.iter().collect();
    surest.sort_by(|a, b| b.surety.total_cmp(&a.surety).then((a.from, a.to).cmp(&(b.from, b.to))));
    let mut reach = Reach::new(count);
    let (mut kept, mut broken) = (Vec::new(), Vec::new());
    for edge in surest {
        if edge.from == edge.to || reach.has(edge.to, edge.from) {
            broken.push(edge.clone());
        } else {
            reach.add(edge.from, edge.to);
            kept.push(edge.clone());
        }
    }
    let by_place = |a: &Dependency, b: &Dependency| (a.from, a.to).cmp(&(b.from, b.to));
    kept.sort_by(by_place);
    broken.sort_by(by_place);
    let levels = levels(count, &kept);
    // What only says an order, and follows from other edges, says nothing new.
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    kept.iter().for_each(|edge| next[edge.from].push(edge.to));
    let implied = |edge: &Dependency| next[edge.from].iter().any(|via| *via != edge.to && reach.has(*via, edge.to));
    let direct: Vec<Dependency> =
        kept.iter().filter(|edge| edge.because.is_flow() || !implied(edge)).cloned().collect();
    Ordered { levels, kept: direct, broken }
}

fn levels(count: usize, edges: &[Dependency]) -> Vec<Vec<usize>> {
    let mut waits = vec![0usize; count];
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for edge in edges {
        waits[edge.to] += 1;
        next[edge.from].push(edge.to);
    }
    let mut ready: Vec<usize> = (0..count).filter(|place| waits[*place] == 0).collect();
    let mut out = Vec::new();
    while !ready.is_empty() {
        ready.sort_unstable();
        let mut after = Vec::new();
        for done in &ready {
            for to in &next[*done] {
                waits[*to] -= 1;
                if waits[*to] == 0 {
                    after.push(*to);
                }
            }
        }
        out.push(std::mem::replace(&mut ready, after));
    }
    out
}
