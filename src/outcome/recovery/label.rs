//! The mechanical end of each failure: which later row of its session, if any, did what it was to do.

use super::super::head::changes;
use crate::types::ToolOutcome;
use serde::{Deserialize, Serialize};

/// How a failure ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The same went well later after other actions that did.
    Enabled,
    /// The same tool and head went well later with another input, and nothing else went well between.
    Edited,
    /// The same went well later with the same input, and nothing else went well between.
    Repeated,
    /// The same never went well again; another action did.
    Replaced,
    /// Nothing went well after it.
    Unrecovered,
}

impl End {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Edited => "edited",
            Self::Repeated => "repeated",
            Self::Replaced => "replaced",
            Self::Unrecovered => "unrecovered",
        }
    }
}

/// A failure and its end. Rows are told by their place in the session's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// The row that failed.
    pub failed: usize,
    /// How it ended.
    pub end: End,
    /// What went well between, or instead: tool and head, each once, in order.
    pub via: Vec<(String, String)>,
    /// The row that worked.
    pub fixed_by: Option<usize>,
    /// Rows between the two that went well and may have changed something.
    pub changed: Vec<usize>,
    /// Rows between the two that failed.
    pub failed_between: usize,
}

impl Recovery {
    /// What a prediction has to name: the end, and the first action by which it came.
    pub fn target(&self) -> (End, Option<(String, String)>) {
        (self.end, self.via.first().cloned())
    }
}

/// Whether two rows are of one kind of action.
pub(super) fn same(a: &ToolOutcome, b: &ToolOutcome) -> bool {
    a.tool == b.tool && a.head == b.head
}

/// The end of each failure of a session, whose rows are in order.
pub fn label(rows: &[&ToolOutcome]) -> Vec<Recovery> {
    let failures = (0..rows.len()).filter(|&at| !rows[at].is_ok);
    failures.map(|at| end_of(rows, at)).collect()
}

fn end_of(rows: &[&ToolOutcome], failed: usize) -> Recovery {
    let row = rows[failed];
    let later = || (failed + 1..rows.len()).filter(|&at| rows[at].is_ok);
    let action = |at: usize| (rows[at].tool.clone(), rows[at].head.clone());
    let (end, via, fixed_by) = match (later().find(|&at| same(rows[at], row)), later().next()) {
        (Some(fixed), _) => {
            let mut via = Vec::new();
            for at in (failed + 1..fixed).filter(|&at| rows[at].is_ok && !same(rows[at], row)) {
                if !via.contains(&action(at)) {
                    via.push(action(at));
                }
            }
            let end = match (via.is_empty(), rows[fixed].input_fingerprint == row.input_fingerprint) {
                (false, _) => End::Enabled,
                (true, true) => End::Repeated,
                (true, false) => End::Edited,
            };
            (end, via, Some(fixed))
        }
        (None, Some(other)) => (End::Replaced, vec![action(other)], Some(other)),
        (None, None) => (End::Unrecovered, Vec::new(), None),
    };
    let between = || failed + 1..fixed_by.unwrap_or(failed + 1);
    let may_change = |at: &usize| {
        let row = rows[*at];
        row.is_ok && changes(&row.tool, &row.head, &row.input)
    };
    Recovery {
        failed,
        end,
        via,
        fixed_by,
        changed: between().filter(may_change).collect(),
        failed_between: between().filter(|&at| !rows[at].is_ok).count(),
    }
}
