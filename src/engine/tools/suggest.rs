//! What is suggested for a task, kept so that it can be learnt what came of it, and traced for those who want it.

use super::catalog::Catalog;
use super::learn::{MOST_CAPABILITIES, capability_from, own_scope};
use crate::engine::{Engine, EngineError, Session};
use crate::render::json;
use crate::store::{KeepLearning, ReadLearning, StoredSuggestion, StoredTask, StoredTrace, SuggestionKind};
use crate::text::{fingerprint, redact, single_line};
use crate::tools::discover::Past;
use crate::tools::learn::{Capability, MOST_SUGGESTED, Threshold, Trace, fitting};
use crate::types::{Access, Scope};
use serde::Serialize;

/// Longest task that is kept, in characters; what is longer is cut.
const TASK_CHARS: usize = 1_000;
/// Longest name of a session, as outcomes have it.
const SESSION_CHARS: usize = 200;
/// Traces that are kept of a scope.
const TRACES: usize = 1_000;
/// Past tasks that count: the newest.
pub(super) const PAST_TASKS: usize = 200;

/// Who asks, and whether it is traced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolAsk<'a> {
    /// The session, as its runs are kept: without one neither task nor suggestions are kept.
    pub session: Option<&'a str>,
    /// Whether to keep what the decision rested on.
    pub trace: bool,
}

/// A set of tools that fits a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundCapability {
    /// The keys of its tools, in the order of the first task that used them.
    pub tools: Vec<String>,
    /// Coverage of the task times the share of its uses that went well, in \[0, 1\].
    pub score: f64,
    /// How much of what so many tools can cover of the task it covers, in \[0, 1\].
    pub coverage: f64,
    /// Tasks that used them together.
    pub uses: u32,
    /// Those that went well.
    pub ok: u32,
    /// Why, in words.
    pub because: Vec<String>,
}

/// A decision about tools, with what it rested on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedDecision {
    /// Its number.
    pub number: i64,
    /// When, milliseconds since 1970.
    pub at: i64,
    /// Where it was asked.
    pub scope: Scope,
    /// The session; empty if it named none.
    pub session: String,
    /// The task, without secrets.
    pub task: String,
    /// Signals, parameters and decision.
    pub decision: Trace,
    /// What came of each suggestion, as far as it is known.
    pub outcomes: Vec<TracedOutcome>,
}

/// What came of something that was shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedOutcome {
    /// `tool` or `capability`.
    pub kind: &'static str,
    /// The keys of its tools.
    pub tools: Vec<String>,
    /// Whether its score reached the threshold.
    pub suggested: bool,
    /// Whether the session then called it; none while that is open.
    pub accepted: Option<bool>,
}

/// Of all capabilities that fit: each with whether it is suggested.
pub(super) struct Fitting {
    pub all: Vec<(FoundCapability, bool)>,
}

impl Engine {
    /// The capabilities that fit a task, and which of them are suggested: of two with the same score the larger one,
    /// and none whose tools are all in one that is suggested already.
    pub(super) fn fitting_capabilities(
        &self,
        catalog: &Catalog,
        shares: &[f64],
        used: &[usize],
        threshold: &Threshold,
        access: &Access,
    ) -> Result<Fitting, EngineError> {
        let Some(database) = self.read_database()? else { return Ok(Fitting { all: Vec::new() }) };
        let stored = database.capabilities(&access.remembered(), MOST_CAPABILITIES)?;
        let place = |key: &String| catalog.place_of(key);
        let all: Vec<(Capability, Option<Vec<usize>>)> = stored
            .iter()
            .map(|one| (capability_from(one), one.tools.iter().map(place).collect::<Option<Vec<usize>>>()))
            .collect();
        let mut chosen: Vec<&[String]> = Vec::new();
        let mut out = Vec::new();
        for fits in fitting(&all, shares, used).into_iter().take(2 * MOST_SUGGESTED) {
            let (known, _) = &all[fits.capability];
            let is_within = chosen.iter().any(|other| known.tools.iter().all(|tool| other.contains(tool)));
            let suggested = threshold.passes(fits.score) && !is_within && chosen.len() < MOST_SUGGESTED;
            if suggested {
                chosen.push(&known.tools);
            }
            let share = 100.0 * known.success();
            out.push((
                FoundCapability {
                    tools: known.tools.clone(),
                    score: fits.score,
                    coverage: fits.coverage,
                    uses: known.uses,
                    ok: known.ok,
                    because: vec![format!("used together in {} tasks, {share:.0} % ok", known.uses)],
                },
                suggested,
            ));
        }
        Ok(Fitting { all: out })
    }

    /// Past tasks of which is known what they used, without vectors.
    pub(super) fn past_tasks(&self, catalog: &Catalog, access: &Access) -> Result<Past, EngineError> {
        let Some(database) = self.read_database()? else { return Ok(Past::default()) };
        let mut past = Past::default();
        for task in database.tool_tasks(&access.remembered(), true, PAST_TASKS)? {
            let tools: Vec<usize> = task.used.iter().filter_map(|key| catalog.place_of(key)).collect();
            if !tools.is_empty() {
                past.texts.push(task.task);
                past.sessions.push(tools);
            }
        }
        Ok(past)
    }

    /// Keeps what was shown for a task of a session that says who it is, and a trace if one is wanted. Best effort.
    pub(super) fn keep_suggested(
        &self,
        ask: &ToolAsk<'_>,
        task: &str,
        shown: Vec<StoredSuggestion>,
        trace: Option<&Trace>,
        (access, session): (&Access, &Session<'_>),
    ) -> Result<(), EngineError> {
        let (Some(mut database), Some(scope)) = (self.read_database()?, own_scope(access)) else { return Ok(()) };
        // Secrets go before the text is cut, so that no half of one stays.
        let clean = |text: &str, chars: usize| single_line(&redact(text).text, chars);
        let named = ask.session.map(|name| redact(&single_line(name, SESSION_CHARS)).text.into_owned());
        let name = named.filter(|name| !name.is_empty());
        let question = clean(task, TASK_CHARS);
        let mut number = None;
        if let Some(name) = &name {
            number = Some(database.keep_task(&StoredTask {
                number: 0,
                scope: scope.clone(),
                session: name.clone(),
                after_row: 0,
                at: session.now(),
                fingerprint: fingerprint(&question),
                task: question.clone(),
                used: Vec::new(),
                suggestions: shown,
            })?);
        }
        let data = trace.and_then(|trace| json(trace).ok());
        if let Some(data) = data {
            let (at, session) = (session.now(), name.unwrap_or_default());
            let trace =
                StoredTrace { number: 0, scope, session, at, task: number, question, data, outcomes: Vec::new() };
            database.keep_trace(&trace, TRACES)?;
        }
        Ok(())
    }

    /// The last decisions that were traced, the newest first, at most `most`.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn tool_traces(
        &self,
        most: usize,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<TracedDecision>, EngineError> {
        session.check()?;
        self.learn_by_the_way(&self.catalog(false, access)?, access, session);
        let Some(database) = self.read_database()? else { return Ok(Vec::new()) };
        let outcome = |one: StoredSuggestion| TracedOutcome {
            kind: one.kind.name(),
            tools: one.tools,
            suggested: one.is_suggested,
            accepted: one.is_accepted,
        };
        let of = |one: StoredTrace| TracedDecision {
            number: one.number,
            at: one.at,
            scope: one.scope,
            session: one.session,
            task: one.question,
            decision: serde_json::from_str(&one.data).unwrap_or_default(),
            outcomes: one.outcomes.into_iter().map(outcome).collect(),
        };
        Ok(database.traces(&access.remembered(), most)?.into_iter().map(of).collect())
    }
}

/// A tool as it was shown.
pub(super) fn shown_tool(key: &str, score: f64, is_suggested: bool) -> StoredSuggestion {
    let tools = vec![key.to_owned()];
    StoredSuggestion { kind: SuggestionKind::Tool, tools, score, is_suggested, is_accepted: None }
}

/// A capability as it was looked at.
pub(super) fn shown_capability((one, is_suggested): &(FoundCapability, bool)) -> StoredSuggestion {
    StoredSuggestion {
        kind: SuggestionKind::Capability,
        tools: one.tools.clone(),
        score: one.score,
        is_suggested: *is_suggested,
        is_accepted: None,
    }
}
