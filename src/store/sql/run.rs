//! What statements are run on: a connection that reads, changes that become true together.

use super::parameter::SqlValue;
use super::value::{SqlError, SqlRow, count};
use super::{Dialect, StoreError, values};
use crate::store::{ItemText, ReadStore, Snapshot};
use std::ops::ControlFlow;

/// Keys that rows are asked for by.
#[derive(Debug, Clone, Copy)]
pub enum Keys<'k> {
    /// Numbers.
    Integers(&'k [i64]),
    /// Texts.
    Texts(&'k [&'k str]),
}

impl<'k> Keys<'k> {
    /// How many.
    pub fn count(self) -> usize {
        match self {
            Self::Integers(keys) => keys.len(),
            Self::Texts(keys) => keys.len(),
        }
    }

    /// One after another.
    pub fn iter(self) -> impl Iterator<Item = SqlValue<'k>> {
        let (integers, texts) = match self {
            Self::Integers(keys) => (keys, &[][..]),
            Self::Texts(keys) => (&[][..], keys),
        };
        integers.iter().map(|key| SqlValue::Integer(*key)).chain(texts.iter().map(|key| SqlValue::Text(key)))
    }
}

/// A statement that reads rows by keys. `?1` stands for the keys, so its own values begin with `?2`.
#[derive(Debug, Clone, Copy)]
pub struct ByKey<'q> {
    /// `SELECT` with what is joined.
    pub select: &'q str,
    /// The column that holds the key.
    pub column: &'q str,
    /// What else must hold, from ` AND` on; may be empty.
    pub and: &'q str,
    /// The order of the rows of one key; may be empty.
    pub order: &'q str,
}

/// What statements are run on.
pub trait RunSql {
    /// Why a row cannot be read.
    type Error: SqlError;
    /// A row of an answer.
    type Row<'r>: SqlRow<Error = Self::Error>;

    /// Which form of SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// Every row of an answer.
    fn rows<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, StoreError>;

    /// The rows of some keys, in the order of the keys. Other values of the statement are `?2` and so on.
    fn rows_by<T>(
        &self,
        query: ByKey<'_>,
        keys: Keys<'_>,
        others: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
    ) -> Result<Vec<T>, StoreError>;

    /// Runs a statement that changes rows; gives how many.
    fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError>;

    /// Adds rows to `into`, a table with its columns, such as `link (from_uid, to_uid)`. `conflict` is the clause for
    /// rows whose key exists already, such as `ON CONFLICT DO NOTHING`; it may be empty.
    fn insert_all<'v, const N: usize>(
        &self,
        into: &str,
        rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        conflict: &str,
    ) -> Result<(), StoreError>;

    /// Lets the statements of the snapshot or batch that is open take as long as they take. A file has no time limit.
    fn unhurried(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// The error for something in the store that no `ken` writes.
    fn damaged(&self, what: String) -> StoreError;

    /// The first row of an answer.
    fn first<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.rows(sql, values, read)?.into_iter().next())
    }

    /// The row of an answer that always has one.
    fn one<T>(
        &self,
        sql: &str,
        values: &[SqlValue<'_>],
        read: impl FnMut(&Self::Row<'_>) -> Result<T, Self::Error>,
    ) -> Result<T, StoreError> {
        self.first(sql, values, read)?.ok_or_else(|| self.damaged("a row that is always there is missing".to_owned()))
    }

    /// Whether an answer has a row.
    fn exists(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<bool, StoreError> {
        Ok(self.first(sql, values, |_| Ok(()))?.is_some())
    }

    /// The count that an answer is.
    fn counted(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError> {
        self.one(sql, values, |row| count(row, 0))
    }

    /// A value of `meta`.
    fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.first("SELECT value FROM meta WHERE key = ?1", &values![key], |row| row.get(0))
    }
}

/// A connection that reads.
pub trait ReadSql: RunSql {
    /// Reads with several statements at one moment: in the snapshot that is open, else in one of its own.
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError>;

    /// Gives one row after another to `read`, until `read` stops it. The statement takes no values.
    fn visit(
        &self,
        sql: &str,
        read: impl FnMut(&Self::Row<'_>) -> Result<ControlFlow<()>, Self::Error>,
    ) -> Result<(), StoreError>;

    /// Everything that is read until it is dropped is of one moment.
    fn hold_moment(&self) -> Result<Snapshot<'_>, StoreError>;

    /// Numbers that tell the open file from others. They are zeros for a database that has a name of its own.
    fn identity(&self) -> (u64, u64);

    /// Bytes on disk.
    fn bytes_on_disk(&self) -> Result<u64, StoreError>;
}

/// A connection through which counts and rows are kept without the writer's lock.
pub trait KeepSql: ReadSql {
    /// Changes that become true together.
    type Changes<'a>: WriteSql
    where
        Self: 'a;

    /// Whether this reads from a replica, which follows the store that is written to.
    fn follows_another(&self) -> bool {
        false
    }

    /// Begins changes without the lock of the data directory: counters, and other short changes.
    fn begin_unlocked(&mut self) -> Result<Self::Changes<'_>, StoreError>;

    /// Adds rows as [`RunSql::insert_all`] does. It gives up after a tenth of a second, because such rows may be lost.
    fn insert_quickly<'v, const N: usize>(
        &mut self,
        into: &str,
        rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        conflict: &str,
    ) -> Result<(), StoreError>;
}

/// Changes that become true together.
pub trait WriteSql: RunSql {
    /// Notes that this batch changes where items stand in their files, or whether they count.
    fn places_change(&self);

    /// Stores the words of an active item that was just written. Only a shared store keeps words.
    fn keep_words(&self, text: impl FnOnce() -> ItemText) -> Result<(), StoreError>;

    /// The same of the items of a file whose words are gone because they count elsewhere now.
    fn keep_words_of(&self, source: i64) -> Result<(), StoreError>;

    /// Does a part of the batch that concerns all scopes, also if a request is limited to some.
    fn of_all_scopes<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        work()
    }

    /// Makes the changes true.
    fn commit_all(self) -> Result<(), StoreError>;

    /// Sets a value of `meta`, or takes it away.
    fn set_meta(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        match value {
            Some(value) => self.execute(
                "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                &values![key, value],
            )?,
            None => self.execute("DELETE FROM meta WHERE key = ?1", &values![key])?,
        };
        Ok(())
    }
}

impl<D: ReadSql> ReadStore for D {
    fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.hold_moment()
    }
}
