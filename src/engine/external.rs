//! Items that programs put in: added and changed in batches, read, listed and deleted.
//!
//! A batch is stored as a whole or not at all. It is on the disk when the call returns. Its vectors are made first,
//! because a vector without an item does no harm. While they are made, other machines may write to a shared store. A
//! caller sees only items of the scopes that it may see. It cannot tell an item of another scope from one that does not
//! exist.

use super::derived::Keep;
use super::{Engine, EngineError, Progress, Session};
use crate::ingest::Embedder;
use crate::store::{
    Database, ItemFilter, ReadExternal, ReadForgotten, ReadItems, ReadVectors, WriteEvents, WriteExternal,
    WriteForgotten, WriteItems, WriteVectors, WriterLock, external_uid, passages_of,
};
use crate::text::{TextHash, text_hash};
use crate::types::limits::{ITEM_BATCH, ITEM_PAGE};
use crate::types::{Access, ExternalItem, Item, Scope, StoredItem};
use std::collections::HashSet;

/// What became of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct PutReport {
    /// Items that are new.
    pub added: usize,
    /// Items that were there and are other now.
    pub updated: usize,
    /// Items that were there just so.
    pub unchanged: usize,
    /// Texts that went through the model.
    pub embedded: usize,
    /// Whether what was put in has vectors; without a model it is found by its words alone.
    pub semantic: bool,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct ItemPage {
    /// Items in the order of their ids, then of their scopes.
    pub items: Vec<StoredItem>,
    /// Where the next page begins; none behind the last.
    pub next: Option<String>,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Deleted {
    /// How many items.
    pub deleted: usize,
    /// Whether traces are left on the disk, because another process is reading.
    pub traces_left: bool,
}

/// What is to be written of a batch.
#[derive(Default)]
struct Changes {
    report: PutReport,
    /// Items to be written, each with the row that it takes the place of.
    items: Vec<(Item, Option<i64>)>,
    /// Ids of those that somebody has forgotten.
    forgotten: Vec<String>,
}

impl Engine {
    /// Puts items in: new ones are added, others take the place of what has their id in their scope. All of them or
    /// none.
    ///
    /// # Errors
    /// [`EngineError::BadItem`] for one that cannot be stored, [`EngineError::NoAccess`] for one of a scope that may
    /// not be seen, [`EngineError::ModelMismatch`], and [`EngineError`] when the model or the database fails. Nothing
    /// is stored then.
    pub fn put_items(
        &self,
        items: Vec<ExternalItem>,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<PutReport, EngineError> {
        if items.len() > ITEM_BATCH {
            let what = format!("there are {} items, {ITEM_BATCH} are allowed at once", items.len());
            return Err(EngineError::BadItem { number: ITEM_BATCH + 1, what });
        }
        let mut seen = HashSet::new();
        for (number, item) in (1..).zip(&items) {
            let bad = |what: String| EngineError::BadItem { number, what };
            item.check().map_err(bad)?;
            check_access(access, &item.scope)?;
            if !seen.insert((&item.scope, &item.id)) {
                return Err(bad("its id stands in the batch twice".to_owned()));
            }
        }
        session.check()?;
        let (lock, mut database) = self.write_between("ken items put", session)?;
        let (mut embedded, mut semantic) = (0, false);
        // Texts of the items that have their vectors.
        let mut ready: Option<HashSet<String>> = None;
        let Changes { report, items, forgotten } = loop {
            let mut found = changes(&database, &items, session.now())?;
            let texts: HashSet<String> = found.items.iter().map(|(item, _)| item.text()).collect();
            let is_ready = ready.as_ref().is_some_and(|ready| texts.is_subset(ready));
            if is_ready || texts.is_empty() {
                found.report.embedded = embedded;
                if ready.is_some() {
                    found.report.semantic = semantic;
                }
                break found;
            }
            let (made, is_embedded) = self.embed_items(&found.items, ready.is_none(), &mut database, &lock, session)?;
            (embedded, semantic) = (embedded + made, is_embedded);
            // Others may have written to a shared store while texts were embedded, so what is there is looked at again.
            ready = Some(texts);
        };
        if !items.is_empty() {
            session.check()?;
            let batch = database.begin(&lock)?;
            let replaced: Vec<i64> = items.iter().filter_map(|(_, before)| *before).collect();
            let texts = batch.texts_of_items(&replaced)?;
            for (item, before) in &items {
                if let Some(row) = before {
                    batch.remove_item(*row)?;
                }
                batch.put_item(item, None)?;
            }
            for uid in &forgotten {
                // Whoever puts it in again wants it back.
                batch.undo_forget(uid)?;
            }
            // The vectors of replaced texts go now, because a later deletion only removes those of the current text.
            batch.drop_vectors_of(&texts)?;
            let counts = serde_json::json!({"added": report.added, "updated": report.updated});
            batch.log(session.now(), "items put", &counts)?;
            batch.commit()?;
            self.keep_derived(&mut database, &lock, Keep::Usable, session)?;
        }
        Ok(report)
    }

    /// Makes the vectors of these items; gives how many texts went through the model, and whether there is one.
    fn embed_items(
        &self,
        items: &[(Item, Option<i64>)],
        is_told: bool,
        database: &mut Database,
        lock: &WriterLock,
        session: &Session<'_>,
    ) -> Result<(usize, bool), EngineError> {
        let Some(encoder) = self.encoder()? else { return Ok((0, false)) };
        self.agree_with(database.index_model()?.as_ref(), encoder.as_ref())?;
        let texts: Vec<String> = items.iter().flat_map(|(item, _)| passages_of(item)).collect();
        let hashed: Vec<(TextHash, &str)> = texts.iter().map(|text| (text_hash(text), text.as_str())).collect();
        let mut embedder = Embedder::new(encoder.as_ref(), database, lock)?;
        let model = embedder.model().name().to_owned();
        let total = hashed.len();
        let tell = |done| session.tell(Progress::Embedding { what: "the index", done, total, model: &model });
        if is_told {
            tell(0);
        }
        let stopped = || session.check().is_err();
        let made = embedder.embed(&hashed, database, lock, &stopped, &mut |done, _| tell(done));
        made.map_err(|error| session.why(error))?;
        if is_told {
            tell(total);
        }
        Ok((embedder.texts, true))
    }

    /// An item that a program put in; none if there is none, or it may not be seen.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn external_item(&self, scope: &Scope, id: &str, access: &Access) -> Result<Option<StoredItem>, EngineError> {
        if !access.admits(scope) {
            return Ok(None);
        }
        let Some(database) = self.read_database()? else { return Ok(None) };
        let Some(row) = database.item_id(&external_uid(scope, id))? else { return Ok(None) };
        Ok(database.items(&[row])?.into_iter().next().and_then(|(_, item)| StoredItem::of(item)))
    }

    /// The items that programs put in and that pass, in the order of their ids: `most` of them, from behind `after` on,
    /// which is the `next` of the page before. Items that come and go between two pages make no other be missed or come
    /// twice.
    ///
    /// # Errors
    /// [`EngineError::BadCursor`] for what is no `next`, [`EngineError`] when the database refuses.
    pub fn list_items(
        &self,
        filter: &ItemFilter,
        after: Option<&str>,
        most: usize,
        session: &Session<'_>,
    ) -> Result<ItemPage, EngineError> {
        session.check()?;
        let read = |text: &str| read_cursor(text).ok_or_else(|| EngineError::BadCursor { cursor: text.to_owned() });
        let after = after.map(read).transpose()?;
        let most = most.clamp(1, ITEM_PAGE);
        let Some(database) = self.read_database()? else { return Ok(ItemPage::default()) };
        let moment = database.snapshot()?;
        let after = after.as_ref().map(|(id, scope)| (id.as_str(), scope));
        let mut rows = database.external_items(filter, after, most + 1)?;
        let is_more = rows.len() > most;
        rows.truncate(most);
        let found = database.items(&rows)?;
        drop(moment);
        let items: Vec<StoredItem> = found.into_iter().filter_map(|(_, item)| StoredItem::of(item)).collect();
        let next = items.last().filter(|_| is_more).map(|last| cursor(&last.item.id, &last.item.scope));
        Ok(ItemPage { items, next })
    }

    /// Deletes an item that a program put in. One that is not there, or may not be seen, is none.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; nothing is deleted then.
    pub fn delete_item(
        &self,
        scope: &Scope,
        id: &str,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Deleted, EngineError> {
        if self.external_item(scope, id, access)?.is_none() {
            return Ok(Deleted::default());
        }
        let uid = external_uid(scope, id);
        self.delete_rows(session, |database| Ok(database.item_id(&uid)?.into_iter().collect()))
    }

    /// Deletes all items that programs put in and that pass. Items of files are never among them.
    ///
    /// # Errors
    /// [`EngineError::EmptyFilter`] for a filter that asks nothing, [`EngineError`] when the database refuses; nothing
    /// is deleted then.
    pub fn delete_items(&self, filter: &ItemFilter, session: &Session<'_>) -> Result<Deleted, EngineError> {
        if filter.asks_nothing() {
            return Err(EngineError::EmptyFilter);
        }
        if self.list_items(filter, None, 1, session)?.items.is_empty() {
            return Ok(Deleted::default());
        }
        self.delete_rows(session, |database| Ok(database.external_items(filter, None, usize::MAX)?))
    }

    fn delete_rows(
        &self,
        session: &Session<'_>,
        which: impl FnOnce(&Database) -> Result<Vec<i64>, EngineError>,
    ) -> Result<Deleted, EngineError> {
        let (lock, mut database) = self.write_between("ken items delete", session)?;
        let rows = which(&database)?;
        if rows.is_empty() {
            return Ok(Deleted::default());
        }
        let uids: Vec<String> = database.priors(&rows)?.into_iter().map(|prior| prior.uid).collect();
        self.forget_labels(&lock, &uids, &[])?;
        session.check()?;
        let batch = database.begin(&lock)?;
        batch.delete_items(&rows)?;
        batch.log(session.now(), "items deleted", &serde_json::json!({"items": rows.len()}))?;
        batch.commit()?;
        let traces_left = self.erase(&mut database, &lock, session)?;
        Ok(Deleted { deleted: rows.len(), traces_left })
    }
}

/// An error unless this scope may be seen. It tells nothing of what is in the scope.
fn check_access(access: &Access, scope: &Scope) -> Result<(), EngineError> {
    match access.admits(scope) {
        true => Ok(()),
        false => Err(EngineError::NoAccess { scope: scope.as_str().to_owned() }),
    }
}

/// What of a batch is not there just so, against what is stored.
fn changes(database: &Database, items: &[ExternalItem], now_ms: i64) -> Result<Changes, EngineError> {
    let mut out = Changes::default();
    out.report.semantic = database.index_model()?.is_some();
    for item in items {
        let uid = external_uid(&item.scope, &item.id);
        let before = match database.item_id(&uid)? {
            Some(row) => database.items(&[row])?.into_iter().next(),
            None => None,
        };
        let Some((row, before)) = before else {
            out.report.added += 1;
            if database.is_forgotten(&uid)? {
                out.forgotten.push(uid.clone());
            }
            out.items.push((item.clone().into_item(uid, now_ms, now_ms), None));
            continue;
        };
        let is_text = before.title == item.title && before.body == item.text;
        let updated_at = if is_text { before.updated_at } else { now_ms };
        let now = item.clone().into_item(uid, before.created_at, updated_at);
        if now == before {
            out.report.unchanged += 1;
            continue;
        }
        out.report.updated += 1;
        out.items.push((now, Some(row)));
    }
    Ok(out)
}

/// Where a page ends, as text: the id with its length before it, then the scope.
fn cursor(id: &str, scope: &Scope) -> String {
    format!("{}:{id}{scope}", id.len())
}

fn read_cursor(text: &str) -> Option<(String, Scope)> {
    let (length, rest) = text.split_once(':')?;
    let (id, scope) = rest.split_at_checked(length.parse().ok()?)?;
    (!id.is_empty() && !scope.is_empty()).then(|| (id.to_owned(), Scope::repository(scope)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for (id, scope) in [("a", "global"), ("3:x", "path:/a:b"), ("ä:ö", "ü"), ("1", "1:1")] {
            let scope = Scope::repository(scope);
            assert_eq!(read_cursor(&cursor(id, &scope)), Some((id.to_owned(), scope)));
        }
        for wrong in ["", "a", "1", "1:", "2:ab", "0:ab", "9:ab", "1:\u{e4}b", "-1:ab", "x:ab"] {
            assert_eq!(read_cursor(wrong), None, "{wrong}");
        }
    }
}
