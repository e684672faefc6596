//! What is indexed, ready to be searched: the vectors of all items, and which row is whose.

use crate::ann::{FlatIndex, Neighbour, RowSet, VectorIndex};
use crate::store::{TextHash, VectorRows};
use std::collections::HashMap;

/// Vectors of the items, exact search over them. One row may be the text of several items, and an item may have several
/// rows.
#[derive(Debug)]
pub struct DocumentVectors {
    index: FlatIndex,
    /// Row and item, by row.
    owners: Vec<(u32, i64)>,
    /// Item and row, by item.
    rows: Vec<(i64, u32)>,
    /// Rows that some item has.
    live: RowSet,
}

impl DocumentVectors {
    /// Joins the vectors of a model with the texts of the items. Vectors that nothing uses are kept out.
    pub fn new(dims: usize, vectors: VectorRows, embeddings: &[(i64, TextHash)]) -> Self {
        let by_text: HashMap<TextHash, u32> =
            vectors.hashes.iter().zip(0u32..).map(|(hash, row)| (*hash, row)).collect();
        let index = FlatIndex::new(dims, vectors.data);
        let mut live = RowSet::new(index.len());
        let mut rows: Vec<(i64, u32)> =
            embeddings.iter().filter_map(|(item, hash)| Some((*item, *by_text.get(hash)?))).collect();
        rows.sort_unstable();
        let mut owners: Vec<(u32, i64)> = rows.iter().map(|(item, row)| (*row, *item)).collect();
        owners.sort_unstable();
        rows.iter().for_each(|(_, row)| live.insert(*row));
        Self { index, owners, rows, live }
    }

    /// Rows of these items (ascending by id); `None` admits all.
    pub fn admitted(&self, items: Option<&[i64]>) -> RowSet {
        let Some(items) = items else { return self.live.clone() };
        let mut out = RowSet::new(self.index.len());
        for (item, row) in &self.rows {
            if items.binary_search(item).is_ok() {
                out.insert(*row);
            }
        }
        out
    }

    /// The nearest of the admitted rows.
    pub fn nearest(&self, query: &[f32], k: usize, admitted: &RowSet) -> Vec<Neighbour> {
        self.index.search(query, k, Some(admitted))
    }

    /// The items that have a row.
    pub fn items_of(&self, row: u32) -> impl Iterator<Item = i64> + '_ {
        let first = self.owners.partition_point(|(r, _)| *r < row);
        self.owners[first..].iter().take_while(move |(r, _)| *r == row).map(|(_, item)| *item)
    }

    /// How near the nearest row of an item is; `None` if it has none.
    pub fn similarity(&self, query: &[f32], item: i64) -> Option<f32> {
        let first = self.rows.partition_point(|(i, _)| *i < item);
        let rows = self.rows[first..].iter().take_while(|(i, _)| *i == item);
        rows.map(|(_, row)| self.index.similarity(query, *row)).max_by(f32::total_cmp)
    }

    /// Whether the answers are those of comparing every vector.
    pub fn is_exact(&self) -> bool {
        self.index.is_exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_texts_and_unused_vectors() {
        let vectors = VectorRows { hashes: vec![[1; 16], [2; 16], [3; 16]], data: vec![1.0, 0.0, 0.0, 1.0, 0.6, 0.8] };
        let documents = DocumentVectors::new(2, vectors, &[(7, [1; 16]), (9, [1; 16]), (5, [3; 16]), (4, [8; 16])]);
        let all = documents.admitted(None);
        assert_eq!(all.len(), 2);
        let found = documents.nearest(&[0.0, 1.0], 5, &all);
        assert_eq!(found.iter().map(|n| n.row).collect::<Vec<_>>(), [2, 0]);
        assert_eq!(documents.items_of(0).collect::<Vec<_>>(), [7, 9]);
        assert_eq!(documents.similarity(&[0.0, 1.0], 5), Some(0.8));
        assert_eq!(documents.similarity(&[0.0, 1.0], 4), None);
        assert_eq!(documents.admitted(Some(&[9])).len(), 1);
    }
}
