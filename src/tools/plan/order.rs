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

/// Which nodes each node reaches (`after`), and which reach it (`before`), as a row of bits for each node. With both, a
/// new edge only touches the rows that it changes.
struct Reach {
    after: Vec<Vec<u64>>,
    before: Vec<Vec<u64>>,
    /// Buffers of `add`: a row of bits, and the nodes whose rows change.
    earlier: (Vec<u64>, Vec<usize>),
    later: (Vec<u64>, Vec<usize>),
}

impl Reach {
    fn new(count: usize) -> Self {
        let rows = vec![vec![0; count.div_ceil(64)]; count];
        Self { after: rows.clone(), before: rows, earlier: Default::default(), later: Default::default() }
    }

    fn has(&self, from: usize, to: usize) -> bool {
        is_set(&self.after[from], to)
    }

    fn add(&mut self, from: usize, to: usize) {
        if self.has(from, to) {
            return;
        }
        // A node that reaches `to` already reaches all behind it, so its row stays. Likewise in the other direction.
        with(&self.before[from], from, &self.before[to], &mut self.earlier);
        with(&self.after[to], to, &self.after[from], &mut self.later);
        for node in &self.earlier.1 {
            unite(&mut self.after[*node], &self.later.0);
        }
        for node in &self.later.1 {
            unite(&mut self.before[*node], &self.earlier.0);
        }
    }
}

fn is_set(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 == 1
}

/// Writes a row with one more bit, and the places of those bits that `other` lacks.
fn with(row: &[u64], at: usize, other: &[u64], (out, places): &mut (Vec<u64>, Vec<usize>)) {
    out.clear();
    out.extend_from_slice(row);
    out[at / 64] |= 1 << (at % 64);
    places.clear();
    for (at, (word, other)) in out.iter().zip(other).enumerate() {
        let mut rest = *word & !*other;
        while rest != 0 {
            places.push(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

fn unite(row: &mut [u64], more: &[u64]) {
    for (own, more) in row.iter_mut().zip(more) {
        *own |= more;
    }
}

/// Orders so many tools. The edges must stand in the order of their ends.
pub(super) fn order(count: usize, edges: Vec<Dependency>) -> Ordered {
    let mut surest: Vec<usize> = (0..edges.len()).collect();
    // A stable sort keeps edges of equal surety in the order of their ends.
    surest.sort_by(|a, b| edges[*b].surety.total_cmp(&edges[*a].surety));
    let mut reach = Reach::new(count);
    let mut is_kept = vec![false; edges.len()];
    for at in surest {
        let Dependency { from, to, .. } = edges[at];
        if from != to && !reach.has(to, from) {
            reach.add(from, to);
            is_kept[at] = true;
        }
    }
    let (mut kept, mut broken) = (Vec::with_capacity(edges.len()), Vec::new());
    for (edge, is_kept) in edges.into_iter().zip(is_kept) {
        if is_kept { &mut kept } else { &mut broken }.push(edge);
    }
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
