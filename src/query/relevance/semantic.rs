//! The semantic signal: cosine of the question to the nearest text of an entry, less the question's background.
//!
//! Some questions are near everything. The background is the mean similarity to the next nearest entries (the query side
//! of CSLS, Conneau et al., "Word translation without parallel data", 2018, section 2.3); a logistic fitted per model
//! turns what remains into a probability-like signal. Search is exact: canon is small.

use crate::store::{TextHash, VectorFile};
use crate::types::Calibration;
use crate::vector::dot;

/// Vectors of all texts of all entries, where they lie.
#[derive(Debug)]
pub struct SemanticIndex {
    vectors: VectorFile,
    /// Entry and row of each text, the texts of an entry one after the other.
    texts: Vec<(usize, usize)>,
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
    /// An index over `texts`: the entry of each and its hash, the texts of an entry one after the other. A text without a
    /// vector is left out.
    pub fn new(vectors: VectorFile, texts: impl IntoIterator<Item = (usize, TextHash)>) -> Self {
        let texts = texts.into_iter().filter_map(|(entry, hash)| Some((entry, vectors.row(&hash)?))).collect();
        Self { vectors, texts }
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Every entry's similarity to a unit vector, nearest first; the background is over `neighbours` entries.
    pub fn similarities(&self, query: &[f32], neighbours: usize) -> Vec<Similarity> {
        let mut best: Vec<Similarity> = Vec::new();
        let mut part = 0;
        for &(entry, row) in &self.texts {
            let cosine = dot(query, self.vectors.vector(row));
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
        let mut vectors = VectorFile::new(crate::types::Fingerprint::new("m", "00"), 2);
        vectors.insert([1; 16], &[0.0, 1.0]);
        vectors.insert([2; 16], &[1.0, 0.0]);
        vectors.insert([3; 16], &[0.6, 0.8]);
        let index = SemanticIndex::new(vectors, [(7, [1; 16]), (7, [2; 16]), (8, [4; 16]), (9, [3; 16])]);
        let found = index.similarities(&[1.0, 0.0], 5);
        assert_eq!((found[0].entry, found[0].part, found[0].cosine), (7, 1, 1.0));
        assert!((found[0].background - 0.6).abs() < 1e-6 && (found[1].background - 1.0).abs() < 1e-6);
    }
}
