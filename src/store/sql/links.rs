//! What counts items and relates them to others, by their public ids.

use super::{StoreError, WriteSql, values};

/// Takes away what counts items and relates them to others; `which` is a condition on `item` with `?1`.
pub(super) fn forget_links(changes: &impl WriteSql, which: &str, id: i64) -> Result<(), StoreError> {
    let uids = format!("(SELECT uid FROM item WHERE {which})");
    changes.execute(&format!("DELETE FROM usage WHERE uid IN {uids}"), &values![id])?;
    // Items of other scopes may have links to it.
    let sql = format!("DELETE FROM link WHERE from_uid IN {uids} OR to_uid IN {uids}");
    changes.of_all_scopes(|| changes.execute(&sql, &values![id]))?;
    Ok(())
}
