//! Nearest neighbours among vectors. Derived from the store or the packs, never the truth.
//!
//! Decides which rows are nearest to a vector and keeps them in a file that is ready when it is mapped; knows owners by number
//! only. Filters are part of the search: a row that is not admitted is never looked at and never takes the place of one
//! that is. Today every search is exact.

mod image;
mod index;
mod rows;

pub use image::{Image, Link, Origin};
pub use index::Index;
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
