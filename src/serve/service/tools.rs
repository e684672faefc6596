//! The tools that servers offer: kept, found, and held back until somebody approves what has changed.

use super::{Answered, Caller, Service};
use crate::engine::{KnownTool, Loss, ToolPlan, ToolsFound};
use crate::serve::requests::{FindToolsRequest, PlanToolsRequest, RequestError, tools_seen_from};
use crate::types::{Access, Tool};
use std::collections::BTreeSet;

/// What is known of tools.
pub struct KnownTools {
    /// Servers that have some.
    pub servers: BTreeSet<String>,
    /// Keys of those that are not to be offered until somebody approves them.
    pub held_back: BTreeSet<String>,
}

impl Service {
    fn access_to_tools(&self, caller: Caller<'_>) -> Access {
        tools_seen_from(&self.engine, caller.access, &self.here)
    }

    /// Keeps the tools that a server lists; gives the keys of those that are not to be offered, because they say
    /// something else than what was approved.
    ///
    /// # Errors
    /// As [`Service::lookup`]; nothing is stored then.
    pub fn keep_tools(
        &self,
        tools: &[Tool],
        source: &str,
        caller: Caller<'_>,
    ) -> Result<Answered<BTreeSet<String>>, RequestError> {
        self.run(caller, |session| {
            self.engine.add_tools(tools, self.here.scope(&self.engine), source, session)?;
            let keys: BTreeSet<String> = tools.iter().map(Tool::key).collect();
            let all = self.engine.tool_states(&self.access_to_tools(caller), session)?;
            Ok(all.into_iter().filter(|one| !one.approved && keys.contains(&one.key)).map(|one| one.key).collect())
        })
    }

    /// Of which servers tools are known, and which are not to be offered.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn known_tools(&self, caller: Caller<'_>) -> Result<Answered<KnownTools>, RequestError> {
        self.run(caller, |session| {
            let all = self.engine.tool_states(&self.access_to_tools(caller), session)?;
            let servers = all.iter().map(|one| one.server.clone()).collect();
            let held_back = all.into_iter().filter(|one| !one.approved).map(|one| one.key).collect();
            Ok(KnownTools { servers, held_back })
        })
    }

    /// All tools that may be seen.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn list_tools(&self, caller: Caller<'_>) -> Result<Answered<Vec<KnownTool>>, RequestError> {
        self.run(caller, |session| Ok(self.engine.list_tools(&self.access_to_tools(caller), session)?))
    }

    /// The tools that a task needs. Of a request that names its session the task and what was shown are kept: what is
    /// called then says which suggestions were right.
    ///
    /// # Errors
    /// As [`Service::lookup`], and for a used tool that is not known.
    pub fn find_tools(
        &self,
        request: &FindToolsRequest,
        caller: Caller<'_>,
    ) -> Result<Answered<ToolsFound>, RequestError> {
        self.run(caller, |session| request.find(self.asker(caller, session.notes()), session))
    }

    /// A plan of the tools that a task needs.
    ///
    /// # Errors
    /// As [`Service::lookup`].
    pub fn plan_tools(
        &self,
        request: &PlanToolsRequest,
        caller: Caller<'_>,
    ) -> Result<Answered<ToolPlan>, RequestError> {
        self.run(caller, |session| request.plan(self.asker(caller, session.notes()), session))
    }

    /// Counts an outcome that could not be kept.
    pub fn count_lost(&self, loss: Loss) {
        self.engine.count_lost_here(loss);
    }
}
