//! The texts that words are cut from, and how much text there is. The words themselves lie in a file beside the
//! database that is derived from these texts (`lexical`).

use super::value::{count, within};
use super::{ByKey, Keys, ReadSql, SqlRow, StoreError};
use crate::screen::shown_text;
use crate::store::{Corpus, ItemText, ReadWords};
use std::ops::ControlFlow;

impl<D: ReadSql> ReadWords for D {
    fn corpus(&self) -> Result<Corpus, StoreError> {
        self.one("SELECT items, words FROM corpus", &[], |row| {
            let read = || Ok(Corpus { items: count(row, 0)?, words: count(row, 1)? });
            read().map_err(within("the size of the corpus"))
        })
    }

    fn texts_of(&self, ids: &[i64]) -> Result<Vec<ItemText>, StoreError> {
        let select = format!("SELECT {TEXT_COLUMNS} FROM item");
        let query = ByKey { select: &select, column: "id", and: " AND state = 'active'", order: "" };
        self.rows_by(query, Keys::Integers(ids), &[], |row| read_text(row))
    }

    fn visit_texts(&self, visit: &mut dyn FnMut(ItemText) -> ControlFlow<()>) -> Result<(), StoreError> {
        // In the order of the rows: one pass over the file.
        let table = self.dialect().not_indexed();
        let sql = format!("SELECT {TEXT_COLUMNS} FROM item {table} WHERE state = 'active' ORDER BY id");
        self.visit(&sql, |row| Ok(visit(read_text(row)?)))
    }
}

/// What [`read_text`] reads.
pub const TEXT_COLUMNS: &str = "id, title, body, text_hash, uid";

/// The text of an item, from a row of [`TEXT_COLUMNS`].
pub fn read_text<R: SqlRow>(row: &R) -> Result<ItemText, R::Error> {
    let uid = row.text(4)?;
    let read = || Ok(ItemText { id: row.get(0)?, title: row.get(1)?, body: row.get(2)?, text_hash: row.get(3)? });
    read().map_err(within(&format!("item {}", shown_text(&uid))))
}
