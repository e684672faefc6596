//! The advisory locks of a store, and who has the right to write. A connection that takes this right has a name for it,
//! which all users of the server see.

use super::client::Client;
use crate::store::StoreError;
use std::time::Duration;

/// The lock of writers: `ken` in ASCII.
pub(super) const WRITER: i64 = 0x6b_656e;
/// The lock of words: merges share it, and a purge has it alone.
pub(super) const PURGER: i64 = WRITER + 1;
/// The lock of long work, such as `ken index`: short changes may come between its batches, other long work may not.
pub(super) const WORK: i64 = WRITER + 2;
/// The lock of the process that fits the gate to all texts.
pub(super) const FITTER: i64 = WRITER + 3;

/// How long a writer waits for all who write before it.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(30);

/// How long the server may take to free locks. A process that ends waits no longer for a server that hangs.
const RELEASE_WAIT: Duration = Duration::from_secs(2);

/// What is said of a holder who gave no name, or who has ended meanwhile.
const UNKNOWN: &str = "a process that does not say its name";

/// SQL that gives the connection a name: what it writes for, its process, and the address that the server sees. The
/// server cuts a name after 63 bytes.
pub(super) fn naming(purpose: &str) -> String {
    let (purpose, process) = (purpose.replace('\'', "''"), std::process::id());
    format!(
        "SELECT set_config('application_name',
             '{purpose}, process {process}' || coalesce(' at ' || host(inet_client_addr()), ''), false);"
    )
}

/// The name of another connection that has the right to write. If one has long work and another one makes a short
/// change, this names the one with long work.
pub(super) fn holder(client: &mut Client) -> Result<Option<String>, tokio_postgres::Error> {
    // `objsubid` is 1 for a lock that is named by a single number.
    let sql = "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
               WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid() AND objsubid = 1 AND classid = 0
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                 AND objid IN (CAST($1 AS bigint), CAST($2 AS bigint)) ORDER BY objid = $1 DESC LIMIT 1";
    let Some(row) = client.query_opt(sql, &[&WORK, &WRITER])? else { return Ok(None) };
    let name: &str = row.try_get(0)?;
    Ok(Some(if name.is_empty() { UNKNOWN.to_owned() } else { crate::text::single_line(name, 100) }))
}

/// Gives all locks of a connection back. Otherwise the server frees them when it notices that the client is gone, and
/// until then the next writer gets an error that somebody writes.
pub(super) fn release_all(client: &mut Client) {
    if !client.is_closed() {
        // If this fails, the locks end with the connection.
        drop(client.batch_within("SELECT pg_advisory_unlock_all()", RELEASE_WAIT));
    }
}

/// The error for a lock that somebody else holds.
pub(super) fn busy(name: &str) -> StoreError {
    StoreError::SharedBusy { name: name.to_owned(), holder: UNKNOWN.to_owned() }
}

/// The same error with the name of who holds the lock, if the server tells. Other errors stay.
pub(super) fn with_holder(error: StoreError, client: &mut Client) -> StoreError {
    match error {
        StoreError::SharedBusy { name, .. } => match holder(client) {
            Ok(Some(holder)) => StoreError::SharedBusy { name, holder },
            Ok(None) | Err(_) => busy(&name),
        },
        other => other,
    }
}
