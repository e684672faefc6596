//! What a pattern is, as it is stored and shown, and how sure it is.

use crate::types::Scope;
use serde::{Deserialize, Serialize};

/// Fewest sessions in which something is seen before it is a pattern.
pub const FEWEST_SESSIONS: usize = 2;
/// Fewest sessions in which something did not help before it is said that it never does.
pub const FEWEST_FAILURES: usize = 3;
/// Places that are kept as evidence.
pub const MOST_EVIDENCE: usize = 20;

/// What a pattern is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// A failure, and the steps after which the same action works.
    Recovery,
    /// A failure, and steps that were tried and never helped.
    FailedTactic,
    /// An action that fails and then works, with the same input and nothing between that changes anything.
    Flaky,
    /// An action that takes long.
    Slow,
    /// Two actions, one after the other.
    Sequence,
}

impl PatternKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Self; 5] = [Self::Recovery, Self::FailedTactic, Self::Flaky, Self::Slow, Self::Sequence];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::FailedTactic => "failed_tactic",
            Self::Flaky => "flaky",
            Self::Slow => "slow",
            Self::Sequence => "sequence",
        }
    }
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// It may change something.
    Change,
    /// It only looks.
    Look,
    /// The action itself, with another input: what is taken out of it and put in.
    Edit,
    /// Another action in place of the one that failed.
    Instead,
    /// The action itself, as it was.
    Again,
}

/// A step of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Step {
    /// What it does.
    pub role: StepRole,
    /// The tool.
    pub tool: String,
    /// Its program or verb.
    pub head: String,
    /// The input with what varies replaced; for an edit what goes and what comes.
    pub input: String,
    /// An input as it was given.
    pub example: String,
}

/// A row that a pattern rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The session.
    pub session: String,
    /// The place in it.
    pub sequence: u32,
}

/// How long an action took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    /// How often it was timed.
    pub count: usize,
    /// Half of the times are at most so long.
    pub p50_ms: u64,
    /// 95 of 100 are.
    pub p95_ms: u64,
    /// The longest.
    pub max_ms: u64,
}

/// Something that recurs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// Equal for the same pattern of the same scope, whenever it is found: 16 hex digits.
    pub id: String,
    /// What it is of.
    pub kind: PatternKind,
    /// Where it counts.
    pub scope: Scope,
    /// The tool.
    pub tool: String,
    /// Its program or verb.
    pub head: String,
    /// What was printed, once; empty where the pattern is of no failure.
    pub error: String,
    /// The fingerprint of the kind of error ([`crate::outcome::kind_fingerprint`]).
    pub error_fingerprint: Option<String>,
    /// What was done.
    pub steps: Vec<Step>,
    /// Sessions in which it was seen.
    pub sessions: usize,
    /// How often it was seen.
    pub times: usize,
    /// Sessions in which it worked.
    pub worked: usize,
    /// Sessions in which it did not.
    pub failed: usize,
    /// How likely it is to work, or for a tactic that failed to fail, in \[0, 1\].
    pub confidence: f64,
    /// When it was seen last, milliseconds since 1970.
    pub last_at: i64,
    /// Where it was seen, at most [`MOST_EVIDENCE`].
    pub evidence: Vec<Place>,
    /// Where the same was done after the same failure, and did not help.
    pub counterexamples: Vec<Place>,
    /// How long it takes, where that is what the pattern is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durations: Option<Durations>,
}

/// The rule of succession.
pub fn confidence(worked: usize, failed: usize) -> f64 {
    (worked as f64 + 1.0) / ((worked + failed) as f64 + 2.0)
}
