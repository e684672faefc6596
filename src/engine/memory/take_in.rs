//! Memories are read from files and follow them: if a file changes a statement its memory is corrected, and if a file
//! drops a statement its memory is no longer served.
//!
//! A file that has not changed makes no event. Decisions of persons are kept. A memory also stays if another file still
//! holds the statement, or if somebody remembered it by hand.

use super::change::{Saying, record};
use super::claims::{Behind, Claim, Claims, Place, TEAM, of_rules, says};
use super::remember::{Planned, known, problem_of};
use crate::engine::{Engine, EngineError, Session};
use crate::map::open::{Links, read_text};
use crate::memory::{Alike, closest, match_key, same_statement};
use crate::store::{Database, MemoryFilter, ReadMemory};
use crate::types::limits::{EVIDENCE, ITEM_PAGE, MEMORY_FILE};
use crate::types::{
    Access, Author, Authority, Change, Kind, Memory, MemorySource, MemoryState, NewEvent, Scope, Wording,
};
use serde::Serialize;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Who says that a file no longer says something.
const OURS: &str = "ken memory";

/// What became of what a file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TakenIn {
    /// Memories that are new.
    pub added: usize,
    /// Memories that were put right.
    pub updated: usize,
    /// What was known.
    pub known: usize,
    /// Memories that the file no longer says.
    pub withdrawn: usize,
    /// Kinds of secrets that were taken out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<&'static str>,
}

impl TakenIn {
    /// Whether nothing changed.
    pub const fn is_unchanged(&self) -> bool {
        self.added + self.updated + self.withdrawn == 0
    }
}

/// What a repository's team says, read and not taken in yet.
#[derive(Debug, Clone, Default)]
pub struct TeamFiles {
    claims: Claims,
    files: usize,
}

impl TeamFiles {
    /// How many files there are.
    pub const fn files(&self) -> usize {
        self.files
    }

    /// How many memories they hold.
    pub const fn memories(&self) -> usize {
        self.claims.list.len()
    }
}

/// The files that memories rest on which are refreshed.
struct Refreshed<'a> {
    scope: &'a Scope,
    root: Option<&'a Path>,
    /// A rules file by its name; none for all files of the team.
    file: Option<&'a str>,
    /// What is said of a file that no longer says something.
    gone: &'static str,
}

/// What is said of a file that no longer says something.
const NO_LONGER: &str = "no longer says so";

impl Refreshed<'_> {
    /// The one of these files that a memory rests on.
    fn file_of<'m>(&self, memory: &'m Memory) -> Option<&'m str> {
        let mut files = memory.words.evidence.iter().filter_map(|evidence| evidence.file.as_deref());
        files.find(|file| self.holds(file))
    }

    fn holds(&self, file: &str) -> bool {
        self.file.map_or_else(|| file.starts_with(TEAM), |own| own == file)
    }

    /// Whether a memory stands or falls with these files.
    fn decides(&self, memory: &Memory) -> bool {
        let is_of_team = memory.authority != Authority::Personal;
        let is_of_file = memory.source == MemorySource::File;
        let is_theirs = if self.file.is_some() { is_of_file && !is_of_team } else { is_of_file || is_of_team };
        memory.kind != Kind::Problem && is_theirs && self.file_of(memory).is_some()
    }

    /// Whether something else than these files still says it.
    fn is_said_elsewhere(&self, memory: &Memory) -> bool {
        let mut others = memory.words.evidence.iter().filter_map(|evidence| evidence.file.as_deref());
        memory.source != MemorySource::File
            || others.any(|file| !self.holds(file) && says(self.root, file, &memory.words.text))
    }
}

impl Engine {
    /// Takes in a file: the rules of a file for agents as preferences, which are refreshed with it, or memories with
    /// front matter. They are personal, whatever the file says. `here` is the scope of memories that do not count
    /// everywhere; rules count in the repository of their file.
    ///
    /// # Errors
    /// [`EngineError::BadMemoryFile`] for what cannot be a memory, [`EngineError::Io`] for a file that cannot be read;
    /// nothing of the file is stored then. [`EngineError`] when the database refuses.
    pub fn import_memory_file(
        &self,
        path: &Path,
        here: &Scope,
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<TakenIn, EngineError> {
        let place = Place::of(path);
        let read = read_text(path, Links::Follow, MEMORY_FILE);
        let io = |source| EngineError::Io { path: path.to_owned(), source };
        if !place.is_rules() {
            let claims = self.claims_of(&read.map_err(io)?, Some(&place), here, Behind::Oneself, session)?;
            return self.take_in_claims(claims, None, by, access, session);
        }
        let refreshed =
            Refreshed { scope: &place.scope, root: place.root.as_deref(), file: Some(&place.name), gone: NO_LONGER };
        let text = match read {
            // What was taken in from it is not true of it any more.
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.rests_on(&refreshed)? => String::new(),
            read => read.map_err(io)?,
        };
        self.take_in_claims(of_rules(&text, &place)?, Some(&refreshed), by, access, session)
    }

    /// Takes in a text of memories with front matter.
    ///
    /// # Errors
    /// As [`Engine::import_memory_file`].
    pub fn import_memory_text(
        &self,
        text: &str,
        here: &Scope,
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<TakenIn, EngineError> {
        let claims = self.claims_of(text, None, here, Behind::Oneself, session)?;
        self.take_in_claims(claims, None, by, access, session)
    }

    /// Reads what a repository's team says in the files of its `.ken/memory`. Whether they may be read is for the
    /// caller to know: only a trusted folder's count.
    ///
    /// # Errors
    /// [`EngineError::BadMemoryFile`] for what cannot be a memory, [`EngineError::Io`] for a file that cannot be read.
    pub fn team_files(&self, folder: &Path, scope: &Scope, session: &Session<'_>) -> Result<TeamFiles, EngineError> {
        let (claims, files) = self.claims_of_team(folder, scope, session)?;
        Ok(TeamFiles { claims, files })
    }

    /// Reads the memories of a repository's team. They get the team's authority, because persons review the files. What
    /// the files no longer hold is no longer served; a memory that was promoted becomes personal again.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; what was stored before stays.
    pub fn refresh_team(
        &self,
        files: TeamFiles,
        (root, scope): (&Path, &Scope),
        from: &str,
        session: &Session<'_>,
    ) -> Result<TakenIn, EngineError> {
        let refreshed = Refreshed { scope, root: Some(root), file: None, gone: NO_LONGER };
        self.take_in_claims(files.claims, Some(&refreshed), (&Author::Person, from), &Access::all(), session)
    }

    /// Serves nothing more of what the team of a repository says, because it is not trusted any more.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses; what was stored before stays.
    pub fn distrust_team(
        &self,
        (root, scope): (&Path, &Scope),
        from: &str,
        session: &Session<'_>,
    ) -> Result<TakenIn, EngineError> {
        let refreshed = Refreshed { scope, root: Some(root), file: None, gone: "is not trusted any more" };
        self.take_in_claims(Claims::default(), Some(&refreshed), (&Author::Person, from), &Access::all(), session)
    }

    /// Whether any memory rests on these files.
    fn rests_on(&self, refreshed: &Refreshed<'_>) -> Result<bool, EngineError> {
        match self.read_database()? {
            Some(database) => Ok(!resting(&database, refreshed)?.is_empty()),
            None => Ok(false),
        }
    }

    fn take_in_claims(
        &self,
        claims: Claims,
        refreshed: Option<&Refreshed<'_>>,
        by: (&Author, &str),
        access: &Access,
        session: &Session<'_>,
    ) -> Result<TakenIn, EngineError> {
        let Claims { list, mut redacted } = claims;
        redacted.sort_unstable();
        redacted.dedup();
        let mut out = TakenIn { redacted, ..TakenIn::default() };
        if let Some(claim) = list.iter().find(|claim| !access.admits(&claim.wanted.scope)) {
            return Err(EngineError::NoAccess { scope: claim.wanted.scope.as_str().to_owned() });
        }
        // Who says nothing takes only something back; where nothing was learnt there is nothing to take back.
        if list.is_empty() && !self.has_memories() {
            return Ok(out);
        }
        let list = one_each(list, &mut out, session);
        let (lock, mut database) = self.write_database("ken memory refresh", session)?;
        let by = Saying { author: by.0, session: by.1, at: session.now() };
        let mut held = match refreshed {
            Some(refreshed) => resting(&database, refreshed)?,
            None => Vec::new(),
        };
        let mut touched = Vec::new();
        let mut store = |database: &mut Database, events: Vec<NewEvent>| -> Result<(), EngineError> {
            touched.extend(events.iter().map(|event| event.memory.clone()));
            let batch = database.begin(&lock)?;
            record(&batch, events)?;
            Ok(batch.commit()?)
        };
        let mut fresh = Vec::new();
        for claim in list {
            session.check()?;
            let Some(memory) = find(&database, &claim, &held)? else {
                fresh.push(claim);
                continue;
            };
            held.retain(|other| other.id != memory.id);
            let (is_change, events) = met(&database, &memory, &claim, by)?;
            *if is_change { &mut out.updated } else { &mut out.known } += 1;
            if !events.is_empty() {
                store(&mut database, events)?;
            }
        }
        for claim in fresh {
            session.check()?;
            let (wanted, words) = (&claim.wanted, &claim.wanted.words);
            match replaced(&claim, &held) {
                Some(place) => {
                    let memory = held.swap_remove(place);
                    let (_, events) = met(&database, &memory, &claim, by)?;
                    store(&mut database, events)?;
                    out.updated += 1;
                }
                None => {
                    let planned = Planned::new(&database, wanted, words, by, access)?;
                    store(&mut database, planned.events)?;
                    out.added += 1;
                }
            }
        }
        if let Some(refreshed) = refreshed {
            for memory in &held {
                let events = dropped(&database, memory, refreshed, by)?;
                if !events.is_empty() {
                    store(&mut database, events)?;
                    out.withdrawn += 1;
                }
            }
        }
        if !touched.is_empty() {
            touched.sort();
            touched.dedup();
            self.follow_up(&touched, &mut database, &lock, session)?;
        }
        Ok(out)
    }
}

/// Claims of which no two update each other; the first of those that do is kept, and it is told if they differ.
fn one_each(list: Vec<Claim>, out: &mut TakenIn, session: &Session<'_>) -> Vec<Claim> {
    let mut kept: Vec<Claim> = Vec::with_capacity(list.len());
    let mut places: HashMap<String, usize> = HashMap::new();
    for claim in list {
        let key = key_of(&claim);
        let Some(first) = places.get(&key).and_then(|place| kept.get(*place)) else {
            places.insert(key, kept.len());
            kept.push(claim);
            continue;
        };
        out.known += 1;
        if !is_same_text(&first.wanted.words.text, &claim.wanted.words.text) {
            let ((file, line), (other, at)) = (&claim.place, &first.place);
            session.note(format!("line {line} of {file} is left out: line {at} of {other} says something else of it"));
        }
    }
    kept
}

fn key_of(claim: &Claim) -> String {
    match_key(claim.wanted.kind, &claim.wanted.scope, &claim.wanted.words)
}

/// Texts without words are the same if they are equal.
fn is_same_text(a: &str, b: &str) -> bool {
    a == b || same_statement(a, b)
}

/// The memories that stand or fall with these files, without those that a person disputes.
fn resting(database: &Database, refreshed: &Refreshed<'_>) -> Result<Vec<Memory>, EngineError> {
    let filter = MemoryFilter {
        scopes: vec![refreshed.scope.clone()],
        states: vec![MemoryState::Active, MemoryState::Disputed],
        ..MemoryFilter::default()
    };
    let (mut out, mut after): (Vec<Memory>, Option<(i64, String)>) = (Vec::new(), None);
    loop {
        let page = database.memories(&filter, after.as_ref().map(|(at, id)| (*at, id.as_str())), ITEM_PAGE)?;
        let Some(last) = page.last() else { return Ok(out) };
        after = Some((last.last_at, last.id.clone()));
        for memory in page {
            if refreshed.decides(&memory) && (memory.state == MemoryState::Active || is_ours(database, &memory)?) {
                out.push(memory);
            }
        }
    }
}

/// Whether a memory is disputed because no file says it any more.
fn is_ours(database: &Database, memory: &Memory) -> Result<bool, EngineError> {
    let events = database.events_of_memory(&memory.id)?;
    let last = events.iter().rfind(|event| event.change == Change::Disputed);
    Ok(last.is_some_and(|event| event.author == ours()))
}

fn ours() -> Author {
    Author::Program(OURS.to_owned())
}

/// The memory that a claim is about: the one with its id, the one with its key, or one that says the same and has the
/// claim's file as evidence.
fn find(database: &Database, claim: &Claim, held: &[Memory]) -> Result<Option<Memory>, EngineError> {
    let wanted = &claim.wanted;
    let fits = |memory: &Memory| {
        let of_use = matches!(memory.state, MemoryState::Active | MemoryState::Disputed | MemoryState::Proposed);
        let same_error = memory.words.fingerprint == wanted.words.fingerprint;
        of_use && memory.kind == wanted.kind && memory.scope == wanted.scope && same_error
    };
    if let Some(id) = &claim.id
        && let Some(memory) = database.memory(id)?.filter(fits)
    {
        return Ok(Some(memory));
    }
    if let Some(memory) = known(database, &key_of(claim), false)? {
        return Ok(Some(memory));
    }
    let says_it = |memory: &&Memory| fits(memory) && is_same_text(&memory.words.text, &wanted.words.text);
    Ok(held.iter().find(says_it).cloned())
}

/// The memory among those that no file says any more which a new claim takes the place of.
fn replaced(claim: &Claim, held: &[Memory]) -> Option<usize> {
    let wanted = &claim.wanted;
    let fits = |memory: &Memory| {
        memory.kind == wanted.kind
            && memory.words.fingerprint == wanted.words.fingerprint
            && memory.state == MemoryState::Active
    };
    let places: Vec<usize> = (0..held.len()).filter(|place| held.get(*place).is_some_and(fits)).collect();
    let texts: Vec<&str> =
        places.iter().filter_map(|place| held.get(*place)).map(|memory| memory.words.text.as_str()).collect();
    let found = closest(&wanted.words.text, &texts).filter(|found| found.relation >= Alike::Update)?;
    places.get(found.place).copied()
}

/// What happens to a memory when a file says it, and whether more changes than what it rests on.
fn met(
    database: &Database,
    memory: &Memory,
    claim: &Claim,
    by: Saying<'_>,
) -> Result<(bool, Vec<NewEvent>), EngineError> {
    let (wanted, words) = (&claim.wanted, &claim.wanted.words);
    let mut events = Vec::new();
    // What a team says is not put right by a file of one's own.
    if wanted.authority == Authority::Personal && memory.authority != Authority::Personal {
        return Ok((false, events));
    }
    match memory.state {
        MemoryState::Disputed if !is_ours(database, memory)? => return Ok((false, events)),
        MemoryState::Disputed => {
            let author = ours();
            events.push(Saying { author: &author, ..by }.event(&memory.id, Change::Withdrawn, Wording::default()));
        }
        MemoryState::Proposed if *by.author != Author::Person => return Ok((false, events)),
        MemoryState::Proposed => events.push(by.event(&memory.id, Change::Approved, Wording::default())),
        _ => {}
    }
    // Evidence goes with the first event that takes some.
    let names_file =
        memory.words.evidence.iter().any(|evidence| words.evidence.iter().any(|new| new.file == evidence.file));
    let is_full = memory.words.evidence.len() > EVIDENCE;
    let mut evidence = if names_file || is_full { Vec::new() } else { words.evidence.clone() };
    let mut resting = || Wording { evidence: std::mem::take(&mut evidence), ..Wording::default() };
    if differs(memory, claim) {
        let said = Wording { evidence: words.evidence.clone(), ..words.clone() };
        drop(resting());
        events.push(by.event(&memory.id, Change::Corrected { until: wanted.until }, said));
    }
    if memory.authority != wanted.authority {
        events.push(by.event(&memory.id, Change::Promoted { authority: wanted.authority }, resting()));
    }
    let is_untried = match wanted.worked {
        Some(true) => memory.worked == 0,
        Some(false) => memory.failed == 0,
        None => false,
    };
    if is_untried {
        events.push(by.event(&memory.id, Change::Reinforced { worked: wanted.worked }, resting()));
        problem_of(database, wanted, words, &memory.id, by, &mut events)?;
    }
    let is_change = !events.is_empty();
    let rest = resting();
    if !rest.evidence.is_empty() {
        events.push(by.event(&memory.id, Change::Reinforced { worked: None }, rest));
    }
    Ok((is_change, events))
}

/// Whether a file says something else than the memory. What the file does not speak of is left as it is.
fn differs(memory: &Memory, claim: &Claim) -> bool {
    let (before, now) = (&memory.words, &claim.wanted.words);
    let fields = |words: &Wording| {
        [&words.category, &words.pattern, &words.service, &words.region, &words.subject].map(Clone::clone)
    };
    let other = |(now, before): (Option<String>, Option<String>)| now.is_some() && now != before;
    !is_same_text(&before.text, &now.text)
        || memory.until != claim.wanted.until
        || !now.tags.is_empty() && now.tags != before.tags
        || fields(now).into_iter().zip(fields(before)).any(other)
}

/// What happens to a memory that the files it rests on no longer say.
fn dropped(
    database: &Database,
    memory: &Memory,
    refreshed: &Refreshed<'_>,
    by: Saying<'_>,
) -> Result<Vec<NewEvent>, EngineError> {
    let mut events = Vec::new();
    if memory.state != MemoryState::Active {
        return Ok(events);
    }
    if memory.authority != Authority::Personal {
        let change = Change::Promoted { authority: Authority::Personal };
        events.push(by.event(&memory.id, change, Wording::default()));
    }
    if !refreshed.is_said_elsewhere(memory) && !is_upheld(database, memory)? {
        let file = refreshed.file_of(memory).unwrap_or_default();
        let words = Wording { because: Some(format!("{file} {}", refreshed.gone)), ..Wording::default() };
        let author = ours();
        events.push(Saying { author: &author, ..by }.event(&memory.id, Change::Disputed, words));
    }
    Ok(events)
}

/// Whether somebody said that a memory is true, whatever the file says.
fn is_upheld(database: &Database, memory: &Memory) -> Result<bool, EngineError> {
    let by_others = |event: &crate::types::MemoryEvent| event.change == Change::Withdrawn && event.author != ours();
    Ok(memory.validated || database.events_of_memory(&memory.id)?.iter().any(by_others))
}
