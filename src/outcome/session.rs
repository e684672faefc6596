//! Rows in the order in which they were done, by session.

use crate::types::ToolOutcome;
use std::collections::BTreeMap;

/// The rows of one session in order.
pub type Session<'a> = Vec<&'a ToolOutcome>;

/// Rows by session, in order of the sessions' names and of their sequence, however they came. Rows without a session
/// belong to none, and are left out.
pub fn sessions<'a>(rows: impl IntoIterator<Item = &'a ToolOutcome>) -> Vec<Session<'a>> {
    let mut out: BTreeMap<&str, Session<'a>> = BTreeMap::new();
    for row in rows {
        if !row.session.is_empty() {
            out.entry(&row.session).or_default().push(row);
        }
    }
    let ordered = out.into_values().map(|mut rows| {
        rows.sort_by(|a, b| (a.sequence, a.at, &a.input).cmp(&(b.sequence, b.at, &b.input)));
        rows
    });
    ordered.collect()
}
