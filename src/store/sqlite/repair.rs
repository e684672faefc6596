//! Mending: what can be derived is made again; from damaged pages everything that can still be read is carried into a
//! new database, and the damaged one is kept beside it.

use super::check::{is_as_stored, is_unit_vector};
use super::database::{Batch, Database};
use super::value::cause;
use super::{StoreError, copies, header};
use crate::map::open::{Links, open};
use crate::platform::sync_folder;
use crate::store::WriterLock;
use crate::store::folder::{DATABASE, beside, make_private};
use crate::store::passages::passages;
use crate::store::sql::{count, derive, json};
use crate::text::{text_hash, tokens};
use crate::types::titled;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Row numbers beyond the last one that could be read, tried one by one.
const PROBED_ROWS: i64 = 20_000;

/// Tables in the order in which they can be filled, and whether they have row numbers.
const TABLES: &[(&str, bool)] = &[
    ("meta", false),
    ("repository", false),
    ("source", true),
    ("item", true),
    ("forgotten", true),
    ("kept_out", false),
    ("model", true),
    ("embedding", false),
    ("vector", true),
    ("usage", false),
    ("link", false),
    ("event", true),
    ("memory_event", true),
    ("memory_words", false),
    ("memory", false),
    ("outcome_session", false),
    ("tool_outcome", false),
    ("error_log", true),
    ("error_session", false),
    ("outcome_batch", true),
    ("outcome_pattern", false),
    ("tool", false),
    ("tool_task", true),
    ("tool_suggestion", false),
    ("tool_threshold", false),
    ("capability", false),
    ("capability_use", false),
    ("tool_cursor", false),
    ("algorithm_trace", true),
];

/// Takes away values that nobody wrote, and keeps the rows: a file whose items do not say where they stand is read
/// again.
const MEND_VALUES: &str = "
    UPDATE source SET size = -1, sha256 = zeroblob(32) WHERE root <> '' AND id IN (
        SELECT source_id FROM item WHERE NOT ifnull(
            byte_start >= 0 AND byte_end >= byte_start AND line_start >= 0 AND line_end >= line_start,
            coalesce(byte_start, byte_end, line_start, line_end) IS NULL));
    UPDATE item SET byte_start = NULL, byte_end = NULL, line_start = NULL, line_end = NULL WHERE NOT ifnull(
        byte_start >= 0 AND byte_end >= byte_start AND line_start >= 0 AND line_end >= line_start,
        coalesce(byte_start, byte_end, line_start, line_end) IS NULL);
    UPDATE source SET size = -1 WHERE size < -1;
    UPDATE usage SET days = min(max(days, 0), 4294967295), served = min(max(served, 0), 4294967295),
        confirmed = min(max(confirmed, 0), 4294967295);
    DELETE FROM link WHERE abs(weight) = 9e999;
    UPDATE forgotten SET lines = NULL WHERE lines < 0;
    UPDATE forgotten SET word_count = length(words) / 4 WHERE word_count < 0;
    UPDATE forgotten SET pair_count = length(pairs) / 4 WHERE pair_count < 0;
    DELETE FROM error_log WHERE id NOT IN (SELECT error FROM error_session);
    UPDATE error_log SET count = (SELECT sum(count) FROM error_session WHERE error = error_log.id);
    INSERT OR IGNORE INTO outcome_session
        SELECT session, min(scope), max(sequence), count(*), 0, min(at), max(at) FROM tool_outcome GROUP BY session;
    UPDATE outcome_session SET
        rows = max(rows, coalesce((SELECT max(sequence) FROM tool_outcome WHERE session = outcome_session.session), 0)),
        kept = (SELECT count(*) FROM tool_outcome WHERE session = outcome_session.session);
    UPDATE tool_outcome SET duration_ms = NULL WHERE duration_ms < 0;
    DELETE FROM tool_suggestion WHERE task NOT IN (SELECT number FROM tool_task);
    DELETE FROM capability_use WHERE NOT EXISTS (
        SELECT 1 FROM capability WHERE scope = capability_use.scope AND id = capability_use.id);
    DELETE FROM capability WHERE NOT EXISTS (
        SELECT 1 FROM capability_use WHERE scope = capability.scope AND id = capability.id);
    UPDATE capability SET (uses, ok) = (SELECT count(*), sum(is_ok) FROM capability_use
        WHERE scope = capability.scope AND id = capability.id);
    DELETE FROM vector_change WHERE number < 1 OR length(mark) <> 8;";

/// What was carried over from a damaged database.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Salvaged {
    /// Rows by table.
    pub rows: BTreeMap<&'static str, usize>,
    /// Where the damaged database lies now.
    #[serde(serialize_with = "crate::screen::path_text")]
    pub kept: PathBuf,
}

impl Database {
    /// Makes again what can be derived from items: texts to embed, counts; drops damaged vectors and texts, whose files
    /// are read again at the next indexing.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses; it is as it was then.
    pub fn rebuild(&mut self, lock: &WriterLock) -> Result<(), StoreError> {
        let batch = self.begin(lock)?;
        let work = || -> rusqlite::Result<()> {
            let connection: &Connection = &batch.transaction;
            // Whatever points nowhere goes first.
            connection.execute_batch(
                "DELETE FROM item WHERE source_id NOT IN (SELECT id FROM source);
                 DELETE FROM vector WHERE model_id NOT IN (SELECT id FROM model);
                 DELETE FROM kept_out WHERE source_id NOT IN (SELECT id FROM source)
                    OR forgotten_id NOT IN (SELECT id FROM forgotten);
                 DELETE FROM meta WHERE key = 'active_model' AND value NOT IN (SELECT fingerprint FROM model);
                 DELETE FROM memory_words WHERE event NOT IN (SELECT number FROM memory_event);
                 UPDATE memory SET item_id = NULL WHERE item_id NOT IN (SELECT id FROM item);
                 DELETE FROM error_session WHERE error NOT IN (SELECT id FROM error_log);
                 DELETE FROM tool_suggestion WHERE task NOT IN (SELECT number FROM tool_task);
                 DELETE FROM embedding;
                 DELETE FROM external_item;
                 DELETE FROM attribute;
                 UPDATE item SET title = '', body = '', words = 0 WHERE state = 'retired';",
            )?;
            connection.execute_batch(MEND_VALUES)?;
            rebuild_items(&batch)?;
            drop_damaged_vectors(connection)?;
            connection.execute_batch(
                "UPDATE corpus SET items = (SELECT count(*) FROM item WHERE state = 'active'),
                    words = (SELECT coalesce(sum(words), 0) FROM item WHERE state = 'active');
                 REINDEX;",
            )
        };
        batch.sql(work())?;
        batch.commit()
    }

    /// Carries what can be read of a damaged database into a new one, which takes its place.
    ///
    /// # Errors
    /// [`StoreError`] when the new one cannot be written; the damaged one is where it was then.
    pub fn salvage(lock: &WriterLock) -> Result<Salvaged, StoreError> {
        let folder = lock.folder();
        let path = folder.join(DATABASE);
        let kept = free_name(&path);
        let room = copies::free_name(&path, copies::SALVAGE);
        let made = [room.clone(), kept.clone(), beside(&kept, "-wal"), beside(&kept, "-shm")];
        copies::announce(&path, &made)?;
        let aside = Room::new(&room)?;
        let own = WriterLock::take(&room, "ken doctor", std::time::Duration::ZERO)?;
        let mut fresh = Self::open_to_write(&own)?;
        let mut rows = BTreeMap::new();
        fresh.fold_log()?;
        if let Some(old) = open_damaged(&path, &room)? {
            let batch = fresh.begin(&own)?;
            batch.sql(batch.transaction.pragma_update(None, "defer_foreign_keys", true))?;
            for (table, numbered) in TABLES {
                let carried = carry(&old, &batch.transaction, table, *numbered);
                rows.insert(*table, batch.sql(carried)?);
            }
            // Files are read again: which of their pieces are missing is not known here.
            batch.sql(batch.transaction.execute_batch(
                "DELETE FROM item WHERE source_id IS NOT NULL AND source_id NOT IN (SELECT id FROM source);
                 DELETE FROM embedding WHERE item_id NOT IN (SELECT id FROM item);
                 DELETE FROM vector WHERE model_id NOT IN (SELECT id FROM model);
                 DELETE FROM kept_out WHERE source_id NOT IN (SELECT id FROM source)
                    OR forgotten_id NOT IN (SELECT id FROM forgotten);
                 DELETE FROM memory_words WHERE event NOT IN (SELECT number FROM memory_event);
                 UPDATE memory SET item_id = NULL WHERE item_id NOT IN (SELECT id FROM item);
                 DELETE FROM error_session WHERE error NOT IN (SELECT id FROM error_log);
                 UPDATE source SET size = -1, sha256 = zeroblob(32);",
            ))?;
            batch.commit()?;
            // Its log gets another name before it does: whoever opens it between must find everything in the file.
            // Where that fails the log is as damaged as the rest.
            drop(old.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
        }
        fresh.rebuild(&own)?;
        fresh.fold_log()?;
        drop(fresh);
        let made = room.join(DATABASE);
        open(&made, Links::Follow).and_then(|file| file.sync_all()).map_err(StoreError::io(&made))?;
        for suffix in ["-wal", "-shm"] {
            let from = beside(&path, suffix);
            if from.exists() {
                fs::rename(&from, beside(&kept, suffix)).map_err(StoreError::io(&from))?;
            }
        }
        // A second name first: at no moment is there no database.
        fs::hard_link(&path, &kept).or_else(|_| fs::copy(&path, &kept).map(drop)).map_err(StoreError::io(&path))?;
        fs::rename(&made, &path).map_err(StoreError::io(&path))?;
        sync_folder(folder).map_err(StoreError::io(folder))?;
        drop((own, aside));
        copies::strike(&path, &[room])?;
        Ok(Salvaged { rows, kept })
    }
}

/// The folder that a repair works in; it goes when the repair ends.
struct Room<'a>(&'a Path);

impl<'a> Room<'a> {
    fn new(path: &'a Path) -> Result<Self, StoreError> {
        make_private(path)?;
        Ok(Self(path))
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is listed, and goes with the next clean-up.
        drop(copies::remove_salvage(self.0));
    }
}

/// The damaged database as far as SQLite reads it: where it lies, or a copy of it with another header; `None` if
/// neither says what tables there are.
fn open_damaged(path: &Path, room: &Path) -> Result<Option<Connection>, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = |path: &Path| {
        let connection = Connection::open_with_flags(path, flags).ok()?;
        let sql = "SELECT count(*) FROM sqlite_master WHERE name = 'item'";
        let known: i64 = connection.query_row(sql, [], |row| row.get(0)).ok()?;
        (known > 0).then_some(connection)
    };
    if let Some(connection) = opened(path) {
        return Ok(Some(connection));
    }
    let copy = room.join(copies::DAMAGED);
    for suffix in ["", "-wal"] {
        let from = beside(path, suffix);
        if from.exists() {
            fs::copy(&from, beside(&copy, suffix)).map_err(StoreError::io(&from))?;
        }
    }
    header::mend(&copy, &room.join(DATABASE)).map_err(StoreError::io(&copy))?;
    Ok(opened(&copy))
}

fn free_name(path: &Path) -> PathBuf {
    let name = |number: usize| beside(path, &format!(".damaged-{number}"));
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
}

/// The number of words and the text to embed of every active item, from its text. An item whose text is not what was
/// stored goes, and its file is read again.
fn rebuild_items(batch: &Batch<'_>) -> rusqlite::Result<()> {
    let connection: &Connection = &batch.transaction;
    let mut items = connection.prepare(
        "SELECT title, body, text_hash, id, source_id, attributes, scope FROM item WHERE state <> 'retired'",
    )?;
    let mut embedding = connection.prepare("INSERT INTO embedding VALUES (?1, ?2, ?3)")?;
    let mut count = connection.prepare("UPDATE item SET words = ?2 WHERE id = ?1 AND words <> ?2")?;
    let mut unreadable = connection.prepare("UPDATE item SET attributes = '{}' WHERE id = ?1")?;
    let mut again = connection.prepare("UPDATE source SET size = -1, sha256 = zeroblob(32) WHERE id = ?1")?;
    let mut damaged = Vec::new();
    let mut rows = items.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(3)?;
        if !is_as_stored(row)? {
            damaged.push((id, row.get::<_, Option<i64>>(4)?));
            continue;
        }
        let (title, body): (String, String) = (row.get(0)?, row.get(1)?);
        let attributes = match json(row, 5) {
            Ok(attributes) => attributes,
            Err(_) => {
                unreadable.execute([id])?;
                again.execute([row.get::<_, Option<i64>>(4)?])?;
                serde_json::json!({})
            }
        };
        let texts = passages(&title, &body, &attributes);
        let words = tokens(&titled(&title, &body)).len();
        for (part, text) in (0i64..).zip(&texts) {
            embedding.execute((id, part, text_hash(text)))?;
        }
        count.execute((id, words as i64))?;
        derive(batch, id, &row.get::<_, String>(6)?, &attributes).map_err(cause)?;
    }
    for (id, source) in damaged {
        connection.execute("DELETE FROM item WHERE id = ?1", [id])?;
        again.execute([source])?;
    }
    Ok(())
}

fn drop_damaged_vectors(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare("SELECT vector.id, vector.data, model.dims FROM vector JOIN model ON model.id = vector.model_id")?;
    let mut rows = statement.query([])?;
    let mut damaged: Vec<i64> = Vec::new();
    while let Some(row) = rows.next()? {
        let data = row.get_ref(1)?.as_blob().unwrap_or_default();
        if !is_unit_vector(data, count(row, 2)?) {
            damaged.push(row.get(0)?);
        }
    }
    for id in damaged {
        connection.execute("DELETE FROM vector WHERE id = ?1", [id])?;
    }
    Ok(())
}

/// Copies the rows of a table that can be read: from the front to the damage, from the back to the damage, and one by
/// one between. Gives how many.
fn carry(old: &Connection, new: &Connection, table: &str, numbered: bool) -> rusqlite::Result<usize> {
    let columns: Vec<String> = {
        let mut statement = new.prepare("SELECT name FROM pragma_table_info(?1)")?;
        statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let list = columns.join(", ");
    let places = vec!["?"; columns.len()].join(", ");
    let mut insert = new.prepare(&format!("INSERT OR IGNORE INTO {table} ({list}) VALUES ({places})"))?;
    let order: &[&str] = if numbered { &["rowid"] } else { &["1"] };
    let mut carried = 0;
    let mut last: Option<i64> = None;
    let mut complete = false;
    for (backwards, key) in [(false, order[0]), (true, order[0])] {
        if complete {
            break;
        }
        let direction = if backwards { "DESC" } else { "ASC" };
        let sql = format!("SELECT {list} FROM {table} NOT INDEXED ORDER BY {key} {direction}");
        let Ok(mut statement) = old.prepare(&sql) else { continue };
        let Ok(mut rows) = statement.query([]) else { continue };
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    if numbered && !backwards {
                        last = row.get(0).ok().or(last);
                    }
                    // A row that cannot be read or no longer fits its table is lost, and no other with it.
                    let values = (0..columns.len()).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>();
                    carried += values.map_or(0, |values| insert.execute(params_from_iter(values)).unwrap_or(0));
                }
                Ok(None) => {
                    complete = !backwards;
                    break;
                }
                Err(_) => break,
            }
        }
    }
    if numbered && !complete {
        let first = last.unwrap_or(0) + 1;
        let Ok(mut one) = old.prepare(&format!("SELECT {list} FROM {table} NOT INDEXED WHERE rowid = ?1")) else {
            return Ok(carried);
        };
        for id in first..first + PROBED_ROWS {
            let values =
                one.query_row([id], |row| (0..columns.len()).map(|at| row.get(at)).collect::<Result<Vec<Value>, _>>());
            if let Ok(values) = values {
                carried += insert.execute(params_from_iter(values)).unwrap_or(0);
            }
        }
    }
    Ok(carried)
}
