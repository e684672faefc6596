//! How much a finding of a check matters.

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The pack must not be used like this.
    Error,
    /// Worth a look.
    Warning,
}
