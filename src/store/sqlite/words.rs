//! The texts that words are cut from, and how much text there is. The words themselves lie in a file beside the
//! database that is derived from these texts (`lexical`).

use super::StoreError;
use super::database::Database;
use super::value::{count, within};
use crate::screen::shown_text;
use crate::store::{Corpus, ItemText, ReadWords};
use rusqlite::Row;
use std::ops::ControlFlow;

impl ReadWords for Database {
    fn corpus(&self) -> Result<Corpus, StoreError> {
        let read = |row: &Row<'_>| Ok(Corpus { items: count(row, 0)?, words: count(row, 1)? });
        let sql = "SELECT items, words FROM corpus";
        let corpus = self.connection.prepare_cached(sql).and_then(|mut statement| statement.query_row([], read));
        self.sql(corpus.map_err(within("the size of the corpus")))
    }

    fn texts_of(&self, ids: &[i64]) -> Result<Vec<ItemText>, StoreError> {
        let all = || -> rusqlite::Result<Vec<ItemText>> {
            let sql = format!("SELECT {TEXT_COLUMNS} FROM item WHERE id = ?1 AND state = 'active'");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut out = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = statement.query([id])?;
                if let Some(row) = rows.next()? {
                    out.push(read_text(row)?);
                }
            }
            Ok(out)
        };
        self.at_once(all)
    }

    fn visit_texts(&self, visit: &mut dyn FnMut(ItemText) -> ControlFlow<()>) -> Result<(), StoreError> {
        let mut all = || -> rusqlite::Result<()> {
            // In the order of the rows: one pass over the file.
            let sql = format!("SELECT {TEXT_COLUMNS} FROM item NOT INDEXED WHERE state = 'active' ORDER BY id");
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if visit(read_text(row)?).is_break() {
                    break;
                }
            }
            Ok(())
        };
        self.sql(all())
    }
}

/// What [`read_text`] reads.
const TEXT_COLUMNS: &str = "id, title, body, text_hash, uid";

fn read_text(row: &Row<'_>) -> rusqlite::Result<ItemText> {
    let uid: String = row.get(4)?;
    let read = || Ok(ItemText { id: row.get(0)?, title: row.get(1)?, body: row.get(2)?, text_hash: row.get(3)? });
    read().map_err(within(&format!("item {}", shown_text(&uid))))
}
