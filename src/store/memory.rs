//! How memories are stored: a log of events, the words of each event, and the memories that follow from the log.
//!
//! Events are only ever appended. Their words are stored apart from them, so that words can be forgotten. The module
//! `memory` computes the memories from the log; here they are stored, so that they can be found.

use super::StoreError;
use crate::types::{Item, Kind, Memory, MemoryEvent, MemoryState, NewEvent, Scope};

/// Which memories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    /// Those of these scopes; none are of no scope.
    pub scopes: Vec<Scope>,
    /// Any of these kinds; empty admits all.
    pub kinds: Vec<Kind>,
    /// Any of these states; empty admits all but what was forgotten.
    pub states: Vec<MemoryState>,
    /// Those alone that are held back.
    pub held: bool,
}

/// Memories by kind and state.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct MemoryCount {
    /// The kind.
    pub kind: Kind,
    /// Where they stand.
    pub state: MemoryState,
    /// How many.
    pub count: usize,
}

/// Which memories a caller may find: those of one repository and the global ones, except for those that have expired.
/// Two views are equal if the same memories are found with both.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryView {
    /// The repository; none outside of one.
    pub home: Option<Scope>,
    /// The last moment at which a memory has expired, milliseconds since 1970; none if none has.
    pub expired: Option<i64>,
}

/// A memory as it is stored: everything that is made of its events.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The memory as JSON, byte for byte.
    pub data: String,
    /// What it is matched by.
    pub match_key: Option<String>,
    /// The item by which it is found.
    pub item: Option<Item>,
}

impl StoredMemory {
    /// The bytes of a memory.
    pub fn data_of(memory: &Memory) -> String {
        // What is written here always has a form in JSON.
        serde_json::to_value(memory).unwrap_or_default().to_string()
    }
}

/// Reads memories.
pub trait ReadMemory {
    /// The memory with this id, forgotten ones too.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memory(&self, id: &str) -> Result<Option<Memory>, StoreError>;

    /// Ids that begin so, in their order; at most `most`.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memory_ids(&self, prefix: &str, most: usize) -> Result<Vec<String>, StoreError>;

    /// Memories that pass, the one that was met last first; at most `most`, behind those of `after`: moment and id of
    /// the last of the page before.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memories(
        &self,
        filter: &MemoryFilter,
        after: Option<(i64, &str)>,
        most: usize,
    ) -> Result<Vec<Memory>, StoreError>;

    /// Memories of this match key that are not forgotten.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memories_matching(&self, key: &str) -> Result<Vec<Memory>, StoreError>;

    /// Problems and tactics of an error, by its fingerprint, in any of these scopes.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memories_of_error(&self, fingerprint: &str, scopes: &[Scope]) -> Result<Vec<Memory>, StoreError>;

    /// Ids of the memories that have a link to this one, in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memories_linked_to(&self, id: &str) -> Result<Vec<String>, StoreError>;

    /// Events of the log in their order, behind this number; at most `most`.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memory_events(&self, after: i64, most: usize) -> Result<Vec<MemoryEvent>, StoreError>;

    /// The events of one memory in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn events_of_memory(&self, id: &str) -> Result<Vec<MemoryEvent>, StoreError>;

    /// Number of the last event; 0 where there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn last_memory_event(&self) -> Result<i64, StoreError>;

    /// A memory as it is stored.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn stored_memory(&self, id: &str) -> Result<Option<StoredMemory>, StoreError>;

    /// How many there are of each kind and state, in these scopes; of all scopes if there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn count_memories(&self, scopes: Option<&[Scope]>) -> Result<Vec<MemoryCount>, StoreError>;

    /// What is found by whoever asks from this repository at this moment, milliseconds since 1970; none if nothing is
    /// hidden from them.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memory_view(&self, home: Option<&Scope>, now_ms: i64) -> Result<Option<MemoryView>, StoreError>;

    /// Whether anything was ever learnt. Cheap.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn has_memories(&self) -> Result<bool, StoreError>;
}

/// Changes memories. What it does becomes true with its batch.
pub trait WriteMemory {
    /// Appends to the log; gives the event with its number.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn append_event(&self, event: NewEvent) -> Result<MemoryEvent, StoreError>;

    /// The memory with this id as this batch has it.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn memory_now(&self, id: &str) -> Result<Option<Memory>, StoreError>;

    /// Ids of those that were derived from this one, as this batch has it.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn derived_now(&self, id: &str) -> Result<Vec<String>, StoreError>;

    /// Stores a memory with the key that it is matched by, and with the item by which it is found. There is no item
    /// while it must not be found.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_memory(&self, memory: &Memory, match_key: Option<&str>, item: Option<&Item>) -> Result<(), StoreError>;

    /// Takes the words of a memory's events away. Traces are left on the disk until they are erased.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn forget_words(&self, id: &str) -> Result<(), StoreError>;

    /// Removes everything that is made from the log, to be made again.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn clear_memories(&self) -> Result<(), StoreError>;
}
