//! Finds a failure that was overcome: a command failed in this session, and the same command works now.

use crate::engine::{Engine, EngineError, Session};
use crate::outcome::{changes, name};
use crate::store::ReadOutcomes;
use crate::types::{Access, ToolOutcome};
use serde::Serialize;

/// How many of the last runs of a session are read.
const LOOKED_AT: u32 = 500;

/// A failure, what was done since, and the run that shows that it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overcome {
    /// The last time that the command failed.
    pub failure: ToolOutcome,
    /// What was done between and may have changed something, in its order.
    pub steps: Vec<ToolOutcome>,
    /// The same command, which worked.
    pub success: ToolOutcome,
}

impl Engine {
    /// The failure that was overcome last in this session, if whoever asks may see it.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn overcome_last(
        &self,
        named: &str,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Option<Overcome>, EngineError> {
        session.check()?;
        let Some(database) = self.read_database()? else { return Ok(None) };
        let named = &name(named);
        let Some(state) = database.outcome_session(named)? else { return Ok(None) };
        let from = state.rows.saturating_sub(LOOKED_AT - 1).max(1);
        let mut rows = database.session_outcomes(named, from, state.rows)?;
        let seen = access.remembered();
        rows.retain(|row| seen.contains(&row.scope));
        Ok(overcome_last(rows))
    }
}

/// The last run that worked and had failed the time before.
fn overcome_last(mut rows: Vec<ToolOutcome>) -> Option<Overcome> {
    let before = |at: usize| {
        let same = |row: &ToolOutcome| is_same(row, &rows[at]);
        rows[at].is_ok.then(|| rows[..at].iter().rposition(same)).flatten().filter(|&before| !rows[before].is_ok)
    };
    let (failed, worked) = (0..rows.len()).rev().find_map(|at| before(at).map(|failed| (failed, at)))?;
    rows.truncate(worked + 1);
    let success = rows.pop()?;
    let mut since = rows.into_iter().skip(failed);
    let failure = since.next()?;
    let steps = since.filter(|row| row.is_ok && changes(&row.tool, &row.head, &row.input)).collect();
    Some(Overcome { failure, steps, success })
}

/// Whether they are the same command in the same repository.
fn is_same(a: &ToolOutcome, b: &ToolOutcome) -> bool {
    a.tool == b.tool && a.input_fingerprint == b.input_fingerprint && a.scope == b.scope
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::testing::{failed, ok, session};
    use proptest::prelude::*;

    fn runs(all: &[(&str, bool)]) -> Vec<ToolOutcome> {
        let run = |(input, is_ok): &(&str, bool)| {
            let head = input.split(' ').next().unwrap_or_default();
            if *is_ok { ok(head, input) } else { failed(head, input, "") }
        };
        session("s", all.iter().map(run).collect())
    }

    /// Numbers of failure, steps and success.
    fn numbers(all: &[(&str, bool)]) -> Option<(u32, Vec<u32>, u32)> {
        let found = overcome_last(runs(all))?;
        let steps = found.steps.iter().map(|row| row.sequence).collect();
        Some((found.failure.sequence, steps, found.success.sequence))
    }

    #[test]
    fn steps_are_what_may_have_changed_something_since_the_last_failure() {
        let all =
            [("touch x", true), ("make", false), ("ls", true), ("rm x", false), ("touch y", true), ("make", true)];
        assert_eq!(numbers(&all), Some((2, vec![5], 6)));
    }

    #[test]
    fn what_went_well_before_was_not_overcome() {
        assert_eq!(numbers(&[("make", false), ("make", true), ("make", true)]), Some((1, Vec::new(), 2)));
        assert_eq!(numbers(&[("make", true), ("make", true)]), None);
        assert_eq!(numbers(&[("make", false), ("make test", true)]), None);
        assert_eq!(numbers(&[]), None);
    }

    proptest! {
        /// A naive twin compares all pairs.
        #[test]
        fn it_is_the_last_success_right_after_a_failure_of_the_same(
            all in prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), any::<bool>()), 0..30),
        ) {
            let mut naive = None;
            for worked in 0..all.len() {
                for failed in 0..worked {
                    let is_between = |at: usize| failed < at && at < worked && all[at].0 == all[worked].0;
                    let fits = all[failed].0 == all[worked].0 && !all[failed].1 && all[worked].1;
                    if fits && !(0..all.len()).any(is_between) {
                        naive = Some((failed as u32 + 1, worked as u32 + 1));
                    }
                }
            }
            prop_assert_eq!(numbers(&all).map(|(failed, _, worked)| (failed, worked)), naive);
        }
    }
}
