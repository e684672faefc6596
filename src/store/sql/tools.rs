//! Tools.

use super::learning::forget_tool;
use super::parameter::in_scopes;
use super::value::{json, odd, within};
use super::{ReadSql, SqlRow, SqlValue, StoreError, WriteSql, values};
use crate::screen::shown_text;
use crate::store::{ReadTools, StoredTool, ToolCall, WriteTools};
use crate::types::{Scope, Tool};

/// Tools, from a row of this.
pub const TOOLS: &str = "SELECT scope, key, data, digest, approved, source, changed_at FROM tool";

pub fn read_tool<R: SqlRow>(row: &R) -> Result<StoredTool, R::Error> {
    let key = row.text(1)?;
    let read = || {
        let tool: Tool = serde_json::from_value(json(row, 2)?).map_err(|_| odd(row, 2, "is no tool"))?;
        Ok(StoredTool {
            scope: Scope::repository(row.text(0)?),
            tool,
            digest: row.get(3)?,
            approved: row.get(4)?,
            source: row.get(5)?,
            changed_at: row.get(6)?,
        })
    };
    read().map_err(within(&format!("tool {}", shown_text(&key))))
}

impl<D: ReadSql> ReadTools for D {
    fn tools(&self, scopes: &[Scope]) -> Result<Vec<StoredTool>, StoreError> {
        let (passes, values) = in_scopes(scopes);
        self.rows(&format!("{TOOLS} WHERE {passes} ORDER BY scope, key"), &values, |row| read_tool(row))
    }

    fn tool_scopes(&self) -> Result<Vec<Scope>, StoreError> {
        let sql = "SELECT scope FROM tool UNION SELECT scope FROM tool_task ORDER BY scope";
        self.rows(sql, &[], |row| row.text(0).map(Scope::repository))
    }

    fn tool_calls(&self, scopes: &[Scope], most: usize) -> Result<Vec<ToolCall>, StoreError> {
        let (passes, mut values) = in_scopes(scopes);
        values.push(SqlValue::most(most));
        let sql = format!(
            "SELECT session, tool, is_ok FROM (
                SELECT session, sequence, tool, is_ok FROM tool_outcome WHERE {passes}
                ORDER BY at DESC, session, sequence DESC LIMIT ?) AS last
             ORDER BY session, sequence"
        );
        self.rows(&sql, &values, |row| Ok(ToolCall { session: row.get(0)?, tool: row.get(1)?, is_ok: row.get(2)? }))
    }
}

impl<C: WriteSql> WriteTools for C {
    fn put_tool(&self, stored: &StoredTool) -> Result<(), StoreError> {
        let data = serde_json::to_value(&stored.tool).unwrap_or_default().to_string();
        self.execute(
            "INSERT INTO tool (scope, key, data, digest, approved, source, changed_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (scope, key) DO UPDATE SET data = excluded.data, digest = excluded.digest,
                approved = excluded.approved, source = excluded.source, changed_at = excluded.changed_at",
            &values![
                stored.scope.as_str(),
                stored.tool.key(),
                data,
                &stored.digest,
                &stored.approved,
                &stored.source,
                stored.changed_at
            ],
        )?;
        Ok(())
    }

    fn remove_tool(&self, scope: &Scope, key: &str) -> Result<bool, StoreError> {
        forget_tool(self, scope, key)?;
        Ok(self.execute("DELETE FROM tool WHERE scope = ?1 AND key = ?2", &values![scope.as_str(), key])? > 0)
    }
}
