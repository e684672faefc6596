//! What can go wrong with what is kept on disk.

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
            Self::Io { source, .. } => io_kind(source),
            Self::Damaged { .. } | Self::Foreign { .. } => ErrorKind::Damaged,
            Self::Mismatch { .. } | Self::Newer { .. } => ErrorKind::Mismatch,
            Self::ReadOnlyUpgrade { .. } | Self::NoLocks { .. } | Self::NoSharedMemory { .. } => ErrorKind::Io,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::Import { .. } => ErrorKind::Usage,
            Self::Sqlite { .. } => match self.code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => ErrorKind::Damaged,
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Busy,
                Some(ErrorCode::OperationInterrupted) => ErrorKind::Interrupted,
                Some(
                    ErrorCode::DiskFull
                    | ErrorCode::ReadOnly
                    | ErrorCode::CannotOpen
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::PermissionDenied
                    | ErrorCode::FileLockingProtocolFailed
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
            Self::Busy { .. } => "try again when it is done; searches work meanwhile",
            Self::NoLocks { .. } | Self::NoSharedMemory { .. } => "set KEN_HOME to a directory on a local disk",
            Self::Import { .. } => "`ken import FILE` reads what `ken export FILE` wrote",
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
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "try again",
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
