//! A pack of drafts from what tools did: a draft for each kind of error that recurs, or the reason why there is none.
//!
//! Failures belong together by tool and kind of error ([`error_kind`]), whatever program was called: the words are what
//! a pattern matches. All other failures of the tool are what it must not match. What helped comes from the patterns
//! that were found for the same kind.

use super::{Draft, DraftError, Fix, draft, telling_line};
use crate::canon::{PackFile, SCHEMA_VERSION};
use crate::outcome::pattern::{Pattern, PatternKind};
use crate::outcome::{advice, error_kind, kind_fingerprint, named_kind};
use crate::types::ToolOutcome;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Different instances of an error that are read, and different other errors.
const MOST_LINES: usize = 400;
/// Fixes of an entry.
const MOST_FIXES: usize = 3;

/// Which errors are drafted.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The name of the pack.
    pub pack: &'a str,
    /// Those of these patterns alone; with none all that recur.
    pub patterns: &'a [Pattern],
    /// Those that were met at least so often.
    pub least: usize,
    /// Most drafts.
    pub most: usize,
}

/// What an entry was drafted from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DraftedEntry {
    /// The entry.
    pub id: String,
    /// The tool that printed the error.
    pub tool: String,
    /// How often it was met, in the runs that are kept.
    pub count: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// What a check has to say; none of it an error.
    pub warnings: Vec<String>,
}

/// An error of which no entry was drafted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotDrafted {
    /// The tool that printed it.
    pub tool: String,
    /// The line of it that says most.
    pub error: String,
    /// How often it was met, in the runs that are kept.
    pub count: usize,
    /// In how many sessions.
    pub sessions: usize,
    /// Why there is no draft.
    pub reason: String,
}

/// A pack of drafts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DraftedPack {
    /// The pack; it passes the check.
    pub pack: PackFile,
    /// What its entries were drafted from, the most frequent first.
    pub drafts: Vec<DraftedEntry>,
    /// Errors without a draft, the most frequent first.
    pub refused: Vec<NotDrafted>,
}

/// Failures of one kind.
#[derive(Debug, Default)]
struct Group<'a> {
    tool: &'a str,
    /// [`error_kind`]; others of the same kind are no counterexamples.
    kinds: BTreeSet<&'a str>,
    errors: Vec<&'a str>,
    sessions: BTreeSet<&'a str>,
    count: usize,
    /// Fingerprints of the kind, with and without the names that it quotes.
    fingerprints: BTreeSet<&'a str>,
}

/// A failure with what it is told apart by.
struct Failed<'a> {
    row: &'a ToolOutcome,
    kind: String,
    line: String,
    fingerprints: [String; 2],
}

/// Drafts entries for the errors of these runs. `patterns` say what helped. `known` names an entry of the packs in use
/// that tells of an error already; it is asked only where no pattern was named.
pub fn propose(
    wanted: &Wanted<'_>,
    rows: &[ToolOutcome],
    patterns: &[Pattern],
    known: &dyn Fn(&str) -> Option<String>,
) -> DraftedPack {
    let failed: Vec<Failed<'_>> = rows.iter().filter(|row| !row.is_ok).map(read).collect();
    let failed: Vec<&Failed<'_>> = failed.iter().filter(|one| !one.kind.is_empty()).collect();
    let groups = match wanted.patterns {
        [] => recurring(&failed, wanted.least),
        named => named.iter().map(|pattern| of_pattern(&failed, pattern)).collect(),
    };
    let mut out = DraftedPack {
        pack: PackFile {
            schema_version: SCHEMA_VERSION,
            pack: wanted.pack.to_owned(),
            title: "Drafts from failures of tools, which a person has yet to read".to_owned(),
            entries: Vec::new(),
        },
        drafts: Vec::new(),
        refused: Vec::new(),
    };
    let mut ids = BTreeSet::new();
    for group in groups {
        if out.drafts.len() >= wanted.most {
            break;
        }
        let error = group.errors.first().map(|error| telling_line(error)).unwrap_or_default();
        let about = (group.tool.to_owned(), group.count, group.sessions.len());
        let found = match known(group.errors.first().copied().unwrap_or_default()) {
            Some(id) if wanted.patterns.is_empty() => Err(format!("{id} tells of it already")),
            _ => drafted(wanted.pack, &group, &failed, patterns).map_err(|error| error.to_string()),
        };
        match found {
            Ok(mut draft) => {
                draft.entry.id = unused(&draft.entry.id, &mut ids);
                let (tool, count, sessions) = about;
                let (id, warnings) = (draft.entry.id.clone(), draft.warnings);
                out.drafts.push(DraftedEntry { id, tool, count, sessions, warnings });
                out.pack.entries.push(draft.entry);
            }
            Err(reason) => {
                let (tool, count, sessions) = about;
                out.refused.push(NotDrafted { tool, error, count, sessions, reason });
            }
        }
    }
    out.pack.entries.sort_by(|a, b| a.id.cmp(&b.id));
    out
}

fn read(row: &ToolOutcome) -> Failed<'_> {
    let (kind, named) = (error_kind(&row.error), named_kind(&row.error));
    let fingerprints = [kind_fingerprint(&kind), kind_fingerprint(&named)];
    Failed { row, line: telling_line(&row.error), fingerprints, kind }
}

impl<'a> Group<'a> {
    fn add(&mut self, one: &'a Failed<'a>) {
        self.tool = &one.row.tool;
        self.kinds.insert(&one.kind);
        self.errors.push(&one.row.error);
        self.sessions.insert(&one.row.session);
        self.fingerprints.extend(one.fingerprints.iter().map(String::as_str));
        self.count += 1;
    }
}

/// Kinds that were met often enough, the most frequent first.
fn recurring<'a>(failed: &[&'a Failed<'a>], least: usize) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(&str, &str), Group<'_>> = BTreeMap::new();
    for one in failed {
        groups.entry((&one.row.tool, &one.kind)).or_default().add(one);
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().filter(|group| group.count >= least).collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.count, group.sessions.len())));
    groups
}

/// The failures that a pattern is of. Where their runs are gone, the pattern itself still holds one.
fn of_pattern<'a>(failed: &[&'a Failed<'a>], pattern: &'a Pattern) -> Group<'a> {
    let mut group = Group { tool: &pattern.tool, ..Group::default() };
    let is_of = |one: &&&Failed<'_>| {
        let fingerprint = pattern.error_fingerprint.as_deref();
        one.row.tool == pattern.tool && one.fingerprints.iter().any(|own| Some(own.as_str()) == fingerprint)
    };
    failed.iter().filter(is_of).for_each(|one| group.add(one));
    group.fingerprints.extend(pattern.error_fingerprint.as_deref());
    if group.errors.is_empty() {
        group.errors.push(&pattern.error);
        (group.count, group.sessions) =
            (pattern.times, pattern.evidence.iter().map(|at| at.session.as_str()).collect());
    }
    group
}

fn drafted(pack: &str, group: &Group<'_>, failed: &[&Failed<'_>], patterns: &[Pattern]) -> Result<Draft, DraftError> {
    let instances: BTreeSet<&str> = group.errors.iter().copied().collect();
    let instances: Vec<&str> = instances.into_iter().take(MOST_LINES).collect();
    let is_other = |one: &&&Failed<'_>| one.row.tool == group.tool && !group.kinds.contains(one.kind.as_str());
    let others: BTreeSet<&str> = failed.iter().filter(is_other).map(|one| one.line.as_str()).collect();
    let others: Vec<&str> = others.into_iter().take(MOST_LINES).collect();
    draft(pack, group.tool, &instances, &others, &fixes(group, patterns))
}

/// What helped with failures of this kind, the surest first.
fn fixes(group: &Group<'_>, patterns: &[Pattern]) -> Vec<Fix> {
    let is_of = |pattern: &&Pattern| {
        let fingerprint = pattern.error_fingerprint.as_deref();
        pattern.kind == PatternKind::Recovery
            && pattern.tool == group.tool
            && fingerprint.is_some_and(|of| group.fingerprints.contains(of))
    };
    let mut found: Vec<&Pattern> = patterns.iter().filter(is_of).collect();
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.id.cmp(&b.id)));
    let mut seen = BTreeSet::new();
    let fix = |pattern: &Pattern| Fix {
        step: advice(pattern),
        worked: pattern.worked,
        tried: pattern.worked + pattern.failed,
    };
    found.into_iter().map(fix).filter(|fix| seen.insert(fix.step.clone())).take(MOST_FIXES).collect()
}

/// The id, with a number behind it if another entry has it.
fn unused(id: &str, ids: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number: u32| format!("{id}-{number}"));
    let free = std::iter::once(id.to_owned()).chain(numbered).find(|id| !ids.contains(id));
    let free = free.unwrap_or_else(|| id.to_owned());
    ids.insert(free.clone());
    free
}
