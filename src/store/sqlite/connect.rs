//! A connection to a file: opened as far as the disk allows, and set up.

use super::StoreError;
use super::header::{APPLICATION_ID, unreadable};
use super::migrate::schema;
use super::value::OddValue;
use crate::store::error::is_damage;
use crate::store::folder::beside;
use crate::store::lock::current_writer;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long a statement waits for another process, which holds a lock for milliseconds only.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// Statements that are kept ready to be run again.
const STATEMENTS: usize = 64;

/// Vectors fill a page of this size well: five of 384 components.
const PAGE_BYTES: i64 = 8192;

/// Opens for reading and writing where that is possible, else for reading; gives the schema with it.
pub(super) fn connect(path: &Path) -> Result<(Connection, i64), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let attempts = [
        (OpenFlags::SQLITE_OPEN_READ_WRITE, ""),
        (OpenFlags::SQLITE_OPEN_READ_ONLY, "?mode=ro"),
        // Where nothing can be written nobody writes, so the file may be taken as it is, without a log.
        (OpenFlags::SQLITE_OPEN_READ_ONLY, "?immutable=1"),
    ];
    let mut first = None;
    for (access, query) in attempts {
        if query == "?immutable=1" && !is_still(path, first.as_ref()) {
            break;
        }
        let address = format!("file:{}{query}", escaped(path));
        let opened = match Connection::open_with_flags(address, flags | access) {
            Ok(connection) => prepare(&connection, path, access).map(|schema| (connection, schema)),
            Err(error) => Err(StoreError::sqlite(path)(error)),
        };
        match opened {
            Err(StoreError::Sqlite { source, .. })
                if matches!(
                    source.sqlite_error_code(),
                    Some(
                        ErrorCode::CannotOpen
                            | ErrorCode::ReadOnly
                            | ErrorCode::PermissionDenied
                            | ErrorCode::SystemIoFailure
                            | ErrorCode::DiskFull
                    )
                ) =>
            {
                first.get_or_insert(source);
            }
            other => return other,
        }
    }
    Err(StoreError::sqlite(path)(first.unwrap_or(rusqlite::Error::InvalidQuery)))
}

/// Whether nobody can be writing: the folder takes no files or the disk is full, no log waits, no writer is at work.
fn is_still(path: &Path, error: Option<&rusqlite::Error>) -> bool {
    let full = error.is_some_and(|error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::SystemIoFailure | ErrorCode::DiskFull))
    });
    let folder = path.parent().unwrap_or(Path::new("."));
    let log = fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    (full || !folder_is_writable(folder)) && !log && current_writer(folder).is_none()
}

/// Sets a connection up and gives the schema. A file that is not ours is not touched.
fn prepare(connection: &Connection, path: &Path, access: OpenFlags) -> Result<i64, StoreError> {
    let sqlite = StoreError::sqlite(path);
    let set = || -> rusqlite::Result<()> {
        connection.busy_timeout(BUSY)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection.execute_batch(
            "PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -32768;
             PRAGMA foreign_keys = ON;
             PRAGMA secure_delete = ON;",
        )
    };
    set().map_err(&sqlite)?;
    let found = is_ours(connection, path)?;
    if access == OpenFlags::SQLITE_OPEN_READ_ONLY {
        return Ok(found);
    }
    let log = || -> rusqlite::Result<String> {
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 8388608;")?;
        Ok(mode)
    };
    match log().map_err(&sqlite)? {
        mode if mode.eq_ignore_ascii_case("wal") => Ok(found),
        // Opened for writing, given for reading: the disk is mounted read-only.
        _ if connection.is_readonly("main").map_err(&sqlite)? => Ok(found),
        _ => Err(StoreError::NoSharedMemory { path: path.to_owned() }),
    }
}

/// The schema, if the database is ours or empty.
fn is_ours(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let ask = || -> rusqlite::Result<(i64, i64, i64)> {
        let id = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let tables = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        Ok((id, tables, schema(connection)?))
    };
    match ask().map_err(StoreError::sqlite(path))? {
        (APPLICATION_ID, _, schema @ 1..) => Ok(schema),
        (APPLICATION_ID, 0, 0) | (0, 0, 0) => Ok(0),
        (APPLICATION_ID, _, schema) => {
            Err(StoreError::Damaged { path: path.to_owned(), what: format!("it says that its schema is {schema}") })
        }
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

/// A path in a `file:` address. One that is not UTF-8 keeps its bytes.
fn escaped(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-~".contains(&b);
    bytes.iter().map(|&b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn folder_is_writable(folder: &Path) -> bool {
    // Without a name where the system can: nothing of it is left, whatever happens.
    tempfile::tempfile_in(folder).is_ok()
}

impl StoreError {
    /// What SQLite said of the database at `path`.
    pub(super) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> Self + '_ {
        move |source| {
            // SQLite says of a page that the disk does not give that it is damaged; whether it is nobody knows.
            if let Some(source) = is_damage(&source).then(|| unreadable(path)).flatten() {
                return Self::Io { path: path.to_owned(), source };
            }
            match source {
                rusqlite::Error::FromSqlConversionFailure(_, _, odd) if odd.is::<OddValue>() => {
                    Self::Damaged { path: path.to_owned(), what: odd.to_string() }
                }
                source => Self::Sqlite { path: path.to_owned(), source },
            }
        }
    }
}
