//! Tools in SQLite.

use super::StoreError;
use super::database::{Batch, Database};
use super::value::{json, odd, within};
use crate::screen::shown_text;
use crate::store::{ReadTools, StoredTool, ToolCall, WriteTools};
use crate::types::{Scope, Tool};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

/// Tools, from a row of this.
pub(super) const TOOLS: &str = "SELECT scope, key, data, digest, approved, source, changed_at FROM tool";

pub(super) fn read_tool(row: &Row<'_>) -> rusqlite::Result<StoredTool> {
    let key: String = row.get(1)?;
    let read = || {
        let tool: Tool = serde_json::from_value(json(row, 2)?).map_err(|_| odd(row, 2, "is no tool"))?;
        Ok(StoredTool {
            scope: Scope::repository(row.get::<_, String>(0)?),
            tool,
            digest: row.get(3)?,
            approved: row.get(4)?,
            source: row.get(5)?,
            changed_at: row.get(6)?,
        })
    };
    read().map_err(within(&format!("tool {}", shown_text(&key))))
}

/// A place for each scope, and the scopes as values.
fn places(scopes: &[Scope]) -> (String, Vec<Value>) {
    let values = scopes.iter().map(|scope| Value::Text(scope.as_str().to_owned())).collect();
    (vec!["?"; scopes.len()].join(", "), values)
}

impl ReadTools for Database {
    fn tools(&self, scopes: &[Scope]) -> Result<Vec<StoredTool>, StoreError> {
        let (places, values) = places(scopes);
        let sql = format!("{TOOLS} WHERE scope IN ({places}) ORDER BY scope, key");
        let read = || -> rusqlite::Result<Vec<StoredTool>> {
            self.connection.prepare_cached(&sql)?.query_map(params_from_iter(values), read_tool)?.collect()
        };
        self.sql(read())
    }

    fn tool_scopes(&self) -> Result<Vec<Scope>, StoreError> {
        let sql = "SELECT scope FROM tool UNION SELECT scope FROM tool_task ORDER BY scope";
        let scope = |row: &Row<'_>| row.get::<_, String>(0).map(Scope::repository);
        let read =
            || -> rusqlite::Result<Vec<Scope>> { self.connection.prepare_cached(sql)?.query_map([], scope)?.collect() };
        self.sql(read())
    }

    fn tool_calls(&self, scopes: &[Scope], most: usize) -> Result<Vec<ToolCall>, StoreError> {
        let (places, mut values) = places(scopes);
        values.push(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
        let sql = format!(
            "SELECT session, tool, is_ok FROM (
                SELECT session, sequence, tool, is_ok FROM tool_outcome WHERE scope IN ({places})
                ORDER BY at DESC, session, sequence DESC LIMIT ?)
             ORDER BY session, sequence"
        );
        let call = |row: &Row<'_>| Ok(ToolCall { session: row.get(0)?, tool: row.get(1)?, is_ok: row.get(2)? });
        let read = || -> rusqlite::Result<Vec<ToolCall>> {
            self.connection.prepare_cached(&sql)?.query_map(params_from_iter(values), call)?.collect()
        };
        self.sql(read())
    }
}

impl WriteTools for Batch<'_> {
    fn put_tool(&self, stored: &StoredTool) -> Result<(), StoreError> {
        let data = serde_json::to_value(&stored.tool).unwrap_or_default().to_string();
        self.execute(
            "INSERT INTO tool (scope, key, data, digest, approved, source, changed_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (scope, key) DO UPDATE SET data = excluded.data, digest = excluded.digest,
                approved = excluded.approved, source = excluded.source, changed_at = excluded.changed_at",
            params![
                stored.scope.as_str(),
                stored.tool.key(),
                data,
                stored.digest,
                stored.approved,
                stored.source,
                stored.changed_at
            ],
        )?;
        Ok(())
    }

    fn remove_tool(&self, scope: &Scope, key: &str) -> Result<bool, StoreError> {
        self.forget_tool(scope, key)?;
        Ok(self.execute("DELETE FROM tool WHERE scope = ?1 AND key = ?2", params![scope.as_str(), key])? > 0)
    }
}
