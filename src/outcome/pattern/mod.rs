//! What recurs over the sessions of one scope: what made failures go away, what never did, what fails now and then,
//! what is slow, and what follows what.
//!
//! Failures are of one key if tool, head and kind of error are equal. What helped is counted from gaps
//! ([`super::recovery::gaps`]): between a failure and the next try of the same action something was done, and that try
//! worked or did not. Both are counted, each session once, so that a session that repeats itself is no evidence of its
//! own. Confidence is the rule of succession, (worked + 1) / (worked + failed + 2): the mean of what is known of a
//! share after these trials if nothing was known before (Laplace 1774; the mean of a Beta distribution). Nothing
//! depends on the order of sessions.

mod helped;
mod kind;
mod rhythm;
mod tally;
#[cfg(test)]
mod tests;

pub use kind::{
    Durations, FEWEST_FAILURES, FEWEST_SESSIONS, MOST_EVIDENCE, Pattern, PatternKind, Place, Step, StepRole, confidence,
};

use super::session::sessions;
use crate::types::{Scope, ToolOutcome};

/// All patterns of the rows of one scope, sorted by kind, then the surest and best supported first.
pub fn patterns(scope: &Scope, rows: &[ToolOutcome]) -> Vec<Pattern> {
    let sessions = sessions(rows.iter().filter(|row| row.scope == *scope));
    let mut out = helped::patterns(scope, &sessions);
    out.extend(rhythm::slow(scope, &sessions));
    out.extend(rhythm::sequences(scope, &sessions));
    out.sort_by(|a, b| {
        let order = a.kind.cmp(&b.kind).then_with(|| b.confidence.total_cmp(&a.confidence));
        order.then_with(|| b.sessions.cmp(&a.sessions)).then_with(|| a.id.cmp(&b.id))
    });
    out
}
