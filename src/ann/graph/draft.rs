//! A layer that is being built.

use super::NONE;
use super::view::GraphLayer;

/// A layer whose nodes are known and whose links grow.
#[derive(Debug)]
pub(super) struct Draft {
    width: usize,
    nodes: usize,
    rows: Option<Vec<u32>>,
    links: Vec<u32>,
}

impl Draft {
    /// The lowest layer, without links.
    pub(super) fn lowest(rows: usize, width: usize) -> Self {
        Self { width, nodes: rows, rows: None, links: vec![NONE; rows * width] }
    }

    /// A layer of these rows, without links.
    pub(super) fn upper(rows: Vec<u32>, width: usize) -> Self {
        Self { width, nodes: rows.len(), links: vec![NONE; rows.len() * width], rows: Some(rows) }
    }

    pub(super) fn layer(&self) -> GraphLayer<'_> {
        GraphLayer { width: self.width, nodes: self.nodes, rows: self.rows.as_deref(), links: &self.links }
    }

    /// The row of a node of this layer.
    pub(super) fn row(&self, node: u32) -> u32 {
        self.rows.as_ref().map_or(node, |rows| rows[node as usize])
    }

    /// Replaces the links of a node by the first of these, as many as there is room for.
    pub(super) fn set(&mut self, node: u32, links: impl IntoIterator<Item = u32>) {
        let first = node as usize * self.width;
        let places = &mut self.links[first..first + self.width];
        places.fill(NONE);
        places.iter_mut().zip(links).for_each(|(place, link)| *place = link);
    }

    /// Takes over the links among the nodes of the layer above, which all stand on this one too, at `down`. Gives the
    /// nodes that are only on this one.
    pub(super) fn inherit(&mut self, above: Option<(&GraphLayer<'_>, &[u32])>) -> Vec<u32> {
        let Some((above, down)) = above else { return (0..self.nodes as u32).collect() };
        for (node, place) in down.iter().enumerate() {
            self.set(*place, above.links(node as u32).map(|link| down[link as usize]));
        }
        // Both ascend.
        let mut known = down.iter().copied().peekable();
        (0..self.nodes as u32).filter(|node| known.next_if_eq(node).is_none()).collect()
    }

    /// The rows of the nodes; `None` on the lowest layer.
    pub(super) fn rows(&self) -> Option<&[u32]> {
        self.rows.as_deref()
    }

    /// The links of all nodes.
    pub(super) fn into_links(self) -> Vec<u32> {
        self.links
    }
}
