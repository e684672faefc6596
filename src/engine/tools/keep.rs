//! Tools that come, change, are approved and go.

use super::vectors::AT_HAND;
use crate::engine::{Engine, EngineError, Session};
use crate::store::{ReadTools, StoredTool, WriteEvents, WriteTools};
use crate::text::sha256_hex;
use crate::types::{Access, Scope, Tool};
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of tools that were read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ToolsAdded {
    /// Those that are new.
    pub added: Vec<String>,
    /// Those that say something else now, and are not offered until they are approved.
    pub changed: Vec<String>,
    /// How many are as they were.
    pub unchanged: usize,
}

/// A tool that was approved or taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolApproved {
    /// Its key.
    pub tool: String,
    /// Where it can be used.
    pub scope: Scope,
}

/// Equal for tools that say the same of themselves.
fn digest(tool: &Tool) -> String {
    sha256_hex(serde_json::json!(tool).to_string().as_bytes())
}

impl Engine {
    /// Stores tools in a scope, in place of those with the same keys. One that is new is approved by being added; one
    /// that has changed is not. `source` says where they were read.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; nothing is stored then.
    pub fn add_tools(
        &self,
        tools: &[Tool],
        scope: &Scope,
        source: &str,
        session: &Session<'_>,
    ) -> Result<ToolsAdded, EngineError> {
        let (lock, mut database) = self.write_between("ken tools add", session)?;
        let known: BTreeMap<String, StoredTool> =
            database.tools(std::slice::from_ref(scope))?.into_iter().map(|one| (one.tool.key(), one)).collect();
        let mut out = ToolsAdded::default();
        let batch = database.begin(&lock)?;
        // Of a key that comes twice the last one counts.
        let distinct: BTreeMap<String, &Tool> = tools.iter().map(|tool| (tool.key(), tool)).collect();
        for (key, tool) in distinct {
            let digest = digest(tool);
            let before = known.get(&key);
            if before.is_some_and(|before| before.digest == digest) {
                out.unchanged += 1;
                continue;
            }
            let approved = before.map_or_else(|| digest.clone(), |before| before.approved.clone());
            let (tool, scope, source) = (tool.clone(), scope.clone(), source.to_owned());
            batch.put_tool(&StoredTool { scope, tool, digest, approved, source, changed_at: session.now() })?;
            if before.is_some() { &mut out.changed } else { &mut out.added }.push(key);
        }
        let counts = serde_json::json!({"added": out.added.len(), "changed": out.changed.len()});
        batch.log(session.now(), "tools", &counts)?;
        batch.commit()?;
        // So that their vectors are there when somebody asks.
        if let Some(later) = self.settings.later.filter(|_| out.added.len() + out.changed.len() > AT_HAND) {
            later();
        }
        Ok(out)
    }

    /// Approves what tools of this name say now. A person does that.
    ///
    /// # Errors
    /// [`EngineError::NoTool`] for a name that no tool has which may be seen.
    pub fn approve_tools(
        &self,
        name: &str,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<ToolApproved>, EngineError> {
        let (lock, mut database) = self.write_between("ken tools approve", session)?;
        let found = named(database.tools(&access.remembered())?, name)?;
        let batch = database.begin(&lock)?;
        for one in &found {
            batch.put_tool(&StoredTool { approved: one.digest.clone(), ..one.clone() })?;
        }
        batch.log(session.now(), "tools", &serde_json::json!({"approved": found.len()}))?;
        batch.commit()?;
        Ok(found.into_iter().map(|one| ToolApproved { tool: one.tool.key(), scope: one.scope }).collect())
    }

    /// Takes away the tools of this name, with every trace on the disk.
    ///
    /// # Errors
    /// As [`Engine::approve_tools`].
    pub fn remove_tools(
        &self,
        name: &str,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<ToolApproved>, EngineError> {
        let (lock, mut database) = self.write_between("ken tools remove", session)?;
        let found = named(database.tools(&access.remembered())?, name)?;
        let batch = database.begin(&lock)?;
        for one in &found {
            batch.remove_tool(&one.scope, &one.tool.key())?;
        }
        batch.log(session.now(), "tools", &serde_json::json!({"removed": found.len()}))?;
        batch.commit()?;
        self.erase(&mut database, &lock, session)?;
        Ok(found.into_iter().map(|one| ToolApproved { tool: one.tool.key(), scope: one.scope }).collect())
    }
}

/// Tools with this key or name; all of a server for `server/`.
fn named(tools: Vec<StoredTool>, name: &str) -> Result<Vec<StoredTool>, EngineError> {
    let is = |one: &StoredTool| {
        one.tool.key() == name || one.tool.name == name || name.strip_suffix('/') == Some(one.tool.server.as_str())
    };
    let found: Vec<StoredTool> = tools.into_iter().filter(is).collect();
    if found.is_empty() { Err(EngineError::NoTool { name: name.to_owned() }) } else { Ok(found) }
}
