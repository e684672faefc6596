//! Cleaning up: what nothing uses goes.

use super::vector::ACTIVE;
use super::{StoreError, WriteSql};
use crate::store::WriteVectors;

/// What a clean-up took away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Cleaned {
    /// Vectors of texts that are gone.
    pub vectors: usize,
    /// Models that are no longer the index's, with their vectors.
    pub models: usize,
    /// Counters of items that are gone.
    pub counters: usize,
    /// Copies of the file: of earlier schemas, damaged ones, what an interrupted repair left.
    pub backups: usize,
    /// Bytes on disk before.
    pub bytes_before: u64,
    /// Bytes on disk after.
    pub bytes_after: u64,
}

/// Removes the rows that nothing uses, and says how many they were. Giving their space back is not a matter of rows:
/// SQLite's file is written anew for it, and a server of PostgreSQL does it by itself (autovacuum).
pub fn clean_rows<C: WriteSql>(changes: &C) -> Result<Cleaned, StoreError> {
    let mut out = Cleaned::default();
    if changes.meta(ACTIVE)?.is_some() {
        // Vectors first, so that those of another model are not counted twice.
        out.vectors += changes.execute(
            "DELETE FROM vector WHERE model_id NOT IN (SELECT model.id FROM model
                JOIN meta ON meta.key = 'active_model' AND meta.value = model.fingerprint)",
            &[],
        )?;
        out.models = changes.execute(
            "DELETE FROM model WHERE fingerprint NOT IN (SELECT value FROM meta WHERE key = 'active_model')",
            &[],
        )?;
    }
    out.vectors += changes.drop_unused_vectors()?;
    out.counters = changes.execute(
        "DELETE FROM usage WHERE uid LIKE 'chunk/%'
            AND NOT EXISTS (SELECT 1 FROM item WHERE item.uid = usage.uid AND item.state <> 'retired')",
        &[],
    )?;
    Ok(out)
}
