//! Which neighbours a node keeps: those that lead in different directions (Algorithm 4 of the paper).

use super::key::Key;
use super::rows::{CodeRows, Compared, Probe};

/// Room for a choice, kept from choice to choice.
#[derive(Debug, Default)]
pub(super) struct Selection {
    left: Vec<Key>,
    rows: Vec<u32>,
    probe: Probe,
    compared: Compared,
}

impl Selection {
    /// Chooses at most `most` of the candidates, which are sorted, nearest first, into `chosen`: each candidate that is
    /// nearer to the node than to every one chosen before it.
    pub(super) fn choose(
        &mut self,
        codes: &CodeRows<'_>,
        row: impl Fn(u32) -> u32,
        candidates: impl IntoIterator<Item = Key>,
        most: usize,
        chosen: &mut Vec<Key>,
    ) {
        chosen.clear();
        self.left.clear();
        self.left.extend(candidates);
        while let Some(nearest) = self.left.first().copied() {
            chosen.push(nearest);
            if chosen.len() == most {
                return;
            }
            self.left.remove(0);
            self.drop_nearer_to(codes, &row, nearest.node());
        }
    }

    /// Leaves only what is nearer to the node than to `other`.
    fn drop_nearer_to(&mut self, codes: &CodeRows<'_>, row: impl Fn(u32) -> u32, other: u32) {
        self.rows.clear();
        self.rows.extend(self.left.iter().map(|key| row(key.node())));
        self.probe.set_row(codes, row(other));
        codes.compare(&self.probe, &self.rows, &mut self.compared);
        let mut between = self.compared.similarities.iter();
        self.left.retain(|key| between.next().is_none_or(|between| *between < key.similarity()));
    }
}
