//! What a file says is to be remembered: rules of agents, and memories with front matter.
//!
//! A file is read whole before anything of it is stored, so a mistake in its last line stores nothing. Its claims
//! rest on the file and their lines.

use super::change::redacted;
use super::remember::{Remember, check};
use crate::engine::{Engine, EngineError, Session};
use crate::ingest::{repository_of, scope_of};
use crate::map::open::{Links, read_text};
use crate::memory::markdown::{MAX_MEMORIES, MarkdownError, MarkdownMemory, PlacedMemory, read_all};
use crate::memory::rules_file::{Rule, is_rules_file, rules};
use crate::memory::same_statement;
use crate::platform::canonical;
use crate::text::{FINGERPRINT_VERSION, fingerprint, parse_timestamp, redact};
use crate::types::limits::{ITEM_TITLE_BYTES, MEMORY_FILE};
use crate::types::{Authority, Evidence, Kind, MemorySource, Scope, Wording};
use std::path::{Path, PathBuf};

/// Where the memories of a repository's team lie, below its root.
pub(super) const TEAM: &str = ".ken/memory/";
/// How an export of everything begins (index/FORMAT.md).
const EXPORT: &str = "{\"type\":\"kenning\"";

/// Something that a file says.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    /// As it is to be remembered, without secrets.
    pub wanted: Remember,
    /// The memory that it was written from.
    pub id: Option<String>,
    /// Its file, as evidence names it, and its first line.
    pub place: (String, usize),
}

/// What a file says, or several.
#[derive(Debug, Clone, Default)]
pub(super) struct Claims {
    pub list: Vec<Claim>,
    /// Kinds of secrets that were taken out.
    pub redacted: Vec<&'static str>,
}

/// A file and where it lies.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub path: PathBuf,
    /// As evidence names it: from the root of its repository on, else from the root of the disk.
    pub name: String,
    /// The root of its repository.
    pub root: Option<PathBuf>,
    /// The scope of its repository.
    pub scope: Scope,
}

impl Place {
    /// The place of a file, which need not be there any more.
    pub fn of(path: &Path) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let beside = || canonical(folder).map(|folder| folder.join(path.file_name().unwrap_or_default()));
        let full = canonical(path).or_else(|_| beside()).unwrap_or_else(|_| path.to_owned());
        let root = repository_of(full.parent().unwrap_or(&full));
        let inside = root.as_ref().and_then(|root| full.strip_prefix(root).ok()).unwrap_or(&full);
        let name = inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        let scope = root.as_deref().map_or_else(Scope::global, scope_of);
        Self { path: path.to_owned(), name: redact(&name).text.into_owned(), root, scope }
    }

    /// Whether agents read it as rules.
    pub fn is_rules(&self) -> bool {
        is_rules_file(&self.name)
    }
}

/// Who wrote a file of memories, and so who stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// Whoever takes it in.
    Oneself,
    /// Those who review the repository's files.
    Team,
}

/// The rules of a file, as preferences.
///
/// # Errors
/// Where one cannot be a memory.
pub(super) fn of_rules(text: &str, place: &Place) -> Result<Claims, EngineError> {
    let mut out = Claims::default();
    for rule in rules(text).into_iter().filter(|rule| rule.is_rule) {
        let words = Wording { title: about(&rule), text: rule.whole(), ..Wording::default() };
        let wanted = Remember {
            kind: Kind::Preference,
            scope: place.scope.clone(),
            authority: Authority::Personal,
            words,
            worked: None,
            error: None,
            until: None,
            source: MemorySource::File,
            update: None,
            derived_from: Vec::new(),
            proposed: false,
            reread: false,
        };
        let lines = (rule.line_start, rule.line_end);
        out.add(wanted, None, Some(&place.name), lines).map_err(|what| wrong(&place.path, lines.0, what))?;
    }
    Ok(out)
}

/// The headings above a rule; none if they are long.
fn about(rule: &Rule) -> String {
    let all = rule.headings.join(" > ");
    if all.len() > ITEM_TITLE_BYTES { String::new() } else { all }
}

/// Whether a file of rules still says something.
pub(super) fn says(root: Option<&Path>, file: &str, text: &str) -> bool {
    let (path, links) = match root {
        Some(root) => (root.join(file), Links::Within(root)),
        None => (PathBuf::from(file), Links::Follow),
    };
    let is_it = |rule: &Rule| rule.is_rule && same_statement(&redact(&rule.whole()).text, text);
    is_rules_file(file) && read_text(&path, links, MEMORY_FILE).is_ok_and(|all| rules(&all).iter().any(is_it))
}

impl Claims {
    /// Adds a claim, or tells why it cannot be remembered.
    fn add(
        &mut self,
        mut wanted: Remember,
        id: Option<String>,
        file: Option<&str>,
        lines: (usize, usize),
    ) -> Result<(), String> {
        let evidence =
            file.map(|file| Evidence { file: Some(file.to_owned()), lines: Some(lines), ..Evidence::default() });
        wanted.words.evidence = evidence.into_iter().collect();
        let (words, found) = redacted(std::mem::take(&mut wanted.words));
        match check(&wanted, &words) {
            Err(EngineError::BadMemory { what }) => return Err(what),
            Err(other) => return Err(other.to_string()),
            Ok(()) => {}
        }
        wanted.words = words;
        self.redacted.extend(found);
        self.list.push(Claim { wanted, id, place: (file.unwrap_or("standard input").to_owned(), lines.0) });
        Ok(())
    }
}

/// A moment, or the end of a day, in milliseconds since 1970.
fn moment(text: &str) -> Option<i64> {
    const DAY_MS: i64 = 86_400_000;
    let day = text.len() == "2026-12-31".len();
    parse_timestamp(text).map(|at| if day { at + DAY_MS } else { at })
}

fn kind_of(name: &str) -> Kind {
    match name {
        "fact" => Kind::Fact,
        "tactic" => Kind::Tactic,
        _ => Kind::Preference,
    }
}

fn wrong(path: &Path, line: usize, what: impl Into<String>) -> EngineError {
    EngineError::BadMemoryFile { path: path.to_owned(), line, what: what.into(), hint: None }
}

fn wrong_with(path: &Path, line: usize, what: &str, hint: &str) -> EngineError {
    EngineError::BadMemoryFile { path: path.to_owned(), line, what: what.to_owned(), hint: Some(hint.to_owned()) }
}

impl Engine {
    /// The memories of a text with front matter. `place` is where it lies, none for standard input; `here` is the scope
    /// of what does not count everywhere.
    ///
    /// # Errors
    /// [`EngineError::BadMemoryFile`] for what cannot be one, with its line.
    pub(super) fn claims_of(
        &self,
        text: &str,
        place: Option<&Place>,
        here: &Scope,
        behind: Behind,
        session: &Session<'_>,
    ) -> Result<Claims, EngineError> {
        let path = place.map_or(Path::new("standard input"), |place| &place.path);
        if text.starts_with(EXPORT) {
            let hint = "`ken import FILE` takes it in, with what happened to its memories";
            return Err(wrong_with(path, 1, "this is what `ken export` writes", hint));
        }
        let refused = |error: MarkdownError| EngineError::BadMemoryFile {
            path: path.to_owned(),
            line: error.line,
            what: error.what,
            hint: error.hint,
        };
        let mut out = Claims::default();
        for PlacedMemory { memory, line_start, line_end } in read_all(text).map_err(refused)? {
            session.check()?;
            let id = memory.id.clone();
            let wanted = self.wanted_of(memory, here, behind, (path, line_start), session)?;
            let file = place.map(|place| place.name.as_str());
            out.add(wanted, id, file, (line_start, line_end)).map_err(|what| wrong(path, line_start, what))?;
        }
        Ok(out)
    }

    fn wanted_of(
        &self,
        memory: MarkdownMemory,
        here: &Scope,
        behind: Behind,
        (path, line): (&Path, usize),
        session: &Session<'_>,
    ) -> Result<Remember, EngineError> {
        let kind = kind_of(&memory.kind);
        let is_global = memory.global == Some(true);
        let authority = match (behind, memory.authority.as_deref()) {
            (Behind::Oneself, _) => Authority::Personal,
            (Behind::Team, Some("team")) => Authority::Team,
            (Behind::Team, Some("org")) => Authority::Org,
            (Behind::Team, _) => {
                let what = "a memory of a repository has the authority of its team or of its organisation";
                return Err(wrong_with(path, line, what, "write `authority: team` or `authority: org`"));
            }
        };
        if is_global && behind == Behind::Team {
            let what = "a file of a repository speaks for this repository alone";
            return Err(wrong_with(path, line, what, "remove `global`"));
        }
        if is_global && kind != Kind::Preference && *here != Scope::global() {
            let what = "facts and tactics count in their repository alone";
            return Err(wrong_with(path, line, what, "remove `global`"));
        }
        let (error, fingerprint) = match (memory.error, memory.fingerprint) {
            (None, _) => (None, None),
            (Some(masked), Some(known)) => {
                let is_current = known.strip_prefix(FINGERPRINT_VERSION).is_some_and(|rest| rest.starts_with(':'));
                let known = if is_current { known } else { fingerprint(&masked) };
                (Some(masked), Some(known))
            }
            (Some(printed), None) => match self.error_of(printed.as_bytes(), session) {
                Err(EngineError::BadMemory { what }) => return Err(wrong(path, line, what)),
                other => other?,
            },
        };
        Ok(Remember {
            kind,
            scope: if is_global { Scope::global() } else { here.clone() },
            authority,
            words: Wording {
                title: memory.title.unwrap_or_default(),
                text: memory.text.trim().to_owned(),
                category: memory.category,
                pattern: memory.pattern,
                service: memory.service,
                region: memory.region,
                subject: memory.subject,
                tags: memory.tags,
                error,
                fingerprint,
                because: memory.because,
                evidence: Vec::new(),
            },
            worked: (kind == Kind::Tactic).then(|| memory.worked.unwrap_or(true)),
            error: None,
            until: memory.until.as_deref().and_then(moment),
            source: if behind == Behind::Team { MemorySource::File } else { MemorySource::Said },
            update: None,
            derived_from: Vec::new(),
            proposed: false,
            reread: false,
        })
    }

    /// What a repository's team says: the files below its `.ken/memory`, in the order of their names; and how many
    /// files there are.
    ///
    /// # Errors
    /// [`EngineError::BadMemoryFile`] for what cannot be a memory, [`EngineError::Io`] for a file that cannot be read.
    pub(super) fn claims_of_team(
        &self,
        folder: &Path,
        scope: &Scope,
        session: &Session<'_>,
    ) -> Result<(Claims, usize), EngineError> {
        let (mut out, mut count) = (Claims::default(), 0);
        for path in files_of_team(folder)? {
            let io = |source| EngineError::Io { path: path.clone(), source };
            let text = read_text(&path, Links::Within(folder), MEMORY_FILE).map_err(io)?;
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = redact(&format!("{TEAM}{file}")).text.into_owned();
            let place = Place { path: path.clone(), name, root: None, scope: scope.clone() };
            let claims = self.claims_of(&text, Some(&place), scope, Behind::Team, session)?;
            out.list.extend(claims.list);
            out.redacted.extend(claims.redacted);
            count += 1;
            if let Some(claim) = out.list.get(MAX_MEMORIES) {
                let what = format!("a repository has at most {MAX_MEMORIES} memories");
                return Err(wrong(&path, claim.place.1, what));
            }
        }
        Ok((out, count))
    }
}

/// The files with a team's memories below a `.ken` folder, in the order of their names.
fn files_of_team(folder: &Path) -> Result<Vec<PathBuf>, EngineError> {
    let memories = folder.join("memory");
    if !memories.is_dir() {
        return Ok(Vec::new());
    }
    let listing = std::fs::read_dir(&memories).map_err(|source| EngineError::Io { path: memories.clone(), source })?;
    let mut paths: Vec<PathBuf> = listing.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    Ok(paths)
}
