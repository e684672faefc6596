//! Items: written with the number of their words and the hash of their text, read by id.

use super::external::{derive, underive};
use super::filter::{passing, remembered};
use super::value::{count, json, json_without, named, odd, optional_count, within};
use super::{ByKey, Keys, ReadSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::screen::shown_text;
use crate::store::passages::passages_of;
use crate::store::{Anchor, ItemFilter, ItemText, MemoryView, Prior, ReadItems, WriteItems};
use crate::text::{TextHash, text_hash, tokens};
use crate::types::{Authority, CONTEXT, Item, Kind, Scope, Span, State};

pub const ITEM_COLUMNS: &str = "item.id, item.uid, item.kind, item.scope, item.authority, item.state, item.title,
    item.body, item.attributes, source.path, item.byte_start, item.byte_end, item.line_start, item.line_end,
    item.created_at, item.updated_at";

/// An item with its row id, from a row of [`ITEM_COLUMNS`].
pub fn read_item<R: SqlRow>(row: &R) -> Result<(i64, Item), R::Error> {
    let uid: String = row.get(1)?;
    let read = || {
        Ok(Item {
            uid: uid.clone(),
            kind: named(row, 2, Kind::of)?,
            scope: Scope::repository(row.get::<String>(3)?),
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
fn read_span<R: SqlRow>(row: &R, first: usize) -> Result<Option<Span>, R::Error> {
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

impl<D: ReadSql> ReadItems for D {
    fn anchors(&self, source: i64) -> Result<Vec<Anchor>, StoreError> {
        let sql = "SELECT id, text_hash, state, byte_start, byte_end, line_start, line_end, attributes FROM item
             WHERE source_id = ?1 ORDER BY byte_start, id";
        self.rows(sql, &values![source], |row| read_anchor(row))
    }

    fn items(&self, ids: &[i64]) -> Result<Vec<(i64, Item)>, StoreError> {
        let select =
            format!("SELECT {ITEM_COLUMNS}, item.text_hash FROM item LEFT JOIN source ON source.id = item.source_id");
        let query = ByKey { select: &select, column: "item.id", and: "", order: "" };
        let found: Vec<(i64, Item, TextHash)> = self.rows_by(query, Keys::Integers(ids), &[], |row| {
            let (id, item) = read_item(row)?;
            Ok((id, item, row.get(16)?))
        })?;
        // What is served is what was stored.
        let is_other = |item: &Item, hash: &TextHash| item.state != State::Retired && text_hash(&item.text()) != *hash;
        if let Some((_, item, _)) = found.iter().find(|(_, item, hash)| is_other(item, hash)) {
            return Err(self.damaged(format!("{} holds other text than was stored", item.uid)));
        }
        Ok(found.into_iter().map(|(id, item, _)| (id, item)).collect())
    }

    fn item_id(&self, uid: &str) -> Result<Option<i64>, StoreError> {
        self.first("SELECT id FROM item WHERE uid = ?1", &values![uid], |row| row.get(0))
    }

    fn priors(&self, ids: &[i64]) -> Result<Vec<Prior>, StoreError> {
        let select = "SELECT item.id, item.uid, item.text_hash, item.updated_at, coalesce(usage.days, 0), source.path,
                source.root = '', item.scope
             FROM item LEFT JOIN source ON source.id = item.source_id LEFT JOIN usage ON usage.uid = item.uid";
        let query = ByKey { select, column: "item.id", and: " AND item.state = 'active'", order: "" };
        self.rows_by(query, Keys::Integers(ids), &[], |row| read_prior(row))
    }

    fn has_text(&self, item: i64) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM item WHERE id = ?1 AND state <> 'retired'", &values![item])
    }

    fn is_hidden(&self, id: i64, view: &MemoryView) -> Result<bool, StoreError> {
        let (is_seen, mut values) = remembered(view);
        values.push(id.into());
        Ok(!self.exists(&format!("SELECT 1 FROM item WHERE {is_seen} AND item.id = ?"), &values)?)
    }

    fn admitted(&self, filter: &ItemFilter, view: Option<&MemoryView>) -> Result<Vec<i64>, StoreError> {
        let (passes, values) = passing(self.dialect(), filter, view);
        let sql = format!(
            "SELECT item.id FROM item LEFT JOIN source ON source.id = item.source_id WHERE {passes} ORDER BY item.id"
        );
        self.rows(&sql, &values, |row| row.get(0))
    }

    fn passes(&self, filter: &ItemFilter, view: Option<&MemoryView>, id: Option<i64>) -> Result<bool, StoreError> {
        let (passes, mut values) = passing(self.dialect(), filter, view);
        let is_it = if id.is_some() { " AND item.id = ?" } else { "" };
        values.extend(id.map(SqlValue::from));
        self.exists(
            &format!("SELECT 1 FROM item LEFT JOIN source ON source.id = item.source_id WHERE {passes}{is_it} LIMIT 1"),
            &values,
        )
    }

    fn counted_around(&self, id: u64) -> Result<(usize, usize), StoreError> {
        let id = i64::try_from(id).unwrap_or(i64::MAX);
        let count_where = |is_it: &str| {
            let sql = format!("SELECT count(*) FROM item WHERE state = 'active' AND id {is_it} ?1");
            self.one(&sql, &values![id], |row| count(row, 0))
        };
        Ok((count_where("<=")?, count_where(">")?))
    }

    fn last_item(&self) -> Result<u64, StoreError> {
        let last =
            self.one("SELECT coalesce(max(id), 0) FROM item WHERE state = 'active'", &[], |row| row.integer(0))?;
        Ok(last.unsigned_abs())
    }
}

fn read_anchor<R: SqlRow>(row: &R) -> Result<Anchor, R::Error> {
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

fn read_prior<R: SqlRow>(row: &R) -> Result<Prior, R::Error> {
    let uid: String = row.get(1)?;
    let read = || {
        Ok(Prior {
            id: row.get(0)?,
            uid: uid.clone(),
            text_hash: row.get(2)?,
            updated_at: row.get(3)?,
            days: row.get(4)?,
            path: row.get(5)?,
            imported: row.get::<Option<bool>>(6)?.unwrap_or(false),
            scope: Scope::repository(row.get::<String>(7)?),
        })
    };
    read().map_err(within(&place(&uid)))
}

impl<C: WriteSql> WriteItems for C {
    fn put_item(&self, item: &Item, source: Option<i64>) -> Result<i64, StoreError> {
        let text = item.text();
        let words = tokens(&text).len();
        let hash = text_hash(&text);
        let part = |pick: fn(&Span) -> usize| SqlValue::from(item.span.as_ref().map(|span| pick(span) as i64));
        let sql = "INSERT INTO item (uid, kind, scope, authority, state, title, body, text_hash, words, attributes,
                source_id, byte_start, byte_end, line_start, line_end, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            ON CONFLICT (uid) DO NOTHING RETURNING id";
        let mut values = values![
            &item.uid,
            item.kind.name(),
            item.scope.as_str(),
            authority_name(item.authority),
            state_name(item.state),
            &item.title,
            &item.body,
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
        ];
        let mut attempt = 1;
        let id: i64 = loop {
            if let Some(id) = self.first(sql, &values, |row| row.get(0))? {
                break id;
            }
            attempt += 1;
            values[0] = format!("{}-{attempt}", item.uid).into();
        };
        derive(self, id, item.scope.as_str(), &item.attributes)?;
        if item.state == State::Active {
            let passages = passages_of(item);
            let parts = (0i64..).zip(&passages).map(|(part, text)| values![id, part, text_hash(text)]);
            self.insert_all("embedding (item_id, part, text_hash)", parts, "")?;
            let text_of = || ItemText { id, title: item.title.clone(), body: item.body.clone(), text_hash: hash };
            self.keep_words(text_of)?;
        }
        Ok(id)
    }

    fn move_item(&self, id: i64, span: &Span) -> Result<(), StoreError> {
        self.places_change();
        let place = [span.byte_start, span.byte_end, span.line_start, span.line_end].map(|place| place as i64);
        let [byte_start, byte_end, line_start, line_end] = place;
        self.execute(
            "UPDATE item SET byte_start = ?2, byte_end = ?3, line_start = ?4, line_end = ?5 WHERE id = ?1",
            &values![id, byte_start, byte_end, line_start, line_end],
        )?;
        Ok(())
    }

    fn describe_item(&self, id: i64, item: &Item) -> Result<(), StoreError> {
        self.execute("UPDATE item SET attributes = ?2 WHERE id = ?1", &values![id, item.attributes.to_string()])?;
        underive(self, id)?;
        derive(self, id, item.scope.as_str(), &item.attributes)?;
        // The text stays as it is, so its stretches do; only the whole stands below what attributes say.
        let sql = "UPDATE embedding SET text_hash = ?2 WHERE item_id = ?1 AND part = 0";
        self.execute(sql, &values![id, text_hash(&item.passage())])?;
        Ok(())
    }

    fn remove_item(&self, id: i64) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE id = ?1", &values![id])?;
        Ok(())
    }
}

/// Takes the context away from what stands behind an item in its file: it is the end of that item's text. Gives the
/// text that was embedded with it.
pub(super) fn drop_context_after<C: WriteSql>(changes: &C, id: i64) -> Result<Option<TextHash>, StoreError> {
    let sql = format!(
        "SELECT next.id, next.attributes FROM item AS gone JOIN item AS next ON next.source_id = gone.source_id
            AND next.byte_start >= gone.byte_end
         WHERE gone.id = ?1 AND {} ORDER BY next.byte_start LIMIT 1",
        changes.dialect().has_key("next.attributes", CONTEXT)
    );
    let after: Option<(i64, String)> = changes.first(&sql, &values![id], |row| {
        let next: i64 = row.get(0)?;
        Ok((next, json_without(row, 1, CONTEXT).map_err(within(&format!("item {next}")))?))
    })?;
    let Some((after, attributes)) = after else { return Ok(None) };
    let sql = "SELECT text_hash FROM embedding WHERE part = 0 AND item_id = ?1";
    let before = changes.first(sql, &values![after], |row| row.get(0))?;
    let sql =
        "UPDATE embedding SET text_hash = (SELECT text_hash FROM item WHERE id = ?1) WHERE part = 0 AND item_id = ?1";
    changes.execute(sql, &values![after])?;
    changes.execute("UPDATE item SET attributes = ?2 WHERE id = ?1", &values![after, attributes])?;
    Ok(before)
}
