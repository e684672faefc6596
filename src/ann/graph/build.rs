//! Building a graph: layer by layer from the top, each in batches.
//!
//! The nodes of a layer that are on the layer above too are there first, with the links they have above; so what leads
//! a search towards a new node is complete before the first is put in. Then come the others, a batch at a time: each
//! looks for its neighbours in the graph as it was before the batch, and among the batch itself, all of which is
//! independent work; after that every node that gets links from the batch is revised once. The order of insertion never
//! depends on which thread is faster, so the graph depends on rows, options and nothing else (after Dobson et al.,
//! "ParlayANN: Scalable and Deterministic Parallel Graph-Based Approximate Nearest Neighbor Search Algorithms", 2024).

use super::NONE;
use super::beam::{Beam, Pool};
use super::draft::Draft;
use super::key::Key;
use super::repair::repair;
use super::rows::{CodeRows, Compared, Probe};
use super::select::Selection;
use super::view::{Graph, GraphLayer, layers};
use super::walk::Steps;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

/// Nodes that are put in at a time. More would keep more threads busy; each costs a comparison with every other of its
/// batch.
const BATCH: usize = 256;
/// Nodes that a thread takes at a time.
const SHARE: usize = 8;

/// How a graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOptions {
    /// Links that a new node gets, and places for links above the lowest layer, where there are twice as many; 2 to 64.
    pub m: usize,
    /// Nearest nodes that are looked at for links.
    pub ef_construction: usize,
    /// Decides which rows are on which layers.
    pub seed: u64,
}

impl Default for BuildOptions {
    fn default() -> Self {
        Self { m: 16, ef_construction: 200, seed: 0 }
    }
}

/// Builds a graph in which every row can be reached, on the threads of rayon's current pool. `progress` hears after
/// each batch how many rows are in, 0 while the upper layers are made, and may stop: then there is no graph. Takes 8 m
/// bytes a row, and about a tenth more, beside the rows.
pub fn build(
    codes: &CodeRows<'_>,
    options: BuildOptions,
    mut progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Option<Graph> {
    let m = options.m.clamp(2, 64);
    let builder = Builder { codes, m, ef: options.ef_construction.max(m), workers: Mutex::default() };
    let mut members = memberships(codes.len(), m, options.seed);
    let (mut counts, mut upper) = (vec![], vec![]);
    let lowest = loop {
        let rows = members.pop();
        let width = if rows.is_some() { m } else { 2 * m };
        let mut draft = rows.map_or_else(|| Draft::lowest(codes.len(), width), |rows| Draft::upper(rows, width));
        let done = builder.fill(&mut draft, &counts, &upper, &mut progress);
        if done.is_break() {
            return None;
        }
        let Some(rows) = draft.rows() else { break draft.into_links() };
        counts.push(rows.len() as u32);
        upper.extend_from_slice(rows);
        upper.extend(positions(rows, members.last().map(Vec::as_slice)));
        upper.extend(draft.into_links());
    };
    let mut graph = Graph { m, rows: codes.len(), counts, upper, base: lowest };
    repair(&mut graph, codes);
    Some(graph)
}

/// Which rows are on each layer above the lowest, from the bottom up, each an m-th part of the one below.
fn memberships(rows: usize, m: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut out: Vec<Vec<u32>> = Vec::new();
    for row in 0..rows as u32 {
        let luck = mix(seed ^ mix(u64::from(row))) >> 11;
        let share = (luck as f64 + 1.0) / (1u64 << 53) as f64;
        let level = (-share.ln() / (m as f64).ln()) as usize;
        out.resize_with(out.len().max(level), Vec::new);
        out[..level].iter_mut().for_each(|members| members.push(row));
    }
    out
}

/// A fixed rule that scatters numbers (the finaliser of `SplitMix64`).
pub(super) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Where these rows stand among those of the layer below, which has them all; `None`: the lowest, which has every row.
fn positions<'a>(rows: &'a [u32], below: Option<&'a [u32]>) -> impl Iterator<Item = u32> + use<'a> {
    rows.iter().map(move |row| below.map_or(*row, |below| below.partition_point(|other| other < row) as u32))
}

/// What a thread needs to put nodes in.
#[derive(Debug, Default)]
struct Worker {
    steps: Steps,
    pool: Pool,
    probe: Probe,
    selection: Selection,
    compared: Compared,
    chosen: Vec<Key>,
    candidates: Vec<Key>,
}

struct Builder<'a> {
    codes: &'a CodeRows<'a>,
    m: usize,
    ef: usize,
    /// Room that no thread uses now.
    workers: Mutex<Vec<Worker>>,
}

impl Builder<'_> {
    /// Puts all nodes of a layer in, below the finished ones.
    fn fill(
        &self,
        draft: &mut Draft,
        counts: &[u32],
        upper: &[u32],
        progress: &mut impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let above = layers(self.m, counts, upper).last();
        let new = draft.inherit(above.as_ref().map(|(layer, down)| (layer, *down)));
        let known = above.map_or(0, |(layer, _)| layer.nodes);
        for (at, batch) in new.chunks(BATCH).enumerate() {
            let inserted = known + at * BATCH;
            let links = self.neighbours(draft, batch, inserted > 0, || layers(self.m, counts, upper));
            self.link(draft, batch, &links);
            progress(if draft.rows().is_none() { inserted + batch.len() } else { 0 })?;
        }
        ControlFlow::Continue(())
    }

    /// Runs `work` for each of `items` on all threads; what it adds to its list comes back in the order of the items.
    fn share<T: Sync, U: Send>(
        &self,
        items: &[T],
        work: impl Fn(&mut Worker, usize, &T, &mut Vec<U>) + Sync,
    ) -> Vec<U> {
        crate::threads::ready();
        let shares = items.par_chunks(SHARE).enumerate().map(|(share, items)| {
            let free = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
            let mut worker = free().pop().unwrap_or_default();
            let mut out = Vec::new();
            for (at, item) in items.iter().enumerate() {
                work(&mut worker, share * SHARE + at, item, &mut out);
            }
            free().push(worker);
            out
        });
        shares.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// The neighbours that each node of a batch chooses, as pairs of node and neighbour.
    fn neighbours<'l, I: Iterator<Item = (GraphLayer<'l>, &'l [u32])>>(
        &self,
        draft: &Draft,
        batch: &[u32],
        any: bool,
        above: impl Fn() -> I + Sync,
    ) -> Vec<Edge> {
        let rows: Vec<u32> = batch.iter().map(|node| draft.row(*node)).collect();
        self.share(batch, |worker, at, node, out| {
            let Worker { steps, pool, probe, selection, compared, chosen, .. } = worker;
            probe.set_row(self.codes, rows[at]);
            pool.reset(self.ef);
            if any {
                let start = steps.descend(above(), self.codes, probe);
                steps.walk(&draft.layer(), self.codes, probe, [start], (pool, usize::MAX));
            }
            // Those of the batch that stand before it, as if they were in already.
            self.codes.compare(probe, &rows[..at], compared);
            batch.iter().zip(&compared.similarities).for_each(|(mate, near)| pool.offer(Key::new(*near, *mate)));
            selection.choose(self.codes, |node| draft.row(node), pool.keys().iter().copied(), self.m, chosen);
            out.extend(chosen.iter().map(|key| Edge { from: *node, to: key.node(), near: *key }));
        })
    }

    /// Writes the links of a batch, and the links back.
    fn link(&self, draft: &mut Draft, batch: &[u32], edges: &[Edge]) {
        let mut rest = edges;
        for node in batch {
            let (own, after) = rest.split_at(rest.partition_point(|edge| edge.from == *node));
            draft.set(*node, own.iter().map(|edge| edge.to));
            rest = after;
        }
        let turn =
            |edge: &Edge| Edge { from: edge.to, to: edge.from, near: Key::new(edge.near.similarity(), edge.from) };
        let mut back: Vec<Edge> = edges.iter().map(turn).collect();
        back.sort_unstable_by(|a, b| a.from.cmp(&b.from).then(b.near.cmp(&a.near)));
        let groups: Vec<&[Edge]> = back.chunk_by(|a, b| a.from == b.from).collect();
        let width = draft.layer().width;
        let revised = self.share(&groups, |worker, _, group, out: &mut Vec<u32>| {
            self.revise(worker, draft, group, out);
        });
        for (group, links) in groups.iter().zip(revised.chunks(width)) {
            draft.set(group[0].from, links.iter().copied());
        }
    }

    /// The links of a node together with new ones, nearest first if they had to be chosen from, filled up to the width.
    fn revise(&self, worker: &mut Worker, draft: &Draft, new: &[Edge], out: &mut Vec<u32>) {
        let Worker { probe, selection, compared, chosen, candidates, .. } = worker;
        let (layer, node) = (draft.layer(), new[0].from);
        let known: Vec<u32> = layer.links(node).collect();
        let full = out.len() + layer.width;
        if known.len() + new.len() <= layer.width {
            out.extend(known.into_iter().chain(new.iter().map(|edge| edge.to)));
        } else {
            let rows: Vec<u32> = known.iter().map(|node| draft.row(*node)).collect();
            probe.set_row(self.codes, draft.row(node));
            self.codes.compare(probe, &rows, compared);
            candidates.clear();
            candidates.extend(known.iter().zip(&compared.similarities).map(|(node, near)| Key::new(*near, *node)));
            candidates.extend(new.iter().map(|edge| edge.near));
            candidates.sort_unstable_by(|a, b| b.cmp(a));
            selection.choose(self.codes, |node| draft.row(node), candidates.drain(..), layer.width, chosen);
            out.extend(chosen.iter().map(|key| key.node()));
        }
        out.resize(full, NONE);
    }
}

/// A link, and how near its end is.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    /// Of `to`.
    near: Key,
}
