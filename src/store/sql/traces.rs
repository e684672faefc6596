//! What a store says of traces that it has left on the disk of what was forgotten.

use super::{StoreError, WriteSql, values};

/// Set in `meta` while traces of what was forgotten may be on the disk: [`ANYWHERE`]; [`IN_COPIES`] of what no derived
/// file holds; or [`IN_LOG`] once all but the log is clean.
pub const LEFT: &str = "traces";
/// See [`LEFT`].
const ANYWHERE: &str = "1";
/// See [`LEFT`].
pub const IN_COPIES: &str = "copies";
/// See [`LEFT`].
pub const IN_LOG: &str = "log";

/// What is forgotten with these changes leaves traces on the disk.
pub fn leave_traces(changes: &impl WriteSql) -> Result<(), StoreError> {
    changes.set_meta(LEFT, Some(ANYWHERE))
}

/// The same of what is no item: the files that are derived from items hold nothing of it.
pub(super) fn leave_traces_in_copies(changes: &impl WriteSql) -> Result<(), StoreError> {
    changes.execute(
        "INSERT INTO meta (key, value) VALUES (?1, ?2)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE meta.value <> ?3",
        &values![LEFT, IN_COPIES, ANYWHERE],
    )?;
    Ok(())
}
