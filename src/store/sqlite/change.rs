//! The log of changes: which items' texts and vectors have changed since a derived file was made.

use super::StoreError;
use super::database::Database;
use super::value::{count, odd, within};
use crate::store::{LogChanges, ReadChanges};
use crate::types::Generation;
use rusqlite::{OptionalExtension, Row};

impl ReadChanges for Database {
    fn generation(&self) -> Result<Generation, StoreError> {
        let sql = "SELECT number, mark FROM vector_change ORDER BY number DESC LIMIT 1";
        let last = self.connection.prepare_cached(sql).and_then(|mut s| s.query_row([], read_generation).optional());
        Ok(self.sql(last)?.unwrap_or_default())
    }

    fn changed_since(&self, since: Generation, most: usize) -> Result<Option<Vec<i64>>, StoreError> {
        let number = i64::try_from(since.number).unwrap_or(i64::MAX);
        let sql = "SELECT number, mark FROM vector_change WHERE number = ?1";
        let known =
            self.connection.prepare_cached(sql).and_then(|mut s| s.query_row([number], read_generation).optional());
        if self.sql(known)? != Some(since) {
            return Ok(None);
        }
        let changed = || -> rusqlite::Result<Vec<i64>> {
            let sql = "SELECT DISTINCT item_id FROM vector_change WHERE number > ?1 LIMIT ?2";
            let mut statement = self.connection.prepare_cached(sql)?;
            let most = i64::try_from(most.saturating_add(1)).unwrap_or(i64::MAX);
            statement.query_map([number, most], |row| row.get(0))?.collect()
        };
        let mut items: Vec<i64> = self.sql(changed())?;
        items.sort_unstable();
        Ok((items.len() <= most).then_some(items))
    }

    fn logged_changes(&self) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM vector_change";
        self.sql(self.connection.query_row(sql, [], |row| count(row, 0)))
    }
}

/// A generation, from a row with its number and its mark.
pub(super) fn read_generation(row: &Row<'_>) -> rusqlite::Result<Generation> {
    let read = || -> rusqlite::Result<Generation> {
        let (number, mark): (i64, [u8; 8]) = (row.get(0)?, row.get(1)?);
        let number = u64::try_from(number).map_err(|_| odd(row, 0, &format!("is {number}")))?;
        Ok(Generation { number, mark: u64::from_le_bytes(mark) })
    };
    read().map_err(within("the log of changes"))
}

impl LogChanges for Database {
    fn begin_generation(&mut self) -> Result<Generation, StoreError> {
        let batch = self.begin_unlocked()?;
        let sql = "INSERT INTO vector_change (item_id) VALUES (0) RETURNING number, mark";
        let begun = batch.sql(batch.transaction.query_row(sql, [], read_generation))?;
        batch.commit()?;
        Ok(begun)
    }

    fn forget_changes_before(&mut self, generation: Generation) -> Result<(), StoreError> {
        let number = i64::try_from(generation.number).unwrap_or(i64::MAX);
        let batch = self.begin_unlocked()?;
        batch.execute("DELETE FROM vector_change WHERE number < ?1", [number])?;
        batch.commit()
    }
}
