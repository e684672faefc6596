//! Passages that were forgotten by id. A record of each keeps it from coming back, and can be removed again.
//!
//! The record holds hashes of the passage's words (`text/sketch`) and does not depend on the file. So the passage stays
//! away when the file is changed, moved, copied or absent for a while. Forgetting the file removes its path from the
//! record.

use super::external::underive;
use super::item::drop_context_after;
use super::links::forget_links;
use super::source::{NO_HASH, READ_AGAIN};
use super::traces::leave_traces;
use super::value::{SqlError, count, optional_count, within};
use super::{ReadSql, RunSql, SqlRow, StoreError, WriteSql, values};
use crate::screen::shown_text;
use crate::store::{ForgottenPassage, ReadForgotten, WriteForgotten, WriteSources, WriteVectors};
use crate::text::{Salt, Sketch, Sketches};
use std::collections::HashMap;
use std::path::Path;

impl<D: ReadSql> ReadForgotten for D {
    fn forgotten(&self) -> Result<Vec<ForgottenPassage>, StoreError> {
        self.rows(PASSAGES, &[], |row| read_passage(row))
    }

    fn is_forgotten(&self, uid: &str) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM forgotten WHERE uid = ?1", &values![uid])
    }

    fn sketches(&self) -> Result<(Sketches, HashMap<i64, String>), StoreError> {
        read_sketches(self)
    }
}

impl<C: WriteSql> WriteForgotten for C {
    fn forget_item(&self, id: i64, at_ms: i64) -> Result<(), StoreError> {
        leave_traces(self)?;
        remember_forgotten(self, id, at_ms)?;
        forget_links(self, "item.id = ?1", id)?;
        let mut texts = self.texts_of_items(&[id])?;
        texts.extend(drop_context_after(self, id)?);
        self.execute("DELETE FROM embedding WHERE item_id = ?1", &values![id])?;
        underive(self, id)?;
        self.execute("DELETE FROM item WHERE id = ?1 AND source_id IS NULL", &values![id])?;
        self.execute(
            "UPDATE item SET state = 'retired', title = '', body = '', attributes = '{}', words = 0 WHERE id = ?1",
            &values![id],
        )?;
        self.drop_vectors_of(&texts)?;
        Ok(())
    }

    fn forget_source(&self, id: i64) -> Result<usize, StoreError> {
        leave_traces(self)?;
        // Nothing says any longer that something stood in this file.
        let sql = "UPDATE forgotten SET path = NULL WHERE path = (SELECT path FROM source WHERE id = ?1)";
        self.execute(sql, &values![id])?;
        forget_links(self, "item.source_id = ?1", id)?;
        let sql = "SELECT count(*) FROM item WHERE source_id = ?1 AND state = 'active'";
        let items = self.counted(sql, &values![id])?;
        let rows: Vec<i64> = self.rows("SELECT id FROM item WHERE source_id = ?1", &values![id], |row| row.get(0))?;
        let texts = self.texts_of_items(&rows)?;
        self.remove_source(id)?;
        self.drop_vectors_of(&texts)?;
        Ok(items)
    }

    fn forget_places_under(&self, path: &Path) -> Result<usize, StoreError> {
        let sql = "SELECT id, path FROM forgotten WHERE path IS NOT NULL";
        let places: Vec<(i64, String)> = self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut count = 0;
        for (id, _) in places.iter().filter(|(_, found)| Path::new(found).starts_with(path)) {
            count += self.execute("UPDATE forgotten SET path = NULL WHERE id = ?1", &values![*id])?;
        }
        Ok(count)
    }

    fn keep_out(&self, source: i64, forgotten: &[i64]) -> Result<(), StoreError> {
        self.execute("DELETE FROM kept_out WHERE source_id = ?1", &values![source])?;
        let rows = forgotten.iter().map(|id| values![*id, source]);
        self.insert_all("kept_out (forgotten_id, source_id)", rows, "ON CONFLICT DO NOTHING")
    }

    fn undo_forget(&self, uid: &str) -> Result<Option<usize>, StoreError> {
        let again = format!(
            "{READ_AGAIN} AND (
                id IN (SELECT source_id FROM kept_out JOIN forgotten ON forgotten.id = forgotten_id WHERE uid = ?2)
                OR id IN (SELECT source_id FROM item WHERE uid = ?2 AND state = 'retired'))"
        );
        let files = self.execute(&again, &values![NO_HASH, uid])?;
        let retired = self.execute("DELETE FROM item WHERE uid = ?1 AND state = 'retired'", &values![uid])?;
        let known = self.execute("DELETE FROM forgotten WHERE uid = ?1", &values![uid])?;
        Ok((retired + known > 0).then_some(files))
    }
}

/// Keeps what tells the text of an item again, before it goes.
pub fn remember_forgotten(changes: &impl WriteSql, item: i64, at_ms: i64) -> Result<(), StoreError> {
    /// Id, text, path, lines and state.
    type Found = (String, String, Option<String>, Option<i64>, String);
    let found: Option<Found> = changes.first(
        "SELECT item.uid, item.body, source.path,
            CASE WHEN item.line_end >= item.line_start THEN item.line_end - item.line_start + 1 END, item.state
         FROM item LEFT JOIN source ON source.id = item.source_id WHERE item.id = ?1",
        &values![item],
        // A damaged text must be forgotten too.
        |row| Ok((row.get(0)?, row.lossy_text(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
    )?;
    let Some((uid, body, path, lines, state)) = found else { return Ok(()) };
    if state == "retired" {
        return Ok(());
    }
    let salt = salt(changes)?;
    let sketch = Sketch::of(&body, &salt);
    let (words, pairs) = (sketch.word_count as i64, sketch.pair_count as i64);
    changes.execute("DELETE FROM forgotten WHERE uid = ?1", &values![&uid])?;
    changes.execute(
        "INSERT INTO forgotten (uid, at, path, lines, salt, word_count, words, pair_count, pairs)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        &values![uid, at_ms, path, lines, salt, words, bytes(&sketch.words), pairs, bytes(&sketch.pairs)],
    )?;
    Ok(())
}

/// The salt of this store's hashes, drawn at random when the first is made.
fn salt<C: WriteSql>(changes: &C) -> Result<Salt, StoreError> {
    let sql = "SELECT salt FROM forgotten WHERE length(words) > 0 ORDER BY id LIMIT 1";
    match changes.first(sql, &[], |row| row.get(0))? {
        Some(salt) => Ok(salt),
        None => changes.one(changes.dialect().random_salt(), &[], |row| row.get(0)),
    }
}

/// What [`read_passage`] reads.
pub const PASSAGES: &str =
    "SELECT uid, at, path, lines, (SELECT count(*) FROM kept_out WHERE forgotten_id = forgotten.id), length(words)
     FROM forgotten ORDER BY id";

pub fn read_passage<R: SqlRow>(row: &R) -> Result<ForgottenPassage, R::Error> {
    let id = row.text(0)?;
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

pub fn read_sketches(store: &impl RunSql) -> Result<(Sketches, HashMap<i64, String>), StoreError> {
    let sql = "SELECT id, uid, salt, word_count, words, pair_count, pairs FROM forgotten WHERE length(words) > 0";
    let mut uids = HashMap::new();
    let mut all = Vec::new();
    store.rows(sql, &[], |row| {
        let (id, uid): (i64, String) = (row.get(0)?, row.get(1)?);
        let (salt, sketch) = read_sketch(row).map_err(|error| error.within(&place(&uid)))?;
        uids.insert(id, uid);
        all.push((id, salt, sketch));
        Ok(())
    })?;
    Ok((Sketches::new(all), uids))
}

fn read_sketch<R: SqlRow>(row: &R) -> Result<(Salt, Sketch), R::Error> {
    let (words, pairs) = (numbers(row.bytes(4)?), numbers(row.bytes(6)?));
    Ok((row.get(2)?, Sketch { word_count: count(row, 3)?, words, pair_count: count(row, 5)?, pairs }))
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
