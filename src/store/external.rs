//! Items that programs put in: listed in the order of their ids, and deleted with every trace.

use super::{ItemFilter, StoreError};
use crate::text::{hex, sha256};
use crate::types::{EXTERNAL_PREFIX, Scope};

/// The public id of an item that a program calls so. Ids are unique within a scope, and neither ids nor scopes hold the
/// character between them.
pub fn external_uid(scope: &Scope, id: &str) -> String {
    let digest = sha256(format!("{scope}\0{id}").as_bytes());
    format!("{EXTERNAL_PREFIX}{}", hex(&digest[..16]))
}

/// Reads items that programs put in.
pub trait ReadExternal {
    /// Row ids of those that pass, in the order of their ids, then of their scopes; from behind `after` on, and `most`
    /// of them.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn external_items(
        &self,
        filter: &ItemFilter,
        after: Option<(&str, &Scope)>,
        most: usize,
    ) -> Result<Vec<i64>, StoreError>;

    /// The scopes in which an item has this id, in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn external_scopes(&self, id: &str) -> Result<Vec<Scope>, StoreError>;
}

/// Changes items that programs put in. What it does becomes true with its batch.
pub trait WriteExternal {
    /// Deletes items with their counters, and the vectors of their texts that no other item has. In a file, traces are
    /// left until they are erased. In a shared store, the lists of words name the items until they are purged, and
    /// nothing marks that as a trace. Unlike what is forgotten, an item may come back: its program puts it in again.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn delete_items(&self, ids: &[i64]) -> Result<(), StoreError>;
}
