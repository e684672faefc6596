//! The log of changes: which items' texts and vectors have changed since a derived file was made.

use super::value::{odd, within};
use super::{KeepSql, ReadSql, RunSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::store::{LogChanges, ReadChanges};
use crate::types::Generation;

/// Statements that forget changes which nothing can ask for, at the end of a copy, which logs each item that it writes.
/// Whoever makes a derived file begins a generation for it, which is a row of item 0. The newest row always stays,
/// because it tells readers whether anything has changed.
pub const FORGET_UNASKED: [&str; 3] = [
    // What came before the oldest of these rows; all of it, if there is none.
    "DELETE FROM vector_change WHERE number < (
        SELECT coalesce(min(CASE WHEN item_id = 0 THEN number END), max(number)) FROM vector_change)",
    // Changes of items that have changed again later.
    "DELETE FROM vector_change WHERE item_id <> 0 AND NOT EXISTS (
        SELECT 1 FROM (SELECT max(number) AS newest FROM vector_change GROUP BY item_id) AS kept
        WHERE kept.newest = vector_change.number)",
    // Whoever lags behind by more changes than there are texts makes the file anew anyway.
    "DELETE FROM vector_change WHERE number < (
        SELECT number FROM vector_change ORDER BY number DESC LIMIT 1 OFFSET (SELECT count(*) FROM embedding))",
];

impl<D: ReadSql> ReadChanges for D {
    fn generation(&self) -> Result<Generation, StoreError> {
        let sql = "SELECT number, mark FROM vector_change ORDER BY number DESC LIMIT 1";
        Ok(self.first(sql, &[], |row| read_generation(row))?.unwrap_or_default())
    }

    fn changed_since(&self, since: Generation, most: usize) -> Result<Option<Vec<i64>>, StoreError> {
        let number = number_of(since);
        let sql = "SELECT number, mark FROM vector_change WHERE number = ?1";
        if self.first(sql, &values![number], |row| read_generation(row))? != Some(since) {
            return Ok(None);
        }
        let sql = "SELECT DISTINCT item_id FROM vector_change WHERE number > ?1 LIMIT ?2";
        let values = [number.into(), SqlValue::most(most.saturating_add(1))];
        let mut items: Vec<i64> = self.rows(sql, &values, |row| row.get(0))?;
        items.sort_unstable();
        Ok((items.len() <= most).then_some(items))
    }

    fn logged_changes(&self) -> Result<usize, StoreError> {
        self.counted("SELECT count(*) FROM vector_change", &[])
    }
}

fn number_of(generation: Generation) -> i64 {
    i64::try_from(generation.number).unwrap_or(i64::MAX)
}

/// A generation, from a row with its number and its mark.
pub(super) fn read_generation<R: SqlRow>(row: &R) -> Result<Generation, R::Error> {
    let read = || {
        let (number, mark): (i64, [u8; 8]) = (row.get(0)?, row.get(1)?);
        let number = u64::try_from(number).map_err(|_| odd(row, 0, &format!("is {number}")))?;
        Ok(Generation { number, mark: u64::from_le_bytes(mark) })
    };
    read().map_err(within("the log of changes"))
}

impl<D: KeepSql> LogChanges for D {
    fn begin_generation(&mut self) -> Result<Generation, StoreError> {
        if self.follows_another() {
            // The store that is written to may be ahead of what is read here; its newest change would promise that all
            // before it was seen.
            return self.generation();
        }
        let changes = self.begin_unlocked()?;
        let sql = "INSERT INTO vector_change (item_id) VALUES (0) RETURNING number, mark";
        let begun = changes.one(sql, &[], |row| read_generation(row))?;
        changes.commit_all()?;
        Ok(begun)
    }

    fn forget_changes_before(&mut self, generation: Generation) -> Result<(), StoreError> {
        if self.follows_another() {
            return Ok(());
        }
        let changes = self.begin_unlocked()?;
        changes.execute("DELETE FROM vector_change WHERE number < ?1", &values![number_of(generation)])?;
        changes.commit_all()
    }
}
