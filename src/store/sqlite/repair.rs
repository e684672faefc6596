//! Mending: what can be derived is made again; from damaged pages everything that can still be read is carried into a
//! new database, and the damaged one is kept beside it.

use super::database::Database;
use super::{StoreError, copies, header};
use crate::map::open::{Links, open};
use crate::platform::sync_folder;
use crate::store::WriterLock;
use crate::store::folder::{DATABASE, beside, make_private};
use crate::store::sql::rebuild;
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
        rebuild(&batch)?;
        batch.sql(batch.transaction.execute_batch("REINDEX"))?;
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
