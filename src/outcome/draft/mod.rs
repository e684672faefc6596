//! A draft of a pack entry from the instances of an error that recurs.
//!
//! `generalise` makes the pattern: what the instances share, with classes for what varies. What is drafted passes
//! [`crate::canon::check`] without an error, or nothing is drafted. It is a draft: cause and symptoms are for a person
//! to write, and the entry says so. `propose` drafts a pack from what tools did.

mod entry;
mod generalise;
mod propose;
#[cfg(test)]
mod tests;

pub use entry::{Draft, DraftError, Fix, draft};
pub use generalise::{generalise, telling_line};
pub use propose::{DraftedEntry, DraftedPack, NotDrafted, Wanted, propose};
