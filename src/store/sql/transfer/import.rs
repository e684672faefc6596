//! Records that an export wrote, taken in.

use super::Record;
use crate::store::sql::forgotten::read_sketches;
use crate::store::sql::memory::has_event;
use crate::store::sql::{WriteSql, values};
use crate::store::{Source, SourceKind, Stat, StoreError, WriteEvents, WriteItems, WriteMemory, WriteSources};
use crate::text::Sketches;
use crate::types::{Item, MemoryEvent, MemoryState, NewEvent};
use serde::Serialize;
use std::collections::HashMap;

/// What an import came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Files that were added.
    pub files: usize,
    /// Items that were added.
    pub items: usize,
    /// Events of memories that were added.
    #[serde(skip_serializing_if = "is_zero")]
    pub memory_events: usize,
    /// Records that were there already, or give way to what is there.
    pub known: usize,
    /// Ids that were forgotten here and whose text was kept out.
    pub stay_forgotten: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn record_check(record: &Record, at: usize) -> Result<(), StoreError> {
    record.check().map_err(|what| StoreError::Import { line: at + 1, what: what.to_owned() })
}

/// Takes records in. What is there stays: a file that was indexed here since, an item that was forgotten here. `here`
/// says whether a file of this path and hash lies on this machine; one that does not is not looked for later. Of one
/// that does only the file itself is read again: a record is somebody's word, and must not name a folder to be walked.
///
/// # Errors
/// [`StoreError`] when the store refuses.
pub fn import<C: WriteSql>(
    changes: &C,
    records: impl IntoIterator<Item = Record>,
    here: &dyn Fn(&str, &[u8; 32]) -> bool,
) -> Result<Imported, StoreError> {
    let (sketches, forgotten) = read_sketches(changes)?;
    let mut import = Import { changes, here, sketches, forgotten, brought: HashMap::new(), out: Imported::default() };
    for (at, record) in records.into_iter().enumerate() {
        let added = match record {
            Record::Kenning { .. } | Record::End { .. } => continue,
            Record::Source { .. } => {
                record_check(&record, at)?;
                import.source(record)?
            }
            Record::Item { item } => match import.item(&item)? {
                Some(added) => added,
                None => continue,
            },
            Record::Memory { event } => {
                record_check(&Record::Memory { event: event.clone() }, at)?;
                let added = import.memory(event)?;
                import.out.memory_events += usize::from(added);
                added
            }
            Record::Usage { .. } | Record::Link { .. } | Record::Event { .. } => import.history(record)?,
        };
        import.out.known += usize::from(!added);
    }
    let mut out = import.out;
    out.stay_forgotten.sort_unstable();
    out.stay_forgotten.dedup();
    Ok(out)
}

/// An import at work.
struct Import<'i, C> {
    changes: &'i C,
    /// Whether a file of this path and hash lies on this machine.
    here: &'i dyn Fn(&str, &[u8; 32]) -> bool,
    sketches: Sketches,
    /// The ids of what was forgotten here, by row.
    forgotten: HashMap<i64, String>,
    /// Row ids of files that this import brought, by path.
    brought: HashMap<String, i64>,
    out: Imported,
}

impl<C: WriteSql> Import<'_, C> {
    /// Takes in a file unless its path is known; gives whether it did.
    fn source(&mut self, record: Record) -> Result<bool, StoreError> {
        let Record::Source { path, root: _, kind, scope, sha256, size, mtime_ns, indexed_at } = record else {
            return Ok(false);
        };
        let is_known = self.changes.exists("SELECT 1 FROM source WHERE path = ?1", &values![&path])?;
        let (false, Some(kind)) = (is_known, SourceKind::of(&kind)) else {
            return Ok(false);
        };
        let sha256 = unhex(&sha256);
        let root = if (self.here)(&path, &sha256) { path.clone() } else { String::new() };
        let stat = Stat { size, mtime_ns };
        let source = Source { root, kind, scope, sha256, stat, indexed_at, path: path.clone() };
        self.brought.insert(path, self.changes.put_source(&source)?);
        self.out.files += 1;
        Ok(true)
    }

    /// Takes in an item unless its id is known or its file was here before; gives whether it did, `None` if it is kept
    /// out because it was forgotten.
    fn item(&mut self, item: &Item) -> Result<Option<bool>, StoreError> {
        let kept_out = self.kept_out(item)?;
        if !kept_out.is_empty() {
            self.out.stay_forgotten.extend(kept_out);
            return Ok(None);
        }
        let is_known = self.changes.exists("SELECT 1 FROM item WHERE uid = ?1", &values![&item.uid])?;
        let source = match &item.path {
            Some(path) => match self.brought.get(path) {
                Some(source) => Some(*source),
                None => return Ok(Some(false)),
            },
            None => None,
        };
        if !is_known {
            self.changes.put_item(item, source)?;
            self.out.items += 1;
        }
        Ok(Some(!is_known))
    }

    /// Takes in counters, a relation or an event; gives whether it was new.
    fn history(&self, record: Record) -> Result<bool, StoreError> {
        let changes = self.changes;
        let rows = match record {
            Record::Usage { uid, days, last_day, served, last_served, confirmed } => {
                let greatest = changes.dialect().greatest();
                let columns = ["days", "last_day", "served", "last_served", "confirmed"];
                let larger = columns.map(|column| format!("{column} = {greatest}(usage.{column}, excluded.{column})"));
                let sql = format!(
                    "INSERT INTO usage (uid, days, last_day, served, last_served, confirmed)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (uid) DO UPDATE SET {}",
                    larger.join(", ")
                );
                changes.execute(&sql, &values![uid, days, last_day, served, last_served, confirmed])?
            }
            Record::Link { from, to, relation, weight } => changes.execute(
                "INSERT INTO link (from_uid, to_uid, relation, weight) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                &values![from, to, relation, weight],
            )?,
            Record::Event { at, name, data } => {
                let sql = "SELECT 1 FROM event WHERE at = ?1 AND name = ?2 AND data = ?3";
                if changes.exists(sql, &values![at, &name, data.to_string()])? {
                    return Ok(false);
                }
                changes.log(at, &name, &data)?;
                1
            }
            Record::Kenning { .. }
            | Record::Source { .. }
            | Record::Item { .. }
            | Record::Memory { .. }
            | Record::End { .. } => 0,
        };
        Ok(rows > 0)
    }

    /// Appends an event to the log unless it is there, or its memory was forgotten here; gives whether it did. What the
    /// log comes to then is for whoever replays it.
    fn memory(&self, event: MemoryEvent) -> Result<bool, StoreError> {
        let changes = self.changes;
        let forgotten = changes.memory_now(&event.memory)?.is_some_and(|known| known.state == MemoryState::Forgotten);
        if forgotten || has_event(changes, &event)? {
            return Ok(false);
        }
        let MemoryEvent { at, memory, session, author, change, words, .. } = event;
        let has_words = words.is_some();
        let words = words.unwrap_or_default();
        let appended = changes.append_event(NewEvent { at, memory, session, author, change, words })?;
        if !has_words {
            changes.execute("DELETE FROM memory_words WHERE event = ?1", &values![appended.number])?;
        }
        Ok(true)
    }

    /// Which of what was forgotten here an item is, or holds most of.
    fn kept_out(&self, item: &Item) -> Result<Vec<String>, StoreError> {
        if self.changes.exists("SELECT 1 FROM forgotten WHERE uid = ?1", &values![&item.uid])? {
            return Ok(vec![item.uid.clone()]);
        }
        let found = self.sketches.find(&item.body);
        Ok(found.iter().filter_map(|found| self.forgotten.get(&found.which).cloned()).collect())
    }
}

/// A hash from its hex digits; zero where they are none, so that the file is read again.
fn unhex(text: &str) -> [u8; 32] {
    let mut out = [0; 32];
    for (at, byte) in out.iter_mut().enumerate() {
        match text.get(at * 2..at * 2 + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => *byte = value,
            None => return [0; 32],
        }
    }
    out
}
