//! The graph as it lies in memory or in a file: numbers of 32 bits, little-endian on disk, in three parts.
//!
//! `base` holds the lowest layer, `2 m` links a row; a link is a row, and what is left of a row's places is `u32::MAX`.
//! `counts` are the nodes of each layer above, from the top down, and `upper` holds those layers one after the other:
//! the row of each node, ascending; where each node stands on the layer below, as a position there (on the lowest
//! layer: the row); and `m` links of each node, as positions on its own layer. A search begins with the first node of
//! the top layer and reads `upper` from front to back.

use super::{MOST_ROWS, NONE};

/// A graph that owns its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    pub(super) m: usize,
    pub(super) rows: usize,
    pub(super) counts: Vec<u32>,
    pub(super) upper: Vec<u32>,
    pub(super) base: Vec<u32>,
}

impl Graph {
    /// The graph to search in.
    pub fn view(&self) -> GraphView<'_> {
        let Self { m, rows, counts, upper, base } = self;
        GraphView { m: *m, rows: *rows, counts, upper, base }
    }
}

/// A graph in borrowed memory. Lengths are checked when it is made; what the numbers say is checked where they are
/// used.
#[derive(Debug, Clone, Copy)]
pub struct GraphView<'a> {
    m: usize,
    rows: usize,
    counts: &'a [u32],
    upper: &'a [u32],
    base: &'a [u32],
}

impl<'a> GraphView<'a> {
    /// From its parts; `None` when their lengths do not belong together.
    pub fn new(rows: usize, m: usize, counts: &'a [u32], upper: &'a [u32], base: &'a [u32]) -> Option<Self> {
        let nodes = counts.iter().try_fold(0usize, |sum, count| sum.checked_add(*count as usize))?;
        let fits = (1..=1 << 10).contains(&m) && rows <= MOST_ROWS && nodes.checked_mul(m + 2)? == upper.len();
        let no_empty_layer = counts.iter().all(|count| *count as usize <= rows && *count > 0);
        (fits && no_empty_layer && rows.checked_mul(2 * m)? == base.len()).then_some(Self {
            m,
            rows,
            counts,
            upper,
            base,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Links of a node above the lowest layer; twice as many there.
    pub fn m(&self) -> usize {
        self.m
    }

    /// Nodes of each layer above the lowest, from the top down.
    pub fn counts(&self) -> &'a [u32] {
        self.counts
    }

    /// The layers above the lowest.
    pub fn upper(&self) -> &'a [u32] {
        self.upper
    }

    /// The lowest layer.
    pub fn base(&self) -> &'a [u32] {
        self.base
    }

    /// The row that every row can be reached from.
    pub(super) fn entry(&self) -> u32 {
        self.upper.first().copied().filter(|row| (*row as usize) < self.rows).unwrap_or(0)
    }

    /// The lowest layer.
    pub(super) fn lowest(&self) -> GraphLayer<'a> {
        GraphLayer { width: 2 * self.m, nodes: self.rows, rows: None, links: self.base }
    }

    /// The layers above, from the top down, each with its nodes' positions on the layer below.
    pub(super) fn layers(&self) -> impl Iterator<Item = (GraphLayer<'a>, &'a [u32])> + use<'a> {
        layers(self.m, self.counts, self.upper)
    }
}

/// The layers of `upper`, from the top down, each with its nodes' positions on the layer below.
pub(super) fn layers<'a>(
    m: usize,
    counts: &'a [u32],
    upper: &'a [u32],
) -> impl Iterator<Item = (GraphLayer<'a>, &'a [u32])> + use<'a> {
    let mut rest = upper;
    counts.iter().map_while(move |count| {
        let nodes = *count as usize;
        let (rows, after) = rest.split_at_checked(nodes)?;
        let (down, after) = after.split_at_checked(nodes)?;
        let (links, after) = after.split_at_checked(nodes * m)?;
        rest = after;
        Some((GraphLayer { width: m, nodes, rows: Some(rows), links }, down))
    })
}

/// One layer: which nodes are linked to which.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphLayer<'a> {
    /// Places for links of a node.
    pub width: usize,
    /// Number of nodes.
    pub nodes: usize,
    /// The row of each node; on the lowest layer a node is its row.
    pub rows: Option<&'a [u32]>,
    pub links: &'a [u32],
}

impl<'a> GraphLayer<'a> {
    /// The places for a node's links, empty ones included.
    #[inline]
    pub(super) fn places(&self, node: u32) -> &'a [u32] {
        let first = node as usize * self.width;
        self.links.get(first..first + self.width).unwrap_or_default()
    }

    /// Where a node's links lead, up to the first empty place.
    #[inline]
    pub(super) fn links(&self, node: u32) -> Links<'a> {
        Links(self.places(node))
    }

    #[inline]
    pub(super) fn row(&self, node: u32) -> Option<u32> {
        match self.rows {
            None => ((node as usize) < self.nodes).then_some(node),
            Some(rows) => rows.get(node as usize).copied(),
        }
    }
}

/// Iterates over the links of a node. Without local LTO, `copied()` would be a function call for each link.
pub(super) struct Links<'a>(&'a [u32]);

impl Iterator for Links<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let (link, rest) = self.0.split_first()?;
        self.0 = rest;
        (*link != NONE).then_some(*link)
    }
}
