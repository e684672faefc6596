//! Which items' vectors have changed since a file of vectors was made.

use super::StoreError;
use super::database::Database;
use super::vector::{IndexModel, VectorRows};
use crate::text::TextHash;
use crate::types::Generation;
use rusqlite::{OptionalExtension, Row, Transaction};

/// What is stored of some items' vectors.
#[derive(Debug, Default)]
pub struct ItemVectors {
    /// Which text each item has, by row id.
    pub embeddings: Vec<(i64, TextHash)>,
    /// The vectors of those texts, as far as there are any.
    pub rows: VectorRows,
}

impl Database {
    /// Everything that is read until this is dropped is of one moment.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn snapshot(&self) -> Result<Transaction<'_>, StoreError> {
        self.sql(self.connection.unchecked_transaction())
    }

    /// The last change of the vectors.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn generation(&self) -> Result<Generation, StoreError> {
        let sql = "SELECT number, mark FROM vector_change ORDER BY number DESC LIMIT 1";
        let last = self.connection.prepare_cached(sql).and_then(|mut s| s.query_row([], generation).optional());
        Ok(self.sql(last)?.unwrap_or_default())
    }

    /// Items whose vectors have changed since a generation, each once, by row id; `None` if they are more than `most`, or
    /// the generation is none of this database's, or too old to be known.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn changed_since(&self, since: Generation, most: usize) -> Result<Option<Vec<i64>>, StoreError> {
        let number = i64::try_from(since.number).unwrap_or(i64::MAX);
        let sql = "SELECT number, mark FROM vector_change WHERE number = ?1";
        let known = self.connection.prepare_cached(sql).and_then(|mut s| s.query_row([number], generation).optional());
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

    /// How many changes of vectors are kept for a file of vectors that might ask for them.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn logged_changes(&self) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM vector_change";
        let count: i64 = self.sql(self.connection.query_row(sql, [], |row| row.get(0)))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// What is stored of the vectors of some items.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn vectors_of(&self, model: &IndexModel, items: &[i64]) -> Result<ItemVectors, StoreError> {
        let all = || -> rusqlite::Result<ItemVectors> {
            let mut out = ItemVectors::default();
            let mut statement = self.connection.prepare_cached(
                "SELECT e.text_hash, v.data FROM embedding e
                 LEFT JOIN vector v ON v.model_id = ?1 AND v.text_hash = e.text_hash WHERE e.item_id = ?2",
            )?;
            for item in items {
                let mut rows = statement.query((model.id, item))?;
                while let Some(row) = rows.next()? {
                    out.embeddings.push((*item, row.get(0)?));
                    out.rows.push(row, model.dims)?;
                }
            }
            Ok(out)
        };
        self.sql(all())
    }
}

fn generation(row: &Row<'_>) -> rusqlite::Result<Generation> {
    let (number, mark): (i64, [u8; 8]) = (row.get(0)?, row.get(1)?);
    Ok(Generation { number: number.max(0) as u64, mark: u64::from_le_bytes(mark) })
}

/// What is kept for a file that is derived from the database, and no knowledge: whoever makes that file need not hold the right to
/// write.
impl Database {
    /// A generation of its own for a file of vectors that is about to be made from what is read after this.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn begin_generation(&mut self) -> Result<Generation, StoreError> {
        let batch = self.begin_unlocked()?;
        let sql = "INSERT INTO vector_change (item_id) VALUES (0) RETURNING number, mark";
        let begun = batch.sql(batch.transaction.query_row(sql, [], generation))?;
        batch.commit()?;
        Ok(begun)
    }

    /// Changes before a generation are not asked for any more: the file of vectors that is in place has them.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn forget_changes_before(&mut self, generation: Generation) -> Result<(), StoreError> {
        let number = i64::try_from(generation.number).unwrap_or(i64::MAX);
        let batch = self.begin_unlocked()?;
        batch.execute("DELETE FROM vector_change WHERE number < ?1", [number])?;
        batch.commit()
    }
}
