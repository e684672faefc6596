//! Items that programs put in: their ids, and the attributes of items as rows that a filter finds. Both tables are
//! derived from what the item itself says.

use super::filter::condition;
use super::links::forget_links;
use super::traces::leave_traces_of_deleted;
use super::{ByKey, Keys, ReadSql, RunSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::store::{ItemFilter, ReadExternal, WriteExternal, WriteVectors};
use crate::types::{AttributeValue, EXTERNAL_ID, Scope, fields};
use std::collections::HashMap;

impl<D: ReadSql> ReadExternal for D {
    fn external_items(
        &self,
        filter: &ItemFilter,
        after: Option<(&str, &Scope)>,
        most: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let (mut passes, mut values) = condition(self.dialect(), filter);
        if let Some((id, scope)) = after {
            passes.push_str(" AND (external_item.id, external_item.scope) > (?, ?)");
            values.extend([id.to_owned().into(), scope.as_str().to_owned().into()]);
        }
        values.push(SqlValue::most(most));
        let sql = format!(
            "SELECT item.id FROM external_item JOIN item ON item.id = external_item.item_id
             LEFT JOIN source ON source.id = item.source_id
             WHERE {passes} ORDER BY external_item.id, external_item.scope LIMIT ?"
        );
        self.rows(&sql, &values, |row| row.get(0))
    }

    fn external_scopes(&self, id: &str) -> Result<Vec<Scope>, StoreError> {
        let sql = "SELECT scope FROM external_item WHERE id = ?1 ORDER BY scope";
        self.rows(sql, &values![id], |row| row.text(0).map(Scope::repository))
    }
}

impl<C: WriteSql> WriteExternal for C {
    fn delete_items(&self, ids: &[i64]) -> Result<(), StoreError> {
        leave_traces_of_deleted(self)?;
        let texts = self.texts_of_items(ids)?;
        for id in ids {
            forget_links(self, "item.id = ?1", *id)?;
            self.execute("DELETE FROM item WHERE id = ?1", &values![*id])?;
        }
        self.drop_vectors_of(&texts)?;
        Ok(())
    }
}

/// A row of `attribute` without its item: key, part, kind, text and number.
type AttributeRow = (String, i64, String, Option<String>, Option<f64>);

/// What is derived from an item: the id that its program gave it, and its attributes by key and part.
#[derive(Debug, Default, PartialEq)]
pub struct Derived {
    id: Option<String>,
    rows: Vec<AttributeRow>,
}

impl Derived {
    /// From what is known of the item.
    pub fn of(attributes: &serde_json::Value) -> Self {
        let id = attributes.get(EXTERNAL_ID).and_then(serde_json::Value::as_str).map(str::to_owned);
        // What cannot be read is found by no condition.
        let fields = fields(attributes).unwrap_or_default();
        let mut rows = Vec::new();
        for (key, value) in fields.iter() {
            let mut push = |part: i64, kind: &str, text: Option<&String>, number: Option<f64>| {
                rows.push((key.to_owned(), part, kind.to_owned(), text.cloned(), number));
            };
            match value {
                AttributeValue::Text(text) => push(0, "text", Some(text), None),
                AttributeValue::Number(number) => push(0, "number", None, Some(*number)),
                AttributeValue::Boolean(is) => push(0, "boolean", None, Some(f64::from(u8::from(*is)))),
                AttributeValue::List(texts) if texts.is_empty() => push(0, "list", None, None),
                AttributeValue::List(texts) => {
                    (0i64..).zip(texts).for_each(|(part, text)| push(part, "list", Some(text), None));
                }
            }
        }
        Self { id, rows }
    }

    /// As it is stored, of those of some items that have anything.
    pub fn stored(store: &impl RunSql, items: &[i64]) -> Result<HashMap<i64, Self>, StoreError> {
        let mut out: HashMap<i64, Self> = HashMap::new();
        let select = "SELECT item_id, id FROM external_item";
        let query = ByKey { select, column: "item_id", and: "", order: "" };
        store.rows_by(query, Keys::Integers(items), &[], |row| {
            out.entry(row.get(0)?).or_default().id = row.get(1)?;
            Ok(())
        })?;
        let select = "SELECT item_id, key, part, kind, text, number FROM attribute";
        let query = ByKey { select, column: "item_id", and: "", order: "key, part" };
        store.rows_by(query, Keys::Integers(items), &[], |row| {
            let derived = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
            out.entry(row.get(0)?).or_default().rows.push(derived);
            Ok(())
        })?;
        Ok(out)
    }

    /// How many rows it has in both tables.
    pub fn count(&self) -> usize {
        self.rows.len() + usize::from(self.id.is_some())
    }
}

/// Writes the rows that are derived from what is known of an item, if there are any.
pub fn derive(changes: &impl RunSql, item: i64, scope: &str, attributes: &serde_json::Value) -> Result<(), StoreError> {
    let Derived { id, rows } = Derived::of(attributes);
    if let Some(id) = id {
        // Whatever had this id gives way.
        changes.execute("DELETE FROM external_item WHERE id = ?1 AND scope = ?2", &values![&id, scope])?;
        let sql = "INSERT INTO external_item (item_id, id, scope) VALUES (?1, ?2, ?3)
            ON CONFLICT (item_id) DO UPDATE SET id = excluded.id, scope = excluded.scope";
        changes.execute(sql, &values![item, id, scope])?;
    }
    let rows = rows.into_iter().map(|(key, part, kind, text, number)| values![item, key, part, kind, text, number]);
    changes.insert_all("attribute (item_id, key, part, kind, text, number)", rows, "")
}

/// Takes the rows away that [`derive()`] wrote.
pub(super) fn underive(changes: &impl RunSql, item: i64) -> Result<(), StoreError> {
    changes.execute("DELETE FROM external_item WHERE item_id = ?1", &values![item])?;
    changes.execute("DELETE FROM attribute WHERE item_id = ?1", &values![item])?;
    Ok(())
}
