//! Cosines of a question to the texts of entries, and its background: some questions are near everything.
//!
//! The nearest entries are exact, and so is what is asked for by number; the others are too far to matter.

use crate::ann::{Index, RowSet};
use serde::Serialize;
use std::collections::HashMap;

/// Entries that a search names at least.
const ENTRIES: usize = 64;

/// Vectors of all texts of all entries; an owner is an entry's index, a part the place among its texts.
#[derive(Debug)]
pub struct SemanticIndex(Index);

/// How near an entry is to a question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Similarity {
    /// Index of the entry.
    pub entry: usize,
    /// Cosine to its nearest text, in \[-1, 1\].
    pub cosine: f32,
    /// Place of the nearest text among the entry's texts.
    pub part: usize,
}

/// The nearest entries' cosines: what a question's background is made of.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Background {
    /// Cosines, falling.
    top: Vec<f32>,
    sum: f32,
}

impl Background {
    /// Of the nearest of `cosines`, one more than `neighbours`.
    pub fn new(mut cosines: Vec<f32>, neighbours: usize) -> Self {
        cosines.sort_unstable_by(|a, b| b.total_cmp(a));
        cosines.truncate(neighbours + 1);
        Self { sum: cosines.iter().sum(), top: cosines }
    }

    /// The background of one of this cosine: nothing is a background of its own.
    pub fn without(&self, own: f32) -> f32 {
        let last = self.top.last().copied().unwrap_or(0.0);
        (self.sum - own.max(last)) / self.top.len().saturating_sub(1).max(1) as f32
    }
}

impl SemanticIndex {
    /// Over the vectors of all entries.
    pub fn new(index: Index) -> Self {
        Self(index)
    }

    /// The vectors.
    pub fn index(&self) -> &Index {
        &self.0
    }

    /// The nearest entries to a unit vector and those of `also`, nearest first, and the cosines that the question's
    /// background is made of: of `neighbours` entries and one, whatever `admitted` leaves.
    pub fn similarities(
        &self,
        query: &[f32],
        neighbours: usize,
        also: &[usize],
        admitted: Option<&dyn Fn(usize) -> bool>,
    ) -> (Vec<Similarity>, Vec<f32>) {
        let nearest = self.nearest(query, ENTRIES.max(neighbours + 1), None);
        let mut top: Vec<f32> = nearest.iter().map(|near| near.cosine).collect();
        top.sort_unstable_by(|a, b| b.total_cmp(a));
        top.truncate(neighbours + 1);
        let mut found = match admitted {
            Some(admitted) => {
                let rows = self.0.rows_where(|entry| admitted(entry as usize));
                self.nearest(query, ENTRIES, Some(&rows))
            }
            None => nearest,
        };
        let known: Vec<usize> = found.iter().map(|near| near.entry).collect();
        for &entry in also.iter().filter(|entry| !known.contains(entry)) {
            if let Some((cosine, part)) = self.0.owner_similarity(query, entry as u64) {
                found.push(Similarity { entry, cosine, part: part as usize });
            }
        }
        found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.entry.cmp(&b.entry)));
        (found, top)
    }

    /// How near an entry is to a unit vector by the nearest of its texts; `None` if it has no vector.
    pub fn similarity(&self, query: &[f32], entry: usize) -> Option<f32> {
        self.0.owner_similarity(query, entry as u64).map(|(cosine, _)| cosine)
    }

    /// The vector of one of an entry's texts.
    pub fn vector(&self, near: &Similarity) -> Option<Vec<f32>> {
        let mut rows = self.0.rows_of(near.entry as u64);
        let row = rows.find(|(part, _)| *part as usize == near.part).map(|(_, row)| row)?;
        self.0.vector(row)
    }

    /// The `count` nearest entries or more, as far as there are so many.
    fn nearest(&self, query: &[f32], count: usize, admitted: Option<&RowSet>) -> Vec<Similarity> {
        let mut rows = 4 * count;
        loop {
            let found = self.0.search(query, rows, admitted);
            let mut best: HashMap<u64, Similarity> = HashMap::new();
            for near in &found {
                for (owner, part) in self.0.owners_of(near.row) {
                    let new = || Similarity { entry: owner as usize, cosine: near.similarity, part: part as usize };
                    // Rows come nearest first.
                    best.entry(owner).or_insert_with(new);
                }
            }
            if best.len() >= count || found.len() < rows {
                return best.into_values().collect();
            }
            rows *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ann::{Image, Origin};

    #[test]
    fn an_entry_is_as_near_as_its_nearest_text() {
        let vectors = [([1; 16], &[0.0f32, 1.0][..]), ([2; 16], &[1.0, 0.0]), ([3; 16], &[0.6, 0.8])];
        let links = [(7, 0, [1; 16]), (7, 1, [2; 16]), (8, 0, [4; 16]), (9, 0, [3; 16])];
        let origin = Origin { model: "m".into(), state: "s".into(), ..Origin::default() };
        let index = SemanticIndex::new(Index::new(Image::new(&origin, 2, vectors, links)));
        let (found, top) = index.similarities(&[1.0, 0.0], 5, &[8, 9], None);
        assert_eq!(top, [1.0, 0.6]);
        assert_eq!(found.iter().map(|near| near.entry).collect::<Vec<_>>(), [7, 9]);
        assert_eq!((found[0].entry, found[0].part, found[0].cosine), (7, 1, 1.0));
        let background = Background::new(top, 1);
        assert!((background.without(1.0) - 0.6).abs() < 1e-6 && (background.without(0.6) - 1.0).abs() < 1e-6);
        let (one, top) = index.similarities(&[1.0, 0.0], 5, &[], Some(&|entry| entry == 9));
        assert_eq!((one.len(), one[0].entry), (1, 9));
        assert_eq!(top, [1.0, 0.6], "what a filter leaves out is background all the same");
    }
}
