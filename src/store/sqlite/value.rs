//! Values that nobody wrote, as an error of SQLite carries them.

use super::StoreError;
use crate::store::sql::SqlError;
use rusqlite::Error;
use rusqlite::types::Type;

/// A value that nobody wrote: what it is and where it stands.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct OddValue(pub String);

/// What is odd about a value that could not be read; any other failure as it is.
pub(super) fn odd_value(error: Error) -> rusqlite::Result<String> {
    match error.within("") {
        Error::FromSqlConversionFailure(_, _, what) => Ok(what.to_string().trim_start_matches(": ").to_owned()),
        other => Err(other),
    }
}

/// What SQLite said, of a failure of statements that stores have in common.
pub(super) fn cause(error: StoreError) -> Error {
    match error {
        StoreError::Sqlite { source, .. } => source,
        StoreError::Damaged { what, .. } => Error::FromSqlConversionFailure(0, Type::Null, Box::new(OddValue(what))),
        other => Error::ToSqlConversionFailure(Box::new(other)),
    }
}
