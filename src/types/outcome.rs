//! What tools did: one row for each time that a tool ran.

use super::Scope;
use serde::{Deserialize, Serialize};

/// One run of a tool, as it was told. Nothing is taken out of it yet; it is never stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Execution {
    /// The session that it belongs to; empty if none was named.
    pub session: String,
    /// The tool: `Bash`, `sql`, `mcp__github__create_issue`.
    pub tool: String,
    /// What it was given: a command line, a statement, or JSON.
    pub input: String,
    /// Whether it did what was asked.
    pub is_ok: bool,
    /// The exit code of a program, if there was one.
    pub exit_code: Option<i32>,
    /// What it printed or answered when it failed; empty if it went well.
    pub error: String,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The folder in which it ran.
    pub folder: Option<String>,
    /// The id that the agent gave the call; empty if none was named.
    pub call: String,
}

/// One run of a tool, as it is kept. Secrets have been taken out of its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The session.
    pub session: String,
    /// Its place in the session, from 1, without gaps when it is written.
    pub sequence: u32,
    /// When it ended, milliseconds since 1970.
    pub at: i64,
    /// The tool.
    pub tool: String,
    /// What the tool was to do, in one word: the program of a command line, the verb of a statement; empty if there is
    /// none.
    pub head: String,
    /// What it was given, cut to [`crate::types::limits::OUTCOME_TEXT_BYTES`].
    pub input: String,
    /// Equal for equal inputs.
    pub input_fingerprint: String,
    /// Whether it did what was asked.
    pub is_ok: bool,
    /// The exit code of a program.
    pub exit_code: Option<i32>,
    /// Why it failed, cut to [`crate::types::limits::OUTCOME_TEXT_BYTES`]; empty if it went well.
    pub error: String,
    /// Equal for errors of one kind: the fingerprint of the masked error; none if it went well.
    pub error_fingerprint: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
    /// The repository, or `global` outside of one.
    pub scope: Scope,
    /// Equal for reports of one call, where the agent names it. Written, and not read again.
    #[serde(skip)]
    pub call: Option<String>,
}

/// Where a failed tool found something wrong, as it said itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProblemPlace {
    /// The file, as the tool names it.
    pub file: String,
    /// The line in it, from 1; none where the tool names the file alone.
    pub line: Option<u32>,
    /// The column, as the tool counts it.
    pub column: Option<u32>,
    /// What is wrong there; may be empty.
    pub message: String,
}

/// Failures of one kind, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorCount {
    /// The repository, or `global` outside of one.
    pub scope: Scope,
    /// The tool.
    pub tool: String,
    /// The program of a command line, the verb of a statement; empty if there is none.
    pub head: String,
    /// Equal for errors of one kind.
    pub error_fingerprint: String,
    /// The error as it was met last; empty once the session that met it was forgotten.
    pub example: String,
    /// How often.
    pub count: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// When first, milliseconds since 1970.
    pub first_at: i64,
    /// When last, milliseconds since 1970.
    pub last_at: i64,
}
