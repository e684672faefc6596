//! Rows for tests.

use crate::types::{Scope, ToolOutcome};

/// A command that went well.
pub(crate) fn ok(head: &str, input: &str) -> ToolOutcome {
    ToolOutcome {
        call: None,
        session: "s".to_owned(),
        sequence: 1,
        at: 1,
        tool: "bash".to_owned(),
        head: head.to_owned(),
        input: input.to_owned(),
        input_fingerprint: input.to_owned(),
        is_ok: true,
        exit_code: None,
        error: String::new(),
        error_fingerprint: None,
        duration_ms: None,
        scope: Scope::global(),
    }
}

/// A command that failed.
pub(crate) fn failed(head: &str, input: &str, error: &str) -> ToolOutcome {
    ToolOutcome { is_ok: false, error: error.to_owned(), ..ok(head, input) }
}

/// Rows as one session.
pub(crate) fn session(name: &str, rows: Vec<ToolOutcome>) -> Vec<ToolOutcome> {
    let numbered = rows.into_iter().zip(1_u32..);
    numbered
        .map(|(row, sequence)| ToolOutcome { session: name.to_owned(), sequence, at: i64::from(sequence), ..row })
        .collect()
}
