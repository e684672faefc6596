//! Values that mean more than their column's type says: counts, names, JSON. What no write of ours leaves is damage,
//! never a default.

use rusqlite::types::Type;
use rusqlite::{Error, Row};
use serde_json::Value;

/// A value that nobody wrote: what it is and where it stands.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct OddValue(pub String);

/// The value of a column is odd; `what` is said of the column.
pub(super) fn odd(row: &Row<'_>, at: usize, what: &str) -> Error {
    let column = row.as_ref().column_name(at).unwrap_or("a value");
    Error::FromSqlConversionFailure(at, Type::Null, Box::new(OddValue(format!("{column} {what}"))))
}

/// Says which row an odd value stands in, such as `item chunk/1`.
pub(super) fn within(place: &str) -> impl Fn(Error) -> Error + '_ {
    move |error| match error {
        Error::FromSqlConversionFailure(at, kind, source) => {
            Error::FromSqlConversionFailure(at, kind, Box::new(OddValue(format!("{place}: {source}"))))
        }
        Error::IntegralValueOutOfRange(at, number) => {
            let what = format!("{place}: {number} is out of range");
            Error::FromSqlConversionFailure(at, Type::Integer, Box::new(OddValue(what)))
        }
        other => other,
    }
}

/// What is odd about a value that could not be read; any other failure as it is.
pub(super) fn odd_value(error: Error) -> rusqlite::Result<String> {
    match within("")(error) {
        Error::FromSqlConversionFailure(_, _, what) => Ok(what.to_string().trim_start_matches(": ").to_owned()),
        other => Err(other),
    }
}

/// A count or a place in a text, which is never negative.
pub(super) fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<usize> {
    let number: i64 = row.get(at)?;
    usize::try_from(number).map_err(|_| odd(row, at, &format!("is {number}")))
}

/// As [`count`], where there may be none.
pub(super) fn optional_count(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<usize>> {
    match row.get::<_, Option<i64>>(at)? {
        Some(_) => count(row, at).map(Some),
        None => Ok(None),
    }
}

/// One of some names, as `of` reads it.
pub(super) fn named<T>(row: &Row<'_>, at: usize, of: impl Fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let name: String = row.get(at)?;
    let shown: String = name.chars().take(40).collect();
    of(&name).ok_or_else(|| odd(row, at, &format!("is {shown:?}")))
}

/// Whatever JSON holds.
pub(super) fn json(row: &Row<'_>, at: usize) -> rusqlite::Result<Value> {
    let text: String = row.get(at)?;
    serde_json::from_str(&text).map_err(|error| odd(row, at, &format!("is no JSON: {error}")))
}
