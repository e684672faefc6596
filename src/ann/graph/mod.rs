//! A graph whose edges lead a search to the nearest rows: HNSW (Malkov and Yashunin, "Efficient and robust approximate
//! nearest neighbor search using Hierarchical Navigable Small World graphs", 2016) over rows kept as bytes.
//!
//! Decides which rows are probably nearest by their bytes; comparing their vectors, and scanning everything where a
//! walk would not pay, is the caller's. The graph is flat (`view`): it can lie in a mapped file and is searched there.
//! Nothing in it is trusted: a damaged link costs recall, never more.
//!
//! - `build` makes the graph, from the bytes alone; the same rows and options make the same graph, whatever the
//!   threads.
//! - `search` finds the best rows for a query; `walk` and `beam` are its parts, which `build` uses too.
//! - `repair` sees to it that a walk can reach every row.
//! - `certify` measures what a search misses, so that a caller can choose how wide it has to be.

mod beam;
mod build;
mod certify;
mod draft;
mod key;
mod repair;
mod rows;
mod search;
mod select;
#[cfg(test)]
mod tests;
mod view;
mod visited;
mod walk;

pub use build::{BuildOptions, build};
pub use certify::{LADDER, Recall, Rung, least_ef, recall_ladder, self_found};
pub use rows::{CodeRows, Probe};
pub use search::{SearchOptions, Searcher, Spent};
pub use view::{Graph, GraphView};

/// Marks a place for a link that leads nowhere. No row has this number.
const NONE: u32 = u32::MAX;

/// Most rows of a graph: a [`key::Key`] has 31 bits for a row.
const MOST_ROWS: usize = (1 << 31) - 1;
