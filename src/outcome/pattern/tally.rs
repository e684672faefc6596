//! Counting by session: where something was seen, and how often.

use super::kind::{Durations, FEWEST_SESSIONS, MOST_EVIDENCE, Pattern, PatternKind, Place, Step, StepRole, confidence};
use crate::text::sha256_hex;
use crate::types::{Scope, ToolOutcome};
use std::collections::BTreeSet;

/// Where something was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    places: BTreeSet<Place>,
    sessions: BTreeSet<String>,
    last_at: i64,
}

impl Seen {
    pub fn add(&mut self, row: &ToolOutcome) {
        self.places.insert(Place { session: row.session.clone(), sequence: row.sequence });
        self.sessions.insert(row.session.clone());
        self.last_at = self.last_at.max(row.at);
    }

    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    pub fn times(&self) -> usize {
        self.places.len()
    }

    pub fn last_at(&self) -> i64 {
        self.last_at
    }

    /// Places of as many sessions as there is room for, each session's first before the second of another.
    pub fn evidence(&self) -> Vec<Place> {
        let mut rounds: Vec<(usize, &Place)> = Vec::new();
        for place in &self.places {
            let round = rounds.iter().rev().take_while(|(_, other)| other.session == place.session).count();
            rounds.push((round, place));
        }
        rounds.sort();
        rounds.into_iter().take(MOST_EVIDENCE).map(|(_, place)| place.clone()).collect()
    }
}

/// Where something worked, and where it did not.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub worked: Seen,
    pub failed: Seen,
}

impl Tally {
    pub fn add(&mut self, row: &ToolOutcome, worked: bool) {
        if worked { self.worked.add(row) } else { self.failed.add(row) }
    }

    pub fn confidence(&self) -> f64 {
        confidence(self.worked.sessions(), self.failed.sessions())
    }

    pub fn recurs(&self) -> bool {
        self.worked.sessions() >= FEWEST_SESSIONS
    }
}

/// What of a pattern is not counted.
pub(super) struct About<'a> {
    pub scope: &'a Scope,
    pub kind: PatternKind,
    pub tool: &'a str,
    pub head: &'a str,
    pub error: &'a str,
    pub error_fingerprint: Option<String>,
    pub steps: Vec<Step>,
    pub durations: Option<Durations>,
}

impl About<'_> {
    /// The pattern with its counts. A tactic that failed is as sure as it is that it fails.
    pub fn pattern(self, tally: &Tally) -> Pattern {
        let (worked, failed) = (&tally.worked, &tally.failed);
        let speaks = if self.kind == PatternKind::FailedTactic { failed } else { worked };
        let against = if self.kind == PatternKind::FailedTactic { worked } else { failed };
        Pattern {
            id: self.id(),
            kind: self.kind,
            scope: self.scope.clone(),
            tool: self.tool.to_owned(),
            head: self.head.to_owned(),
            error: self.error.to_owned(),
            error_fingerprint: self.error_fingerprint,
            steps: self.steps,
            sessions: speaks.sessions(),
            times: speaks.times(),
            worked: worked.sessions(),
            failed: failed.sessions(),
            confidence: confidence(speaks.sessions(), against.sessions()),
            last_at: worked.last_at().max(failed.last_at()),
            evidence: speaks.evidence(),
            counterexamples: against.evidence(),
            durations: self.durations,
        }
    }

    fn id(&self) -> String {
        let mut parts = vec![self.kind.name(), self.scope.as_str(), self.tool, self.head];
        parts.push(self.error_fingerprint.as_deref().unwrap_or(""));
        for step in &self.steps {
            let role = match step.role {
                StepRole::Change => "change",
                StepRole::Look => "look",
                StepRole::Edit => "edit",
                StepRole::Instead => "instead",
                StepRole::Again => "again",
            };
            parts.extend([role, step.tool.as_str(), step.head.as_str(), step.input.as_str()]);
        }
        sha256_hex(parts.join("\0").as_bytes())[..16].to_owned()
    }
}
