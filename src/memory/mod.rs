//! Memory: what was learnt, with what it rests on.
//!
//! The truth is a log of events, which is only ever appended to. Memories follow from it. `reduce` applies one event
//! to them. `confidence` has the constants, `matching` tells an update from an addition, and `overriding` says which
//! memory comes before a pack. `extract` proposes memories from a text, `revision` tells which statement a new one
//! replaces, `revising` which earlier saying one in passing revises, `markdown` and `rules_file` read and write files.
//! All of it is pure: `store` keeps memories, `engine` knows the time.

pub mod confidence;
pub mod extract;
mod item;
pub mod markdown;
mod matching;
mod overriding;
mod reduce;
mod revising;
mod revision;
pub mod rules_file;
mod shelf;
#[cfg(test)]
mod tests;

pub use item::{item_of, title};
pub use matching::match_key;
pub use overriding::{overrides, overrides_packs, sure};
pub use reduce::apply;
pub use revising::{MOST_EARLIER, revised};
pub use revision::{Alike, Closest, closest, same_statement};
pub use shelf::{Memories, Shelf};
