//! All knowledge as records, read at one moment.

use super::Record;
use crate::screen::shown_text;
use crate::store::sql::item::{ITEM_COLUMNS, read_item};
use crate::store::sql::memory::{EVENTS as MEMORY_EVENTS, read_event as read_memory_event};
use crate::store::sql::value::{json, within};
use crate::store::sql::{ReadSql, SqlRow, odd};
use crate::store::{ReadSources, StoreError, until_error};
use crate::text::hex;

/// Counters, from a row of this.
pub const COUNTERS: &str = "SELECT uid, days, last_day, served, last_served, confirmed FROM usage ORDER BY uid";

/// Relations, from a row of this.
pub const LINKS: &str = "SELECT from_uid, to_uid, relation, weight FROM link ORDER BY 1, 2, 3";

/// The same without those of memories, which come of their events.
const OTHER_LINKS: &str = "SELECT from_uid, to_uid, relation, weight FROM link
    WHERE NOT EXISTS (SELECT 1 FROM memory WHERE memory.id = link.from_uid) ORDER BY 1, 2, 3";

/// Events, from a row of this.
const EVENTS: &str = "SELECT at, name, data FROM event ORDER BY id";

pub fn read_counters<R: SqlRow>(row: &R) -> Result<Record, R::Error> {
    let uid = row.text(0)?;
    let counter = |at: usize| row.get::<u32>(at).map(i64::from);
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

pub fn read_link<R: SqlRow>(row: &R) -> Result<Record, R::Error> {
    let (from, to) = (row.text(0)?, row.text(1)?);
    let weight = row.real(3)?;
    if !weight.is_finite() {
        let place = format!("relation from {} to {}", shown_text(&from), shown_text(&to));
        return Err(within(&place)(odd(row, 3, "is no number")));
    }
    Ok(Record::Link { from, to, relation: row.get(2)?, weight })
}

fn read_happened<R: SqlRow>(row: &R) -> Result<Record, R::Error> {
    let data = json(row, 2).map_err(within("an event"))?;
    Ok(Record::Event { at: row.get(0)?, name: row.get(1)?, data })
}

/// Hands every record to `write`, the state of one moment.
///
/// # Errors
/// [`StoreError`] when the store refuses, or what `write` fails with.
pub fn export<D: ReadSql, E: From<StoreError>>(
    store: &D,
    now_ms: i64,
    mut write: impl FnMut(&Record) -> Result<(), E>,
) -> Result<usize, E> {
    let _moment = store.hold_moment()?;
    store.unhurried()?;
    write(&Record::Kenning { format: Record::FORMAT, exported_at: now_ms })?;
    let mut records = 0;
    let mut send = |record: Record| {
        records += 1;
        write(&record)
    };
    for (_, source) in store.sources()? {
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
         WHERE item.state <> 'retired' AND NOT EXISTS (SELECT 1 FROM memory WHERE memory.item_id = item.id)
         ORDER BY source.path NULLS FIRST, item.byte_start NULLS FIRST, item.id"
    );
    each(store, &items, |row| Ok(Record::Item { item: read_item(row)?.1 }), &mut send)?;
    each(store, COUNTERS, |row| read_counters(row), &mut send)?;
    each(store, OTHER_LINKS, |row| read_link(row), &mut send)?;
    each(store, EVENTS, |row| read_happened(row), &mut send)?;
    let memories = format!("{MEMORY_EVENTS} ORDER BY number");
    each(store, &memories, |row| Ok(Record::Memory { event: read_memory_event(row)? }), &mut send)?;
    write(&Record::End { records })?;
    Ok(records)
}

/// Sends a record for each row of a query.
fn each<D: ReadSql, E: From<StoreError>>(
    store: &D,
    sql: &str,
    read: impl Fn(&D::Row<'_>) -> Result<Record, D::Error>,
    send: &mut impl FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let mut sent = Ok(());
    store.visit(sql, |row| Ok(until_error(&mut sent, send(read(row)?))))?;
    sent
}
