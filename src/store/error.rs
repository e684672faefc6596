//! What can go wrong with what is kept on disk.

use super::postgres::{ServerError, TlsError, reason, server_hint};
use crate::error::{Diagnose, ErrorKind, io_kind};
use crate::screen::shown;
use crate::types::Fingerprint;
use rusqlite::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};

/// Stored data could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing a file failed.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A file is not what it says it is.
    #[error("{} is damaged: {what}", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// The vectors belong to another model.
    #[error("{} holds vectors of {found}, not of {wanted}", shown(path))]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// Whose vectors are asked for.
        wanted: Fingerprint,
        /// Whose vectors are there.
        found: String,
    },
    /// The database refused.
    #[error("{}: {source}", shown(path))]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What it said.
        source: rusqlite::Error,
    },
    /// A file of our name that we did not write.
    #[error("{} is not a database of ken", shown(path))]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A database of a later version.
    #[error("{} has schema {found}, and this ken knows schemas up to {known}", shown(path))]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest that is known here.
        known: i64,
    },
    /// A database of an earlier version that cannot be brought up to date.
    #[error("{} has the older schema {found} and lies where nothing can be written", shown(path))]
    ReadOnlyUpgrade {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i64,
    },
    /// Somebody else writes.
    #[error("another process is writing to {}: {holder}", shown(folder))]
    Busy {
        /// The data directory.
        folder: PathBuf,
        /// Who, as far as is known.
        holder: String,
    },
    /// The filesystem cannot keep two writers apart.
    #[error("{} lies on a filesystem without locks: {source}", shown(path))]
    NoLocks {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The filesystem cannot share memory between processes, which the database's log needs.
    #[error("{} lies on a filesystem that cannot share memory between processes", shown(path))]
    NoSharedMemory {
        /// The database.
        path: PathBuf,
    },
    /// A database in PostgreSQL is named, and this build has no client for it.
    #[error("this ken has no client for PostgreSQL")]
    WithoutPostgres,
    /// The address of a database in PostgreSQL is wrong.
    #[error("not an address of a database in PostgreSQL: {}", reason(source))]
    Address {
        /// What is wrong.
        source: ServerError,
    },
    /// A server of PostgreSQL cannot be reached, or refused.
    #[error("{name}: {}", reason(source))]
    Postgres {
        /// The database, without a password.
        name: String,
        /// What the client or the server said.
        source: ServerError,
    },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {source}")]
    Tls {
        /// The cause.
        source: TlsError,
    },
    /// A password lies where others can read it.
    #[error("other users can read the password in {}", shown(path))]
    OpenPassword {
        /// The file.
        path: PathBuf,
    },
    /// The file with the password cannot be read.
    #[error("the password file {} cannot be read: {source}", shown(path))]
    NoPassword {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A database of another encoding than UTF-8.
    #[error("{name} keeps texts as {encoding}, not as UTF8")]
    Encoding {
        /// The database.
        name: String,
        /// Its encoding.
        encoding: String,
    },
    /// A database without the extension pgvector.
    #[error("{name} lacks the extension vector: {why}")]
    NoExtension {
        /// The database.
        name: String,
        /// What the server said when it was to be made.
        why: String,
    },
    /// A database with an extension pgvector that is too old.
    #[error("{name} has version {version} of the extension vector, and ken needs 0.8 or later")]
    OldExtension {
        /// The database.
        name: String,
        /// The version that is there.
        version: String,
    },
    /// There is nothing to copy from.
    #[error("{name} holds no store of ken")]
    NoStore {
        /// The place.
        name: String,
    },
    /// A store of a later version in PostgreSQL.
    #[error("the store in {name} has schema {found}, and this ken knows schemas up to {known}")]
    NewerCopy {
        /// The database.
        name: String,
        /// Its schema.
        found: i64,
        /// The latest that is known here.
        known: i64,
    },
    /// A store of an earlier version in PostgreSQL that is only read.
    #[error("the store in {name} has the older schema {found}")]
    OlderCopy {
        /// The database.
        name: String,
        /// Its schema.
        found: i64,
    },
    /// Somebody else writes to the same database.
    #[error("another process is writing to {name}: {holder}")]
    SharedBusy {
        /// The database.
        name: String,
        /// Who, as far as is known.
        holder: String,
    },
    /// A user of PostgreSQL who may read no scope.
    #[error("{name} gives the user {role} no scope")]
    NoScopes {
        /// The database.
        name: String,
        /// Who.
        role: String,
    },
    /// A user of PostgreSQL who reads some scopes, where all are needed.
    #[error("this needs all scopes of {name}, and this user sees only some of them")]
    PartOnly {
        /// The database.
        name: String,
    },
    /// A copy to a store of somebody else.
    #[error("only the owner of the tables of {name} can copy to it")]
    NotOwner {
        /// The database.
        name: String,
    },
    /// A row of a scope that is not the user's.
    #[error("{name} does not let this user write to a scope, or replace what another scope holds")]
    OtherScope {
        /// The database.
        name: String,
    },
    /// The connection to a database ended within a batch or a snapshot.
    #[error("the connection to {name} was lost")]
    Lost {
        /// The database.
        name: String,
    },
    /// The connection to a database ended while a batch was being committed.
    #[error("the connection to {name} was lost during the commit: the change may or may not have been made")]
    Uncertain {
        /// The database.
        name: String,
    },
    /// A server that takes connections or statements and answers nothing.
    #[error("{name} does not answer")]
    Silent {
        /// The database.
        name: String,
    },
    /// This machine cannot make a connection.
    #[error("no connection to {name} can be made: {source}")]
    NoConnection {
        /// The database.
        name: String,
        /// The cause.
        source: io::Error,
    },
    /// A value in PostgreSQL that nobody wrote.
    #[error("{name} is damaged: {what}")]
    OddValue {
        /// The database.
        name: String,
        /// What does not fit.
        what: String,
    },
    /// Two stores that did not come from one another.
    #[error("{to} has events that {from} does not have, so it is no earlier copy of it")]
    OtherHistory {
        /// What is copied.
        from: String,
        /// What it was to be copied to.
        to: String,
    },
    /// A row that breaks a rule of the database that it is copied to.
    #[error("the table {table} has a row that ken did not write: {what}")]
    OddRow {
        /// Its table.
        table: &'static str,
        /// What the database said of it.
        what: String,
    },
    /// A line of an import that cannot be read.
    #[error("line {line}: {what}")]
    Import {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
}

impl StoreError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    /// Whether the disk is full, or a file may not grow any further.
    pub fn is_full(&self) -> bool {
        let io = match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        };
        self.code() == Some(ErrorCode::DiskFull)
            || matches!(
                io,
                Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
            )
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite { source, .. } if is_damage(source) => Some(ErrorCode::DatabaseCorrupt),
            Self::Sqlite { source: rusqlite::Error::SqlInputError { error, .. }, .. } => Some(error.code),
            Self::Sqlite { source, .. } => source.sqlite_error_code(),
            _ => None,
        }
    }
}

/// Whether a failure can only come from bytes that are not what was written: damaged pages, values of another type than
/// their column's, or a schema that our statements, which are fixed, do not fit.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error;
    // A statement may also be refused because a page cannot be read, or for want of memory.
    if let Error::SqlInputError { error, .. } = error {
        return !matches!(
            error.code,
            ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory | ErrorCode::DiskFull | ErrorCode::CannotOpen
        );
    }
    match error {
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..)
        | Error::QueryReturnedNoRows => true,
        other => matches!(
            other.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
        ),
    }
}

impl Diagnose for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } | Self::NoConnection { source, .. } => io_kind(source),
            Self::Damaged { .. } | Self::Foreign { .. } | Self::OddRow { .. } | Self::OddValue { .. } => {
                ErrorKind::Damaged
            }
            Self::Mismatch { .. } | Self::Newer { .. } => ErrorKind::Mismatch,
            Self::ReadOnlyUpgrade { .. } | Self::NoLocks { .. } | Self::NoSharedMemory { .. } => ErrorKind::Io,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::Import { .. }
            | Self::WithoutPostgres
            | Self::Address { .. }
            | Self::OtherHistory { .. }
            | Self::NoStore { .. }
            | Self::NoScopes { .. }
            | Self::PartOnly { .. }
            | Self::NotOwner { .. }
            | Self::OtherScope { .. } => ErrorKind::Usage,
            Self::NewerCopy { .. }
            | Self::OlderCopy { .. }
            | Self::Encoding { .. }
            | Self::NoExtension { .. }
            | Self::OldExtension { .. } => ErrorKind::Mismatch,
            Self::SharedBusy { .. } => ErrorKind::Busy,
            Self::OpenPassword { .. } | Self::NoPassword { .. } => ErrorKind::Io,
            Self::Postgres { .. }
            | Self::Tls { .. }
            | Self::Lost { .. }
            | Self::Uncertain { .. }
            | Self::Silent { .. } => ErrorKind::Network,
            Self::Sqlite { .. } => match self.code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ErrorKind::Damaged,
                // The last: another process was interrupted while it took a lock of the log.
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                    ErrorKind::Busy
                }
                Some(ErrorCode::OperationInterrupted) => ErrorKind::Interrupted,
                Some(
                    ErrorCode::DiskFull
                    | ErrorCode::ReadOnly
                    | ErrorCode::CannotOpen
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::PermissionDenied
                    | ErrorCode::NoLargeFileSupport
                    | ErrorCode::OutOfMemory,
                ) => ErrorKind::Io,
                _ => ErrorKind::Internal,
            },
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Mismatch { .. } => "make it again: `ken model pull`",
            Self::Damaged { .. } => "`ken doctor` says what is damaged; `ken doctor --repair` repairs what it can",
            Self::Foreign { .. } => "move it away, or set KEN_HOME to another directory",
            Self::Newer { .. } => "use the newer ken that wrote it, or set KEN_HOME to another directory",
            Self::ReadOnlyUpgrade { .. } => "make the directory writable once, or copy it",
            Self::Busy { .. } | Self::SharedBusy { .. } => "try again when it is done; searches work meanwhile",
            Self::NoLocks { .. } | Self::NoSharedMemory { .. } => "set KEN_HOME to a directory on a local disk",
            Self::Import { .. } => "`ken import FILE` reads what `ken export FILE` wrote",
            Self::WithoutPostgres => "build it with the client: `cargo install --path . --features postgres`",
            Self::Address { .. } => {
                "use the form postgres://USER@HOST/DATABASE; sslmode is disable, prefer or require; TLS always checks \
                 the certificate"
            }
            Self::Postgres { source, .. } => return server_hint(source),
            Self::Tls { .. } => "name the authority's certificate: `ken config set store.ca_file FILE`",
            Self::OpenPassword { .. } => "take the right away: `chmod 600 FILE`",
            Self::NoPassword { .. } => "name another file: `ken config set store.password_file FILE`",
            Self::Encoding { .. } => "make another database: `createdb --encoding UTF8 --template template0 NAME`",
            Self::NoExtension { .. } => {
                "install the package pgvector on the server, then let an administrator run `CREATE EXTENSION vector` \
                 in this database"
            }
            Self::OldExtension { .. } => {
                "install a newer package pgvector on the server, then let an administrator run \
                 `ALTER EXTENSION vector UPDATE` in this database"
            }
            Self::NoStore { .. } => {
                "name a data directory with an index, or a database that `ken store copy --to` wrote to"
            }
            Self::NewerCopy { .. } => "use the newer ken that wrote it, or another database",
            Self::OlderCopy { .. } => "write or copy to it once with this ken, which brings it up to date",
            Self::OddRow { .. } => "something else has written to the copy: copy again from an undamaged store",
            Self::NoScopes { role, .. } => {
                return Some(format!(
                    "let the owner of its tables say which: \
                     `INSERT INTO kenning.reader VALUES ('{}', 'SCOPE')`, with '*' for all of them",
                    role.replace('\'', "''")
                ));
            }
            Self::PartOnly { .. } => {
                "use the owner of its tables, or a user whom kenning.reader gives every scope: '*'"
            }
            Self::NotOwner { .. } => "name the owner in the address: postgres://OWNER@HOST/DATABASE",
            Self::OtherScope { .. } => {
                "write to a scope that kenning.reader gives this user; `ken status` shows those that hold something"
            }
            Self::Lost { .. } => "try again; of a change that had not ended nothing was kept",
            Self::Uncertain { .. } => "check whether the change is there, and repeat it if it is not",
            Self::Silent { .. } => {
                "the server, or a balancer before it, is stopped or overloaded, or the address is not that of a \
                 PostgreSQL server; `ken config set store.connect_timeout_s SECONDS` and `store.statement_timeout_s` \
                 set how long `ken` waits"
            }
            Self::NoConnection { .. } => "a limit on open files may be reached: ulimit -n",
            Self::OddValue { .. } => "something else has written to the database: restore a backup of it",
            Self::OtherHistory { .. } => {
                "copy to an empty place, or add the items to this one: `ken export FILE`, then `ken import FILE` there"
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => FULL,
            // EIO, which has no kind of its own.
            Self::Io { source, .. } if source.raw_os_error() == Some(5) => {
                "the disk does not give what it holds, which may still be whole: copy the folder, \
                 look at the disk (dmesg)"
            }
            Self::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
                "a limit on the size of files is reached: ulimit -f"
            }
            Self::Io { .. } => return None,
            Self::Sqlite { .. } => match self.code() {
                Some(ErrorCode::DiskFull) => FULL,
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                    "the data directory must be writable, or set KEN_HOME to another"
                }
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    "`ken doctor` says what is damaged; `ken doctor --repair` repairs what it can"
                }
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                    "try again"
                }
                Some(ErrorCode::SystemIoFailure) => {
                    "the disk fails, is full or is no local one, or a limit on the size of files is reached (ulimit -f)"
                }
                Some(ErrorCode::OutOfMemory) => "there is not enough memory; a limit may be in the way (ulimit -v)",
                _ => return None,
            },
        };
        Some(hint.to_owned())
    }
}

/// What was committed before stays whole when the disk is full.
const FULL: &str = "the disk is full; nothing that was stored is lost: free some space and run it again";
