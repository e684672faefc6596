//! Nearest neighbours among the vectors of the index. Derived from the store, never the truth.
//!
//! Decides which rows are nearest to a vector; knows nothing of items, texts or models. Filters are part of the search: a
//! row that is not admitted is never looked at and never takes the place of one that is. Today every search is exact.

mod flat;
mod rows;

pub use flat::FlatIndex;
pub use rows::RowSet;

/// A row and how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// The row.
    pub row: u32,
    /// Dot product of unit vectors, in \[-1, 1\]; greater is nearer.
    pub similarity: f32,
}

impl Neighbour {
    /// Nearer first; equally near ones in the order of their rows, so that a search has one answer only.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        other.similarity.total_cmp(&self.similarity).then(self.row.cmp(&other.row))
    }
}

/// Finds nearest rows.
pub trait VectorIndex: Send + Sync {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the answers are those of comparing every row.
    fn is_exact(&self) -> bool;

    /// The `k` nearest of the admitted rows (`None`: of all), nearest first; fewer only when fewer are admitted.
    fn search(&self, query: &[f32], k: usize, admitted: Option<&RowSet>) -> Vec<Neighbour>;

    /// How near one row is.
    fn similarity(&self, query: &[f32], row: u32) -> f32;
}
