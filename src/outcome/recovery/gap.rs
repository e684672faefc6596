//! From a failure to the next try of the same action: what was done between, and whether it then worked.

use super::super::head::{changes, command_verb, has_verbs};
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

/// The next try of what failed: a later row with the same tool and head.
///
/// A row with another verb is no try in two cases: the program says with it what it does, or the same input comes again
/// later and works. After a failed `git push`, `git pull` is a step that helps, and the next `git push` is the try.
fn next_try(rows: &[&ToolOutcome], failed: usize) -> Option<usize> {
    let row = rows[failed];
    let verb = |row: &ToolOutcome| command_verb(&row.tool, &row.head, &row.input);
    let own = verb(row);
    let later = || (failed + 1..rows.len()).filter(|&at| same(rows[at], row));
    let is_row = |at: &usize| rows[*at].input_fingerprint == row.input_fingerprint;
    let again = later().find(is_row).filter(|&at| rows[at].is_ok);
    let is_try = |at: &usize| {
        let other = verb(rows[*at]);
        let differs = own.is_some() && other.is_some() && own != other;
        !differs || again.is_none() && !has_verbs(&row.head)
    };
    later().find(is_try)
}

/// The gap after each failure of a session, whose rows are in order.
pub fn gaps(rows: &[&ToolOutcome]) -> Vec<Gap> {
    let failures = (0..rows.len()).filter(|&at| !rows[at].is_ok);
    let one = |failed: usize| {
        let row = rows[failed];
        let next = next_try(rows, failed);
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
