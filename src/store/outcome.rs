//! How outcomes are stored: a row for each run of a tool, failures of one kind counted, batches of rows that were given
//! to an analysis, and the patterns that it found.
//!
//! Whoever records a run does not hold the writer's lock, which others hold for minutes: a row, the count of its
//! session and the count of its failure are one short transaction. What takes rows away does hold it. Rows go when they
//! are old; counts of failures stay until their session is forgotten.

use super::StoreError;
use crate::types::{ErrorCount, Scope, ToolOutcome};

/// Which outcomes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutcomeFilter {
    /// Those of these scopes; none are of no scope.
    pub scopes: Vec<Scope>,
    /// Of this tool, or of this program or statement, whatever the case of its letters.
    pub tool: Option<String>,
    /// Those that ended at this moment or later, milliseconds since 1970.
    pub since: Option<i64>,
    /// Failures alone.
    pub failures: bool,
}

/// Where a page of outcomes ended: the next one begins behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeCursor {
    /// When the last row of the page ended, milliseconds since 1970.
    pub at: i64,
    /// Its session.
    pub session: String,
    /// Its place in the session.
    pub sequence: u32,
}

/// How many outcomes there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct OutcomeCounts {
    /// Rows that are kept. A session counts where it began.
    pub rows: usize,
    /// Sessions with rows.
    pub sessions: usize,
    /// Failures that were counted, also those whose rows are gone.
    pub failures: usize,
    /// Kinds of failures.
    pub errors: usize,
}

/// How far a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeSession {
    /// The session.
    pub session: String,
    /// The scope of its first row.
    pub scope: Scope,
    /// The number of its last row.
    pub rows: u32,
    /// The number of the last row that is in a batch.
    pub analysed: u32,
    /// When its last row ended, milliseconds since 1970.
    pub last_at: i64,
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchState {
    /// Somebody is at it, or was when they were stopped. It is given to nobody else.
    Claimed,
    /// It was analysed.
    Done,
    /// The analysis failed.
    Failed,
}

impl BatchState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Claimed, Self::Done, Self::Failed];

    /// As it is stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// The one of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// Rows of a session that were given to an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeBatch {
    /// Its number.
    pub number: i64,
    /// When it was claimed, milliseconds since 1970.
    pub claimed_at: i64,
    /// The session.
    pub session: String,
    /// The first row.
    pub from_row: u32,
    /// The last row.
    pub to_row: u32,
    /// Who claimed it.
    pub worker: String,
    /// What became of it.
    pub state: BatchState,
}

/// Where a pattern stands about which nothing was decided.
pub const FOUND: &str = "found";

/// What an analysis found.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPattern {
    /// Its id.
    pub id: String,
    /// Where it was found.
    pub scope: Scope,
    /// What kind of pattern.
    pub kind: String,
    /// Where it stands.
    pub state: String,
    /// How sure it is, in \[0, 1\].
    pub confidence: f64,
    /// All of it, as JSON.
    pub data: String,
    /// When it was met last, milliseconds since 1970.
    pub last_at: i64,
    /// The memory that was made of it.
    pub memory: Option<String>,
}

/// Which patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternFilter {
    /// Those of these scopes; none are of no scope.
    pub scopes: Vec<Scope>,
    /// Of this kind.
    pub kind: Option<String>,
    /// In this state.
    pub state: Option<String>,
}

/// What was taken away with a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct SessionForgotten {
    /// Rows.
    pub rows: usize,
    /// Kinds of failures that it had met: each is counted less, or is gone.
    pub errors: usize,
    /// Patterns that named it.
    pub patterns: usize,
    /// Tasks for which it asked for tools.
    pub tasks: usize,
}

/// Reads outcomes.
pub trait ReadOutcomes {
    /// Outcomes that pass, the last first; at most `most`, behind the page that ended at `after`.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn outcomes(
        &self,
        filter: &OutcomeFilter,
        after: Option<&OutcomeCursor>,
        most: usize,
    ) -> Result<Vec<ToolOutcome>, StoreError>;

    /// Kinds of failures that pass, the most frequent first; at most `most`. With a moment only rows since then are
    /// counted, without one also those that are gone.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn error_counts(&self, filter: &OutcomeFilter, most: usize) -> Result<Vec<ErrorCount>, StoreError>;

    /// Rows of a session in their order, from one number to another.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn session_outcomes(&self, session: &str, from: u32, to: u32) -> Result<Vec<ToolOutcome>, StoreError>;

    /// How far a session is; none without rows.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn outcome_session(&self, session: &str) -> Result<Option<OutcomeSession>, StoreError>;

    /// Sessions that began in this scope, the last first; at most `most`.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn recent_sessions(&self, scope: &Scope, most: usize) -> Result<Vec<OutcomeSession>, StoreError>;

    /// Sessions with at least so many rows that are in no batch, the oldest first; at most `most`.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn sessions_to_analyse(&self, new_rows: u32, most: usize) -> Result<Vec<OutcomeSession>, StoreError>;

    /// Batches of a session in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn outcome_batches(&self, session: &str) -> Result<Vec<OutcomeBatch>, StoreError>;

    /// How many there are in these scopes; of all scopes if there is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn count_outcomes(&self, scopes: Option<&[Scope]>) -> Result<OutcomeCounts, StoreError>;

    /// Whether there is any, or any was counted. Cheap.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn has_outcomes(&self) -> Result<bool, StoreError>;

    /// Patterns that pass, the one that was met last first; at most `most`.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn outcome_patterns(&self, filter: &PatternFilter, most: usize) -> Result<Vec<StoredPattern>, StoreError>;
}

/// Keeps outcomes, without the writer's lock: each call is a transaction of its own.
pub trait KeepOutcomes {
    /// Appends a row to its session, whatever number it has, counts its failure, and remembers a repository's id, by
    /// its root, if one was found. Gives the row's number.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses; nothing is kept then.
    fn record_outcome(&mut self, row: &ToolOutcome, found: Option<(&str, &Scope)>) -> Result<u32, StoreError>;

    /// Claims all rows of a session behind number `snapshot`, if these are still in no batch; none if somebody else was
    /// first, or there is no new row.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses; nothing is claimed then.
    fn claim_batch(
        &mut self,
        session: &str,
        snapshot: u32,
        worker: &str,
        now_ms: i64,
    ) -> Result<Option<OutcomeBatch>, StoreError>;

    /// Says what became of a claimed batch; gives whether it was claimed until now.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn finish_batch(&mut self, number: i64, state: BatchState) -> Result<bool, StoreError>;

    /// Stores the patterns of a scope in place of those with the same ids, all of them or none. What was decided about
    /// one stays. If these are `all` that there are, others of the scope go, unless something was decided about them.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_outcome_patterns(&mut self, scope: &Scope, patterns: &[StoredPattern], all: bool) -> Result<(), StoreError>;

    /// Says where a pattern stands, and which memory was made of it; gives whether it is there.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn decide_outcome_pattern(&mut self, id: &str, state: &str, memory: Option<&str>) -> Result<bool, StoreError>;

    /// Takes away the rows of sessions that ended before this moment, milliseconds since 1970, a session at a time;
    /// gives how many. What they were counted as stays.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses; whole sessions may be done then.
    fn drop_outcomes_before(&mut self, at_ms: i64) -> Result<usize, StoreError>;
}

/// Takes outcomes away. What it does becomes true with its batch.
pub trait WriteOutcomes {
    /// Forgets a session: its rows, its part of what is counted, and patterns that name it. Traces are left on the disk
    /// until they are erased.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn forget_outcomes(&self, session: &str) -> Result<SessionForgotten, StoreError>;
}
