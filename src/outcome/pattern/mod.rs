//! What recurs over the sessions of one scope: what made failures go away, what never did, what fails now and then,
//! what is slow, and what follows what.
//!
//! Failures belong together if tool, head and kind of error are equal. A gap ([`super::recovery::gaps`]) lies between a
//! failure and the next try of the same action; that try works or fails. Each session is counted once for either, so
//! that a session that repeats itself is not taken for evidence. Confidence is the rule of succession,
//! (worked + 1) / (worked + failed + 2): the mean of the Beta distribution that these trials give, without knowledge
//! before them (Laplace 1774). The order of sessions makes no difference.

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
