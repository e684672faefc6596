//! Passages that were forgotten by id: what keeps them from coming back, who is kept out of what, and how that is undone.
//!
//! They are remembered apart from their file, as hashes of their words (`text/sketch`), so that they stay away when the file is
//! changed, moved, copied or gone for a while. The path that is shown goes when the file itself is forgotten.

use super::StoreError;
use super::database::{Batch, Database};
use crate::text::{Salt, Sketch, Sketches};
use rusqlite::types::ValueRef;
use std::collections::HashMap;
use std::path::Path;

/// A passage that was forgotten by id. Its text is not kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ForgottenPassage {
    /// The id it had.
    pub id: String,
    /// When, milliseconds since 1970; unknown for what an earlier version forgot.
    pub forgotten_at: Option<i64>,
    /// The file it stood in, unless that was forgotten too.
    pub path: Option<String>,
    /// How many lines it had there.
    pub lines: Option<usize>,
    /// Files that it is kept out of now, beside the one it was forgotten from.
    pub kept_out_of: usize,
    /// Whether it stays away when its words change a little. What an earlier version forgot does not.
    pub by_words: bool,
}

impl Database {
    /// What was forgotten by id, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn forgotten(&self) -> Result<Vec<ForgottenPassage>, StoreError> {
        let all = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare(
                "SELECT uid, at, path, lines, (SELECT count(*) FROM kept_out WHERE forgotten_id = forgotten.id),
                    length(words) FROM forgotten ORDER BY id",
            )?;
            let read = |row: &rusqlite::Row<'_>| {
                let count = |at: usize| row.get::<_, Option<i64>>(at).map(|n| n.map(|n| n.max(0) as usize));
                Ok(ForgottenPassage {
                    id: row.get(0)?,
                    forgotten_at: row.get(1)?,
                    path: row.get(2)?,
                    lines: count(3)?,
                    kept_out_of: count(4)?.unwrap_or(0),
                    by_words: count(5)?.unwrap_or(0) > 0,
                })
            };
            statement.query_map([], read)?.collect()
        };
        self.sql(all())
    }

    /// Whether this id was forgotten.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn is_forgotten(&self, uid: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM forgotten WHERE uid = ?1";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.exists([uid])))
    }

    /// Whether an item is there with its text.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn has_text(&self, item: i64) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM item WHERE id = ?1 AND state <> 'retired'";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.exists([item])))
    }

    /// What texts are compared with before they are taken in, and the ids by row.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn sketches(&self) -> Result<(Sketches, HashMap<i64, String>), StoreError> {
        self.sql(read_sketches(&self.connection))
    }
}

impl Batch<'_> {
    /// As [`Database::sketches`].
    pub(super) fn sketches(&self) -> Result<(Sketches, HashMap<i64, String>), StoreError> {
        self.sql(read_sketches(&self.transaction))
    }

    /// Keeps what tells the text of an item again, before it goes.
    pub(super) fn remember_forgotten(&self, item: i64, at_ms: i64) -> Result<(), StoreError> {
        /// Id, text, path, lines and state.
        type Row = (String, String, Option<String>, Option<i64>, String);
        let read = || -> rusqlite::Result<Row> {
            self.transaction.query_row(
                "SELECT item.uid, item.body, source.path, item.line_end - item.line_start + 1, item.state
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

    /// No longer says that something stood in a file under this path; gives of how many passages it did.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn forget_places_under(&self, path: &Path) -> Result<usize, StoreError> {
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

    /// Says what a file was kept free of, by row.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn keep_out(&self, source: i64, forgotten: &[i64]) -> Result<(), StoreError> {
        self.execute("DELETE FROM kept_out WHERE source_id = ?1", [source])?;
        for id in forgotten {
            self.execute("INSERT OR IGNORE INTO kept_out VALUES (?1, ?2)", [*id, source])?;
        }
        Ok(())
    }

    /// What was forgotten by this id may come back: the files that hold it are read again at the next indexing. Gives whether
    /// the id was forgotten, and how many files that are.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn undo_forget(&self, uid: &str) -> Result<Option<usize>, StoreError> {
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

fn read_sketches(connection: &rusqlite::Connection) -> rusqlite::Result<(Sketches, HashMap<i64, String>)> {
    let mut statement = connection
        .prepare("SELECT id, uid, salt, word_count, words, pair_count, pairs FROM forgotten WHERE length(words) > 0")?;
    let mut uids = HashMap::new();
    let mut all = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        uids.insert(id, row.get(1)?);
        let count = |at: usize| row.get::<_, i64>(at).map(|n| n.max(0) as usize);
        let hashes = |at: usize| Ok::<_, rusqlite::Error>(numbers(row.get_ref(at)?.as_blob().unwrap_or_default()));
        let sketch = Sketch { word_count: count(3)?, words: hashes(4)?, pair_count: count(5)?, pairs: hashes(6)? };
        all.push((id, row.get(2)?, sketch));
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
