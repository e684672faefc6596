//! Outcomes as they are: failures by how often they were met, and the last runs.

use super::lost::Losses;
use super::patterns::overcame;
use crate::engine::{Engine, EngineError, Session};
use crate::store::{OutcomeCounts, OutcomeCursor, OutcomeFilter, ReadOutcomes};
use crate::triage::{Problem, ProblemSeverity, problems};
use crate::types::limits::ITEM_PAGE;
use crate::types::{Access, ErrorCount, ProblemPlace, ToolOutcome};
use serde::Serialize;

/// Places of a failure that are named.
const MOST_PLACES: usize = 3;

/// Failures of one kind, and what made them go away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The failures.
    #[serde(flatten)]
    pub error: ErrorCount,
    /// What overcame it most often; none if that is not known.
    pub overcome: Option<String>,
    /// Where the tool found something wrong when it failed last: the first places that it named.
    pub places: Vec<ProblemPlace>,
}

/// What is kept, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OutcomesKept {
    /// What is there.
    #[serde(flatten)]
    pub counts: OutcomeCounts,
    /// What could not be kept.
    pub lost: Losses,
}

/// Failures by how often they were met.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Failures {
    /// The most frequent first.
    pub failures: Vec<Failure>,
    /// What is kept.
    pub kept: OutcomesKept,
}

/// A page of runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OutcomePage {
    /// The last first.
    pub outcomes: Vec<ToolOutcome>,
    /// Where the next page begins; none behind the last.
    pub next: Option<String>,
    /// What is kept.
    pub kept: OutcomesKept,
}

impl Engine {
    /// Failures that pass and may be seen, the most frequent first: `most` kinds of them.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn failures(
        &self,
        filter: &OutcomeFilter,
        most: usize,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Failures, EngineError> {
        session.check()?;
        let kept = self.outcomes_kept(access)?;
        let Some(database) = self.read_database()? else { return Ok(Failures { kept, ..Failures::default() }) };
        let errors = database.error_counts(&seen(filter, access), most.clamp(1, ITEM_PAGE))?;
        let overcome = overcame(&database, &errors, access)?;
        let failures = errors.into_iter().zip(overcome);
        let failure = |(error, overcome): (ErrorCount, _)| Failure { places: places(&error.example), error, overcome };
        let failures = failures.map(failure).collect();
        Ok(Failures { failures, kept })
    }

    /// The last runs that pass and may be seen: `most` of them, from behind `after` on, which is the `next` of the page
    /// before.
    ///
    /// # Errors
    /// [`EngineError::BadCursor`] for what is no `next`, [`EngineError`] when the database refuses.
    pub fn list_outcomes(
        &self,
        filter: &OutcomeFilter,
        after: Option<&str>,
        most: usize,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<OutcomePage, EngineError> {
        session.check()?;
        let read = |text: &str| read_cursor(text).ok_or_else(|| EngineError::BadCursor { cursor: text.to_owned() });
        let after = after.map(read).transpose()?;
        let most = most.clamp(1, ITEM_PAGE);
        let kept = self.outcomes_kept(access)?;
        let Some(database) = self.read_database()? else { return Ok(OutcomePage { kept, ..OutcomePage::default() }) };
        let mut outcomes = database.outcomes(&seen(filter, access), after.as_ref(), most + 1)?;
        let is_more = outcomes.len() > most;
        outcomes.truncate(most);
        let cursor = |last: &ToolOutcome| format!("{}:{}:{}", last.at, last.sequence, last.session);
        let next = outcomes.last().filter(|_| is_more).map(cursor);
        Ok(OutcomePage { outcomes, next, kept })
    }

    /// What is kept of what whoever asks may see, in numbers.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn outcomes_kept(&self, access: &Access) -> Result<OutcomesKept, EngineError> {
        let counts = match self.read_database()? {
            Some(database) => database.count_outcomes(Some(&access.remembered()))?,
            None => OutcomeCounts::default(),
        };
        // What was lost is told to the owner alone: it is of all scopes.
        let lost = if access.scopes().is_none() { self.lost_outcomes() } else { Losses::default() };
        Ok(OutcomesKept { counts, lost })
    }

    /// Whether any outcome was ever kept. Cheap: whoever keeps none need not find out where they ask from.
    pub fn has_outcomes(&self) -> bool {
        let database = self.read_database().ok().flatten();
        database.is_some_and(|database| database.has_outcomes().unwrap_or(false))
    }
}

/// The first places that a tool named, errors before what stops nothing.
fn places(error: &str) -> Vec<ProblemPlace> {
    let mut found = problems(error);
    // Without a word for it, it is one of those that the tool failed for.
    let stops_nothing = |one: &Problem| one.severity.is_some_and(|severity| severity != ProblemSeverity::Error);
    found.sort_by_key(stops_nothing);
    let place = |one: Problem| {
        let Problem { file, line, column, message, .. } = one;
        ProblemPlace { file, line, column, message }
    };
    found.into_iter().map(place).take(MOST_PLACES).collect()
}

/// The filter, of the scopes that may be seen. Outcomes are seen as memories are: from where they come.
fn seen(filter: &OutcomeFilter, access: &Access) -> OutcomeFilter {
    let scopes = access.remembered().into_iter();
    let is_wanted = |scope: &_| filter.scopes.is_empty() || filter.scopes.contains(scope);
    OutcomeFilter { scopes: scopes.filter(is_wanted).collect(), ..filter.clone() }
}

fn read_cursor(text: &str) -> Option<OutcomeCursor> {
    let mut parts = text.splitn(3, ':');
    let (at, sequence, session) = (parts.next()?, parts.next()?, parts.next()?);
    let (at, sequence) = (at.parse().ok()?, sequence.parse().ok()?);
    (!session.is_empty()).then(|| OutcomeCursor { at, sequence, session: session.to_owned() })
}
