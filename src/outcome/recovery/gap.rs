//! From a failure to the next try of the same action: what was done between, and whether it then worked.

use super::super::head::changes;
use super::label::same;
use crate::types::ToolOutcome;

/// What became of a failure up to the next try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The row that tried again.
    pub at: usize,
    /// Whether it worked.
    pub worked: bool,
    /// Whether its input is that of the failure.
    pub same_input: bool,
}

/// A failure, the next try of the same tool and head, and what went well between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The row that failed.
    pub failed: usize,
    /// The next try; none if it was never tried again.
    pub retry: Option<Retry>,
    /// Rows between, or after it if it was never tried again, that went well and may have changed something.
    pub changed: Vec<usize>,
    /// Rows between that went well and only looked.
    pub looked: Vec<usize>,
}

/// The gap after each failure of a session, whose rows are in order.
pub fn gaps(rows: &[&ToolOutcome]) -> Vec<Gap> {
    let failures = (0..rows.len()).filter(|&at| !rows[at].is_ok);
    let one = |failed: usize| {
        let row = rows[failed];
        let next = (failed + 1..rows.len()).find(|&at| same(rows[at], row));
        let retry = next.map(|at| Retry {
            at,
            worked: rows[at].is_ok,
            same_input: rows[at].input_fingerprint == row.input_fingerprint,
        });
        let between = (failed + 1..next.unwrap_or(rows.len())).filter(|&at| rows[at].is_ok);
        let may_change = |at: &usize| changes(&rows[*at].tool, &rows[*at].head, &rows[*at].input);
        let (changed, looked) = between.partition(may_change);
        Gap { failed, retry, changed, looked }
    };
    failures.map(one).collect()
}
