//! Patterns as somebody sees them, and what they decide: a sure one becomes a tactic.

use crate::engine::{Engine, EngineError, Remember, Session};
use crate::outcome::pattern::{Pattern, PatternKind, Place, confidence};
use crate::outcome::{advice, error_kind, kind_fingerprint, named_kind};
use crate::store::{Database, KeepOutcomes, PatternFilter, ReadOutcomes, StoredPattern};
use crate::types::limits::EVIDENCE;
use crate::types::{Access, Author, Authority, ErrorCount, Evidence, Kind, MemorySource, Scope, Wording};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How sure a pattern must be before it is promoted (requirements, "Outcomes").
pub const SURE: f64 = 0.7;
/// Where a pattern stands of which a tactic was made.
pub const PROMOTED: &str = "promoted";
/// Where a pattern stands that somebody found wrong.
pub const REJECTED: &str = "rejected";
/// Patterns that are read at most.
const MOST: usize = 5_000;

/// A pattern, and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeptPattern {
    /// What to do, in words.
    pub advice: String,
    /// `found`, `promoted` or `rejected`.
    pub state: String,
    /// The memory that was made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The pattern.
    #[serde(flatten)]
    pub pattern: Pattern,
}

impl Engine {
    /// Patterns of the scopes that may be seen, by kind, the surest first. Rejected ones only if that state is asked
    /// for.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn outcome_patterns(
        &self,
        kind: Option<PatternKind>,
        state: Option<&str>,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Vec<KeptPattern>, EngineError> {
        session.check()?;
        let Some(database) = self.read_database()? else { return Ok(Vec::new()) };
        let mut found = stored(&database, kind, state, access)?;
        found.retain(|one| state.is_some() || one.state != REJECTED);
        found.sort_by(|a, b| {
            let order = a.pattern.kind.cmp(&b.pattern.kind);
            order
                .then_with(|| b.pattern.confidence.total_cmp(&a.pattern.confidence))
                .then_with(|| b.pattern.sessions.cmp(&a.pattern.sessions))
                .then_with(|| a.pattern.id.cmp(&b.pattern.id))
        });
        Ok(found)
    }

    /// The pattern of this id, or the only one whose id begins so.
    ///
    /// # Errors
    /// [`EngineError::NoPattern`] where there is none that may be seen, or several; [`EngineError`] when the database
    /// refuses.
    pub fn outcome_pattern(
        &self,
        id: &str,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<KeptPattern, EngineError> {
        session.check()?;
        let missing = || EngineError::NoPattern { id: id.to_owned() };
        let database = self.read_database()?.filter(|_| !id.is_empty()).ok_or_else(missing)?;
        let mut all = stored(&database, None, None, access)?;
        all.retain(|one| one.pattern.id.starts_with(id));
        match all.len() {
            1 => all.pop().ok_or_else(missing),
            _ => Err(missing()),
        }
    }

    /// Makes a tactic of a pattern, with its evidence: it is remembered for each session in which it worked or did
    /// not. Gives the pattern with the memory's id.
    ///
    /// # Errors
    /// [`EngineError::NeedsPerson`] for a program, [`EngineError::PatternNotSure`] below 0.70,
    /// [`EngineError::PatternIsNoFix`] for what is slow or follows each other; else as [`Engine::remember`].
    pub fn promote_pattern(
        &self,
        id: &str,
        author: &Author,
        access: &Access,
        session: &Session<'_>,
    ) -> Result<KeptPattern, EngineError> {
        if *author != Author::Person {
            return Err(EngineError::NeedsPerson);
        }
        let mut found = self.outcome_pattern(id, access, session)?;
        let pattern = &found.pattern;
        let helps = match pattern.kind {
            PatternKind::Recovery => true,
            PatternKind::FailedTactic => false,
            PatternKind::Flaky | PatternKind::Slow | PatternKind::Sequence => {
                return Err(EngineError::PatternIsNoFix { id: pattern.id.clone(), kind: pattern.kind.name() });
            }
        };
        if pattern.confidence < SURE {
            return Err(EngineError::PatternNotSure {
                id: pattern.id.clone(),
                confidence: pattern.confidence,
                missing: missing(pattern),
            });
        }
        let mut memory = None;
        for (place, worked) in tried(pattern, helps) {
            let wanted = tactic(pattern, &found.advice, place, worked);
            let remembered = self.remember(wanted, (author, &place.session), access, session)?;
            memory = Some(remembered.memory.memory.id);
        }
        let mut database = self.read_database()?.ok_or(EngineError::NoHome)?;
        database.decide_outcome_pattern(&pattern.id, PROMOTED, memory.as_deref())?;
        PROMOTED.clone_into(&mut found.state);
        found.memory = memory;
        Ok(found)
    }

    /// Says that a pattern is wrong: it is shown no more. What was promoted stays promoted; `ken dispute` is for that.
    ///
    /// # Errors
    /// [`EngineError::NoPattern`]; [`EngineError`] when the database refuses.
    pub fn reject_pattern(&self, id: &str, access: &Access, session: &Session<'_>) -> Result<KeptPattern, EngineError> {
        let mut found = self.outcome_pattern(id, access, session)?;
        let mut database = self.read_database()?.ok_or(EngineError::NoHome)?;
        database.decide_outcome_pattern(&found.pattern.id, REJECTED, found.memory.as_deref())?;
        REJECTED.clone_into(&mut found.state);
        Ok(found)
    }
}

/// What overcame failures of these kinds most surely, in words, in their order.
pub(super) fn overcame(
    database: &Database,
    errors: &[ErrorCount],
    access: &Access,
) -> Result<Vec<Option<String>>, EngineError> {
    let mut best: BTreeMap<(Scope, String, String, String), Pattern> = BTreeMap::new();
    for one in stored(database, Some(PatternKind::Recovery), None, access)? {
        let pattern = one.pattern;
        let Some(fingerprint) = pattern.error_fingerprint.clone().filter(|_| one.state != REJECTED) else { continue };
        let key = (pattern.scope.clone(), pattern.tool.clone(), pattern.head.clone(), fingerprint);
        let is_better =
            best.get(&key).is_none_or(|known| (pattern.confidence, pattern.worked) > (known.confidence, known.worked));
        if is_better {
            best.insert(key, pattern);
        }
    }
    let of = |error: &ErrorCount| {
        // With its names first: what helped with the very same says more than what helps in general.
        [named_kind(&error.example), error_kind(&error.example)].into_iter().find_map(|kind| {
            let fingerprint = kind_fingerprint(&kind);
            best.get(&(error.scope.clone(), error.tool.clone(), error.head.clone(), fingerprint)).map(advice)
        })
    };
    Ok(errors.iter().map(of).collect())
}

/// Patterns as they are stored, of the scopes that may be seen. One that a newer `ken` has written is left out.
pub(super) fn stored(
    database: &Database,
    kind: Option<PatternKind>,
    state: Option<&str>,
    access: &Access,
) -> Result<Vec<KeptPattern>, EngineError> {
    let filter = PatternFilter {
        scopes: access.remembered(),
        kind: kind.map(|kind| kind.name().to_owned()),
        state: state.map(str::to_owned),
    };
    let read = |one: StoredPattern| {
        let pattern: Pattern = serde_json::from_str(&one.data).ok()?;
        Some(KeptPattern { advice: advice(&pattern), state: one.state, memory: one.memory, pattern })
    };
    Ok(database.outcome_patterns(&filter, MOST)?.into_iter().filter_map(read).collect())
}

/// Sessions in which it has to work besides, before it is sure enough.
fn missing(pattern: &Pattern) -> usize {
    let is_enough = |more: &usize| confidence(pattern.worked + more, pattern.failed) >= SURE;
    (1..1_000).find(is_enough).unwrap_or(1_000)
}

/// Where it was tried, and whether it worked: a place for each session.
fn tried(pattern: &Pattern, helps: bool) -> Vec<(&Place, bool)> {
    let mut seen = BTreeSet::new();
    let places = pattern.evidence.iter().map(|place| (place, helps));
    let others = pattern.counterexamples.iter().map(|place| (place, !helps));
    places.chain(others).filter(|(place, _)| seen.insert(place.session.as_str())).take(EVIDENCE).collect()
}

fn tactic(pattern: &Pattern, said: &str, place: &Place, worked: bool) -> Remember {
    let command = pattern.steps.last().map(|step| step.example.clone());
    let evidence = Evidence {
        text: Some(format!("Run {} of session {}: {}", place.sequence, place.session, pattern.error)),
        command,
        ..Evidence::default()
    };
    Remember {
        kind: Kind::Tactic,
        scope: pattern.scope.clone(),
        authority: Authority::Personal,
        words: Wording { text: said.to_owned(), evidence: vec![evidence], ..Wording::default() },
        worked: Some(worked),
        error: Some(pattern.error.clone().into_bytes()),
        until: None,
        source: MemorySource::Validated,
        update: None,
        derived_from: Vec::new(),
        proposed: false,
        reread: false,
    }
}
