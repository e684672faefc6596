//! How tools are stored: what each says of itself, and what of that was approved.

use super::StoreError;
use crate::types::{Scope, Tool};

/// A tool as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTool {
    /// Where it can be used.
    pub scope: Scope,
    /// What it says of itself.
    pub tool: Tool,
    /// Of all that it says of itself.
    pub digest: String,
    /// The digest that was approved.
    pub approved: String,
    /// Where it was read from.
    pub source: String,
    /// When it changed last, milliseconds since 1970.
    pub changed_at: i64,
}

impl StoredTool {
    /// Whether somebody has seen what it says now, and allowed it.
    pub fn is_approved(&self) -> bool {
        self.digest == self.approved
    }
}

/// A call as the history of tools reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The session.
    pub session: String,
    /// The tool, as the agent named it.
    pub tool: String,
    /// Whether it did what was asked.
    pub is_ok: bool,
}

/// Reads tools.
pub trait ReadTools {
    /// Tools of these scopes, by scope and key; none are of no scope.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn tools(&self, scopes: &[Scope]) -> Result<Vec<StoredTool>, StoreError>;

    /// The scopes that have tools, or tasks that tools were asked for.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn tool_scopes(&self) -> Result<Vec<Scope>, StoreError>;

    /// The last calls of these scopes, at most `most`, by session and in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn tool_calls(&self, scopes: &[Scope], most: usize) -> Result<Vec<ToolCall>, StoreError>;
}

/// Changes tools. What it does becomes true with its batch.
pub trait WriteTools {
    /// Stores a tool in place of the one with its scope and key.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_tool(&self, tool: &StoredTool) -> Result<(), StoreError>;

    /// Takes a tool away; gives whether it was there. Traces are left on the disk until they are erased.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn remove_tool(&self, scope: &Scope, key: &str) -> Result<bool, StoreError>;
}
