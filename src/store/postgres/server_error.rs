//! Errors of a server of PostgreSQL: their text, what they mean, and what to do about them.

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{WasNull, WrongType};

/// What went wrong between client and server, with what the server said of it.
pub(in crate::store) fn reason(error: &Error) -> String {
    let source = std::error::Error::source(error);
    match (error.as_db_error(), source) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(source)) => format!("{error}: {source}"),
        (None, None) => error.to_string(),
    }
}

/// The text of an error that shows content which `ken` did not write: a rule of a table is broken, a value has another
/// type than expected, or a table or column is missing.
pub(in crate::store) fn odd_content(error: &Error) -> Option<String> {
    let of_class = |code: &SqlState| ["22", "23"].iter().any(|class| code.code().starts_with(class));
    let of_schema = [
        SqlState::UNDEFINED_TABLE,
        SqlState::UNDEFINED_COLUMN,
        SqlState::UNDEFINED_FUNCTION,
        SqlState::DATATYPE_MISMATCH,
    ];
    let is_odd = match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(said), _) => of_class(said.code()) || of_schema.contains(said.code()),
        (None, Some(source)) => source.is::<WrongType>() || source.is::<WasNull>(),
        (None, None) => false,
    };
    is_odd.then(|| reason(error))
}

/// What to do about a server that can only be read.
const READ_ONLY: &str = "the server can only be read: name the primary in store.url, and the replica in store.read_url";

/// Whether a standby refused to begin a write transaction. It reports this as a refused setting. The routine is
/// checked, because the message may be translated.
fn is_of_standby(error: &Error) -> bool {
    error.as_db_error().is_some_and(|said| said.routine() == Some("call_bool_check_hook"))
}

/// The hint for an error of the server.
pub(in crate::store) fn server_hint(error: &Error) -> Option<String> {
    let hint = match error.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
            "check the user in the address and the password in its file; set the file with \
             `ken config set store.password_file FILE`"
        }
        Some(&SqlState::INVALID_CATALOG_NAME) => "make the database first: `createdb NAME`",
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            "a new store needs `GRANT CREATE ON DATABASE NAME TO USER`; an existing one, rights on its schema and \
             tables"
        }
        Some(&SqlState::QUERY_CANCELED) => {
            "a statement took too long: `ken config set store.statement_timeout_s SECONDS`"
        }
        Some(&SqlState::ADMIN_SHUTDOWN | &SqlState::CRASH_SHUTDOWN | &SqlState::CANNOT_CONNECT_NOW) => {
            "the server ended the connection; try again when it runs"
        }
        Some(&SqlState::DISK_FULL) => {
            "the server's disk is full; run it again when there is room, it goes on from there"
        }
        Some(&SqlState::TOO_MANY_CONNECTIONS) => {
            "raise max_connections of the server, or run fewer services: docs/shared.md says how many connections \
             one opens"
        }
        Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => READ_ONLY,
        // A standby refuses a transaction that is to write before it refuses a change.
        Some(&SqlState::FEATURE_NOT_SUPPORTED) if is_of_standby(error) => READ_ONLY,
        Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
            "try again; if a replica often cancels searches, set hot_standby_feedback or raise \
             max_standby_streaming_delay there"
        }
        Some(&SqlState::LOCK_NOT_AVAILABLE) => "another process changes the same row: try again",
        Some(&SqlState::OUT_OF_MEMORY) => "the server has too little memory: give it more, or lower its work_mem",
        Some(_) => return None,
        None => "look at the address and whether the server runs",
    };
    Some(hint.to_owned())
}
