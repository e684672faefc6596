//! How what is learnt about tools is stored: tasks with what was suggested for them, thresholds, capabilities, traces.
//!
//! Whoever learns does not hold the writer's lock, which others hold for minutes: each step is one short transaction,
//! and one that meets what another process has learnt meanwhile does nothing and says so.

use super::StoreError;
use crate::types::Scope;

/// What is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SuggestionKind {
    /// A tool.
    Tool,
    /// A set of tools.
    Capability,
}

impl SuggestionKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tool, Self::Capability];

    /// As it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Capability => "capability",
        }
    }

    /// The one of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// What was shown for a task.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSuggestion {
    /// What it is.
    pub kind: SuggestionKind,
    /// The tool by its key, or the tools of a capability.
    pub tools: Vec<String>,
    /// What was compared with the threshold.
    pub score: f64,
    /// Whether it reached it.
    pub is_suggested: bool,
    /// Whether the session then called it; none while that is open.
    pub is_accepted: Option<bool>,
}

/// A task for which tools were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTask {
    /// Its number; 0 until it is stored.
    pub number: i64,
    /// Where it was asked.
    pub scope: Scope,
    /// The session.
    pub session: String,
    /// The number of the last run of the session by then.
    pub after_row: u32,
    /// When, milliseconds since 1970.
    pub at: i64,
    /// The task in words, without secrets.
    pub task: String,
    /// Equal for equal tasks.
    pub fingerprint: String,
    /// The keys of the tools that the session called for it.
    pub used: Vec<String>,
    /// What was shown, the best first.
    pub suggestions: Vec<StoredSuggestion>,
}

/// A threshold as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredThreshold {
    /// Of what.
    pub kind: SuggestionKind,
    /// The score from which on something is suggested.
    pub value: f64,
    /// Outcomes so far.
    pub outcomes: u64,
    /// How often the share accepted has crossed the target.
    pub turns: u32,
    /// Outcomes since the steps were long.
    pub since: u32,
    /// How often in a row nothing was suggested.
    pub silent: u32,
    /// The last outcomes, the oldest first.
    pub window: Vec<bool>,
}

/// A capability as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCapability {
    /// Where it was learnt.
    pub scope: Scope,
    /// The keys of its tools.
    pub tools: Vec<String>,
    /// Tasks that used them together.
    pub uses: u32,
    /// Those that went well.
    pub ok: u32,
    /// When it was used last, milliseconds since 1970.
    pub last_at: i64,
}

/// What a task of a session made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapabilityUse {
    /// The number of the task's first run in its session.
    pub first_row: u32,
    /// The keys of its tools, in order; none if it made no capability.
    pub tools: Vec<String>,
    /// Whether all went well.
    pub is_ok: bool,
    /// When its last run ended, milliseconds since 1970.
    pub at: i64,
}

/// A session of which not all was read to learn capabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadSession {
    /// The session.
    pub session: String,
    /// The number of its last run.
    pub rows: u32,
    /// How far it was read.
    pub seen: u32,
    /// Where its last task begins.
    pub first_row: u32,
}

/// A run of a session, as whoever learns reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCall {
    /// Its number in the session.
    pub sequence: u32,
    /// When it ended, milliseconds since 1970.
    pub at: i64,
    /// The tool, as the agent named it.
    pub tool: String,
    /// Whether it did what was asked.
    pub is_ok: bool,
}

/// What a decision rested on.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTrace {
    /// Its number; 0 until it is stored.
    pub number: i64,
    /// Where it was asked.
    pub scope: Scope,
    /// The session; empty if it named none.
    pub session: String,
    /// When, milliseconds since 1970.
    pub at: i64,
    /// The task, if it was kept.
    pub task: Option<i64>,
    /// The task in words, without secrets.
    pub question: String,
    /// The rest, as JSON.
    pub data: String,
    /// What came of what was shown, if the task was kept.
    pub outcomes: Vec<StoredSuggestion>,
}

/// Reads what was learnt.
pub trait ReadLearning {
    /// Tasks of these scopes that are open (or that are done and had runs, if `done`), the newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn tool_tasks(&self, scopes: &[Scope], done: bool, most: usize) -> Result<Vec<StoredTask>, StoreError>;

    /// The numbers of the session's last run when it asked for the tools of a task, by task and in their order: those
    /// of this scope.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn task_borders(&self, scope: &Scope, session: &str) -> Result<Vec<(i64, u32)>, StoreError>;

    /// The thresholds of this scope.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn tool_thresholds(&self, scope: &Scope) -> Result<Vec<StoredThreshold>, StoreError>;

    /// Capabilities of these scopes, the most used first.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn capabilities(&self, scopes: &[Scope], most: usize) -> Result<Vec<StoredCapability>, StoreError>;

    /// Sessions of which not all was read to learn the capabilities of this scope, the oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn sessions_to_learn(&self, scope: &Scope, most: usize) -> Result<Vec<UnreadSession>, StoreError>;

    /// The runs of a session in this scope from this number on, in order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn session_calls(&self, scope: &Scope, session: &str, from: u32) -> Result<Vec<SessionCall>, StoreError>;

    /// Traces of these scopes, the newest first.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn traces(&self, scopes: &[Scope], most: usize) -> Result<Vec<StoredTrace>, StoreError>;
}

/// Keeps what was learnt, without the writer's lock.
pub trait KeepLearning {
    /// Keeps a task with what was shown, and gives its number. If the session asked the same last, what was shown is
    /// added to that.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn keep_task(&mut self, task: &StoredTask) -> Result<i64, StoreError>;

    /// Says what came of a task: the tools that were called, whether each suggestion was accepted, and the thresholds
    /// that follow, each with what it was. Gives whether that was done: not if somebody else said it first, or if a
    /// threshold is not what it was.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn settle_task(
        &mut self,
        task: &StoredTask,
        thresholds: &[(Option<StoredThreshold>, StoredThreshold)],
    ) -> Result<bool, StoreError>;

    /// Counts what the tasks of a session made, and that it was read so far. A task that is told again counts as told
    /// last. What failed counts for a capability that is there, and makes none. Gives whether that was done: not if
    /// somebody else has read on meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn keep_uses(
        &mut self,
        scope: &Scope,
        session: &UnreadSession,
        last_task: u32,
        uses: &[CapabilityUse],
    ) -> Result<bool, StoreError>;

    /// Keeps a trace, and takes away all of its scope but the newest.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn keep_trace(&mut self, trace: &StoredTrace, newest: usize) -> Result<(), StoreError>;
}
