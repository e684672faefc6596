//! What the statements of `store::sql` run on: a connection, and a batch.

use super::database::{SharedBatch, SharedDatabase};
use super::link::{Link, given};
use super::row::Failure;
use super::text::marked;
use crate::store::sql::{ByKey, Dialect, KeepSql, Keys, ReadSql, RunSql, SqlRow, SqlValue, WriteSql};
use crate::store::{ItemText, Snapshot, StoreError, WriteBatch};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// How long a counter waits for somebody else who counts the same.
const COUNTER_WAIT: Duration = Duration::from_millis(100);

/// Rows that are sent at once.
const ROWS: usize = 100;

/// Rows that are fetched at once.
const PAGE: usize = 500;

impl SharedDatabase {
    pub(super) fn read<T>(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
        mut read: impl FnMut(&Row) -> Result<T, Failure>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.on(|link| link.query(sql, values))?;
        let read: Result<Vec<T>, Failure> = rows.iter().map(&mut read).collect();
        read.map_err(|failure| failure.of(self.name()))
    }

    fn read_by<T>(
        &self,
        ByKey { select, column, and, order }: ByKey<'_>,
        keys: Keys<'_>,
        others: &[SqlValue<'_>],
        read: impl FnMut(&Row) -> Result<T, Failure>,
    ) -> Result<Vec<T>, StoreError> {
        let (of, texts);
        let keys: &(dyn ToSql + Sync) = match &keys {
            Keys::Integers(keys) => {
                of = "bigint";
                keys
            }
            Keys::Texts(keys) => {
                of = "text";
                texts = keys.iter().map(|key| marked(key)).collect::<Vec<_>>();
                &texts
            }
        };
        let values: Vec<&(dyn ToSql + Sync)> = std::iter::once(keys).chain(given(others)).collect();
        let order = if order.is_empty() { String::new() } else { format!(", {order}") };
        let sql = format!(
            "{select} JOIN unnest(?1::{of}[]) WITH ORDINALITY AS asked (asked_key, asked_place)
                ON {column} = asked_key WHERE TRUE{and} ORDER BY asked_place{order}"
        );
        self.read(&sql, &values, read)
    }

    fn insert<'v, const N: usize>(
        &self,
        into: &str,
        rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        conflict: &str,
    ) -> Result<(), StoreError> {
        let one = format!("INSERT INTO {into} VALUES ({}) {conflict}", vec!["?"; N].join(", "));
        let mut rows = rows.into_iter();
        loop {
            let some: Vec<[SqlValue<'v>; N]> = rows.by_ref().take(ROWS).collect();
            match &some[..] {
                [] => return Ok(()),
                [row] => self.on(|link| link.execute(&one, &given(row)))?,
                some => {
                    let column = |at: usize| some.iter().map(|row| &row[at]).collect();
                    let columns: [Vec<&SqlValue<'_>>; N] = std::array::from_fn(column);
                    self.on(|link| link.insert(&one, (into, conflict), &columns))?
                }
            };
        }
    }
}

macro_rules! run_sql {
    ($of:ty, |$own:ident| $database:expr) => {
        impl RunSql for $of {
            type Error = Failure;
            type Row<'r> = Row;

            fn dialect(&self) -> Dialect {
                Dialect::Postgres
            }

            fn rows<T>(
                &self,
                sql: &str,
                values: &[SqlValue<'_>],
                read: impl FnMut(&Row) -> Result<T, Failure>,
            ) -> Result<Vec<T>, StoreError> {
                let $own = self;
                $database.read(sql, &given(values), read)
            }

            fn rows_by<T>(
                &self,
                query: ByKey<'_>,
                keys: Keys<'_>,
                others: &[SqlValue<'_>],
                read: impl FnMut(&Row) -> Result<T, Failure>,
            ) -> Result<Vec<T>, StoreError> {
                let $own = self;
                $database.read_by(query, keys, others, read)
            }

            fn execute(&self, sql: &str, values: &[SqlValue<'_>]) -> Result<usize, StoreError> {
                let $own = self;
                let rows = $database.on(|link| link.execute(sql, &given(values)))?;
                Ok(usize::try_from(rows).unwrap_or(usize::MAX))
            }

            fn insert_all<'v, const N: usize>(
                &self,
                into: &str,
                rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
                conflict: &str,
            ) -> Result<(), StoreError> {
                let $own = self;
                $database.insert(into, rows, conflict)
            }

            fn unhurried(&self) -> Result<(), StoreError> {
                let $own = self;
                $database.on(Link::unhurried)
            }

            fn damaged(&self, what: String) -> StoreError {
                let $own = self;
                StoreError::OddValue { name: $database.name().to_owned(), what }
            }
        }
    };
}

run_sql!(SharedDatabase, |own| own);
run_sql!(SharedBatch<'_>, |own| own.database);

impl ReadSql for SharedDatabase {
    fn at_once<T>(&self, read: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let moment = if self.is_idle() { Some(self.hold()?) } else { None };
        let out = read();
        drop(moment);
        out
    }

    fn visit(
        &self,
        sql: &str,
        mut read: impl FnMut(&Row) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(), StoreError> {
        // In pages, so that not all lies in memory; whoever reads may ask for more meanwhile.
        self.at_once(|| {
            let cursor = self.next_cursor();
            self.on(|link| link.batch(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {sql}")))?;
            let page = self.on(|link| link.prepare_for_now(&format!("FETCH {PAGE} FROM {cursor}")))?;
            let mut is_done = false;
            while !is_done {
                let rows = self.on(|link| link.query_for_now(&page))?;
                is_done = rows.len() < PAGE;
                for row in &rows {
                    if read(row).map_err(|failure| failure.of(self.name()))?.is_break() {
                        is_done = true;
                        break;
                    }
                }
            }
            self.on(|link| link.batch(&format!("CLOSE {cursor}")))
        })
    }

    fn hold_moment(&self) -> Result<Snapshot<'_>, StoreError> {
        self.snapshot()
    }

    fn identity(&self) -> (u64, u64) {
        (0, 0)
    }

    fn bytes_on_disk(&self) -> Result<u64, StoreError> {
        let sql = "SELECT CAST(coalesce(sum(pg_total_relation_size(pg_class.oid)), 0) AS bigint)
            FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = 'kenning' AND relkind = 'r'";
        self.one(sql, &[], |row| row.integer(0).map(i64::unsigned_abs))
    }
}

impl KeepSql for SharedDatabase {
    type Changes<'a> = SharedBatch<'a>;

    fn follows_another(&self) -> bool {
        self.primary.is_some()
    }

    fn begin_unlocked(&mut self) -> Result<SharedBatch<'_>, StoreError> {
        self.writer()?.begin_behind_others()
    }

    fn insert_quickly<'v, const N: usize>(
        &mut self,
        into: &str,
        rows: impl IntoIterator<Item = [SqlValue<'v>; N]>,
        conflict: &str,
    ) -> Result<(), StoreError> {
        let insert = |database: &SharedDatabase| {
            let batch = database.begin_quickly(COUNTER_WAIT)?;
            batch.insert_all(into, rows, conflict)?;
            batch.commit()
        };
        match &mut self.primary {
            None => insert(self),
            Some(primary) => {
                primary.try_quickly(insert);
                Ok(())
            }
        }
    }
}

impl WriteSql for SharedBatch<'_> {
    fn places_change(&self) {
        self.places_change.set(true);
    }

    fn keep_words(&self, text: impl FnOnce() -> ItemText) -> Result<(), StoreError> {
        self.keep_text(text)
    }

    fn keep_words_of(&self, source: i64) -> Result<(), StoreError> {
        self.keep_texts_of(source)
    }

    fn of_all_scopes<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.without_limit(work)
    }

    fn commit_all(self) -> Result<(), StoreError> {
        self.commit()
    }
}
