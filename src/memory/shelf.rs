//! Where memories are found while events are applied: in a table, or in a map while the log is replayed.

use crate::types::{Memory, Relation};
use std::collections::{BTreeMap, BTreeSet};

/// Memories by id, which can be changed.
pub trait Shelf {
    /// What goes wrong when it is read or written.
    type Error;

    /// The memory with this id.
    ///
    /// # Errors
    /// Where the shelf cannot be read.
    fn get(&self, id: &str) -> Result<Option<Memory>, Self::Error>;

    /// Puts a memory in the place of the one with its id.
    ///
    /// # Errors
    /// Where the shelf cannot be written.
    fn put(&mut self, memory: Memory) -> Result<(), Self::Error>;

    /// Ids of those that were derived from this one.
    ///
    /// # Errors
    /// Where the shelf cannot be read.
    fn derived_from(&self, id: &str) -> Result<Vec<String>, Self::Error>;
}

/// Memories in a map, to replay a log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memories {
    by_id: BTreeMap<String, Memory>,
    derived: BTreeMap<String, BTreeSet<String>>,
}

impl Memories {
    /// All of them, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Memory> {
        self.by_id.values()
    }
}

impl Shelf for Memories {
    type Error = std::convert::Infallible;

    fn get(&self, id: &str) -> Result<Option<Memory>, Self::Error> {
        Ok(self.by_id.get(id).cloned())
    }

    fn put(&mut self, memory: Memory) -> Result<(), Self::Error> {
        for link in memory.links.iter().filter(|link| link.relation == Relation::DerivedFrom) {
            self.derived.entry(link.to.clone()).or_default().insert(memory.id.clone());
        }
        self.by_id.insert(memory.id.clone(), memory);
        Ok(())
    }

    fn derived_from(&self, id: &str) -> Result<Vec<String>, Self::Error> {
        Ok(self.derived.get(id).into_iter().flatten().cloned().collect())
    }
}
