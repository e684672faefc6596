//! Keyword candidates from FTS5, and the counts that BM25 needs. What is scored is not FTS5's own rank: that one has
//! fixed parameters and no way to say how much a question could have reached.

use super::StoreError;
use super::database::Database;
use super::filter::condition;
use super::value::{count, within};
use crate::screen::shown_text;
use crate::store::{Corpus, ItemFilter, ItemText, ReadWords};
use rusqlite::Row;
use rusqlite::types::Value;
use std::ops::ControlFlow;

/// Words of a question that are searched, rarest first: common ones of a long question find nothing that these do not.
const MAX_WORDS: usize = 24;
/// Items that hold these words, added up, beyond which only the rarest words are searched: FTS5 ranks every one of
/// them.
const MAX_HOLDERS: usize = 100_000;
/// Words that are searched however many items hold them.
const LEAST_WORDS: usize = 4;

impl ReadWords for Database {
    fn corpus(&self) -> Result<Corpus, StoreError> {
        let read = |row: &Row<'_>| Ok(Corpus { items: count(row, 0)?, words: count(row, 1)? });
        let sql = "SELECT items, words FROM corpus";
        let corpus = self.connection.prepare_cached(sql).and_then(|mut statement| statement.query_row([], read));
        self.sql(corpus.map_err(within("the size of the corpus")))
    }

    fn holders(&self, words: &[&str]) -> Result<Vec<usize>, StoreError> {
        let all = || -> rusqlite::Result<Vec<usize>> {
            let mut statement = self.connection.prepare_cached("SELECT doc FROM item_word WHERE term = ?1")?;
            let mut out = Vec::with_capacity(words.len());
            for word in words {
                let mut rows = statement.query([word])?;
                out.push(match rows.next()? {
                    Some(row) => count(row, 0)?,
                    None => 0,
                });
            }
            Ok(out)
        };
        self.at_once(all)
    }

    fn keyword_candidates(
        &self,
        words: &[(&str, usize)],
        filter: &ItemFilter,
        most: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let mut known: Vec<&(&str, usize)> = words.iter().filter(|(_, holders)| *holders > 0).collect();
        known.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(b.0)));
        let mut holders = 0;
        let affordable = known.iter().enumerate().take_while(|(at, (_, own))| {
            holders += own;
            *at < LEAST_WORDS || holders <= MAX_HOLDERS
        });
        let affordable = affordable.count();
        known.truncate(affordable.min(MAX_WORDS));
        if known.is_empty() {
            return Ok(Vec::new());
        }
        // Tokens hold no quotes, so a quoted one cannot end early and its characters mean nothing to FTS5.
        let expression = known.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
        let (passes, filter_values) = condition(filter);
        let all = || -> rusqlite::Result<Vec<i64>> {
            let narrowed = if filter.is_empty() {
                String::new()
            } else {
                format!(
                    "AND +rowid IN (SELECT item.id FROM item LEFT JOIN source ON source.id = item.source_id
                     WHERE {passes})"
                )
            };
            let sql = format!("SELECT rowid FROM item_fts WHERE item_fts MATCH ? {narrowed} ORDER BY rank LIMIT ?");
            let mut values = vec![Value::Text(expression)];
            if !filter.is_empty() {
                values.extend(filter_values);
            }
            values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
            let mut statement = self.connection.prepare(&sql)?;
            statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?.collect()
        };
        self.sql(all())
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
