//! The semantic signal: cosine of the question to the nearest text of an entry, less the question's background.
//!
//! Some questions are near everything. The background is the mean similarity to the next nearest entries (the query side
//! of CSLS, Conneau et al., "Word translation without parallel data", 2018, section 2.3); a logistic fitted per model
//! turns what remains into a probability-like signal. Search is exact: canon is small.

use crate::types::Calibration;
use crate::vector::dot;

/// Vectors of all texts of all entries.
#[derive(Debug, Clone, Default)]
pub struct SemanticIndex {
    dims: usize,
    data: Vec<f32>,
    /// Entry of each row.
    owners: Vec<usize>,
}

/// How near an entry is to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// Index of the entry.
    pub entry: usize,
    /// Cosine to its nearest text, in \[-1, 1\].
    pub cosine: f32,
    /// Mean cosine of the nearest entries but this one.
    pub background: f32,
    /// Row of the nearest text among the entry's texts.
    pub part: usize,
}

impl Similarity {
    /// What the logistic is fitted on.
    pub fn raw(&self, background_weight: f32) -> f32 {
        self.cosine - background_weight * self.background
    }

    /// The semantic signal, in (0, 1).
    pub fn signal(&self, calibration: &Calibration) -> f32 {
        calibration.semantic.at(self.raw(calibration.background_weight))
    }
}

impl SemanticIndex {
    /// An index over unit vectors of `dims` components, with room for `rows` of them.
    pub fn new(dims: usize, rows: usize) -> Self {
        Self { dims, data: Vec::with_capacity(dims * rows), owners: Vec::with_capacity(rows) }
    }

    /// Adds the vector of one text of an entry. Texts of an entry are added one after the other.
    pub fn push(&mut self, entry: usize, vector: &[f32]) {
        debug_assert_eq!(vector.len(), self.dims);
        self.data.extend_from_slice(vector);
        self.owners.push(entry);
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Every entry's similarity to a unit vector, nearest first; the background is over `neighbours` entries.
    pub fn similarities(&self, query: &[f32], neighbours: usize) -> Vec<Similarity> {
        let mut best: Vec<Similarity> = Vec::new();
        let mut part = 0;
        for (row, &entry) in self.data.chunks_exact(self.dims.max(1)).zip(&self.owners) {
            let cosine = dot(query, row);
            match best.last_mut() {
                Some(last) if last.entry == entry => {
                    part += 1;
                    if cosine > last.cosine {
                        (last.cosine, last.part) = (cosine, part);
                    }
                }
                _ => {
                    part = 0;
                    best.push(Similarity { entry, cosine, background: 0.0, part });
                }
            }
        }
        best.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.entry.cmp(&b.entry)));
        let top: Vec<f32> = best.iter().take(neighbours + 1).map(|s| s.cosine).collect();
        let sum: f32 = top.iter().sum();
        for (rank, similarity) in best.iter_mut().enumerate() {
            // An entry is no background of its own.
            let own = if rank < top.len() { similarity.cosine } else { top.last().copied().unwrap_or(0.0) };
            similarity.background = (sum - own) / (top.len().saturating_sub(1)).max(1) as f32;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_as_near_as_its_nearest_text() {
        let mut index = SemanticIndex::new(2, 3);
        index.push(7, &[0.0, 1.0]);
        index.push(7, &[1.0, 0.0]);
        index.push(9, &[0.6, 0.8]);
        let found = index.similarities(&[1.0, 0.0], 5);
        assert_eq!((found[0].entry, found[0].part, found[0].cosine), (7, 1, 1.0));
        assert!((found[0].background - 0.6).abs() < 1e-6 && (found[1].background - 1.0).abs() < 1e-6);
    }
}
