//! Nearest neighbours among vectors. Derived from the store or the packs, never the truth.
//!
//! Decides which rows are nearest to a vector and keeps them in a file that is ready when it is mapped; knows owners by
//! number only. Filters are part of the search: a row that is not admitted is never looked at and never takes the place
//! of one that is.
//!
//! - `image` is the file: vectors, bytes, owners, and a graph with its certificate where one pays.
//! - `index` searches: exactly, or by the graph where that is quicker. `overlay` is what has changed since the file was
//!   made.
//! - `grow` decides whether a graph pays, builds it and measures it; `graph` is the graph itself.

mod certificate;
mod graph;
mod grow;
mod image;
mod index;
mod overlay;
mod rows;

pub use certificate::Certificate;
pub use graph::{BuildOptions, Recall};
pub use grow::{GraphOptions, Grown, grow, recertify};
pub use image::{Draft, Image, Link, Origin};
pub use index::{Asking, Index};
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

/// An owner and how near it is: as near as the nearest of its texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnerNeighbour {
    /// Whoever the text belongs to.
    pub owner: u64,
    /// Which of the owner's texts is the nearest; of equally near ones that of the lowest row, and of those the first.
    pub part: u32,
    /// The row of that text.
    pub row: u32,
    /// Dot product of unit vectors, in \[-1, 1\]; greater is nearer.
    pub similarity: f32,
}

impl OwnerNeighbour {
    /// Nearer first; equally near ones in the order of their owners.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        other.similarity.total_cmp(&self.similarity).then(self.owner.cmp(&other.owner))
    }
}
