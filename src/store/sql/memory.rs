//! Memories: the log of events, the words in it, and the memories that the events add up to.

use super::item::{ITEM_COLUMNS, read_item};
use super::parameter::{in_scopes, one_of};
use super::value::{count, named, odd, within};
use super::{ReadSql, RunSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::screen::shown_text;
use crate::store::{
    MemoryCount, MemoryFilter, MemoryView, ReadItems, ReadMemory, StoredMemory, WriteItems, WriteMemory, WriteVectors,
};
use crate::types::{Item, Kind, Memory, MemoryEvent, MemoryState, NewEvent, Relation, Scope};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Events with their words, from a row of this.
pub const EVENTS: &str = "SELECT number, at, memory_event.memory, session, author, change, words
    FROM memory_event LEFT JOIN memory_words ON memory_words.event = memory_event.number";

/// A value that is kept as JSON.
fn stored<R: SqlRow, T: DeserializeOwned>(row: &R, at: usize) -> Result<T, R::Error> {
    serde_json::from_str(&row.text(at)?).map_err(|error| odd(row, at, &format!("cannot be read: {error}")))
}

/// As it is stored. What is written here always has a form in JSON.
fn json_of<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).unwrap_or_default().to_string()
}

pub fn read_event<R: SqlRow>(row: &R) -> Result<MemoryEvent, R::Error> {
    let number = row.integer(0)?;
    let read = || {
        Ok(MemoryEvent {
            number,
            at: row.get(1)?,
            memory: row.get(2)?,
            session: row.get(3)?,
            author: stored(row, 4)?,
            change: stored(row, 5)?,
            words: if row.is_null(6)? { None } else { Some(stored(row, 6)?) },
        })
    };
    read().map_err(within(&format!("event {number} of the memories")))
}

/// A memory, from a row of its id and its data.
pub fn read_memory<R: SqlRow>(row: &R) -> Result<Memory, R::Error> {
    let id = row.text(0)?;
    stored(row, 1).map_err(within(&format!("memory {}", shown_text(&id))))
}

/// Memories with the columns that they are listed by, from a row of this.
pub(super) const LISTED: &str =
    "SELECT id, data, kind, scope, state, is_held, fingerprint, ends_at, last_at FROM memory";

/// A memory, if its columns are not what its data says.
pub(super) fn read_drifted<R: SqlRow>(row: &R) -> Result<Option<Box<Memory>>, R::Error> {
    let memory = read_memory(row)?;
    let is_same = row.text(2)? == memory.kind.name()
        && row.text(3)? == memory.scope.as_str()
        && row.text(4)? == memory.state.name()
        && row.get::<bool>(5)? != memory.held_by.is_empty()
        && row.get::<Option<String>>(6)? == memory.words.fingerprint
        && row.get::<Option<i64>>(7)? == memory.until
        && row.integer(8)? == memory.last_at;
    Ok((!is_same).then(|| Box::new(memory)))
}

/// Sets the columns of a memory by its data.
pub(super) fn mend_memory(changes: &impl WriteSql, memory: &Memory) -> Result<(), StoreError> {
    changes.execute(
        "UPDATE memory SET kind = ?2, scope = ?3, state = ?4, is_held = ?5, fingerprint = ?6, ends_at = ?7,
            last_at = ?8
         WHERE id = ?1",
        &values![
            &memory.id,
            memory.kind.name(),
            memory.scope.as_str(),
            memory.state.name(),
            !memory.held_by.is_empty(),
            &memory.words.fingerprint,
            memory.until,
            memory.last_at,
        ],
    )?;
    Ok(())
}

fn one_memory(store: &impl RunSql, id: &str) -> Result<Option<Memory>, StoreError> {
    store.first("SELECT id, data FROM memory WHERE id = ?1", &values![id], |row| read_memory(row))
}

fn linked(store: &impl RunSql, id: &str, relation: Option<Relation>) -> Result<Vec<String>, StoreError> {
    let (and, mut values) = (relation.map_or("", |_| " AND relation = ?2"), vec![id.into()]);
    values.extend(relation.map(|relation| relation.name().into()));
    let sql = format!("SELECT DISTINCT from_uid FROM link WHERE to_uid = ?1{and} ORDER BY from_uid");
    store.rows(&sql, &values, |row| row.get(0))
}

/// The condition on `memory`, with its values.
fn condition(filter: &MemoryFilter) -> (String, Vec<SqlValue<'_>>) {
    let (in_scopes, mut values) = in_scopes(&filter.scopes);
    let mut parts = vec![in_scopes];
    if !filter.kinds.is_empty() {
        parts.push(one_of("kind", filter.kinds.len()));
        values.extend(filter.kinds.iter().map(|kind| SqlValue::from(kind.name())));
    }
    if filter.states.is_empty() {
        parts.push("state <> 'forgotten'".to_owned());
    } else {
        parts.push(one_of("state", filter.states.len()));
        values.extend(filter.states.iter().map(|state| SqlValue::from(state.name())));
    }
    if filter.held {
        parts.push("is_held <> 0".to_owned());
    }
    (parts.join(" AND "), values)
}

impl<D: ReadSql> ReadMemory for D {
    fn memory(&self, id: &str) -> Result<Option<Memory>, StoreError> {
        one_memory(self, id)
    }

    fn memory_ids(&self, prefix: &str, most: usize) -> Result<Vec<String>, StoreError> {
        // Behind all that begin so stands the prefix with the last character.
        let sql = "SELECT id FROM memory WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3";
        let values = [prefix.into(), format!("{prefix}{}", char::MAX).into(), SqlValue::most(most)];
        self.rows(sql, &values, |row| row.get(0))
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
            values.extend(values![at, at, id.to_owned()]);
        }
        values.push(SqlValue::most(most));
        let sql = format!("SELECT id, data FROM memory WHERE {passes} ORDER BY last_at DESC, id LIMIT ?");
        self.rows(&sql, &values, |row| read_memory(row))
    }

    fn memories_matching(&self, key: &str) -> Result<Vec<Memory>, StoreError> {
        let sql = "SELECT id, data FROM memory WHERE match_key = ?1 AND state <> 'forgotten' ORDER BY id";
        self.rows(sql, &values![key], |row| read_memory(row))
    }

    fn memories_of_error(&self, fingerprint: &str, scopes: &[Scope]) -> Result<Vec<Memory>, StoreError> {
        let (passes, mut values) = in_scopes(scopes);
        values.push(fingerprint.to_owned().into());
        let sql = format!("SELECT id, data FROM memory WHERE {passes} AND fingerprint = ? ORDER BY id");
        self.rows(&sql, &values, |row| read_memory(row))
    }

    fn memories_linked_to(&self, id: &str) -> Result<Vec<String>, StoreError> {
        linked(self, id, None)
    }

    fn memory_events(&self, after: i64, most: usize) -> Result<Vec<MemoryEvent>, StoreError> {
        let sql = format!("{EVENTS} WHERE number > ?1 ORDER BY number LIMIT ?2");
        self.rows(&sql, &[after.into(), SqlValue::most(most)], |row| read_event(row))
    }

    fn events_of_memory(&self, id: &str) -> Result<Vec<MemoryEvent>, StoreError> {
        let sql = format!("{EVENTS} WHERE memory_event.memory = ?1 ORDER BY number");
        self.rows(&sql, &values![id], |row| read_event(row))
    }

    fn last_memory_event(&self) -> Result<i64, StoreError> {
        self.one("SELECT coalesce(max(number), 0) FROM memory_event", &[], |row| row.get(0))
    }

    fn stored_memory(&self, id: &str) -> Result<Option<StoredMemory>, StoreError> {
        /// Data, match key and item.
        type Found = (String, Option<String>, Option<i64>);
        self.at_once(|| {
            let sql = "SELECT data, match_key, item_id FROM memory WHERE id = ?1";
            let found = self.first(sql, &values![id], |row| Ok::<Found, _>((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            let Some((data, match_key, row)) = found else { return Ok(None) };
            let item = match row {
                Some(row) => self.items(&[row])?.into_iter().next().map(|(_, item)| item),
                None => None,
            };
            Ok(Some(StoredMemory { data, match_key, item }))
        })
    }

    fn count_memories(&self, scopes: Option<&[Scope]>) -> Result<Vec<MemoryCount>, StoreError> {
        let (passes, values) = scopes.map_or_else(|| ("TRUE".to_owned(), Vec::new()), in_scopes);
        let sql = format!(
            "SELECT kind, state, count(*) FROM memory WHERE {passes} GROUP BY kind, state ORDER BY kind, state"
        );
        self.rows(&sql, &values, |row| {
            let (kind, state) = (named(row, 0, Kind::of)?, named(row, 1, MemoryState::of)?);
            Ok(MemoryCount { kind, state, count: count(row, 2)? })
        })
    }

    fn memory_view(&self, home: Option<&Scope>, now_ms: i64) -> Result<Option<MemoryView>, StoreError> {
        // Both conditions are looked up in an index, however many memories there are.
        let name = home.map_or("global", Scope::as_str);
        let (first, second) = if name < "global" { (name, "global") } else { ("global", name) };
        let sql = "SELECT EXISTS (SELECT 1 FROM memory WHERE scope < ?1)
                OR EXISTS (SELECT 1 FROM memory WHERE scope > ?1 AND scope < ?2)
                OR EXISTS (SELECT 1 FROM memory WHERE scope > ?2),
            (SELECT max(ends_at) FROM memory WHERE ends_at <= ?3)";
        let (elsewhere, expired): (bool, Option<i64>) =
            self.one(sql, &values![first, second, now_ms], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((elsewhere || expired.is_some()).then(|| MemoryView { home: home.cloned(), expired }))
    }

    fn has_memories(&self) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM memory LIMIT 1", &[])
    }
}

/// Whether the log has this event, whatever its number.
pub fn has_event(changes: &impl WriteSql, event: &MemoryEvent) -> Result<bool, StoreError> {
    let sql =
        "SELECT 1 FROM memory_event WHERE memory = ?1 AND at = ?2 AND session = ?3 AND author = ?4 AND change = ?5";
    let (author, change) = (json_of(&event.author), json_of(&event.change));
    changes.exists(sql, &values![&event.memory, event.at, &event.session, author, change])
}

/// Whether the item of this row is just so.
fn is_item(changes: &impl WriteSql, row: i64, item: &Item) -> Result<bool, StoreError> {
    let sql =
        format!("SELECT {ITEM_COLUMNS} FROM item LEFT JOIN source ON source.id = item.source_id WHERE item.id = ?1");
    let found = changes.first(&sql, &values![row], |row| read_item(row))?;
    Ok(found.is_some_and(|(_, known)| known == *item))
}

impl<C: WriteSql> WriteMemory for C {
    fn append_event(&self, event: NewEvent) -> Result<MemoryEvent, StoreError> {
        let NewEvent { at, memory, session, author, change, words } = event;
        let number: i64 = self.one(
            "INSERT INTO memory_event (at, memory, session, author, change) VALUES (?1, ?2, ?3, ?4, ?5)
             RETURNING number",
            &values![at, &memory, &session, json_of(&author), json_of(&change)],
            |row| row.get(0),
        )?;
        let sql = "INSERT INTO memory_words (event, memory, words) VALUES (?1, ?2, ?3)";
        self.execute(sql, &values![number, &memory, json_of(&words)])?;
        Ok(MemoryEvent { number, at, memory, session, author, change, words: Some(words) })
    }

    fn memory_now(&self, id: &str) -> Result<Option<Memory>, StoreError> {
        one_memory(self, id)
    }

    fn derived_now(&self, id: &str) -> Result<Vec<String>, StoreError> {
        linked(self, id, Some(Relation::DerivedFrom))
    }

    fn put_memory(&self, memory: &Memory, match_key: Option<&str>, item: Option<&Item>) -> Result<(), StoreError> {
        let find = "SELECT item_id FROM memory WHERE id = ?1";
        let before: Option<i64> = self.first(find, &values![&memory.id], |row| row.get(0))?.flatten();
        let row = match (before, item) {
            // A memory that was met once more reads as before: nothing is embedded or indexed anew.
            (Some(row), Some(item)) if is_item(self, row, item)? => Some(row),
            _ => {
                let texts = self.texts_of_items(before.as_slice())?;
                before.map(|row| self.remove_item(row)).transpose()?;
                let row = item.map(|item| self.put_item(item, None)).transpose()?;
                self.drop_vectors_of(&texts)?;
                row
            }
        };
        self.execute(
            "INSERT INTO memory (id, item_id, kind, scope, state, is_held, match_key, fingerprint, ends_at, last_at,
                data)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (id) DO UPDATE SET item_id = excluded.item_id, kind = excluded.kind, scope = excluded.scope,
                state = excluded.state, is_held = excluded.is_held, match_key = excluded.match_key,
                fingerprint = excluded.fingerprint, ends_at = excluded.ends_at, last_at = excluded.last_at,
                data = excluded.data",
            &values![
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
            ],
        )?;
        self.execute("DELETE FROM link WHERE from_uid = ?1", &values![&memory.id])?;
        let weight = 1.0;
        let links = memory.links.iter().map(|link| values![&memory.id, &link.to, link.relation.name(), weight]);
        self.insert_all("link (from_uid, to_uid, relation, weight)", links, "ON CONFLICT DO NOTHING")
    }

    fn forget_words(&self, id: &str) -> Result<(), StoreError> {
        super::traces::leave_traces(self)?;
        self.execute("DELETE FROM memory_words WHERE memory = ?1", &values![id])?;
        self.execute("DELETE FROM usage WHERE uid = ?1", &values![id])?;
        Ok(())
    }

    fn clear_memories(&self) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE id IN (SELECT item_id FROM memory)", &[])?;
        self.execute("DELETE FROM link WHERE from_uid IN (SELECT id FROM memory)", &[])?;
        self.execute("DELETE FROM memory", &[])?;
        Ok(())
    }
}
