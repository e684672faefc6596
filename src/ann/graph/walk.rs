//! Walking through a layer towards what is nearest to a probe (Algorithms 2 and 5 of the paper).
//!
//! What a step costs is waiting for memory: the rows of a node's neighbours lie anywhere. So all neighbours that were
//! not met are asked for at once, and the links of the node that will probably be next as well, before any is compared.

use super::beam::Beam;
use super::key::Key;
use super::rows::{CodeRows, Compared, Probe};
use super::view::{GraphLayer, GraphView};
use super::visited::Visited;

/// Room of a walk, kept from walk to walk.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub visited: Visited,
    /// Nodes that are about to be compared, and their rows.
    nodes: Vec<u32>,
    rows: Vec<u32>,
    compared: Compared,
    /// A node of the lowest layer that walks do without.
    pub without: Option<u32>,
}

impl Steps {
    /// Takes a node to be compared, if its row exists.
    #[inline]
    fn take(&mut self, layer: &GraphLayer<'_>, codes: &CodeRows<'_>, node: u32) {
        if let Some(row) = layer.row(node).filter(|row| (*row as usize) < codes.len()) {
            codes.prefetch(row);
            self.nodes.push(node);
            self.rows.push(row);
        }
    }

    /// Compares what was taken, and hands each to `to`.
    #[inline]
    fn compare(&mut self, codes: &CodeRows<'_>, probe: &Probe, mut to: impl FnMut(Key)) {
        codes.compare(probe, &self.rows, &mut self.compared);
        for (at, near) in self.compared.similarities.iter().enumerate() {
            to(Key::new(*near, self.nodes[at]));
        }
        self.rows.clear();
        self.nodes.clear();
    }

    /// Best-first from `starts` (Algorithm 2), until the beam has nothing worth expanding or more than `budget` nodes
    /// were compared. Gives the number of comparisons.
    pub(super) fn walk(
        &mut self,
        layer: &GraphLayer<'_>,
        codes: &CodeRows<'_>,
        probe: &Probe,
        starts: impl IntoIterator<Item = u32>,
        (beam, budget): (&mut impl Beam, usize),
    ) -> usize {
        self.visited.reset(layer.nodes);
        if let Some(node) = self.without {
            self.visited.insert(node);
        }
        for node in starts {
            if self.visited.insert(node) {
                self.take(layer, codes, node);
            }
        }
        let mut spent = self.nodes.len();
        self.compare(codes, probe, |key| beam.offer(key));
        while let Some(node) = beam.next() {
            for link in layer.links(node) {
                if self.visited.insert(link) {
                    self.take(layer, codes, link);
                }
            }
            if let Some(next) = beam.peek() {
                codes.prefetch_links(layer.places(next));
            }
            spent += self.nodes.len();
            self.compare(codes, probe, |key| beam.offer(key));
            if spent > budget {
                break;
            }
        }
        spent
    }

    /// From `start` to a node none of whose links leads nearer: Algorithm 2 with a beam of one.
    fn greedy(&mut self, layer: &GraphLayer<'_>, codes: &CodeRows<'_>, probe: &Probe, start: u32) -> u32 {
        self.take(layer, codes, start);
        let mut first = None;
        self.compare(codes, probe, |key| first = Some(key));
        let Some(mut best) = first else { return start };
        loop {
            for link in layer.links(best.node()) {
                self.take(layer, codes, link);
            }
            let mut next = best;
            self.compare(codes, probe, |key| next = next.max(key));
            // Similarity rises with every turn, so that there is an end whatever the links are.
            if next.similarity() <= best.similarity() {
                return best.node();
            }
            best = next;
        }
    }

    /// From the top layer down to the first that `layers` leaves out: the node to start from there, and comparisons are
    /// few.
    pub(super) fn descend<'a>(
        &mut self,
        layers: impl Iterator<Item = (GraphLayer<'a>, &'a [u32])>,
        codes: &CodeRows<'_>,
        probe: &Probe,
    ) -> u32 {
        let mut node = 0;
        for (layer, down) in layers {
            let best = self.greedy(&layer, codes, probe, node);
            node = down.get(best as usize).copied().unwrap_or(0);
        }
        node
    }

    /// Descends to the lowest layer and walks there. The walk starts from the entry as well, from which a repaired
    /// graph reaches every row.
    pub(super) fn search(
        &mut self,
        graph: &GraphView<'_>,
        codes: &CodeRows<'_>,
        probe: &Probe,
        beam: (&mut impl Beam, usize),
    ) -> usize {
        let start = self.descend(graph.layers(), codes, probe);
        self.walk(&graph.lowest(), codes, probe, [start, graph.entry()], beam)
    }
}
