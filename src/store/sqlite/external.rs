//! Items that programs put in: their ids, and the attributes of items as rows that a filter finds. Both tables are
//! derived from what the item itself says.

use super::StoreError;
use super::database::{Batch, Database};
use super::filter::condition;
use crate::store::{ItemFilter, ReadExternal, WriteExternal};
use crate::types::{AttributeValue, EXTERNAL_ID, Scope, fields};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};

impl ReadExternal for Database {
    fn external_items(
        &self,
        filter: &ItemFilter,
        after: Option<(&str, &Scope)>,
        most: usize,
    ) -> Result<Vec<i64>, StoreError> {
        let (mut passes, mut values) = condition(filter);
        if let Some((id, scope)) = after {
            passes.push_str(" AND (external_item.id, external_item.scope) > (?, ?)");
            values.extend([Value::Text(id.to_owned()), Value::Text(scope.as_str().to_owned())]);
        }
        values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
        let all = || -> rusqlite::Result<Vec<i64>> {
            let mut statement = self.connection.prepare(&format!(
                "SELECT item.id FROM external_item JOIN item ON item.id = external_item.item_id
                 LEFT JOIN source ON source.id = item.source_id
                 WHERE {passes} ORDER BY external_item.id, external_item.scope LIMIT ?"
            ))?;
            statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?.collect()
        };
        self.sql(all())
    }

    fn external_scopes(&self, id: &str) -> Result<Vec<Scope>, StoreError> {
        let all = || -> rusqlite::Result<Vec<Scope>> {
            let sql = "SELECT scope FROM external_item WHERE id = ?1 ORDER BY scope";
            let mut statement = self.connection.prepare_cached(sql)?;
            statement.query_map([id], |row| row.get::<_, String>(0).map(Scope::repository))?.collect()
        };
        self.sql(all())
    }
}

impl WriteExternal for Batch<'_> {
    fn delete_item(&self, id: i64) -> Result<(), StoreError> {
        self.leave_traces()?;
        self.forget_links("item.id = ?1", id)?;
        self.execute("DELETE FROM item WHERE id = ?1", [id])?;
        Ok(())
    }
}

/// A row of `attribute` without its item: key, part, kind, text and number.
type AttributeRow = (String, i64, String, Option<String>, Option<f64>);

/// What is derived from an item: the id that its program gave it, and its attributes by key and part.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Derived {
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

    /// As it is stored.
    pub fn stored(connection: &Connection, item: i64) -> rusqlite::Result<Self> {
        let mut ids = connection.prepare_cached("SELECT id FROM external_item WHERE item_id = ?1")?;
        let mut rows = connection.prepare_cached(
            "SELECT key, part, kind, text, number FROM attribute WHERE item_id = ?1 ORDER BY key, part",
        )?;
        let rows =
            rows.query_map([item], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
        let rows = rows.collect::<rusqlite::Result<_>>()?;
        Ok(Self { id: ids.query_row([item], |row| row.get(0)).optional()?, rows })
    }

    /// How many rows it has in both tables.
    pub fn count(&self) -> usize {
        self.rows.len() + usize::from(self.id.is_some())
    }
}

/// Writes the rows that are derived from what is known of an item, if there are any.
pub(super) fn derive(
    connection: &Connection,
    item: i64,
    scope: &str,
    attributes: &serde_json::Value,
) -> rusqlite::Result<()> {
    let Derived { id, rows } = Derived::of(attributes);
    if let Some(id) = id {
        let sql = "INSERT OR REPLACE INTO external_item VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute((item, id, scope))?;
    }
    for (key, part, kind, text, number) in rows {
        let sql = "INSERT INTO attribute VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        connection.prepare_cached(sql)?.execute((item, key, part, kind, text, number))?;
    }
    Ok(())
}

/// Takes the rows away that [`derive()`] wrote.
pub(super) fn underive(connection: &Connection, item: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM external_item WHERE item_id = ?1")?.execute([item])?;
    connection.prepare_cached("DELETE FROM attribute WHERE item_id = ?1")?.execute([item])?;
    Ok(())
}
