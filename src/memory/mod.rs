//! Memory: what was learnt, with what it rests on.
//!
//! An append-only log of events is the truth; memories are what the events come to. `reduce` applies one event,
//! `confidence` has the constants, `extract` proposes what a text says, `matching` tells an update from an addition, `overriding` which memory stands before
//! a pack. Pure: where memories are kept is for `store`, when things happen for `engine`.

pub mod confidence;
pub mod extract;
mod item;
pub mod markdown;
mod matching;
mod overriding;
mod reduce;
mod revision;
pub mod rules_file;
mod shelf;
#[cfg(test)]
mod tests;

pub use item::{item_of, title};
pub use matching::match_key;
pub use overriding::{overrides, overrides_packs, sure};
pub use reduce::{EVIDENCE, apply};
pub use revision::{Alike, Closest, closest, same_statement};
pub use shelf::{Memories, Shelf};
