//! What the statements of `store::sql` run on: a database, and a batch.

use super::StoreError;
use super::database::{Batch, Database};
use super::value::OddValue;
use crate::store::sql::{ByKey, Dialect, KeepSql, Keys, ReadSql, RunSql, SqlError, SqlRow, SqlValue, WriteSql};
use crate::store::{ItemText, Snapshot};
use rusqlite::types::{ToSqlOutput, Type, Value, ValueRef};
use rusqlite::{Connection, Error, Row, ToSql, params_from_iter};
use std::ops::ControlFlow;
use std::time::Duration;

/// How long a counter waits for the writer. Longer than a commit takes, shorter than anybody notices.
const COUNTER_WAIT: Duration = Duration::from_millis(100);

impl SqlError for Error {
    fn odd(at: usize, what: String) -> Self {
        Self::FromSqlConversionFailure(at, Type::Null, Box::new(OddValue(what)))
    }

    fn out_of_range(at: usize, number: i64) -> Self {
        Self::IntegralValueOutOfRange(at, number)
    }

    fn within(self, place: &str) -> Self {
        match self {
            Self::FromSqlConversionFailure(at, kind, source) => {
                Self::FromSqlConversionFailure(at, kind, Box::new(OddValue(format!("{place}: {source}"))))
            }
            Self::IntegralValueOutOfRange(at, number) => {
                let what = format!("{place}: {number} is out of range");
                Self::FromSqlConversionFailure(at, Type::Integer, Box::new(OddValue(what)))
            }
            other => other,
        }
    }

    fn oddity(self) -> Result<String, Self> {
        match self {
            Self::FromSqlConversionFailure(_, _, what) => Ok(what.to_string()),
            Self::IntegralValueOutOfRange(_, number) => Ok(format!("{number} is out of range")),
            other => Err(other),
        }
    }
}

impl SqlRow for Row<'_> {
    type Error = Error;

    fn column(&self, at: usize) -> &str {
        self.as_ref().column_name(at).unwrap_or("a value")
    }

    fn is_null(&self, at: usize) -> Result<bool, Error> {
        Ok(matches!(self.get_ref(at)?, ValueRef::Null))
    }

    fn integer(&self, at: usize) -> Result<i64, Error> {
        Row::get(self, at)
    }

    fn real(&self, at: usize) -> Result<f64, Error> {
        Row::get(self, at)
    }

    fn text(&self, at: usize) -> Result<String, Error> {
        Row::get(self, at)
    }

    fn lossy_text(&self, at: usize) -> Result<String, Error> {
        Ok(match self.get_ref(at)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        })
    }

    fn bytes(&self, at: usize) -> Result<&[u8], Error> {
        self.get_ref(at)?.as_blob().map_err(|_| crate::store::sql::odd(self, at, "is no blob"))
    }
}

impl ToSql for SqlValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::OwnText(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Self::OwnBytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

fn rows<T>(
    connection: &Connection,
    sql: &str,
    values: &[SqlValue<'_>],
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut out = Vec::new();
    while let Some(row) = rows.next()? {
        out.push(read(row)?);
    }
    Ok(out)
}

fn rows_by<T>(
    connection: &Connection,
    ByKey { select, column, and, order }: ByKey<'_>,
    keys: Keys<'_>,
    others: &[SqlValue<'_>],
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let order = if order.is_empty() { String::new() } else { format!(" ORDER BY {order}") };
    let mut statement = connection.prepare_cached(&format!("{select} WHERE {column} = ?1{and}{order}"))?;
    let mut out = Vec::with_capacity(keys.count());
    for key in keys.iter() {
        let values = std::iter::once(&key).chain(others);
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            out.push(read(row)?);
        }
    }
    Ok(out)
}

fn execute(connection: &Connection, sql: &str, values: &[SqlValue<'_>]) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute(params_from_iter(values))
}

fn insert_all<'v, const N: usize>(
    connection: &Connection,
    into: &str,
    rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
    conflict: &str,
) -> rusqlite::Result<()> {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    let places = vec!["?"; N].join(", ");
    let mut statement = connection.prepare_cached(&format!("INSERT INTO {into} VALUES ({places}) {conflict}"))?;
    rows.try_for_each(|row| statement.execute(params_from_iter(&row)).map(drop))
}

macro_rules! run_sql {
    ($of:ty, $connection:ident, |$own:ident| $path:expr) => {
        impl RunSql for $of {
            type Error = Error;
            type Row<'r> = Row<'r>;

            fn dialect(&self) -> Dialect {
                Dialect::Sqlite
            }

            fn rows<T>(
                &self,
                sql: &str,
                values: &[SqlValue<'_>],
                read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
            ) -> Result<Vec<T>, StoreError> {
                self.sql(rows(&self.$connection, sql, values, read))
            }

            fn rows_by<T>(
                &self,
                query: ByKey<'_>,
                keys: Keys<'_>,
                others: &[SqlValue<'_>],
                read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
            ) -> Result<Vec<T>, StoreError> {
                self.at_one_moment(|| self.sql(rows_by(&self.$connection, query, keys, others, read)))
            }

            fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError> {
                self.sql(execute(&self.$connection, sql, values))
            }

            fn insert_all<'v, const N: usize>(
                &self,
                into: &str,
                rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
                conflict: &str,
            ) -> Result<(), StoreError> {
                self.sql(insert_all(&self.$connection, into, rows, conflict))
            }

            fn damaged(&self, what: String) -> StoreError {
                let $own = self;
                StoreError::Damaged { path: $path.to_owned(), what }
            }
        }
    };
}

run_sql!(Database, connection, |own| own.path());
run_sql!(Batch<'_>, transaction, |own| own.path);

impl Database {
    fn at_one_moment<T>(&self, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        // Each statement alone would take and release the log's locks, which costs more than reading a row.
        let alone = self.is_idle();
        let moment = if alone { Some(self.sql(self.connection.unchecked_transaction())?) } else { None };
        let out = read();
        drop(moment);
        out
    }
}

impl Batch<'_> {
    /// A batch is of one moment by itself.
    fn at_one_moment<T>(&self, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        read()
    }
}

impl ReadSql for Database {
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.at_one_moment(read)
    }

    fn visit(
        &self,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<ControlFlow<()>>,
    ) -> Result<(), StoreError> {
        let mut all = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if read(row)?.is_break() {
                    break;
                }
            }
            Ok(())
        };
        self.sql(all())
    }

    fn hold_moment(&self) -> Result<Snapshot<'_>, StoreError> {
        self.snapshot()
    }

    fn identity(&self) -> (u64, u64) {
        self.file()
    }

    fn bytes_on_disk(&self) -> Result<u64, StoreError> {
        Ok(self.bytes())
    }
}

impl KeepSql for Database {
    type Changes<'a> = Batch<'a>;

    fn begin_unlocked(&mut self) -> Result<Batch<'_>, StoreError> {
        Self::begin_unlocked(self)
    }

    fn insert_quickly<'v, const N: usize>(
        &mut self,
        into: &str,
        rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        conflict: &str,
    ) -> Result<(), StoreError> {
        let synchronous =
            |database: &Self, mode: &str| database.sql(database.connection.pragma_update(None, "synchronous", mode));
        // A counter is not worth waiting for the disk: a crash of the machine may lose it, a crash of ours cannot.
        self.wait_for_others(COUNTER_WAIT)?;
        synchronous(self, "NORMAL")?;
        let added = Self::begin_unlocked(self).and_then(|batch| {
            batch.insert_all(into, rows, conflict)?;
            batch.commit()
        });
        self.wait_as_ever()?;
        synchronous(self, "FULL")?;
        added
    }
}

impl WriteSql for Batch<'_> {
    fn places_change(&self) {
        self.places_change.set(true);
    }

    fn keep_words(&self, _text: impl FnOnce() -> ItemText) -> Result<(), StoreError> {
        // They lie in a file beside the database.
        Ok(())
    }

    fn keep_words_of(&self, _source: i64) -> Result<(), StoreError> {
        Ok(())
    }

    fn commit_all(self) -> Result<(), StoreError> {
        self.commit()
    }
}

impl Batch<'_> {
    /// Counts that items stand or count elsewhere.
    pub(super) fn count_places(&self) -> Result<(), StoreError> {
        crate::store::sql::count_places(self)
    }
}
