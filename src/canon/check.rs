//! Validates packs like code: every finding names file, line and entry.
//!
//! Errors are what would make an answer wrong or unusable; warnings are what a reviewer should look at. An entry that
//! shadows another (its specific pattern also matches the other's example) is a warning, since both are then shown.
//! What takes a model to see (symptoms nearer to another entry) is found by `engine`, which reports it with
//! [`warning`] and [`place`].

use super::chain;
use super::library::{PackSource, is_builtin};
use super::matcher::Matcher;
use super::pack::{Entry, PackFile, SCHEMA_VERSION};
use super::pattern::{Pattern, compile, group_names};
use super::remedy;
use super::room::Room;
use super::severity::Severity;
use super::shell::{Form, places};
use crate::screen::is_hidden;
use crate::text::{clean, tokens};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The pack's origin.
    pub file: String,
    /// Line in the file, from 1; 0 until [`place`] has found it.
    pub line: usize,
    /// The entry, if it concerns one.
    pub entry: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// Ordinary text that no pattern may match: prose, code, and lines every log has.
const ORDINARY: &[&str] = &[
    "",
    "The quick brown fox jumps over the lazy dog while the server answers requests without an error.",
    "error: something failed\nError: operation failed: not found\nfatal: unexpected failure\n\
     warning: deprecated option",
    "INFO 2024-05-01 12:00:00 started worker 7 of 8 on port 8080, 0 errors, 12 retries, status ok",
    "for item in items {\n    if let Err(error) = process(item) {\n        return Err(error.into());\n    }\n}",
    "Compiling kenning v0.1.0\nFinished release profile in 12.3s\nBuild succeeded, 120 tests passed, 0 failed",
];

/// Fewest characters of an example: below, nobody can tell which tool speaks.
const MIN_EXAMPLE_CHARS: usize = 12;
/// Share of words that two entries may have in common in title and cause before they are taken for one.
const SAME_CAUSE: f32 = 0.7;

/// Longest title.
const MAX_TITLE_CHARS: usize = 80;

/// Checks the packs, alone and against each other.
pub fn check(sources: &[PackSource]) -> Vec<Finding> {
    let mut report = Report::default();
    let mut all: Vec<(usize, Entry)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        match serde_json::from_str::<PackFile>(&source.text) {
            Ok(pack) => {
                check_pack(&mut report, source, &pack);
                all.extend(pack.entries.into_iter().map(|entry| (index, entry)));
            }
            Err(e) => report.push(Severity::Error, source, e.line().max(1), None, format!("not a canon pack: {e}")),
        }
    }
    check_room(&mut report, sources, &mut all);
    check_unique(&mut report, sources, &all);
    crate::threads::ready();
    let alone: Vec<Vec<Finding>> = all.par_iter().map(|(index, entry)| check_entry(&sources[*index], entry)).collect();
    report.findings.extend(alone.into_iter().flatten());
    check_remedies(&mut report, sources, &all);
    check_shadows(&mut report, sources, &all);
    check_causes(&mut report, sources, &all);
    check_chain(&mut report, sources, &all);
    place(&mut report.findings, sources);
    report
        .findings
        .sort_by(|a, b| (&a.file, a.line, a.severity, &a.message).cmp(&(&b.file, b.line, b.severity, &b.message)));
    report.findings
}

/// Something about an entry that is worth a look. Its line is found later ([`place`]).
pub fn warning(source: &PackSource, entry: &str, message: String) -> Finding {
    let (file, entry) = (source.origin.clone(), Some(entry.to_owned()));
    Finding { severity: Severity::Warning, file, line: UNPLACED, entry, message }
}

#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
}

impl Report {
    fn push(&mut self, severity: Severity, source: &PackSource, line: usize, entry: Option<&str>, message: String) {
        let (file, entry) = (source.origin.clone(), entry.map(str::to_owned));
        self.findings.push(Finding { severity, file, line, entry, message });
    }

    /// About an entry, whose line is found at the end ([`place`]).
    fn entry(&mut self, severity: Severity, source: &PackSource, entry: &Entry, message: impl Into<String>) {
        self.push(severity, source, UNPLACED, Some(&entry.id), message.into());
    }
}

/// The line of a finding whose entry is not looked up yet.
const UNPLACED: usize = 0;

/// Finds the line of each finding about an entry, also of those that [`warning`] made. It reads a pack once for all of
/// them.
pub fn place(findings: &mut [Finding], sources: &[PackSource]) {
    let mut lines: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for finding in findings.iter_mut().filter(|finding| finding.line == UNPLACED) {
        let source = sources.iter().find(|source| source.origin == finding.file);
        let lines = source.map(|source| lines.entry(&source.origin).or_insert_with(|| lines_of(&source.text)));
        let line = lines.zip(finding.entry.as_deref()).and_then(|(lines, entry)| lines.get(entry).copied());
        finding.line = line.unwrap_or(1);
    }
}

/// The line of each id in a pack, from 1. Where an id stands twice, the first counts.
fn lines_of(text: &str) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    let (mut line, mut read) = (1, 0);
    for (at, key) in text.match_indices("\"id\":") {
        let value = text[at + key.len()..].trim_start();
        let Some((id, _)) = value.strip_prefix('"').and_then(|value| value.split_once('"')) else { continue };
        let start = text.len() - value.len();
        line += text[read..start].matches('\n').count();
        read = start;
        lines.entry(id).or_insert(line);
    }
    lines
}

fn check_pack(report: &mut Report, source: &PackSource, pack: &PackFile) {
    let mut error = |message: String| report.push(Severity::Error, source, 1, None, message);
    if !(1..=SCHEMA_VERSION).contains(&pack.schema_version) {
        error(format!("schema_version is {}, this program reads 1 to {SCHEMA_VERSION}", pack.schema_version));
    }
    if !source.is_named_for(&pack.pack) {
        error(format!("the pack is named {}, the file is not", pack.pack));
    }
    for (name, text) in [("name", &pack.pack), ("title", &pack.title)] {
        if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
            error(format!(
                "the pack's {name} is one line without control or hidden characters, and holds {}",
                named(c)
            ));
        }
    }
    if pack.entries.is_empty() {
        error("the pack has no entries".to_owned());
    }
    if let Some(pair) = pack.entries.windows(2).find(|pair| pair[0].id > pair[1].id) {
        report.entry(
            Severity::Warning,
            source,
            &pair[1],
            format!("stands after {}: entries are sorted by id", pair[0].id),
        );
    }
    for entry in &pack.entries {
        let slug = entry.id.strip_prefix(&pack.pack).and_then(|rest| rest.strip_prefix('/'));
        let fine = |slug: &str| {
            !slug.is_empty() && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        if !slug.is_some_and(fine) {
            report.entry(Severity::Error, source, entry, format!("the id is not {}/lower-case-words", pack.pack));
        }
    }
}

/// Each limit that a pack exceeds is reported once. Entries beyond it are not compared with others: that would take
/// minutes.
fn check_room(report: &mut Report, sources: &[PackSource], all: &mut Vec<(usize, Entry)>) {
    let mut room = Room::default();
    let mut full = BTreeSet::new();
    all.retain(|(index, entry)| {
        if full.contains(index) {
            return false;
        }
        let taken = room.take(sources[*index].layer, entry);
        if let Err(message) = &taken {
            report.entry(Severity::Error, &sources[*index], entry, message.clone());
            full.insert(*index);
        }
        taken.is_ok()
    });
}

fn check_unique(report: &mut Report, sources: &[PackSource], all: &[(usize, Entry)]) {
    let mut seen: HashMap<(super::PackLayer, &str), usize> = HashMap::new();
    for (index, entry) in all {
        let source = &sources[*index];
        for id in std::iter::once(&entry.id).chain(&entry.aliases) {
            if let Some(first) = seen.insert((source.layer, id), *index) {
                report.entry(
                    Severity::Error,
                    source,
                    entry,
                    format!("{id} stands in {} already", sources[first].origin),
                );
            }
        }
    }
}

/// What is wrong with an entry by itself.
fn check_entry(source: &PackSource, entry: &Entry) -> Vec<Finding> {
    let mut report = Report::default();
    let mut say = |severity, message: String| report.entry(severity, source, entry, message);
    check_texts(entry, &mut say);
    check_completeness(entry, &mut say);
    let captures = check_patterns(entry, &mut say);
    for (severity, message) in misplaced(entry, &captures) {
        say(severity, message);
    }
    for name in entry.fix.iter().flat_map(|step| unknown_captures(&step.text, &captures)) {
        say(Severity::Warning, format!("a step names {{{name}}}, which no pattern captures: it stays as it is"));
    }
    check_examples(entry, &mut say);
    report.findings
}

/// Hears what is wrong with an entry.
type Say<'a> = &'a mut dyn FnMut(Severity, String);

/// What is shown holds nothing that hides or moves.
fn check_texts(entry: &Entry, say: Say<'_>) {
    let mut all = entry.clone();
    for (name, text) in all.single_lines() {
        if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
            let message = "is one line without control or hidden characters, and holds";
            say(Severity::Error, format!("the {name} {message} {}", named(c)));
        }
    }
    for (name, text) in all.paragraphs() {
        if let Some(c) = text.chars().find(|c| is_hidden(*c) && *c != '\n' && *c != '\t') {
            let instead = if name == "pattern" { ": write \\x{...}" } else { "" };
            say(Severity::Error, format!("a {name} holds the control or hidden character {}{instead}", named(c)));
        }
    }
}

/// There is as much of everything as a good entry has.
fn check_completeness(entry: &Entry, say: Say<'_>) {
    use Severity::{Error, Warning};
    if entry.title.trim().is_empty() || entry.title.chars().count() > MAX_TITLE_CHARS {
        say(Error, format!("the title is empty or over {MAX_TITLE_CHARS} characters"));
    }
    let mut texts = entry.cause.iter().map(|remark| &remark.text).chain(entry.fix.iter().map(|step| &step.text));
    if entry.cause.is_empty() || entry.fix.is_empty() || texts.any(|text| text.trim().is_empty()) {
        say(Error, "cause and fix must say something".to_owned());
    }
    for url in &entry.references {
        if !(url.starts_with("https://") && url.len() > 12 && !url.contains(char::is_whitespace)) {
            say(Error, format!("not an https reference: {url}"));
        }
    }
    for (what, have, want) in [
        ("examples", entry.examples.len(), 2),
        ("counterexamples", entry.counterexamples.len(), 1),
        ("symptoms", entry.symptoms.len(), 2),
        ("tags", entry.tags.len(), 1),
        ("references", entry.references.len(), 1),
    ] {
        if have < want {
            say(Warning, format!("has {have} {what}, {want} are expected"));
        }
    }
    if entry.error_patterns.len() + entry.generic_patterns.len() + entry.symptoms.len() == 0 {
        say(Error, "has neither patterns nor symptoms: nothing can find it".to_owned());
    }
}

/// Patterns compile, match every example, and match neither a counterexample nor ordinary text. Gives the names of
/// their captures.
fn check_patterns(entry: &Entry, say: Say<'_>) -> BTreeSet<String> {
    let examples: Vec<String> = entry.examples.iter().map(|e| clean(&e.text).text).collect();
    let mut captures = BTreeSet::new();
    let mut matched = vec![entry.error_patterns.is_empty() && entry.generic_patterns.is_empty(); examples.len()];
    let specific = entry.error_patterns.iter().map(|p| (&p.pattern, true));
    for (pattern, specific) in specific.chain(entry.generic_patterns.iter().map(|p| (&p.pattern, false))) {
        if let Err(message) = Pattern::new(0, pattern, !specific) {
            say(Severity::Error, format!("{message}: {pattern}"));
        }
        let regex = match compile(pattern) {
            Ok(regex) => regex,
            Err(message) => {
                say(Severity::Error, format!("{message}: {pattern}"));
                continue;
            }
        };
        captures.extend(group_names(&regex).map(|(_, name)| name.to_owned()));
        if regex.captures_len() > 1 + group_names(&regex).count() {
            let message = "a group without a name captures for nothing, write (?:...)";
            say(Severity::Warning, format!("{message}: {pattern}"));
        }
        if let Some(ordinary) = ORDINARY.iter().find(|text| regex.is_match(text.as_bytes())) {
            let ordinary = ordinary.chars().take(40).collect::<String>();
            say(Severity::Error, format!("matches ordinary text ({ordinary:?}): {pattern}"));
        }
        let mut used = false;
        for (index, _) in examples.iter().enumerate().filter(|(_, example)| regex.is_match(example.as_bytes())) {
            matched[index] = true;
            used = true;
        }
        if !used && !examples.is_empty() {
            say(Severity::Warning, format!("no example exercises the pattern: {pattern}"));
        }
        for counter in entry.counterexamples.iter().filter(|_| specific) {
            if regex.is_match(clean(counter).text.as_bytes()) {
                say(Severity::Error, format!("matches a counterexample: {pattern}"));
            }
        }
    }
    for (index, _) in matched.iter().enumerate().filter(|(_, matched)| !**matched) {
        say(Severity::Error, format!("example {} matches no pattern", index + 1));
    }
    captures
}

/// Examples are what a tool prints.
fn check_examples(entry: &Entry, say: Say<'_>) {
    for (number, example) in (1..).zip(&entry.examples) {
        let example = &example.text;
        if example.trim().chars().count() < MIN_EXAMPLE_CHARS {
            say(Severity::Warning, format!("example {number} is too short to be recognised"));
        }
        if ["(?:", "(?P<", "\\s+", "\\d+", "\\S+", "[^"].iter().any(|syntax| example.contains(syntax)) {
            say(Severity::Warning, format!("example {number} is a pattern, not what a tool prints"));
        }
    }
}

/// A character that cannot be seen, by its number.
fn named(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// Names in single braces that look like captures and are none. `${name}` and `{{name}}` belong to other languages.
fn unknown_captures(step: &str, captures: &BTreeSet<String>) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in step.match_indices('{') {
        let name: String = step[at + 1..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        let before = step[..at].chars().next_back();
        let after = step[at + 1 + name.len()..].chars();
        let single = after.clone().next() == Some('}') && after.clone().nth(1) != Some('}');
        let foreign = before.is_some_and(|c| "${@%#".contains(c) || c.is_ascii_alphanumeric());
        if !name.is_empty() && single && !foreign && !captures.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// Captures that stand where a value is never filled in, or only one that needs no quotes.
fn misplaced(entry: &Entry, captures: &BTreeSet<String>) -> Vec<(Severity, String)> {
    let mut out = Vec::new();
    for (number, step) in (1..).zip(&entry.fix) {
        let step = &step.text;
        for place in places(step, captures) {
            let name = place.name(step);
            match place.form {
                Form::Word => {}
                Form::Bare if place.in_code => out.push((
                    Severity::Warning,
                    format!(
                        "step {number}: an apostrophe or quote before the code of {{{name}}} is open to whoever \
                         pastes the whole step: only a value that needs no quotes is filled in there"
                    ),
                )),
                Form::Bare => {}
                Form::Never(reason) => out.push((
                    Severity::Error,
                    format!("step {number}: {{{name}}} stands {reason}; it would be shown as <{name}>"),
                )),
            }
        }
    }
    out
}

/// What entries advise; those of this program's packs are held to more.
fn check_remedies(report: &mut Report, sources: &[PackSource], all: &[(usize, Entry)]) {
    let ids: BTreeSet<&str> = all.iter().map(|(_, entry)| entry.id.as_str()).collect();
    let aliases: BTreeSet<&str> = all.iter().flat_map(|(_, entry)| &entry.aliases).map(String::as_str).collect();
    let knows = |id: &str| ids.contains(id) || aliases.contains(id);
    for (index, entry) in all {
        let source = &sources[*index];
        let pack = entry.id.split('/').next().unwrap_or_default();
        let ours = source.layer == super::PackLayer::Builtin || is_builtin(pack);
        for (severity, message) in remedy::faults(entry, &knows, ours) {
            report.entry(severity, source, entry, message);
        }
    }
}

fn check_shadows(report: &mut Report, sources: &[PackSource], all: &[(usize, Entry)]) {
    let patterns = all
        .iter()
        .enumerate()
        .flat_map(|(at, (_, entry))| {
            entry.error_patterns.iter().filter_map(move |p| Pattern::new(at, &p.pattern, false).ok())
        })
        .collect();
    let matcher = Matcher::new(patterns);
    let shadowed_by = |at: usize| -> BTreeSet<usize> {
        let hits = all[at].1.examples.iter().flat_map(|one| matcher.find(&clean(&one.text).text, &|other| other != at));
        hits.map(|hit| hit.entry).collect()
    };
    let shadowed: Vec<_> = (0..all.len()).into_par_iter().map(shadowed_by).collect();
    for ((index, entry), others) in all.iter().zip(shadowed) {
        for other in others {
            let message = format!("an example also matches {}", all[other].1.id);
            report.entry(Severity::Warning, &sources[*index], entry, message);
        }
    }
}

/// Entries that say nearly the same in title and cause, and patterns that stand in two entries.
fn check_causes(report: &mut Report, sources: &[PackSource], all: &[(usize, Entry)]) {
    let twins = twins(all);
    let mut patterns: HashMap<&str, usize> = HashMap::new();
    for (at, (index, entry)) in all.iter().enumerate() {
        for pattern in entry.error_patterns.iter().map(|one| one.pattern.as_str()) {
            let first = *patterns.entry(pattern).or_insert(at);
            if first != at {
                let message = format!("{} has the same pattern: {pattern}", all[first].1.id);
                report.entry(Severity::Warning, &sources[*index], entry, message);
            }
        }
        if let Some(twin) = twins[at] {
            let message = format!("title and cause are nearly those of {}", all[twin].1.id);
            report.entry(Severity::Warning, &sources[*index], entry, message);
        }
    }
}

/// What entries name as causes exists and leads nowhere in a circle.
fn check_chain(report: &mut Report, sources: &[PackSource], all: &[(usize, Entry)]) {
    let layered: Vec<_> = all.iter().map(|(index, entry)| (sources[*index].layer, entry)).collect();
    for fault in chain::faults(&layered) {
        let (index, entry) = &all[fault.at];
        report.entry(fault.severity, &sources[*index], entry, fault.message);
    }
}

/// For each entry the first before it that has another id and more than [`SAME_CAUSE`] of the words of both in title
/// and cause (Jaccard).
fn twins(all: &[(usize, Entry)]) -> Vec<Option<usize>> {
    // Of the entries so far, those that hold a word, and how many words each has.
    let mut holders: HashMap<String, Vec<usize>> = HashMap::new();
    let mut sizes: Vec<usize> = Vec::with_capacity(all.len());
    let mut twins = Vec::with_capacity(all.len());
    for (at, (_, entry)) in all.iter().enumerate() {
        let words: BTreeSet<String> =
            tokens(&format!("{} {}", entry.title, entry.embedded_cause())).into_iter().collect();
        let mut both = vec![0_usize; at];
        words.iter().filter_map(|word| holders.get(word)).flatten().for_each(|&other| both[other] += 1);
        twins.push((0..at).find(|&other| {
            let either = words.len() + sizes[other] - both[other];
            all[other].1.id != entry.id && both[other] as f32 > SAME_CAUSE * either.max(1) as f32
        }));
        sizes.push(words.len());
        words.into_iter().for_each(|word| holders.entry(word).or_default().push(at));
    }
    twins
}

#[cfg(test)]
mod tests {
    use super::super::PackLayer;
    use super::*;
    use serde_json::{Value, json};

    fn seen(text: &str) -> Value {
        json!({"text": text, "seen": "disk: full.c"})
    }

    fn findings(change: impl Fn(&mut Value)) -> Vec<(Severity, usize, String)> {
        let mut entry = json!({
            "id": "disk/full", "title": "Disk full", "error_patterns": ["disk (?P<disk>\\w+) is full"],
            "symptoms": ["no room", "cannot write"], "tags": ["disk"], "cause": "It is full.", "fix": ["Empty {disk}."],
            "references": ["https://example.com/disk"], "examples": [seen("disk sda is full"), seen("oh: disk sdb is full")],
            "counterexamples": ["disk sda is nearly full"]
        });
        change(&mut entry);
        let pack = json!({"schema_version": 1, "pack": "disk", "title": "Disks", "entries": [entry]});
        let text = serde_json::to_string_pretty(&pack).unwrap();
        let source = PackSource { layer: PackLayer::User, origin: "disk.json".into(), text: text.into() };
        check(&[source]).into_iter().map(|f| (f.severity, f.line, f.message)).collect()
    }

    /// Found by looking for each id by itself.
    fn line_of(text: &str, id: &str) -> usize {
        let quoted = format!("\"{id}\"");
        let at = text.match_indices(&quoted).map(|(at, _)| at).find(|&at| text[..at].trim_end().ends_with("\"id\":"));
        at.map_or(1, |at| text[..at].matches('\n').count() + 1)
    }

    #[test]
    fn every_entry_has_its_line() {
        for source in crate::canon::builtin() {
            let lines = lines_of(&source.text);
            assert!(lines.len() > 20 && lines.iter().all(|(id, line)| *line == line_of(&source.text, id)));
        }
        let odd = "{\n\"id\": \"a\", \"x\": \"b\",\n \"id\":\n\n \"b\", \"id\": 3, \"id\": \"a\", \"id\": \"open";
        assert_eq!(lines_of(odd), HashMap::from([("a", 2), ("b", 5)]));
    }

    #[test]
    fn a_good_entry_passes() {
        assert_eq!(findings(|_| {}), []);
    }

    #[test]
    fn faults_are_found_with_their_line() {
        let cases: [(&str, Value, &str); 10] = [
            ("error_patterns", json!(["disk (\\w+ is full"]), "unclosed group"),
            ("error_patterns", json!(["error: something"]), "matches ordinary text"),
            ("error_patterns", json!(["\\d+ %"]), "no word of four letters"),
            ("examples", json!(["disk sda is full", "all is well here"]), "example 2 matches no pattern"),
            ("counterexamples", json!(["disk sda is full"]), "matches a counterexample"),
            ("fix", json!(["Empty '{disk}'."]), "step 1: {disk} stands in quotes"),
            ("fix", json!(["Empty it.", "Run `df -var '{disk}=1'`."]), "step 2: {disk} stands in quotes"),
            ("fix", json!(["Run `sh -c {disk}`."]), "read as a program again"),
            ("id", json!("disks/full"), "the id is not disk/"),
            ("references", json!(["http://example.com"]), "not an https reference"),
        ];
        for (field, value, message) in cases {
            let found = findings(|entry| entry[field] = value.clone());
            let hit = found.iter().find(|f| f.2.contains(message));
            assert!(hit.is_some_and(|f| f.0 == Severity::Error && f.1 == 7), "{field} {value}: {found:?}");
        }
    }

    #[test]
    fn doubtful_things_are_warned_about() {
        let warned = |field: &str, value: Value, part: &str| {
            let found = findings(|entry| entry[field] = value.clone());
            assert!(found.len() == 1 && found[0].0 == Severity::Warning && found[0].2.contains(part), "{found:?}");
        };
        warned("fix", json!(["Don't panic: `df {disk}`."]), "only a value that needs no quotes");
        warned("fix", json!(["Empty {disc} and `${disk}` and `{{.Disk}}` and {disk}."]), "names {disc}");
        warned(
            "examples",
            json!([seen("disk sda is full"), seen("disk sda is full: (?P<disk>x)")]),
            "example 2 is a pattern",
        );
        let short = findings(|entry| {
            entry["error_patterns"] = json!(["disk sda is full", "full disk"]);
            entry["fix"] = json!(["Empty it."]);
            entry["examples"] = json!([seen("disk sda is full"), seen("full disk")]);
        });
        assert!(short.len() == 1 && short[0].2.contains("example 2 is too short"), "{short:?}");
    }

    #[test]
    fn two_entries_with_one_cause_are_seen() {
        let entry = |id: &str, title: &str, pattern: &str, cause: &str| {
            json!({"id": id, "title": title, "error_patterns": [pattern],
                "symptoms": ["no room", "cannot write"], "tags": ["disk"],
                "cause": cause, "fix": ["Empty it."], "references": ["https://example.com/disk"],
                "examples": [seen("disk sda is full"), seen("oh: disk sdb is full")],
                "counterexamples": ["disk sda is nearly full"]})
        };
        let cause = "The disk that holds the data of this service has no free space left.";
        let pack = json!({"schema_version": 1, "pack": "disk", "title": "Disks", "entries": [
            entry("disk/a", "Disk full", "disk sd\\w is full", cause),
            entry("disk/b", "Disk is full", "disk sd\\w is full", cause),
            entry("disk/c", "Cable loose", "disk sd[ab] is full", "Somebody pulled the cable out of the wall."),
        ]});
        let text = serde_json::to_string_pretty(&pack).unwrap();
        let found = check(&[PackSource { layer: PackLayer::User, origin: "disk.json".into(), text: text.into() }]);
        let of = |part: &str| {
            let of: Vec<_> = found.iter().filter(|f| f.message.contains(part)).map(|f| f.entry.as_deref()).collect();
            of
        };
        assert_eq!(of("nearly those of disk/a"), [Some("disk/b")]);
        assert_eq!(of("same pattern"), [Some("disk/b")]);
    }

    #[test]
    fn a_cause_that_no_pack_has_is_an_error_at_its_entry() {
        let found = findings(|entry| entry["caused_by"] = json!(["linux/disk-io-error", "disk/cable"]));
        assert_eq!(found, [(Severity::Error, 7, "is caused by disk/cable, which no pack has".to_owned())]);
        let found = findings(|entry| entry["role"] = json!("consequence"));
        assert!(found.len() == 1 && found[0].0 == Severity::Warning && found[0].1 == 7, "{found:?}");
    }

    #[test]
    fn an_unknown_field_is_an_error() {
        let found = findings(|entry| entry["colour"] = json!("red"));
        assert!(found[0].2.contains("unknown field `colour`"), "{found:?}");
    }
}
