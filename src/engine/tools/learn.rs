//! Learning from runs and from what became of suggestions, whenever tools are asked for.
//!
//! Whoever keeps a run does not wait for this. Each step is a short transaction of its own; a process that is stopped
//! between two leaves nothing half done, and the next one goes on from there. What another process has learnt meanwhile
//! is not counted twice.

use super::catalog::Catalog;
use crate::engine::{Engine, EngineError, Session};
use crate::store::{
    CapabilityUse, KeepLearning, ReadLearning, SessionCall, StoredCapability, StoredSuggestion, StoredTask,
    StoredThreshold, SuggestionKind,
};
use crate::tools::learn::{Capability, TASK_GAP_MS, TaskCall, TaskDone, Threshold, capability_of, tasks_of};
use crate::types::{Access, Scope};
use serde::Serialize;

/// Sessions that are read at most for one request; the next goes on.
const MOST_SESSIONS: usize = 10_000;
/// Open tasks that are looked at, the newest.
const MOST_OPEN: usize = 1_000;
/// How often a step is tried that met somebody else's.
const TRIES: usize = 3;
/// Capabilities that are looked at, the most used.
pub(super) const MOST_CAPABILITIES: usize = 10_000;

/// A set of tools that tasks used together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownCapability {
    /// Where it was learnt.
    pub scope: Scope,
    /// The keys of its tools, in the order of the first task that used them.
    pub tools: Vec<String>,
    /// Tasks that used them together.
    pub uses: u32,
    /// Those that went well.
    pub ok: u32,
    /// When it was used last, milliseconds since 1970.
    pub last_at: i64,
    /// Whether it has been used often and well enough to be suggested.
    pub proven: bool,
}

/// From which score on something is suggested.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnownThreshold {
    /// What is suggested: `tool` or `capability`.
    pub kind: &'static str,
    /// The score.
    pub value: f64,
    /// Suggestions of which it is known what became of them.
    pub outcomes: u64,
    /// The share of the last of them that was accepted; none without any.
    pub accepted: Option<f64>,
}

/// Capabilities and thresholds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolsLearnt {
    /// The most used first.
    pub capabilities: Vec<KnownCapability>,
    /// Of tools and of capabilities.
    pub thresholds: Vec<KnownThreshold>,
}

/// Where whoever asks keeps what is learnt: in their repository, else for all; nowhere if they may see neither.
pub(super) fn own_scope(access: &Access) -> Option<Scope> {
    let scope = access.home().cloned().unwrap_or_else(Scope::global);
    access.remembered().contains(&scope).then_some(scope)
}

pub(super) fn threshold_of(stored: &StoredThreshold) -> Threshold {
    let StoredThreshold { value, outcomes, turns, since, silent, window, .. } = stored.clone();
    Threshold { value, outcomes, turns, since, silent, window }
}

fn stored_of(kind: SuggestionKind, threshold: &Threshold) -> StoredThreshold {
    let Threshold { value, outcomes, turns, since, silent, window } = threshold.clone();
    StoredThreshold { kind, value, outcomes, turns, since, silent, window }
}

pub(super) fn capability_from(stored: &StoredCapability) -> Capability {
    let StoredCapability { tools, uses, ok, last_at, .. } = stored.clone();
    Capability { tools, uses, ok, last_at }
}

fn known(catalog: &Catalog, calls: &[SessionCall]) -> Vec<TaskCall> {
    let of = |call: &SessionCall| TaskCall {
        sequence: call.sequence,
        at: call.at,
        tool: catalog.called(&call.tool).map(|place| catalog.tools[place].key()),
        is_ok: call.is_ok,
    };
    calls.iter().map(of).collect()
}

/// What the session did for a task, if that is over: the keys of the tools that it called, each once, in order.
fn done_for(task: &StoredTask, calls: &[TaskCall], until: Option<u32>, now: i64) -> Option<Vec<String>> {
    let calls: Vec<TaskCall> =
        calls.iter().filter(|call| until.is_none_or(|until| call.sequence <= until)).cloned().collect();
    let stretches = tasks_of(&calls, &[]);
    let own = stretches
        .first()
        .filter(|first| first.calls.first().is_some_and(|call| call.at.saturating_sub(task.at) <= TASK_GAP_MS));
    let last = own.map_or(task.at, TaskDone::at);
    let is_over = until.is_some() || stretches.len() > usize::from(own.is_some());
    if !is_over && now.saturating_sub(last) <= TASK_GAP_MS {
        return None;
    }
    let mut used: Vec<String> = Vec::new();
    for tool in own.into_iter().flat_map(|own| &own.calls).filter_map(|call| call.tool.as_ref()) {
        if !used.contains(tool) {
            used.push(tool.clone());
        }
    }
    Some(used)
}

/// The thresholds after a task whose suggestions have come to something. A session that called nothing says nothing.
fn after(stored: &[StoredThreshold], task: &StoredTask) -> Vec<(Option<StoredThreshold>, StoredThreshold)> {
    if task.used.is_empty() {
        return Vec::new();
    }
    let of = |kind: SuggestionKind| {
        let before = stored.iter().find(|one| one.kind == kind).cloned();
        let mut threshold = before.as_ref().map(threshold_of).unwrap_or_default();
        let all: Vec<&StoredSuggestion> = task.suggestions.iter().filter(|one| one.kind == kind).collect();
        if all.is_empty() {
            return None;
        }
        let is_silent = threshold.is_silent();
        for one in &all {
            let accepted = one.is_accepted == Some(true);
            if one.is_suggested || (is_silent && accepted) {
                threshold.learn(accepted);
            }
        }
        threshold.asked(all.iter().any(|one| one.is_suggested));
        Some((before, stored_of(kind, &threshold)))
    };
    SuggestionKind::ALL.into_iter().filter_map(of).collect()
}

impl Engine {
    /// Takes in what sessions did since it was done last: counts capabilities, and says what came of suggestions.
    pub(super) fn learn_tools(
        &self,
        catalog: &Catalog,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let Some(mut database) = self.read_database()? else { return Ok(()) };
        for scope in access.remembered() {
            for unread in database.sessions_to_learn(&scope, MOST_SESSIONS)? {
                session.check()?;
                let calls = known(catalog, &database.session_calls(&scope, &unread.session, unread.first_row)?);
                let asked: Vec<u32> =
                    database.task_borders(&scope, &unread.session)?.into_iter().map(|(_, after)| after).collect();
                let tasks = tasks_of(&calls, &asked);
                let of = |task: &TaskDone| {
                    let made = capability_of(task);
                    CapabilityUse {
                        first_row: task.first(),
                        is_ok: made.as_ref().is_some_and(|made| made.is_ok),
                        tools: made.map(|made| made.tools).unwrap_or_default(),
                        at: task.at(),
                    }
                };
                let uses: Vec<CapabilityUse> = tasks.iter().map(of).collect();
                let last = tasks.last().map_or(unread.rows, TaskDone::first);
                database.keep_uses(&scope, &unread, last, &uses)?;
            }
            for task in database.tool_tasks(std::slice::from_ref(&scope), false, MOST_OPEN)?.into_iter().rev() {
                session.check()?;
                let calls = known(catalog, &database.session_calls(&scope, &task.session, task.after_row + 1)?);
                let borders = database.task_borders(&scope, &task.session)?;
                let until = borders.into_iter().find(|(number, _)| *number > task.number).map(|(_, after)| after);
                let Some(used) = done_for(&task, &calls, until, session.now()) else { continue };
                let mut task = StoredTask { used, ..task };
                let StoredTask { used, suggestions, .. } = &mut task;
                for one in suggestions.iter_mut().filter(|_| !used.is_empty()) {
                    one.is_accepted = Some(one.tools.iter().all(|tool| used.contains(tool)));
                }
                for _ in 0..TRIES {
                    let thresholds = after(&database.tool_thresholds(&scope)?, &task);
                    if database.settle_task(&task, &thresholds)? {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// As [`Engine::learn_tools`], by the way: a database that is busy or read-only makes nobody wait.
    pub(super) fn learn_by_the_way(&self, catalog: &Catalog, access: &Access, session: &Session<'_>) {
        drop(self.learn_tools(catalog, access, session));
    }

    /// The capabilities that may be seen, and the thresholds of whoever asks.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn tools_learnt(&self, access: &Access, session: &Session<'_>) -> Result<ToolsLearnt, EngineError> {
        session.check()?;
        let catalog = self.catalog(false, access)?;
        self.learn_by_the_way(&catalog, access, session);
        let Some(database) = self.read_database()? else { return Ok(ToolsLearnt::default()) };
        let known = |one: StoredCapability| KnownCapability {
            proven: capability_from(&one).is_proven(),
            scope: one.scope,
            tools: one.tools,
            uses: one.uses,
            ok: one.ok,
            last_at: one.last_at,
        };
        let capabilities = database.capabilities(&access.remembered(), MOST_CAPABILITIES)?;
        let [tool, capability] = self.thresholds(access)?;
        let of = |kind: SuggestionKind, threshold: Threshold| KnownThreshold {
            kind: kind.name(),
            value: threshold.value,
            outcomes: threshold.outcomes,
            accepted: threshold.accepted(),
        };
        Ok(ToolsLearnt {
            capabilities: capabilities.into_iter().map(known).collect(),
            thresholds: vec![of(SuggestionKind::Tool, tool), of(SuggestionKind::Capability, capability)],
        })
    }

    /// The thresholds of tools and of capabilities where whoever asks is.
    pub(super) fn thresholds(&self, access: &Access) -> Result<[Threshold; 2], EngineError> {
        let stored = match (self.read_database()?, own_scope(access)) {
            (Some(database), Some(scope)) => database.tool_thresholds(&scope)?,
            _ => Vec::new(),
        };
        let of = |kind| stored.iter().find(|one| one.kind == kind).map(threshold_of).unwrap_or_default();
        Ok(SuggestionKind::ALL.map(of))
    }
}
