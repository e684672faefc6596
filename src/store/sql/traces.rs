//! What a store says of traces that it has left on the disk of what was forgotten.

use super::{RunSql, StoreError, WriteSql, values};
use crate::text::{hex, sha256};
use std::path::{Path, PathBuf};

/// Set in `meta` while traces of what was forgotten may be on the disk: [`ANYWHERE`]; [`IN_COPIES`] of what no derived
/// file holds; or [`IN_LOG`] once all but the log is clean.
pub const LEFT: &str = "traces";
/// See [`LEFT`].
pub const ANYWHERE: &str = "1";
/// See [`LEFT`].
pub const IN_COPIES: &str = "copies";
/// See [`LEFT`].
pub const IN_LOG: &str = "log";

/// What is forgotten with these changes leaves traces on the disk.
pub fn leave_traces(changes: &impl WriteSql) -> Result<(), StoreError> {
    changes.set_meta(LEFT, Some(ANYWHERE))
}

/// The same of what is deleted and not forgotten. A shared store leaves no traces but in its lists of words. Reading
/// and writing these for each deletion would take too long, so they are purged when many items are gone.
pub(super) fn leave_traces_of_deleted(changes: &impl WriteSql) -> Result<(), StoreError> {
    if changes.dialect().is_shared() { Ok(()) } else { leave_traces(changes) }
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

/// Hashes of the paths that were forgotten while there are traces: whoever was stopped may ask for the same again.
pub const TRACED_PATHS: &str = "traced_paths";

fn path_hash(path: &Path) -> String {
    hex(&sha256(path.as_os_str().as_encoded_bytes())[..16])
}

/// Remembers until the last trace is gone that these paths were forgotten.
pub fn trace_paths(changes: &impl WriteSql, paths: &[PathBuf]) -> Result<(), StoreError> {
    let hashes: Vec<String> = paths.iter().map(|path| path_hash(path)).collect();
    changes.set_meta(TRACED_PATHS, Some(&hashes.join(" ")))
}

/// Whether traces of what was forgotten may be on the disk; in the log alone, if only those count.
pub fn has_traces(store: &impl RunSql, in_log_alone: bool) -> Result<bool, StoreError> {
    Ok(store.meta(LEFT)?.is_some_and(|left| !in_log_alone || left == IN_LOG))
}

/// Whether this path was forgotten, and by a process that was stopped before the last trace was gone.
pub fn is_traced(store: &impl RunSql, path: &Path) -> Result<bool, StoreError> {
    let hash = path_hash(path);
    Ok(store.meta(TRACED_PATHS)?.is_some_and(|all| all.split(' ').any(|one| one == hash)))
}
