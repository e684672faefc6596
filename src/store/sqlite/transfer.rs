//! All knowledge as records, out and in. Vectors are not among them: they are made again from the texts.

use super::StoreError;
use super::database::{Batch, Database};
use crate::screen::{is_hidden, shown_text};
use crate::store::sql::{
    EVENTS as MEMORY_EVENTS, ITEM_COLUMNS, UNKNOWN_SIZE, has_event, json, odd, read_event as read_memory_event,
    read_item, read_sketches, within,
};
use crate::store::{ReadSources, Source, SourceKind, Stat, WriteItems, WriteMemory, WriteSources, external_uid};
use crate::text::{Sketches, hex};
use crate::types::limits::ITEM_ID_BYTES;
use crate::types::{
    EXTERNAL_PREFIX, External, Item, MEMORY_PREFIX, MemoryEvent, MemoryState, NewEvent, Scope, Span, State, check_name,
    fields,
};
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// One line of an export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// The first line.
    Kenning {
        /// Version of the records.
        format: u32,
        /// When it was written, milliseconds since 1970.
        exported_at: i64,
    },
    /// An indexed file.
    Source {
        /// Absolute path.
        path: String,
        /// The path that was given when it was indexed.
        root: String,
        /// `markdown` or `text`.
        kind: String,
        /// Where its items count.
        scope: Scope,
        /// SHA-256 of its bytes, hex.
        sha256: String,
        /// Size in bytes.
        size: i64,
        /// Time of the last change, nanoseconds since 1970.
        mtime_ns: i64,
        /// When it was indexed, milliseconds since 1970.
        indexed_at: i64,
    },
    /// An item; its file stands before it.
    Item {
        /// The item.
        item: Item,
    },
    /// Counters.
    Usage {
        /// Of what.
        uid: String,
        /// Distinct days.
        days: i64,
        /// The last of them, days since 1970.
        last_day: i64,
        /// Times served.
        served: i64,
        /// When last, milliseconds since 1970.
        last_served: i64,
        /// Times confirmed to be useful.
        confirmed: i64,
    },
    /// A relation.
    Link {
        /// From.
        from: String,
        /// To.
        to: String,
        /// What kind.
        relation: String,
        /// How strong.
        weight: f64,
    },
    /// Something that happened.
    Event {
        /// When, milliseconds since 1970.
        at: i64,
        /// What.
        name: String,
        /// Ids and counts.
        data: serde_json::Value,
    },
    /// Something that happened to a memory.
    Memory {
        /// What; its number counts within the export alone.
        event: MemoryEvent,
    },
    /// The last line: an export without it was cut off.
    End {
        /// Lines between the first and this one.
        records: usize,
    },
}

impl Record {
    /// Version of the records.
    pub const FORMAT: u32 = 1;

    /// Whether its values are such as an export writes.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), &'static str> {
        let count = |number: i64| u32::try_from(number).is_ok();
        match self {
            Self::Usage { days, served, confirmed, .. } if ![*days, *served, *confirmed].into_iter().all(count) => {
                Err("a counter is out of range")
            }
            Self::Item { item } if item.state == State::Retired => Err("what was forgotten is not exported"),
            Self::Item { item } if item.uid.is_empty() || item.uid.chars().any(is_hidden) => {
                Err("an id is empty or holds control characters")
            }
            Self::Item { item } if item.span.is_some_and(|span| !is_stretch(&span)) => {
                Err("a place in a file ends before it begins")
            }
            Self::Item { item } if item.uid.starts_with(MEMORY_PREFIX) => Err("a memory is told by its events"),
            Self::Memory { event } if !is_memory(&event.memory) => Err("the id of a memory is wrong"),
            Self::Item { item } if !is_own(item) => Err("the id or the attributes of a program's item are wrong"),
            Self::Item { item: Item { scope, .. } } | Self::Source { scope, .. } if scope.as_str().is_empty() => {
                Err("a scope is empty")
            }
            Self::Source { kind, .. } if SourceKind::of(kind).is_none() => Err("a file is of no known kind"),
            Self::Source { size, .. } if *size < UNKNOWN_SIZE => Err("a file's size is out of range"),
            Self::Link { weight, .. } if !weight.is_finite() => Err("a weight is no number"),
            _ => Ok(()),
        }
    }
}

/// Whether an item from a program has the uid that its id gives it, one of another source has none such, and its
/// attributes are such as a program can give.
fn is_own(item: &Item) -> bool {
    let of_program = match External::of(item) {
        Some(External { id, scope, .. }) => {
            let is_name = check_name("", &id).and_then(|()| check_name("", scope.as_str())).is_ok();
            is_name && item.uid == external_uid(&scope, &id) && item.path.is_none()
        }
        None => !item.uid.starts_with(EXTERNAL_PREFIX),
    };
    of_program && fields(&item.attributes).is_ok()
}

/// Whether this can be the id of a memory.
fn is_memory(id: &str) -> bool {
    id.len() > MEMORY_PREFIX.len()
        && id.len() <= ITEM_ID_BYTES
        && id.starts_with(MEMORY_PREFIX)
        && !id.chars().any(is_hidden)
}

/// Whether a span is such as a database holds.
fn is_stretch(span: &Span) -> bool {
    let ordered = span.byte_start <= span.byte_end && span.line_start <= span.line_end;
    ordered && i64::try_from(span.byte_end).is_ok() && i64::try_from(span.line_end).is_ok()
}

/// Reads a record from a row.
type ReadRecord = fn(&Row<'_>) -> rusqlite::Result<Record>;

/// Counters, and how a row of them is read.
pub(super) const COUNTERS: (&str, ReadRecord) =
    ("SELECT uid, days, last_day, served, last_served, confirmed FROM usage ORDER BY uid", read_counters);

/// Relations, and how one is read.
pub(super) const LINKS: (&str, ReadRecord) =
    ("SELECT from_uid, to_uid, relation, weight FROM link ORDER BY 1, 2, 3", read_link);

/// The same without those of memories, which come of their events.
const OTHER_LINKS: (&str, ReadRecord) = (
    "SELECT from_uid, to_uid, relation, weight FROM link WHERE from_uid NOT IN (SELECT id FROM memory)
        ORDER BY 1, 2, 3",
    read_link,
);

/// Events, and how one is read.
const EVENTS: (&str, ReadRecord) = ("SELECT at, name, data FROM event ORDER BY id", read_event);

fn read_counters(row: &Row<'_>) -> rusqlite::Result<Record> {
    let uid: String = row.get(0)?;
    let counter = |at: usize| row.get::<_, u32>(at).map(i64::from);
    let read = || {
        Ok(Record::Usage {
            uid: uid.clone(),
            days: counter(1)?,
            last_day: row.get(2)?,
            served: counter(3)?,
            last_served: row.get(4)?,
            confirmed: counter(5)?,
        })
    };
    read().map_err(within(&format!("usage of {}", shown_text(&uid))))
}

fn read_link(row: &Row<'_>) -> rusqlite::Result<Record> {
    let (from, to): (String, String) = (row.get(0)?, row.get(1)?);
    let weight: f64 = row.get(3)?;
    if !weight.is_finite() {
        let place = format!("relation from {} to {}", shown_text(&from), shown_text(&to));
        return Err(within(&place)(odd(row, 3, "is no number")));
    }
    Ok(Record::Link { from, to, relation: row.get(2)?, weight })
}

fn read_event(row: &Row<'_>) -> rusqlite::Result<Record> {
    let data = json(row, 2).map_err(within("an event"))?;
    Ok(Record::Event { at: row.get(0)?, name: row.get(1)?, data })
}

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

impl Database {
    /// Hands every record to `write`, the state of one moment.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses, or what `write` fails with.
    pub fn export<E: From<StoreError>>(
        &self,
        now_ms: i64,
        mut write: impl FnMut(&Record) -> Result<(), E>,
    ) -> Result<usize, E> {
        let moment = self.sql(self.connection.unchecked_transaction())?;
        let mut records = 0;
        let mut send = |record: Record| {
            records += 1;
            write(&record)
        };
        send(Record::Kenning { format: Record::FORMAT, exported_at: now_ms })?;
        for (_, source) in self.sources()? {
            send(Record::Source {
                path: source.path,
                root: source.root,
                kind: source.kind.name().to_owned(),
                scope: source.scope,
                sha256: hex(&source.sha256),
                size: source.stat.size,
                mtime_ns: source.stat.mtime_ns,
                indexed_at: source.indexed_at,
            })?;
        }
        let items = format!(
            "SELECT {ITEM_COLUMNS} FROM item LEFT JOIN source ON source.id = item.source_id
             WHERE item.state <> 'retired' AND item.id NOT IN (SELECT item_id FROM memory WHERE item_id IS NOT NULL)
             ORDER BY source.path, item.byte_start, item.id"
        );
        self.each(&items, |row| Ok(Record::Item { item: read_item(row)?.1 }), &mut send)?;
        for (sql, read) in [COUNTERS, OTHER_LINKS, EVENTS] {
            self.each(sql, read, &mut send)?;
        }
        let read = |row: &Row<'_>| Ok(Record::Memory { event: read_memory_event(row)? });
        self.each(&format!("{MEMORY_EVENTS} ORDER BY number"), read, &mut send)?;
        let between = records - 1;
        write(&Record::End { records: between })?;
        self.sql(moment.finish())?;
        Ok(between)
    }

    fn each<E: From<StoreError>>(
        &self,
        sql: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Record>,
        send: &mut impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut statement = self.sql(self.connection.prepare(sql))?;
        let mut rows = self.sql(statement.query([]))?;
        while let Some(row) = self.sql(rows.next())? {
            send(self.sql(read(row))?)?;
        }
        Ok(())
    }
}

impl Batch<'_> {
    /// Takes records in. What is there stays: a file that was indexed here since, an item that was forgotten here.
    /// `here` says whether a file of this path and hash lies on this machine; one that does not is not looked for
    /// later. Of one that does only the file itself is read again: a record is somebody's word, and must not name a
    /// folder to be walked.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn import(
        &self,
        records: impl IntoIterator<Item = Record>,
        here: &dyn Fn(&str, &[u8; 32]) -> bool,
    ) -> Result<Imported, StoreError> {
        let (sketches, forgotten) = read_sketches(self)?;
        let mut import = Import { sketches, forgotten, brought: HashMap::new(), out: Imported::default() };
        for (at, record) in records.into_iter().enumerate() {
            let added = match record {
                Record::Kenning { .. } | Record::End { .. } => continue,
                Record::Source { .. } => {
                    record_check(&record, at)?;
                    self.import_source(record, here, &mut import)?
                }
                Record::Item { item } => match self.import_item(&item, &mut import)? {
                    Some(added) => added,
                    None => continue,
                },
                Record::Memory { event } => {
                    record_check(&Record::Memory { event: event.clone() }, at)?;
                    let added = self.import_memory(event)?;
                    import.out.memory_events += usize::from(added);
                    added
                }
                Record::Usage { .. } | Record::Link { .. } | Record::Event { .. } => self.import_history(record)?,
            };
            import.out.known += usize::from(!added);
        }
        let mut out = import.out;
        out.stay_forgotten.sort_unstable();
        out.stay_forgotten.dedup();
        Ok(out)
    }

    /// Takes in a file unless its path is known; gives whether it did.
    fn import_source(
        &self,
        record: Record,
        here: &dyn Fn(&str, &[u8; 32]) -> bool,
        import: &mut Import,
    ) -> Result<bool, StoreError> {
        let Record::Source { path, root: _, kind, scope, sha256, size, mtime_ns, indexed_at } = record else {
            return Ok(false);
        };
        let known = self.row("SELECT id FROM source WHERE path = ?1", &path)?;
        let (None, Some(kind)) = (known, SourceKind::of(&kind)) else {
            return Ok(false);
        };
        let sha256 = unhex(&sha256);
        let root = if here(&path, &sha256) { path.clone() } else { String::new() };
        let stat = Stat { size, mtime_ns };
        let source = Source { root, kind, scope, sha256, stat, indexed_at, path: path.clone() };
        import.brought.insert(path, self.put_source(&source)?);
        import.out.files += 1;
        Ok(true)
    }

    /// Takes in an item unless its id is known or its file was here before; gives whether it did, `None` if it is kept
    /// out because it was forgotten.
    fn import_item(&self, item: &Item, import: &mut Import) -> Result<Option<bool>, StoreError> {
        let kept_out = self.kept_out_of_import(item, &import.sketches, &import.forgotten)?;
        if !kept_out.is_empty() {
            import.out.stay_forgotten.extend(kept_out);
            return Ok(None);
        }
        let known = self.row("SELECT id FROM item WHERE uid = ?1", &item.uid)?.is_some();
        let source = match &item.path {
            Some(path) => match import.brought.get(path) {
                Some(source) => Some(*source),
                None => return Ok(Some(false)),
            },
            None => None,
        };
        if !known {
            self.put_item(item, source)?;
            import.out.items += 1;
        }
        Ok(Some(!known))
    }

    /// Takes in counters, a relation or an event; gives whether it was new.
    fn import_history(&self, record: Record) -> Result<bool, StoreError> {
        let rows = match record {
            Record::Usage { uid, days, last_day, served, last_served, confirmed } => self.execute(
                "INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (uid) DO UPDATE SET days = max(days, ?2), last_day = max(last_day, ?3),
                    served = max(served, ?4), last_served = max(last_served, ?5), confirmed = max(confirmed, ?6)",
                (uid, days, last_day, served, last_served, confirmed),
            )?,
            Record::Link { from, to, relation, weight } => {
                self.execute("INSERT OR IGNORE INTO link VALUES (?1, ?2, ?3, ?4)", (from, to, relation, weight))?
            }
            Record::Event { at, name, data } => self.execute(
                "INSERT INTO event (at, name, data) SELECT ?1, ?2, ?3 WHERE NOT EXISTS
                    (SELECT 1 FROM event WHERE at = ?1 AND name = ?2 AND data = ?3)",
                (at, name, data.to_string()),
            )?,
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
    fn import_memory(&self, event: MemoryEvent) -> Result<bool, StoreError> {
        let forgotten = self.memory_now(&event.memory)?.is_some_and(|known| known.state == MemoryState::Forgotten);
        if forgotten || has_event(self, &event)? {
            return Ok(false);
        }
        let MemoryEvent { at, memory, session, author, change, words, .. } = event;
        let has_words = words.is_some();
        let words = words.unwrap_or_default();
        let appended = self.append_event(NewEvent { at, memory, session, author, change, words })?;
        if !has_words {
            self.execute("DELETE FROM memory_words WHERE event = ?1", [appended.number])?;
        }
        Ok(true)
    }

    /// Which of what was forgotten here an item is, or holds most of.
    fn kept_out_of_import(
        &self,
        item: &Item,
        sketches: &Sketches,
        forgotten: &HashMap<i64, String>,
    ) -> Result<Vec<String>, StoreError> {
        if self.row("SELECT id FROM forgotten WHERE uid = ?1", &item.uid)?.is_some() {
            return Ok(vec![item.uid.clone()]);
        }
        let found = sketches.find(&item.body);
        Ok(found.iter().filter_map(|found| forgotten.get(&found.which).cloned()).collect())
    }

    fn row(&self, sql: &str, key: &str) -> Result<Option<i64>, StoreError> {
        let get = || -> rusqlite::Result<Option<i64>> {
            let mut statement = self.transaction.prepare_cached(sql)?;
            let mut rows = statement.query([key])?;
            rows.next()?.map(|row| row.get(0)).transpose()
        };
        self.sql(get())
    }
}

/// An import at work.
struct Import {
    sketches: Sketches,
    /// The ids of what was forgotten here, by row.
    forgotten: HashMap<i64, String>,
    /// Row ids of files that this import brought, by path.
    brought: HashMap<String, i64>,
    out: Imported,
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
