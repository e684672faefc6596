//! What is wrong with a file of memories.

use std::fmt;

/// What is wrong with a file of memories, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct MarkdownError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl MarkdownError {
    pub(super) fn new(line: usize, what: impl fmt::Display) -> Self {
        Self { line, what: what.to_string(), hint: None }
    }

    pub(super) fn with_hint(self, hint: impl fmt::Display) -> Self {
        Self { hint: Some(hint.to_string()), ..self }
    }
}
