//! Items: written with their keywords and the hash of their text, read by id.

use super::StoreError;
use super::database::{Batch, Database};
use crate::text::{TextHash, hex, sha256, text_hash, tokens};
use crate::types::{Authority, CONTEXT, Item, Kind, Scope, Span, State};
use rusqlite::Row;

/// What the comparison of a file with its items needs of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// Row id.
    pub id: i64,
    /// Hash of title and body.
    pub text_hash: TextHash,
    /// Whether it is served.
    pub active: bool,
    /// Where it stands.
    pub span: Option<Span>,
    /// What else is known of it, as JSON.
    pub attributes: String,
}

pub(super) const ITEM_COLUMNS: &str =
    "item.id, item.uid, item.kind, item.scope, item.authority, item.state, item.title,
    item.body, item.attributes, source.path, item.byte_start, item.byte_end, item.line_start, item.line_end,
    item.created_at, item.updated_at";

pub(super) fn read_item(row: &Row<'_>) -> rusqlite::Result<(i64, Item)> {
    let text = |at: usize| row.get::<_, String>(at);
    let item = Item {
        uid: text(1)?,
        kind: Kind::of(&text(2)?).unwrap_or(Kind::Chunk),
        scope: Scope::repository(text(3)?),
        authority: match text(4)?.as_str() {
            "org" => Authority::Org,
            "team" => Authority::Team,
            _ => Authority::Personal,
        },
        state: match text(5)?.as_str() {
            "active" => State::Active,
            "disputed" => State::Disputed,
            _ => State::Retired,
        },
        title: text(6)?,
        body: text(7)?,
        attributes: serde_json::from_str(&text(8)?).unwrap_or_default(),
        path: row.get(9)?,
        span: read_span(row, 10)?,
        created_at: row.get(14)?,
        updated_at: row.get(15)?,
    };
    Ok((row.get(0)?, item))
}

fn read_span(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Span>> {
    let number = |at: usize| row.get::<_, Option<i64>>(first + at).map(|n| n.map(|n| n.max(0) as usize));
    let (a, b, c, d) = (number(0)?, number(1)?, number(2)?, number(3)?);
    Ok(match (a, b, c, d) {
        (Some(byte_start), Some(byte_end), Some(line_start), Some(line_end)) => {
            Some(Span { byte_start, byte_end, line_start, line_end })
        }
        _ => None,
    })
}

const fn authority_name(authority: Authority) -> &'static str {
    match authority {
        Authority::Personal => "personal",
        Authority::Team => "team",
        Authority::Org => "org",
    }
}

const fn state_name(state: State) -> &'static str {
    match state {
        State::Active => "active",
        State::Disputed => "disputed",
        State::Retired => "retired",
    }
}

/// The public id of a piece of a document: the same for the same text at the same place in the same file.
/// `nth` tells equal texts of one file apart.
pub fn chunk_uid(path: &str, text: &TextHash, nth: usize) -> String {
    let digest = sha256(format!("{path}\0{}\0{nth}", hex(text)).as_bytes());
    format!("chunk/{}", hex(&digest[..8]))
}

impl Database {
    /// What is known of the items of a file, in the order of the file.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn anchors(&self, source: i64) -> Result<Vec<Anchor>, StoreError> {
        let all = || -> rusqlite::Result<_> {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, text_hash, state, byte_start, byte_end, line_start, line_end, attributes FROM item
                 WHERE source_id = ?1 ORDER BY byte_start, id",
            )?;
            let read = |row: &Row<'_>| {
                let state: String = row.get(2)?;
                Ok(Anchor {
                    id: row.get(0)?,
                    text_hash: row.get(1)?,
                    active: state == "active",
                    span: read_span(row, 3)?,
                    attributes: row.get(7)?,
                })
            };
            statement.query_map([source], read)?.collect()
        };
        self.sql(all())
    }

    /// Items by row id, in the order asked; those that are gone are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn items(&self, ids: &[i64]) -> Result<Vec<(i64, Item)>, StoreError> {
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
        let found = self.sql(all())?;
        // What is served is what was stored.
        let is_other = |item: &Item, hash: &TextHash| item.state != State::Retired && text_hash(&item.text()) != *hash;
        if let Some((_, item, _)) = found.iter().find(|(_, item, hash)| is_other(item, hash)) {
            let what = format!("{} holds other text than was stored", item.uid);
            return Err(StoreError::Damaged { path: self.path().to_owned(), what });
        }
        Ok(found.into_iter().map(|(id, item, _)| (id, item)).collect())
    }

    /// The row id of an item by its public id.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn item_id(&self, uid: &str) -> Result<Option<i64>, StoreError> {
        let get = || -> rusqlite::Result<Option<i64>> {
            let mut statement = self.connection.prepare_cached("SELECT id FROM item WHERE uid = ?1")?;
            let mut rows = statement.query([uid])?;
            rows.next()?.map(|row| row.get(0)).transpose()
        };
        self.sql(get())
    }
}

impl Batch<'_> {
    /// Adds an item and its keywords; gives its row id. A public id that is taken by another text gets a suffix.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn put_item(&self, item: &Item, source: Option<i64>) -> Result<i64, StoreError> {
        let text = item.text();
        let words = tokens(&text);
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
                words.len() as i64,
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
        if active {
            self.put_words(id, &words)?;
            self.execute("INSERT INTO embedding VALUES (?1, 0, ?2)", (id, text_hash(&item.passage())))?;
        }
        Ok(id)
    }

    pub(super) fn put_words(&self, id: i64, words: &[String]) -> Result<(), StoreError> {
        self.execute("INSERT INTO item_fts (rowid, words) VALUES (?1, ?2)", (id, words.join(" ")))?;
        Ok(())
    }

    /// Says where an item stands now.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn move_item(&self, id: i64, span: &Span) -> Result<(), StoreError> {
        self.execute(
            "UPDATE item SET byte_start = ?2, byte_end = ?3, line_start = ?4, line_end = ?5 WHERE id = ?1",
            (id, span.byte_start as i64, span.byte_end as i64, span.line_start as i64, span.line_end as i64),
        )?;
        Ok(())
    }

    /// Gives an item, whose text stays, what else is known of it now.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn describe_item(&self, id: i64, item: &Item) -> Result<(), StoreError> {
        self.execute("UPDATE item SET attributes = ?2 WHERE id = ?1", (id, item.attributes.to_string()))?;
        self.execute("UPDATE embedding SET text_hash = ?2 WHERE item_id = ?1", (id, text_hash(&item.passage())))?;
        Ok(())
    }

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
                 WHERE item_id = ({after})"
            ),
            [id],
        )?;
        self.execute(
            &format!("UPDATE item SET attributes = json_remove(attributes, '$.{CONTEXT}') WHERE id = ({after})"),
            [id],
        )?;
        Ok(())
    }

    /// Removes an item. Its counters stay: the same text may come back.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn remove_item(&self, id: i64) -> Result<(), StoreError> {
        self.execute("DELETE FROM item WHERE id = ?1", [id])?;
        Ok(())
    }
}
