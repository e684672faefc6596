//! Tools: those that a task needs, and a plan of them.

use super::{Asker, Here, RequestError};
use crate::engine::{Engine, Session, ToolAsk, ToolPlan, ToolsFound};
use crate::types::Access;
use schemars::JsonSchema;
use serde::Deserialize;

/// Tools that are found where a request says nothing.
const FOUND: u32 = 5;

/// A task whose tools are wanted.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindToolsRequest {
    /// The task.
    #[schemars(description = "What is to be done, in a sentence or more")]
    pub task: String,
    /// Tools that were called already.
    #[serde(default)]
    #[schemars(description = "Tools that were called already, in their order: names or keys")]
    pub used: Vec<String>,
    /// Most tools.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100), description = "Most tools (default 5)")]
    pub top: Option<u32>,
    /// The session.
    #[serde(default)]
    #[schemars(
        description = "Id of the session: the task is kept, and what the session then calls says how sure later \
        suggestions must be. Needs a token that may write"
    )]
    pub session: Option<String>,
}

/// A task that is to be planned.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanToolsRequest {
    /// The task.
    #[schemars(description = "What is to be done, in a sentence or more")]
    pub task: String,
}

/// Whoever asks from here sees the tools of here, and those of all repositories.
pub fn tools_seen_from(engine: &Engine, access: &Access, here: &Here) -> Access {
    access.clone().from_home(here.scope(engine))
}

fn check(task: &str) -> Result<(), RequestError> {
    if !task.trim().is_empty() {
        return Ok(());
    }
    Err(RequestError::usage("there is no task", "say what is to be done, such as \"open an issue\""))
}

impl FindToolsRequest {
    /// The tools.
    ///
    /// # Errors
    /// [`RequestError`] for no task, a number out of its bounds or a used tool that is not known, and when the engine
    /// fails.
    pub fn find(&self, asker: Asker<'_>, session: &Session<'_>) -> Result<ToolsFound, RequestError> {
        check(&self.task)?;
        self.check()?;
        let ask = ToolAsk { session: self.session.as_deref(), trace: asker.settings.tools.trace };
        let wanted = (self.task.as_str(), self.used.as_slice(), self.top.unwrap_or(FOUND) as usize);
        Ok(asker.engine.find_tools(&ask, wanted, &tools_seen_from(asker.engine, asker.access, asker.here), session)?)
    }
}

impl PlanToolsRequest {
    /// The plan.
    ///
    /// # Errors
    /// [`RequestError`] for no task, and when the engine fails.
    pub fn plan(&self, asker: Asker<'_>, session: &Session<'_>) -> Result<ToolPlan, RequestError> {
        check(&self.task)?;
        Ok(asker.engine.plan_tools(&self.task, &tools_seen_from(asker.engine, asker.access, asker.here), session)?)
    }
}
