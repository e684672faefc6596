//! Items: written with the number of their words and the hash of their text, read by id.

use super::StoreError;
use super::database::{Batch, Database};
use super::external::{derive, underive};
use super::filter::{condition, remembered};
use super::value::{json, named, odd, optional_count, within};
use crate::screen::shown_text;
use crate::store::passages::passages_of;
use crate::store::{Anchor, ItemFilter, MemoryView, Prior, ReadItems, WriteItems};
use crate::text::{TextHash, text_hash, tokens};
use crate::types::{Authority, CONTEXT, Item, Kind, Scope, Span, State};
use rusqlite::Row;
use rusqlite::types::Value;

pub(super) const ITEM_COLUMNS: &str =
    "item.id, item.uid, item.kind, item.scope, item.authority, item.state, item.title,
    item.body, item.attributes, source.path, item.byte_start, item.byte_end, item.line_start, item.line_end,
    item.created_at, item.updated_at";

/// An item with its row id, from a row of [`ITEM_COLUMNS`].
pub(super) fn read_item(row: &Row<'_>) -> rusqlite::Result<(i64, Item)> {
    let uid: String = row.get(1)?;
    let read = || {
        Ok(Item {
            uid: uid.clone(),
            kind: named(row, 2, Kind::of)?,
            scope: Scope::repository(row.get::<_, String>(3)?),
            authority: named(row, 4, authority)?,
            state: named(row, 5, state)?,
            title: row.get(6)?,
            body: row.get(7)?,
            attributes: json(row, 8)?,
            path: row.get(9)?,
            span: read_span(row, 10)?,
            created_at: row.get(14)?,
            updated_at: row.get(15)?,
        })
    };
    let item = read().map_err(within(&place(&uid)))?;
    Ok((row.get(0)?, item))
}

/// How a message names an item.
fn place(uid: &str) -> String {
    format!("item {}", shown_text(uid))
}

/// Where an item stands, from four columns that are all set or all empty.
pub(super) fn read_span(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Span>> {
    let number = |at: usize| optional_count(row, first + at);
    match (number(0)?, number(1)?, number(2)?, number(3)?) {
        (None, None, None, None) => Ok(None),
        (Some(byte_start), Some(byte_end), Some(line_start), Some(line_end)) => {
            if byte_start > byte_end || line_start > line_end {
                return Err(odd(row, first, "and what follows it end before they begin"));
            }
            Ok(Some(Span { byte_start, byte_end, line_start, line_end }))
        }
        _ => Err(odd(row, first, "and what belongs to it are not all there")),
    }
}

const fn authority_name(authority: Authority) -> &'static str {
    match authority {
        Authority::Personal => "personal",
        Authority::Team => "team",
        Authority::Org => "org",
    }
}

fn authority(name: &str) -> Option<Authority> {
    [Authority::Personal, Authority::Team, Authority::Org].into_iter().find(|known| authority_name(*known) == name)
}

const fn state_name(state: State) -> &'static str {
    match state {
        State::Active => "active",
        State::Disputed => "disputed",
        State::Retired => "retired",
    }
}

fn state(name: &str) -> Option<State> {
    [State::Active, State::Disputed, State::Retired].into_iter().find(|known| state_name(*known) == name)
}

impl ReadItems for Database {
    fn anchors(&self, source: i64) -> Result<Vec<Anchor>, StoreError> {
        let all = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, text_hash, state, byte_start, byte_end, line_start, line_end, attributes FROM item
                 WHERE source_id = ?1 ORDER BY byte_start, id",
            )?;
            statement.query_map([source], read_anchor)?.collect()
        };
        self.sql(all())
    }

    fn items(&self, ids: &[i64]) -> Result<Vec<(i64, Item)>, StoreError> {
        let all = || -> rusqlite::Result<Vec<(i64, Item, TextHash)>> {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT {ITEM_COLUMNS}, item.text_hash FROM item LEFT JOIN source ON source.id = item.source_id
                 WHERE item.id = ?1"
            ))?;
            let mut out = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = statement.query([id])?;
                if let Some(row) = rows.next()? {
                    let (id, item) = read_item(row)?;
                    out.push((id, item, row.get(16)?));
                }
            }
            Ok(out)
        };
        let found = self.at_once(all)?;
        // What is served is what was stored.
        let is_other = |item: &Item, hash: &TextHash| item.state != State::Retired && text_hash(&item.text()) != *hash;
        if let Some((_, item, _)) = found.iter().find(|(_, item, hash)| is_other(item, hash)) {
            let what = format!("{} holds other text than was stored", item.uid);
            return Err(StoreError::Damaged { path: self.path().to_owned(), what });
        }
        Ok(found.into_iter().map(|(id, item, _)| (id, item)).collect())
    }

    fn item_id(&self, uid: &str) -> Result<Option<i64>, StoreError> {
        let get = || -> rusqlite::Result<Option<i64>> {
            let mut statement = self.connection.prepare_cached("SELECT id FROM item WHERE uid = ?1")?;
            let mut rows = statement.query([uid])?;
            rows.next()?.map(|row| row.get(0)).transpose()
        };
        self.sql(get())
    }

    fn priors(&self, ids: &[i64]) -> Result<Vec<Prior>, StoreError> {
        let all = || -> rusqlite::Result<Vec<Prior>> {
            let mut statement = self.connection.prepare_cached(
                "SELECT item.id, item.uid, item.text_hash, item.updated_at, coalesce(usage.days, 0), source.path,
                    source.root = '', item.scope
                 FROM item LEFT JOIN source ON source.id = item.source_id LEFT JOIN usage ON usage.uid = item.uid
                 WHERE item.id = ?1 AND item.state = 'active'",
            )?;
            let mut out = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = statement.query([id])?;
                if let Some(row) = rows.next()? {
                    out.push(read_prior(row)?);
                }
            }
            Ok(out)
        };
        self.at_once(all)
    }

    fn has_text(&self, item: i64) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM item WHERE id = ?1 AND state <> 'retired'";
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.exists([item])))
    }

    fn is_hidden(&self, id: i64, view: &MemoryView) -> Result<bool, StoreError> {
        let (is_seen, mut values) = remembered(view);
        values.push(Value::Integer(id));
        let sql = format!("SELECT 1 FROM item WHERE {is_seen} AND item.id = ?");
        let found = self.connection.prepare_cached(&sql);
        Ok(!self.sql(found.and_then(|mut found| found.exists(rusqlite::params_from_iter(values))))?)
    }

    fn admitted(&self, filter: &ItemFilter, view: Option<&MemoryView>) -> Result<Vec<i64>, StoreError> {
        let (mut passes, mut values) = condition(filter);
        if let Some(view) = view {
            let (is_seen, of_view) = remembered(view);
            passes = format!("{passes} AND {is_seen}");
            values.extend(of_view);
        }
        let all = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.connection.prepare(&format!(
                "SELECT item.id FROM item LEFT JOIN source ON source.id = item.source_id
                 WHERE {passes} ORDER BY item.id"
            ))?;
            statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?.collect()
        };
        self.sql(all())
    }
}

fn read_anchor(row: &Row<'_>) -> rusqlite::Result<Anchor> {
    let id: i64 = row.get(0)?;
    let read = || {
        Ok(Anchor {
            id,
            text_hash: row.get(1)?,
            active: named(row, 2, state)? == State::Active,
            span: read_span(row, 3)?,
            attributes: row.get(7)?,
        })
    };
    read().map_err(within(&format!("item {id}")))
}

fn read_prior(row: &Row<'_>) -> rusqlite::Result<Prior> {
    let uid: String = row.get(1)?;
    let read = || {
        Ok(Prior {
            id: row.get(0)?,
            uid: uid.clone(),
            text_hash: row.get(2)?,
            updated_at: row.get(3)?,
            days: row.get(4)?,
            path: row.get(5)?,
            imported: row.get::<_, Option<bool>>(6)?.unwrap_or(false),
            scope: Scope::repository(row.get::<_, String>(7)?),
        })
    };
    read().map_err(within(&place(&uid)))
}

impl WriteItems for Batch<'_> {
    fn put_item(&self, item: &Item, source: Option<i64>) -> Result<i64, StoreError> {
        let text = item.text();
        let words = tokens(&text).len();
        let hash = text_hash(&text);
        let active = item.state == State::Active;
        let part = |pick: fn(&Span) -> usize| item.span.as_ref().map(|span| pick(span) as i64);
        let sql = "INSERT INTO item (uid, kind, scope, authority, state, title, body, text_hash, words, attributes,
                source_id, byte_start, byte_end, line_start, line_end, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            ON CONFLICT (uid) DO NOTHING";
        let mut uid = item.uid.clone();
        let mut attempt = 1;
        while self.execute(
            sql,
            rusqlite::params![
                uid,
                item.kind.name(),
                item.scope.as_str(),
                authority_name(item.authority),
                state_name(item.state),
                item.title,
                item.body,
                hash,
                words as i64,
                item.attributes.to_string(),
                source,
                part(|span| span.byte_start),
                part(|span| span.byte_end),
                part(|span| span.line_start),
                part(|span| span.line_end),
                item.created_at,
                item.updated_at,
            ],
        )? == 0
        {
            attempt += 1;
            uid = format!("{}-{attempt}", item.uid);
        }
        let id = self.transaction.last_insert_rowid();
        self.sql(derive(&self.transaction, id, item.scope.as_str(), &item.attributes))?;
        if active {
            for (part, text) in (0i64..).zip(passages_of(item)) {
                self.execute("INSERT INTO embedding VALUES (?1, ?2, ?3)", (id, part, text_hash(&text)))?;
            }
        }
        Ok(id)
    }

    fn move_item(&self, id: i64, span: &Span) -> Result<(), StoreError> {
        self.places_change();
        self.execute(
            "UPDATE item SET byte_start = ?2, byte_end = ?3, line_start = ?4, line_end = ?5 WHERE id = ?1",
            (id, span.byte_start as i64, span.byte_end as i64, span.line_start as i64, span.line_end as i64),
        )?;
        Ok(())
    }

    fn describe_item(&self, id: i64, item: &Item) -> Result<(), StoreError> {
        self.execute("UPDATE item SET attributes = ?2 WHERE id = ?1", (id, item.attributes.to_string()))?;
        self.sql(underive(&self.transaction, id))?;
        self.sql(derive(&self.transaction, id, item.scope.as_str(), &item.attributes))?;
        // The text stays as it is, so its stretches do; only the whole stands below what attributes say.
        let sql = "UPDATE embedding SET text_hash = ?2 WHERE item_id = ?1 AND part = 0";
        self.execute(sql, (id, text_hash(&item.passage())))?;
        Ok(())
    }

    fn remove_item(&self, id: i64) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE id = ?1", [id])?;
        Ok(())
    }
}

impl Batch<'_> {
    /// Takes the context away from what stands behind an item in its file: it is the end of that item's text.
    pub(super) fn drop_context_after(&self, id: i64) -> Result<(), StoreError> {
        let after = format!(
            "SELECT next.id FROM item JOIN item AS next ON next.source_id = item.source_id
                AND next.byte_start >= item.byte_end
             WHERE item.id = ?1 AND next.attributes ->> '$.{CONTEXT}' IS NOT NULL ORDER BY next.byte_start LIMIT 1"
        );
        self.execute(
            &format!(
                "UPDATE embedding SET text_hash = (SELECT text_hash FROM item WHERE id = item_id)
                 WHERE part = 0 AND item_id = ({after})"
            ),
            [id],
        )?;
        self.execute(
            &format!("UPDATE item SET attributes = json_remove(attributes, '$.{CONTEXT}') WHERE id = ({after})"),
            [id],
        )?;
        Ok(())
    }
}
