//! Something is learnt: an update of what was known, or something new.

use super::change::{Saying, new_id, record, redacted};
use super::list::Told;
use super::near::Near;
use super::revisions::revisions;
use crate::engine::{Engine, EngineError, Session};
use crate::memory::{match_key, same_statement};
use crate::query::{LookupOptions, Problem, problems};
use crate::store::{Database, ReadMemory};
use crate::text::{Log, mask, redact};
use crate::triage::Block;
use crate::types::limits::{EVIDENCE, ITEM_TEXT_BYTES, ITEM_TITLE_BYTES};
use crate::types::{
    Access, Author, Authority, Change as Event, Kind, Memory, MemorySource, MemoryState, NewEvent, Observation,
    Relation, Scope, Wording,
};
use serde::Serialize;

/// Something to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Remember {
    /// A preference, a fact or a tactic.
    pub kind: Kind,
    /// Where it counts.
    pub scope: Scope,
    /// Who stands behind it; a program speaks for one person whatever is said here.
    pub authority: Authority,
    /// In which words.
    pub words: Wording,
    /// Of a tactic: whether it worked.
    pub worked: Option<bool>,
    /// The error that a tactic was tried against, as it was printed.
    pub error: Option<Vec<u8>>,
    /// When it ceases to be true, milliseconds since 1970.
    pub until: Option<i64>,
    /// What made somebody write it down.
    pub source: MemorySource,
    /// The memory that it is to update, whatever their words.
    pub update: Option<String>,
    /// Memories that it was concluded from.
    pub derived_from: Vec<String>,
    /// Whether somebody has to approve it first.
    pub proposed: bool,
    /// Whether it was read out of a text, which may be read again: that says nothing new.
    pub reread: bool,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It was known, and was met once more.
    Reinforced,
    /// What was known is put right.
    Updated,
    /// It is new, and waits to be approved.
    Proposed,
    /// It was proposed or rejected before, or is known: nothing changed.
    Known,
}

/// What was remembered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Remembered {
    /// What became of it.
    pub change: Change,
    /// The memory as it is now.
    pub memory: Told,
    /// The problem that it was tried against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Kinds of secrets that were taken out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<&'static str>,
    /// Memories that may be meant; they stay as they are until somebody says otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<Near>,
}

impl Engine {
    /// Remembers something. What was known already is updated in its place; what says nearly the same is told and left
    /// as it is. On the disk when this returns.
    ///
    /// # Errors
    /// [`EngineError::BadMemory`] for what cannot be one, [`EngineError::NoAccess`] for a scope that may not be seen,
    /// [`EngineError::NoMemory`] for one that is to be updated and is not there, [`EngineError`] when the database
    /// refuses; nothing is stored then.
    pub fn remember(
        &self,
        wanted: Remember,
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<Remembered, EngineError> {
        if !access.admits(&wanted.scope) {
            return Err(EngineError::NoAccess { scope: wanted.scope.as_str().to_owned() });
        }
        let mut wanted = wanted;
        if let Some(error) = wanted.error.take() {
            (wanted.words.error, wanted.words.fingerprint) = self.error_of(&error, session)?;
        }
        let (author, from) = by;
        let from = redact(from).text;
        let by = (author, from.as_ref());
        let words = std::mem::take(&mut wanted.words);
        let (words, redacted) = redacted(words);
        check(&wanted, &words)?;
        let (lock, mut database) = self.write_between("ken remember", session)?;
        let by = Saying { author: by.0, session: by.1, at: session.now() };
        let mut events = Planned::new(&database, &wanted, &words, by, access)?;
        if matches!(events.change, Change::Added | Change::Reinforced | Change::Proposed) {
            events.events.extend(revisions(&database, (wanted.kind, &wanted.scope), &words, &events.id, by)?);
        }
        session.check()?;
        let batch = database.begin(&lock)?;
        let Planned { change, id, problem, events } = events;
        record(&batch, events)?;
        batch.commit()?;
        let written: Vec<String> = std::iter::once(id.clone()).chain(problem.clone()).collect();
        self.follow_up(&written, &mut database, &lock, session)?;
        let near = match change {
            // It is stored already, so nothing that goes wrong here is an error.
            Change::Added => self.near(&id, (wanted.kind, &wanted.scope), &database, session).unwrap_or_else(|error| {
                session.note(format!("it was not compared with other memories: {error}"));
                Vec::new()
            }),
            _ => Vec::new(),
        };
        let memory = database.memory(&id)?.ok_or(EngineError::NoMemory { id })?;
        Ok(Remembered { change, memory: Told::of(memory, session.now()), problem, redacted, near })
    }

    /// The masked text of an error and its fingerprint, of the likeliest reason in it.
    pub(super) fn error_of(
        &self,
        input: &[u8],
        session: &Session<'_>,
    ) -> Result<(Option<String>, Option<String>), EngineError> {
        let packs = self.packs(session);
        let likeliest = |mut input: &[u8]| -> Result<Option<Block>, EngineError> {
            let found = problems(&packs.knowledge, &mut Log::new(&mut input), &LookupOptions::default())?;
            let surer = |best: Problem, next: Problem| {
                if next.block.likelihood > best.block.likelihood { next } else { best }
            };
            Ok(found.list.into_iter().reduce(surer).map(|likeliest| likeliest.block))
        };
        let none = || EngineError::BadMemory { what: "there is no error in what was given as one".to_owned() };
        let block = likeliest(input)?.ok_or_else(none)?;
        // A block loses its secrets only after it was cut to its telling lines, and a cut can leave half of one. So the
        // text to keep is read again from an input without secrets. The fingerprint stays that of a lookup.
        let salient = match std::str::from_utf8(input).map(redact) {
            Ok(clean) if !clean.found.is_empty() => {
                likeliest(clean.text.as_bytes())?.map_or(block.salient, |clean| clean.salient)
            }
            _ => block.salient,
        };
        Ok((Some(mask(&salient)), Some(block.fingerprint)))
    }
}

/// Whether it can be remembered.
pub(super) fn check(wanted: &Remember, words: &Wording) -> Result<(), EngineError> {
    let bad = |what: String| Err(EngineError::BadMemory { what });
    if words.text.trim().is_empty() {
        return bad("it says nothing".to_owned());
    }
    if words.text.len() > ITEM_TEXT_BYTES {
        return bad(format!("it has {} bytes, {ITEM_TEXT_BYTES} are allowed", words.text.len()));
    }
    let short = [&words.category, &words.pattern, &words.service, &words.region, &words.subject];
    let tags = words.tags.iter();
    let long = short.into_iter().flatten().chain(tags).chain([&words.title]).any(|text| text.len() > ITEM_TITLE_BYTES);
    if long {
        return bad(format!("its title, its tags and what it is about have at most {ITEM_TITLE_BYTES} bytes each"));
    }
    if words.evidence.len() > EVIDENCE {
        return bad(format!("it has {} pieces of evidence, {EVIDENCE} are allowed", words.evidence.len()));
    }
    match wanted.kind {
        Kind::Preference | Kind::Fact if wanted.worked.is_some() || words.error.is_some() => {
            bad("only a tactic works or fails, and has an error".to_owned())
        }
        Kind::Preference | Kind::Fact | Kind::Tactic => Ok(()),
        _ => bad("a memory is a preference, a fact or a tactic".to_owned()),
    }
}

/// The events of something that is to be remembered.
pub(super) struct Planned {
    pub change: Change,
    pub id: String,
    pub problem: Option<String>,
    pub events: Vec<NewEvent>,
}

impl Planned {
    pub fn new(
        database: &Database,
        wanted: &Remember,
        words: &Wording,
        by: Saying<'_>,
        access: &Access,
    ) -> Result<Self, EngineError> {
        let known = match &wanted.update {
            Some(id) => Some(Engine::find_memory(database, id, access)?),
            None => known(database, &match_key(wanted.kind, &wanted.scope, words), wanted.proposed)?,
        };
        let mut events = Vec::new();
        let (change, id) = match known {
            Some(known) => {
                let (change, happened) = met(&known, wanted, words, by.author);
                let is_others = known.authority != Authority::Personal && *by.author != Author::Person;
                if is_others && happened.iter().any(|what| matches!(what, Event::Corrected { .. })) {
                    return Err(EngineError::NeedsPerson);
                }
                events.extend(happened.into_iter().map(|what| by.event(&known.id, what, words.clone())));
                (change, known.id)
            }
            None => {
                let id = new_id(database, &[], by.at, by.session)?;
                let first = Observation {
                    kind: wanted.kind,
                    scope: wanted.scope.clone(),
                    authority: wanted.authority,
                    source: wanted.source,
                    worked: wanted.worked,
                    until: wanted.until,
                    anchored: !words.evidence.is_empty(),
                };
                let (change, happened) = match wanted.proposed {
                    true => (Change::Proposed, Event::Proposed(first)),
                    false => (Change::Added, Event::Observed(first)),
                };
                events.push(by.event(&id, happened, words.clone()));
                (change, id)
            }
        };
        for source in &wanted.derived_from {
            let to = Engine::find_memory(database, source, access)?.id;
            events.push(by.event(&id, Event::Linked { to, relation: Relation::DerivedFrom }, Wording::default()));
        }
        let problem = match events.is_empty() {
            true => None,
            false => problem_of(database, wanted, words, &id, by, &mut events)?,
        };
        Ok(Self { change, id, problem, events })
    }
}

/// Links the problem that something was tried against with it; the problem is met once more, or is new. Gives
/// the problem's id, if an error is told.
pub(super) fn problem_of(
    database: &Database,
    wanted: &Remember,
    words: &Wording,
    tactic: &str,
    by: Saying<'_>,
    events: &mut Vec<NewEvent>,
) -> Result<Option<String>, EngineError> {
    let (Some(error), Some(fingerprint)) = (&words.error, &words.fingerprint) else { return Ok(None) };
    let words = Wording { error: Some(error.clone()), fingerprint: Some(fingerprint.clone()), ..Wording::default() };
    let at = match known_problem(database, &wanted.scope, &words)? {
        Some(found) => {
            if found.state == MemoryState::Proposed && !wanted.proposed {
                events.push(by.event(&found.id, Event::Approved, Wording::default()));
            }
            events.push(by.event(&found.id, Event::Reinforced { worked: None }, Wording::default()));
            found.id
        }
        None => {
            let at = new_id(database, &[tactic], by.at, by.session)?;
            let first = Observation {
                kind: Kind::Problem,
                scope: wanted.scope.clone(),
                authority: Authority::Personal,
                source: wanted.source,
                worked: None,
                until: None,
                anchored: true,
            };
            let happened = match wanted.proposed {
                true => Event::Proposed(first),
                false => Event::Observed(first),
            };
            events.push(by.event(&at, happened, words));
            at
        }
    };
    let relation = if wanted.worked == Some(false) { Relation::FailedWith } else { Relation::SolvedBy };
    events.push(by.event(&at, Event::Linked { to: tactic.to_owned(), relation }, Wording::default()));
    Ok(Some(at))
}

/// A memory of this key that is still of use. Whoever only proposes something is told of what was rejected too.
pub(super) fn known(database: &Database, key: &str, proposes: bool) -> Result<Option<Memory>, EngineError> {
    let usable = |memory: &Memory| match memory.state {
        MemoryState::Superseded | MemoryState::Forgotten => false,
        MemoryState::Rejected => proposes,
        MemoryState::Proposed | MemoryState::Active | MemoryState::Disputed => true,
    };
    Ok(database.memories_matching(key)?.into_iter().find(usable))
}

fn known_problem(database: &Database, scope: &Scope, words: &Wording) -> Result<Option<Memory>, EngineError> {
    known(database, &match_key(Kind::Problem, scope, words), false)
}

/// What happens to a memory that is met once more.
fn met(known: &Memory, wanted: &Remember, words: &Wording, author: &Author) -> (Change, Vec<Event>) {
    let mut events = Vec::new();
    // Whoever says it themselves wants it.
    if known.state == MemoryState::Proposed && *author == Author::Person && !wanted.proposed {
        events.push(Event::Approved);
    }
    if wanted.proposed || wanted.reread {
        return (if events.is_empty() { Change::Known } else { Change::Added }, events);
    }
    let differs = known.kind != Kind::Tactic
        && (!same_statement(&known.words.text, &words.text) || known.until != wanted.until)
        || wanted.update.is_some();
    if differs {
        events.push(Event::Corrected { until: wanted.until });
        return (Change::Updated, events);
    }
    events.push(Event::Reinforced { worked: wanted.worked });
    (Change::Reinforced, events)
}
