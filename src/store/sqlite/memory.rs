//! Memories in SQLite: the log of events, their words, and the memories that follow from them.

use super::StoreError;
use super::database::{Batch, Database};
use super::item::{ITEM_COLUMNS, read_item};
use super::value::{count, named, odd, within};
use crate::screen::shown_text;
use crate::store::{
    MemoryCount, MemoryFilter, MemoryView, ReadItems, ReadMemory, StoredMemory, WriteItems, WriteMemory,
};
use crate::types::{Item, Kind, Memory, MemoryEvent, MemoryState, NewEvent, Relation, Scope};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Events with their words, from a row of this.
pub(super) const EVENTS: &str = "SELECT number, at, memory_event.memory, session, author, change, words
    FROM memory_event LEFT JOIN memory_words ON memory_words.event = memory_event.number";

/// A value that is kept as JSON.
fn stored<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let text: String = row.get(at)?;
    serde_json::from_str(&text).map_err(|error| odd(row, at, &format!("cannot be read: {error}")))
}

/// As it is stored. What is written here always has a form in JSON.
fn json_of<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).unwrap_or_default().to_string()
}

pub(super) fn read_event(row: &Row<'_>) -> rusqlite::Result<MemoryEvent> {
    let number: i64 = row.get(0)?;
    let read = || {
        let words = match row.get::<_, Option<String>>(6)? {
            Some(_) => Some(stored(row, 6)?),
            None => None,
        };
        Ok(MemoryEvent {
            number,
            at: row.get(1)?,
            memory: row.get(2)?,
            session: row.get(3)?,
            author: stored(row, 4)?,
            change: stored(row, 5)?,
            words,
        })
    };
    read().map_err(within(&format!("event {number} of the memories")))
}

/// A memory, from a row of its id and its data.
pub(super) fn read_memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let id: String = row.get(0)?;
    stored(row, 1).map_err(within(&format!("memory {}", shown_text(&id))))
}

/// Places for so many values.
fn places(count: usize) -> String {
    vec!["?"; count].join(", ")
}

fn one_memory(connection: &Connection, id: &str) -> rusqlite::Result<Option<Memory>> {
    let sql = "SELECT id, data FROM memory WHERE id = ?1";
    connection.prepare_cached(sql)?.query_row([id], read_memory).optional()
}

fn linked(connection: &Connection, id: &str, relation: Option<Relation>) -> rusqlite::Result<Vec<String>> {
    let sql =
        "SELECT DISTINCT from_uid FROM link WHERE to_uid = ?1 AND (?2 IS NULL OR relation = ?2) ORDER BY from_uid";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map((id, relation.map(Relation::name)), |row| row.get(0))?.collect()
}

fn all(connection: &Connection, sql: &str, values: Vec<Value>) -> rusqlite::Result<Vec<Memory>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_map(params_from_iter(values), read_memory)?.collect()
}

/// The condition on `memory`, with its values.
fn condition(filter: &MemoryFilter) -> (String, Vec<Value>) {
    let text = |name: &str| Value::Text(name.to_owned());
    // One of a kind as such: then its memories are read in their order.
    let any = |column: &str, many: usize| match many {
        1 => format!("{column} = ?"),
        many => format!("{column} IN ({})", places(many)),
    };
    let mut parts = vec![any("scope", filter.scopes.len())];
    let mut values: Vec<Value> = filter.scopes.iter().map(|scope| text(scope.as_str())).collect();
    if !filter.kinds.is_empty() {
        parts.push(any("kind", filter.kinds.len()));
        values.extend(filter.kinds.iter().map(|kind| text(kind.name())));
    }
    if filter.states.is_empty() {
        parts.push("state <> 'forgotten'".to_owned());
    } else {
        parts.push(any("state", filter.states.len()));
        values.extend(filter.states.iter().map(|state| text(state.name())));
    }
    if filter.held {
        parts.push("is_held".to_owned());
    }
    (parts.join(" AND "), values)
}

impl ReadMemory for Database {
    fn memory(&self, id: &str) -> Result<Option<Memory>, StoreError> {
        self.sql(one_memory(&self.connection, id))
    }

    fn memory_ids(&self, prefix: &str, most: usize) -> Result<Vec<String>, StoreError> {
        let get = || -> rusqlite::Result<Vec<String>> {
            // Behind all that begin so stands the prefix with the last character.
            let sql = "SELECT id FROM memory WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT ?2";
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map((prefix, most as i64), |row| row.get(0))?.collect()
        };
        self.sql(get())
    }

    fn memories(
        &self,
        filter: &MemoryFilter,
        after: Option<(i64, &str)>,
        most: usize,
    ) -> Result<Vec<Memory>, StoreError> {
        let (mut passes, mut values) = condition(filter);
        if let Some((at, id)) = after {
            passes.push_str(" AND (last_at < ? OR last_at = ? AND id > ?)");
            values.extend([Value::Integer(at), Value::Integer(at), Value::Text(id.to_owned())]);
        }
        values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
        let sql = format!("SELECT id, data FROM memory WHERE {passes} ORDER BY last_at DESC, id LIMIT ?");
        self.sql(all(&self.connection, &sql, values))
    }

    fn memories_matching(&self, key: &str) -> Result<Vec<Memory>, StoreError> {
        let sql = "SELECT id, data FROM memory WHERE match_key = ? AND state <> 'forgotten'
            ORDER BY id";
        self.sql(all(&self.connection, sql, vec![Value::Text(key.to_owned())]))
    }

    fn memories_of_error(&self, fingerprint: &str, scopes: &[Scope]) -> Result<Vec<Memory>, StoreError> {
        let sql = format!(
            "SELECT id, data FROM memory WHERE fingerprint = ? AND scope IN ({}) ORDER BY id",
            places(scopes.len())
        );
        let names = scopes.iter().map(|scope| Value::Text(scope.as_str().to_owned()));
        let values = std::iter::once(Value::Text(fingerprint.to_owned())).chain(names).collect();
        self.sql(all(&self.connection, &sql, values))
    }

    fn memories_linked_to(&self, id: &str) -> Result<Vec<String>, StoreError> {
        self.sql(linked(&self.connection, id, None))
    }

    fn memory_events(&self, after: i64, most: usize) -> Result<Vec<MemoryEvent>, StoreError> {
        let get = || -> rusqlite::Result<Vec<MemoryEvent>> {
            let sql = format!("{EVENTS} WHERE number > ?1 ORDER BY number LIMIT ?2");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map((after, most as i64), read_event)?.collect()
        };
        self.sql(get())
    }

    fn events_of_memory(&self, id: &str) -> Result<Vec<MemoryEvent>, StoreError> {
        let get = || -> rusqlite::Result<Vec<MemoryEvent>> {
            let sql = format!("{EVENTS} WHERE memory_event.memory = ?1 ORDER BY number");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query_map([id], read_event)?.collect()
        };
        self.sql(get())
    }

    fn last_memory_event(&self) -> Result<i64, StoreError> {
        let sql = "SELECT coalesce(max(number), 0) FROM memory_event";
        self.sql(self.connection.query_row(sql, [], |row| row.get(0)))
    }

    fn stored_memory(&self, id: &str) -> Result<Option<StoredMemory>, StoreError> {
        let sql = "SELECT data, match_key, item_id FROM memory WHERE id = ?1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get::<_, Option<i64>>(2)?));
        let found = self.connection.prepare_cached(sql).and_then(|mut row| row.query_row([id], read).optional());
        let Some((data, match_key, row)) = self.sql(found)? else { return Ok(None) };
        let item = match row {
            Some(row) => self.items(&[row])?.into_iter().next().map(|(_, item)| item),
            None => None,
        };
        Ok(Some(StoredMemory { data, match_key, item }))
    }

    fn count_memories(&self, scopes: Option<&[Scope]>) -> Result<Vec<MemoryCount>, StoreError> {
        let passes = scopes.map_or_else(|| "1".to_owned(), |scopes| format!("scope IN ({})", places(scopes.len())));
        let names = scopes.into_iter().flatten().map(|scope| Value::Text(scope.as_str().to_owned()));
        let get = || -> rusqlite::Result<Vec<MemoryCount>> {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT kind, state, count(*) FROM memory WHERE {passes} GROUP BY kind, state ORDER BY kind, state"
            ))?;
            let read = |row: &Row<'_>| {
                let (kind, state) = (named(row, 0, Kind::of)?, named(row, 1, MemoryState::of)?);
                Ok(MemoryCount { kind, state, count: count(row, 2)? })
            };
            statement.query_map(params_from_iter(names), read)?.collect()
        };
        self.sql(get())
    }

    fn memory_view(&self, home: Option<&Scope>, now_ms: i64) -> Result<Option<MemoryView>, StoreError> {
        // Both conditions are looked up in an index, however many memories there are.
        let get = || -> rusqlite::Result<(bool, Option<i64>)> {
            let name = home.map_or("global", Scope::as_str);
            let (first, second) = if name < "global" { (name, "global") } else { ("global", name) };
            let sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE scope < ?1)
                    OR EXISTS (SELECT 1 FROM memory WHERE scope > ?1 AND scope < ?2)
                    OR EXISTS (SELECT 1 FROM memory WHERE scope > ?2),
                (SELECT max(ends_at) FROM memory WHERE ends_at <= ?3)";
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_row((first, second, now_ms), |row| Ok((row.get(0)?, row.get(1)?)))
        };
        let (elsewhere, expired) = self.sql(get())?;
        Ok((elsewhere || expired.is_some()).then(|| MemoryView { home: home.cloned(), expired }))
    }

    fn has_memories(&self) -> Result<bool, StoreError> {
        self.sql(self.connection.prepare_cached("SELECT 1 FROM memory").and_then(|mut found| found.exists([])))
    }
}

impl Batch<'_> {
    /// Whether the log has this event, whatever its number.
    pub(super) fn has_event(&self, event: &MemoryEvent) -> Result<bool, StoreError> {
        let sql =
            "SELECT 1 FROM memory_event WHERE memory = ?1 AND at = ?2 AND session = ?3 AND author = ?4 AND change = ?5";
        let (author, change) = (json_of(&event.author), json_of(&event.change));
        let values = (&event.memory, event.at, &event.session, author, change);
        self.sql(self.transaction.prepare_cached(sql).and_then(|mut found| found.exists(values)))
    }

    /// Whether the item of this row is just so.
    fn is_item(&self, row: i64, item: &Item) -> Result<bool, StoreError> {
        let sql = format!(
            "SELECT {ITEM_COLUMNS} FROM item LEFT JOIN source ON source.id = item.source_id WHERE item.id = ?1"
        );
        let found =
            self.transaction.prepare_cached(&sql).and_then(|mut found| found.query_row([row], read_item).optional());
        Ok(self.sql(found)?.is_some_and(|(_, known)| known == *item))
    }
}

impl WriteMemory for Batch<'_> {
    fn append_event(&self, event: NewEvent) -> Result<MemoryEvent, StoreError> {
        let NewEvent { at, memory, session, author, change, words } = event;
        self.execute(
            "INSERT INTO memory_event (at, memory, session, author, change) VALUES (?1, ?2, ?3, ?4, ?5)",
            (at, &memory, &session, json_of(&author), json_of(&change)),
        )?;
        let number = self.transaction.last_insert_rowid();
        self.execute("INSERT INTO memory_words VALUES (?1, ?2, ?3)", (number, &memory, json_of(&words)))?;
        Ok(MemoryEvent { number, at, memory, session, author, change, words: Some(words) })
    }

    fn memory_now(&self, id: &str) -> Result<Option<Memory>, StoreError> {
        self.sql(one_memory(&self.transaction, id))
    }

    fn derived_now(&self, id: &str) -> Result<Vec<String>, StoreError> {
        self.sql(linked(&self.transaction, id, Some(Relation::DerivedFrom)))
    }

    fn put_memory(&self, memory: &Memory, match_key: Option<&str>, item: Option<&Item>) -> Result<(), StoreError> {
        let find = "SELECT item_id FROM memory WHERE id = ?1";
        let found = self
            .transaction
            .prepare_cached(find)
            .and_then(|mut row| row.query_row([&memory.id], |row| row.get::<_, Option<i64>>(0)).optional());
        let before = self.sql(found)?.flatten();
        let row = match (before, item) {
            // A memory that was met once more reads as before: nothing is embedded or indexed anew.
            (Some(row), Some(item)) if self.is_item(row, item)? => Some(row),
            _ => {
                before.map(|row| self.remove_item(row)).transpose()?;
                item.map(|item| self.put_item(item, None)).transpose()?
            }
        };
        self.execute(
            "INSERT OR REPLACE INTO memory VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            (
                &memory.id,
                row,
                memory.kind.name(),
                memory.scope.as_str(),
                memory.state.name(),
                !memory.held_by.is_empty(),
                match_key,
                &memory.words.fingerprint,
                memory.until,
                memory.last_at,
                StoredMemory::data_of(memory),
            ),
        )?;
        self.execute("DELETE FROM link WHERE from_uid = ?1", [&memory.id])?;
        for link in &memory.links {
            let weight = 1.0;
            self.execute(
                "INSERT OR IGNORE INTO link VALUES (?1, ?2, ?3, ?4)",
                (&memory.id, &link.to, link.relation.name(), weight),
            )?;
        }
        Ok(())
    }

    fn forget_words(&self, id: &str) -> Result<(), StoreError> {
        self.leave_traces()?;
        self.execute("DELETE FROM memory_words WHERE memory = ?1", [id])?;
        self.execute("DELETE FROM usage WHERE uid = ?1", [id])?;
        Ok(())
    }

    fn clear_memories(&self) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE id IN (SELECT item_id FROM memory)", [])?;
        self.execute("DELETE FROM link WHERE from_uid IN (SELECT id FROM memory)", [])?;
        self.execute("DELETE FROM memory", [])?;
        Ok(())
    }
}
