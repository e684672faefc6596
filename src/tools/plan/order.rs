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

/// Which nodes can be reached from which, and from which each can be reached: a row of bits a node. Both are kept so that
/// a new edge costs what it changes.
struct Reach {
    after: Vec<Vec<u64>>,
    before: Vec<Vec<u64>>,
}

impl Reach {
    fn new(count: usize) -> Self {
        let rows = vec![vec![0; count.div_ceil(64)]; count];
        Self { after: rows.clone(), before: rows }
    }

    fn has(&self, from: usize, to: usize) -> bool {
        is_set(&self.after[from], to)
    }

    fn add(&mut self, from: usize, to: usize) {
        if self.has(from, to) {
            return;
        }
        let until = with(&self.before[from], from);
        let onward = with(&self.after[to], to);
        let (earlier, later) = (nodes(&until), nodes(&onward));
        // Whatever is connected with one end of the edge already is connected with all beyond that end.
        for node in earlier {
            if !is_set(&self.after[node], to) {
                unite(&mut self.after[node], &onward);
            }
        }
        for node in later {
            if !is_set(&self.before[node], from) {
                unite(&mut self.before[node], &until);
            }
        }
    }
}

fn is_set(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

fn with(row: &[u64], at: usize) -> Vec<u64> {
    let mut row = row.to_vec();
    row[at / 64] |= 1 << (at % 64);
    row
}

fn unite(row: &mut [u64], more: &[u64]) {
    for (own, more) in row.iter_mut().zip(more) {
        *own |= more;
    }
}

/// The places of the bits that are set.
fn nodes(row: &[u64]) -> Vec<usize> {
    let mut out = Vec::new();
    for (at, word) in row.iter().enumerate() {
        let mut rest = *word;
        while rest != 0 {
            out.push(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
    out
}

/// Orders so many tools. Edges of equal surety are taken in the order of their ends.
pub(super) fn order(count: usize, mut edges: Vec<Dependency>) -> Ordered {
    edges.sort_unstable_by(|a, b| b.surety.total_cmp(&a.surety).then((a.from, a.to).cmp(&(b.from, b.to))));
    let mut reach = Reach::new(count);
    let (mut kept, mut broken): (Vec<_>, Vec<_>) = edges.into_iter().partition(|edge| {
        let is_kept = edge.from != edge.to && !reach.has(edge.to, edge.from);
        if is_kept {
            reach.add(edge.from, edge.to);
        }
        is_kept
    });
    kept.sort_unstable_by_key(|edge| (edge.from, edge.to));
    broken.sort_unstable_by_key(|edge| (edge.from, edge.to));
    let levels = levels(count, &kept);
    // What only says an order, and follows from other edges, says nothing new.
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    kept.iter().for_each(|edge| next[edge.from].push(edge.to));
    let implied = |edge: &Dependency| next[edge.from].iter().any(|via| *via != edge.to && reach.has(*via, edge.to));
    kept.retain(|edge| edge.because.is_flow() || !implied(edge));
    Ordered { levels, kept, broken }
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
