//! Passages that were forgotten by id: what keeps them from coming back, who is kept out of what, and how that is
//! undone.
//!
//! They are remembered apart from their file, as hashes of their words (`text/sketch`), so that they stay away when the
//! file is changed, moved, copied or gone for a while. The path that is shown goes when the file itself is forgotten.

use super::StoreError;
use super::database::{Batch, Database};
use super::external::underive;
use super::value::{count, odd, optional_count, within};
use crate::screen::shown_text;
use crate::store::{ForgottenPassage, ReadForgotten, WriteForgotten, WriteSources};
use crate::text::{Salt, Sketch, Sketches};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::collections::HashMap;
use std::path::Path;

impl ReadForgotten for Database {
    fn forgotten(&self) -> Result<Vec<ForgottenPassage>, StoreError> {
        let all = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare(PASSAGES)?;
            statement.query_map([], read_passage)?.collect()
        };
        self.sql(all())
    }

    fn is_forgotten(&self, uid: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM forgotten WHERE uid = ?1";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.exists([uid])))
    }

    fn sketches(&self) -> Result<(Sketches, HashMap<i64, String>), StoreError> {
        self.sql(read_sketches(&self.connection))
    }
}

impl WriteForgotten for Batch<'_> {
    fn forget_item(&self, id: i64, at_ms: i64) -> Result<(), StoreError> {
        self.leave_traces()?;
        self.remember_forgotten(id, at_ms)?;
        self.forget_links("item.id = ?1", id)?;
        self.drop_context_after(id)?;
        self.execute("DELETE FROM embedding WHERE item_id = ?1", [id])?;
        self.sql(underive(&self.transaction, id))?;
        self.execute("DELETE FROM item WHERE id = ?1 AND source_id IS NULL", [id])?;
        self.execute(
            "UPDATE item SET state = 'retired', title = '', body = '', attributes = '{}', words = 0 WHERE id = ?1",
            [id],
        )?;
        Ok(())
    }

    fn forget_source(&self, id: i64) -> Result<usize, StoreError> {
        self.leave_traces()?;
        self.forget_place(id)?;
        self.forget_links("item.source_id = ?1", id)?;
        let sql = "SELECT count(*) FROM item WHERE source_id = ?1 AND state = 'active'";
        let items = self.sql(self.transaction.query_row(sql, [id], |row| count(row, 0)))?;
        self.remove_source(id)?;
        Ok(items)
    }

    fn forget_places_under(&self, path: &Path) -> Result<usize, StoreError> {
        let read = || -> rusqlite::Result<Vec<(i64, String)>> {
            let mut statement = self.transaction.prepare("SELECT id, path FROM forgotten WHERE path IS NOT NULL")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let mut count = 0;
        for (id, _) in self.sql(read())?.iter().filter(|(_, found)| Path::new(found).starts_with(path)) {
            count += self.execute("UPDATE forgotten SET path = NULL WHERE id = ?1", [id])?;
        }
        Ok(count)
    }

    fn keep_out(&self, source: i64, forgotten: &[i64]) -> Result<(), StoreError> {
        self.execute("DELETE FROM kept_out WHERE source_id = ?1", [source])?;
        for id in forgotten {
            self.execute("INSERT OR IGNORE INTO kept_out VALUES (?1, ?2)", [*id, source])?;
        }
        Ok(())
    }

    fn undo_forget(&self, uid: &str) -> Result<Option<usize>, StoreError> {
        let files = self.execute(
            "UPDATE source SET size = -1, sha256 = zeroblob(32) WHERE root <> '' AND (
                id IN (SELECT source_id FROM kept_out JOIN forgotten ON forgotten.id = forgotten_id WHERE uid = ?1)
                OR id IN (SELECT source_id FROM item WHERE uid = ?1 AND state = 'retired'))",
            [uid],
        )?;
        let retired = self.execute("DELETE FROM item WHERE uid = ?1 AND state = 'retired'", [uid])?;
        let known = self.execute("DELETE FROM forgotten WHERE uid = ?1", [uid])?;
        Ok((retired + known > 0).then_some(files))
    }
}

impl Batch<'_> {
    /// As [`ReadForgotten::sketches`].
    pub(super) fn sketches(&self) -> Result<(Sketches, HashMap<i64, String>), StoreError> {
        self.sql(read_sketches(&self.transaction))
    }

    /// Keeps what tells the text of an item again, before it goes.
    pub(super) fn remember_forgotten(&self, item: i64, at_ms: i64) -> Result<(), StoreError> {
        /// Id, text, path, lines and state.
        type Row = (String, String, Option<String>, Option<i64>, String);
        let read = || -> rusqlite::Result<Row> {
            self.transaction.query_row(
                "SELECT item.uid, item.body, source.path,
                    CASE WHEN item.line_end >= item.line_start THEN item.line_end - item.line_start + 1 END, item.state
                 FROM item LEFT JOIN source ON source.id = item.source_id WHERE item.id = ?1",
                [item],
                |row| {
                    // A damaged text must be forgotten too.
                    let body = match row.get_ref(1)? {
                        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                        _ => String::new(),
                    };
                    Ok((row.get(0)?, body, row.get(2)?, row.get(3)?, row.get(4)?))
                },
            )
        };
        let (uid, body, path, lines, state) = self.sql(read())?;
        if state == "retired" {
            return Ok(());
        }
        let salt = self.salt()?;
        let sketch = Sketch::of(&body, &salt);
        self.execute(
            "INSERT OR REPLACE INTO forgotten (uid, at, path, lines, salt, word_count, words, pair_count, pairs)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            rusqlite::params![
                uid,
                at_ms,
                path,
                lines,
                salt,
                sketch.word_count as i64,
                bytes(&sketch.words),
                sketch.pair_count as i64,
                bytes(&sketch.pairs),
            ],
        )?;
        Ok(())
    }

    /// The salt of this database's hashes, drawn at random when the first is made.
    fn salt(&self) -> Result<Salt, StoreError> {
        let sql =
            "SELECT coalesce((SELECT salt FROM forgotten WHERE length(words) > 0 ORDER BY id LIMIT 1), randomblob(16))";
        self.sql(self.transaction.query_row(sql, [], |row| row.get(0)))
    }

    /// No longer says that something stood in this file.
    pub(super) fn forget_place(&self, source: i64) -> Result<(), StoreError> {
        self.execute(
            "UPDATE forgotten SET path = NULL WHERE path = (SELECT path FROM source WHERE id = ?1)",
            [source],
        )?;
        Ok(())
    }

    pub(super) fn forget_links(&self, which: &str, id: i64) -> Result<(), StoreError> {
        let uids = format!("(SELECT uid FROM item WHERE {which})");
        self.execute(&format!("DELETE FROM usage WHERE uid IN {uids}"), [id])?;
        self.execute(&format!("DELETE FROM link WHERE from_uid IN {uids} OR to_uid IN {uids}"), [id])?;
        Ok(())
    }
}

/// What [`read_passage`] reads.
pub(super) const PASSAGES: &str =
    "SELECT uid, at, path, lines, (SELECT count(*) FROM kept_out WHERE forgotten_id = forgotten.id), length(words)
     FROM forgotten ORDER BY id";

pub(super) fn read_passage(row: &Row<'_>) -> rusqlite::Result<ForgottenPassage> {
    let id: String = row.get(0)?;
    let read = || {
        Ok(ForgottenPassage {
            id: id.clone(),
            forgotten_at: row.get(1)?,
            path: row.get(2)?,
            lines: optional_count(row, 3)?,
            kept_out_of: count(row, 4)?,
            by_words: count(row, 5)? > 0,
        })
    };
    read().map_err(within(&place(&id)))
}

/// How a message names a forgotten passage.
fn place(uid: &str) -> String {
    format!("forgotten passage {}", shown_text(uid))
}

pub(super) fn read_sketches(connection: &Connection) -> rusqlite::Result<(Sketches, HashMap<i64, String>)> {
    let mut statement = connection
        .prepare("SELECT id, uid, salt, word_count, words, pair_count, pairs FROM forgotten WHERE length(words) > 0")?;
    let mut uids = HashMap::new();
    let mut all = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, uid): (i64, String) = (row.get(0)?, row.get(1)?);
        let hashes = |at: usize| match row.get_ref(at)?.as_blob() {
            Ok(bytes) => Ok(numbers(bytes)),
            Err(_) => Err(odd(row, at, "is no blob")),
        };
        let read = || {
            let (words, pairs) = (hashes(4)?, hashes(6)?);
            Ok((row.get(2)?, Sketch { word_count: count(row, 3)?, words, pair_count: count(row, 5)?, pairs }))
        };
        let (salt, sketch): (Salt, Sketch) = read().map_err(within(&place(&uid)))?;
        uids.insert(id, uid);
        all.push((id, salt, sketch));
    }
    Ok((Sketches::new(all), uids))
}

fn bytes(hashes: &[u32]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let mut out: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    // They are searched by halves.
    out.sort_unstable();
    out
}
