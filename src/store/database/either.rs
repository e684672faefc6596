//! What statements are run on, whichever store it is, and rows of either.

use super::super::sql::{ByKey, Dialect, KeepSql, Keys, ReadSql, RunSql, SqlError, SqlRow, SqlValue, WriteSql};
use super::super::{ItemText, SharedDatabase, Snapshot, StoreError, sqlite};
use super::{Batch, Database};
use std::ops::ControlFlow;

type FileRow<'r> = <sqlite::Database as RunSql>::Row<'r>;
type FileError = <sqlite::Database as RunSql>::Error;
type SharedRow<'r> = <SharedDatabase as RunSql>::Row<'r>;
type SharedError = <SharedDatabase as RunSql>::Error;

/// A row of an answer.
pub enum EitherRow<'r> {
    /// Of a file.
    File(&'r FileRow<'r>),
    /// Of a database in PostgreSQL.
    Shared(&'r SharedRow<'r>),
}

/// Why a row cannot be read.
#[derive(Debug)]
pub enum EitherError {
    /// As a file says it.
    File(FileError),
    /// As a database in PostgreSQL says it.
    Shared(SharedError),
    /// A value that nobody wrote, of either.
    Odd(usize, String),
    /// A number that is too large or too small, of either.
    OutOfRange(usize, i64),
}

impl EitherError {
    fn of_file(self) -> FileError {
        self.given(|error| match error {
            Self::File(error) => Some(error),
            _ => None,
        })
    }

    fn of_shared(self) -> SharedError {
        self.given(|error| match error {
            Self::Shared(error) => Some(error),
            _ => None,
        })
    }

    fn given<E: SqlError>(self, own: impl FnOnce(Self) -> Option<E>) -> E {
        match self {
            Self::Odd(at, what) => E::odd(at, what),
            Self::OutOfRange(at, number) => E::out_of_range(at, number),
            // A row of one is never read by an error of the other.
            other => own(other).unwrap_or_else(|| E::odd(0, "cannot be read".to_owned())),
        }
    }
}

impl SqlError for EitherError {
    fn odd(at: usize, what: String) -> Self {
        Self::Odd(at, what)
    }

    fn out_of_range(at: usize, number: i64) -> Self {
        Self::OutOfRange(at, number)
    }

    fn within(self, place: &str) -> Self {
        match self {
            Self::File(error) => Self::File(error.within(place)),
            Self::Shared(error) => Self::Shared(error.within(place)),
            Self::Odd(at, what) => Self::Odd(at, format!("{place}: {what}")),
            Self::OutOfRange(at, number) => Self::Odd(at, format!("{place}: {number} is out of range")),
        }
    }

    fn oddity(self) -> Result<String, Self> {
        match self {
            Self::File(error) => error.oddity().map_err(Self::File),
            Self::Shared(error) => error.oddity().map_err(Self::Shared),
            Self::Odd(_, what) => Ok(what),
            Self::OutOfRange(_, number) => Ok(format!("{number} is out of range")),
        }
    }
}

/// What a row gives, whichever it is.
macro_rules! of_either {
    ($($name:ident -> $out:ty;)+) => {
        $(fn $name(&self, at: usize) -> Result<$out, EitherError> {
            match self {
                Self::File(row) => SqlRow::$name(*row, at).map_err(EitherError::File),
                Self::Shared(row) => SqlRow::$name(*row, at).map_err(EitherError::Shared),
            }
        })+
    };
}

impl SqlRow for EitherRow<'_> {
    type Error = EitherError;

    fn column(&self, at: usize) -> &str {
        match self {
            Self::File(row) => SqlRow::column(*row, at),
            Self::Shared(row) => SqlRow::column(*row, at),
        }
    }

    of_either! {
        is_null -> bool;
        integer -> i64;
        real -> f64;
        text -> String;
        lossy_text -> String;
        bytes -> &[u8];
    }
}

macro_rules! run_sql {
    ($of:ty, |$own:ident| $shared:expr) => {
        impl RunSql for $of {
            type Error = EitherError;
            type Row<'r> = EitherRow<'r>;

            fn dialect(&self) -> Dialect {
                match self {
                    Self::File(file) => file.dialect(),
                    Self::Shared($own) => $shared.dialect(),
                }
            }

            fn rows<T>(
                &self,
                sql: &str,
                values: &[SqlValue<'_>],
                mut read: impl FnMut(&EitherRow<'_>) -> Result<T, EitherError>,
            ) -> Result<Vec<T>, StoreError> {
                match self {
                    Self::File(file) => {
                        file.rows(sql, values, |row| read(&EitherRow::File(row)).map_err(EitherError::of_file))
                    }
                    Self::Shared($own) => {
                        $shared.rows(sql, values, |row| read(&EitherRow::Shared(row)).map_err(EitherError::of_shared))
                    }
                }
            }

            fn rows_by<T>(
                &self,
                query: ByKey<'_>,
                keys: Keys<'_>,
                others: &[SqlValue<'_>],
                mut read: impl FnMut(&EitherRow<'_>) -> Result<T, EitherError>,
            ) -> Result<Vec<T>, StoreError> {
                match self {
                    Self::File(file) => file
                        .rows_by(query, keys, others, |row| read(&EitherRow::File(row)).map_err(EitherError::of_file)),
                    Self::Shared($own) => $shared.rows_by(query, keys, others, |row| {
                        read(&EitherRow::Shared(row)).map_err(EitherError::of_shared)
                    }),
                }
            }

            fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError> {
                match self {
                    Self::File(file) => RunSql::execute(file, sql, values),
                    Self::Shared($own) => $shared.execute(sql, values),
                }
            }

            fn insert_all<'v, const N: usize>(
                &self,
                into: &str,
                rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
                conflict: &str,
            ) -> Result<(), StoreError> {
                match self {
                    Self::File(file) => file.insert_all(into, rows, conflict),
                    Self::Shared($own) => $shared.insert_all(into, rows, conflict),
                }
            }

            fn unhurried(&self) -> Result<(), StoreError> {
                match self {
                    Self::File(file) => file.unhurried(),
                    Self::Shared($own) => $shared.unhurried(),
                }
            }

            fn damaged(&self, what: String) -> StoreError {
                match self {
                    Self::File(file) => file.damaged(what),
                    Self::Shared($own) => $shared.damaged(what),
                }
            }
        }
    };
}

run_sql!(Database, |shared| shared.database);
run_sql!(Batch<'_>, |shared| shared);

impl ReadSql for Database {
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::File(file) => file.at_once(read),
            Self::Shared(shared) => shared.database.at_once(read),
        }
    }

    fn visit(
        &self,
        sql: &str,
        mut read: impl FnMut(&EitherRow<'_>) -> Result<ControlFlow<()>, EitherError>,
    ) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.visit(sql, |row| read(&EitherRow::File(row)).map_err(EitherError::of_file)),
            Self::Shared(shared) => {
                shared.database.visit(sql, |row| read(&EitherRow::Shared(row)).map_err(EitherError::of_shared))
            }
        }
    }

    fn hold_moment(&self) -> Result<Snapshot<'_>, StoreError> {
        match self {
            Self::File(file) => file.hold_moment(),
            Self::Shared(shared) => shared.database.hold_moment(),
        }
    }

    fn identity(&self) -> (u64, u64) {
        match self {
            Self::File(file) => file.identity(),
            Self::Shared(shared) => shared.database.identity(),
        }
    }

    fn bytes_on_disk(&self) -> Result<u64, StoreError> {
        match self {
            Self::File(file) => file.bytes_on_disk(),
            Self::Shared(shared) => shared.database.bytes_on_disk(),
        }
    }
}

impl KeepSql for Database {
    type Changes<'a> = Batch<'a>;

    fn follows_another(&self) -> bool {
        match self {
            Self::File(file) => file.follows_another(),
            Self::Shared(shared) => shared.database.follows_another(),
        }
    }

    fn begin_unlocked(&mut self) -> Result<Batch<'_>, StoreError> {
        Ok(match self {
            Self::File(file) => Batch::File(KeepSql::begin_unlocked(file)?),
            Self::Shared(shared) => Batch::Shared(shared.database.begin_unlocked()?),
        })
    }

    fn insert_quickly<'v, const N: usize>(
        &mut self,
        into: &str,
        rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        conflict: &str,
    ) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.insert_quickly(into, rows, conflict),
            Self::Shared(shared) => shared.database.insert_quickly(into, rows, conflict),
        }
    }
}

impl WriteSql for Batch<'_> {
    fn places_change(&self) {
        match self {
            Self::File(file) => file.places_change(),
            Self::Shared(shared) => shared.places_change(),
        }
    }

    fn keep_words(&self, text: impl FnOnce() -> ItemText) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.keep_words(text),
            Self::Shared(shared) => shared.keep_words(text),
        }
    }

    fn keep_words_of(&self, source: i64) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.keep_words_of(source),
            Self::Shared(shared) => shared.keep_words_of(source),
        }
    }

    fn of_all_scopes<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self {
            Self::File(file) => file.of_all_scopes(work),
            Self::Shared(shared) => shared.of_all_scopes(work),
        }
    }

    fn commit_all(self) -> Result<(), StoreError> {
        self.commit()
    }
}
