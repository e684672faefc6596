//! The record of what happened, and a stamp that changes with whatever a search depends on.

use super::StoreError;
use crate::types::Generation;

/// The state of a store as far as a search depends on it: everything but usage counters and the record of events. Two
/// equal stamps mean that nothing of it has changed between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// Device and number of the file: a repair puts another in its place.
    pub(super) file: (u64, u64),
    /// The last change of items' texts and vectors.
    pub(super) generation: Generation,
    /// Counts changes of where items stand and count.
    pub(super) places: i64,
    /// The index's model.
    pub(super) model: Option<String>,
    /// A change of the model that the configuration has not followed yet.
    pub(super) switch: Option<String>,
}

impl Stamp {
    /// The last change of items' texts and vectors.
    pub fn generation(&self) -> Generation {
        self.generation
    }
}

/// Reads what tells one state of the store from another.
pub trait ReadEvents {
    /// A number that rises with every event, so with everything that is indexed or removed.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn changes(&self) -> Result<i64, StoreError>;

    /// The stamp of what is read now; cheap enough for every request.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn stamp(&self) -> Result<Stamp, StoreError>;
}

/// Writes the record. What it does becomes true with its batch.
pub trait WriteEvents {
    /// Appends to the record of what happened: ids and counts, never text of documents.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn log(&self, at_ms: i64, name: &str, data: &serde_json::Value) -> Result<(), StoreError>;
}
