//! `ken canon`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome, complete};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::packs::{Entry, EntryPattern, Finding, Fit, Severity, Step, Stored};
use crate::engine::face::system::{self, Links};
use crate::engine::{Engine, NewEntry};
use crate::render::{json_line, json_object, line, shown, shown_text, with_path, wrap};
use crate::types::limits::CANON_PACK;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// More warnings than this are only counted.
const MOST_WARNINGS: usize = 40;

/// Read, check and extend the packs of known errors
#[derive(Debug, Subcommand)]
pub(super) enum CanonVerb {
    List(ListArgs),
    Show(ShowArgs),
    Search(SearchArgs),
    Check(CheckArgs),
    Stats(StatsArgs),
    Add(AddArgs),
}

/// List the entries of the packs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:\n  ken canon list --pack docker\n  ken canon list --count")]
pub(super) struct ListArgs {
    /// Only entries of this pack
    #[arg(long, value_name = "NAME", add = complete::packs())]
    pack: Option<String>,
    /// Only count the entries of each pack
    #[arg(long)]
    count: bool,
}

/// Show one entry with all its steps
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken canon show docker/daemon-not-running")]
pub(super) struct ShowArgs {
    /// The id of the entry, such as docker/daemon-not-running
    #[arg(add = complete::entries())]
    id: String,
}

/// Search the entries by words
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken canon search disk full")]
pub(super) struct SearchArgs {
    /// The words
    #[arg(required = true)]
    words: Vec<String>,
    /// Most entries
    #[arg(short = 'n', long, default_value_t = 10)]
    limit: usize,
}

/// Check packs for errors
///
/// Tests each pattern against its examples, and looks for entries that take answers from each other. With a model the
/// meanings are compared too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:\n  ken canon check\n  ken canon check team.json --strict\n\nExit code: 8 if there are errors.")]
pub(super) struct CheckArgs {
    /// Pack files or folders [default: all packs in use]
    paths: Vec<PathBuf>,
    /// Exit with 8 on warnings too
    #[arg(long)]
    strict: bool,
    /// List all warnings, not only the first 40
    #[arg(long)]
    all: bool,
}

/// Count the entries, patterns, symptoms and examples of each pack
#[derive(Debug, Args)]
#[command(after_help = "\
Example:\n  ken canon stats")]
pub(super) struct StatsArgs {}

/// Add an entry to a pack of your own
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken canon add --pack team --title \"VPN is down\" \\
    --symptom \"cannot reach the registry\" \\
    --pattern 'registry\\.corp.* i/o timeout' \\
    --cause \"The VPN dropped.\" --fix 'Reconnect: `vpn up`.'
  ken canon add --pack team --json-entry - < entry.json")]
pub(super) struct AddArgs {
    /// The pack; it is created if it does not exist
    #[arg(long, default_value = "mine")]
    pack: String,
    /// Read the whole entry as JSON from this file; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["title", "cause", "fix"])]
    json_entry: Option<PathBuf>,
    /// The problem in a few words
    #[arg(long, required_unless_present = "json_entry")]
    title: Option<String>,
    /// Why it happens
    #[arg(long, required_unless_present = "json_entry")]
    cause: Option<String>,
    /// A step of the fix; repeatable
    #[arg(long, required_unless_present = "json_entry")]
    fix: Vec<String>,
    /// A regular expression for the error message; repeatable
    #[arg(long)]
    pattern: Vec<String>,
    /// The problem as somebody would describe it; repeatable
    #[arg(long)]
    symptom: Vec<String>,
    /// Output that a pattern must match; repeatable
    #[arg(long)]
    example: Vec<String>,
    /// A word to filter by; repeatable
    #[arg(long)]
    tag: Vec<String>,
}

pub(super) fn run(global: &Global, verb: CanonVerb, output: &Output) -> Outcome {
    let engine = Surroundings::open(global, output)?.engine();
    let packs = engine.packs(&output.session());
    output.tell_notes();
    match verb {
        CanonVerb::List(args) => {
            let wanted = |s: &&Stored| args.pack.as_ref().is_none_or(|pack| *pack == s.pack);
            let entries: Vec<&Stored> = packs.canon().entries().iter().filter(wanted).collect();
            output.print(&if args.count { counts(&entries, output) } else { list(&entries, output) })?;
            Ok(u8::from(entries.is_empty()))
        }
        CanonVerb::Search(args) => {
            let found = packs.search(&args.words.join(" "), args.limit);
            output.print(&list(&found, output))?;
            Ok(u8::from(found.is_empty()))
        }
        CanonVerb::Show(args) => {
            let stored = packs.entry(&args.id)?;
            output.print(&if output.json {
                json_object(&json!({"source": stored.source(), "entry": stored.entry()}))
            } else {
                show(stored, output)
            })?;
            Ok(0)
        }
        CanonVerb::Check(args) => check(&engine, &args, output),
        CanonVerb::Stats(_) => {
            output.print(&stats(packs.canon().entries(), output))?;
            Ok(0)
        }
        CanonVerb::Add(args) => {
            let (id, path) = engine.add_entry(new_entry(args)?)?;
            output.print(&if output.json {
                json_object(&with_path(json!({"id": id}), "path", &path))
            } else {
                format!("{} is in {}\n", line(&id), shown(&path))
            })?;
            Ok(0)
        }
    }
}

fn check(engine: &Engine, args: &CheckArgs, output: &Output) -> Outcome {
    let mut meter = Meter::new(output);
    let findings = engine.check_packs(&args.paths, &meter.session());
    meter.finish();
    let findings = findings?;
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    if output.json {
        let found = json!({"errors": errors, "warnings": warnings, "findings": findings});
        output.print(&json_line(&found))?;
    } else {
        let listed = |f: &&Finding| f.severity == Severity::Error || args.all || warnings <= MOST_WARNINGS;
        for f in findings.iter().filter(listed) {
            let label = match f.severity {
                Severity::Error => output.style.bad("error"),
                Severity::Warning => output.style.warning("warning"),
            };
            let entry = f.entry.as_deref().map(|id| format!("{}: ", line(id))).unwrap_or_default();
            let (file, message) = (shown_text(&f.file), line(&f.message));
            output.print(&format!("{file}:{}: {label}: {entry}{message}\n", f.line))?;
        }
        let more = if warnings > MOST_WARNINGS && !args.all { " (--all lists them)" } else { "" };
        output.say(&format!("{errors} errors, {warnings} warnings{more}"));
    }
    let failed = errors > 0 || (args.strict && !findings.is_empty());
    Ok(if failed { ErrorKind::CheckFailed.exit_code() } else { 0 })
}

fn new_entry(args: AddArgs) -> Result<NewEntry, Failure> {
    let entry = match &args.json_entry {
        Some(path) => {
            let text = if path.as_os_str() == "-" {
                system::stream_text(std::io::stdin().lock(), CANON_PACK)
            } else {
                system::read_text(path, Links::Follow, CANON_PACK)
            };
            let text = text.map_err(|e| Failure::io(&shown(path), &e))?;
            serde_json::from_str(&text).map_err(|e| {
                Failure::new(ErrorKind::Usage, format!("not an entry: {e}"), "`ken canon show ID --json` shows one")
            })?
        }
        None => Entry {
            title: args.title.unwrap_or_default(),
            error_patterns: args.pattern.into_iter().map(Into::into).collect(),
            symptoms: args.symptom,
            tags: args.tag,
            cause: args.cause.into_iter().map(Into::into).collect(),
            fix: args.fix.into_iter().map(Into::into).collect(),
            examples: args.example.into_iter().map(Into::into).collect(),
            ..Entry::default()
        },
    };
    Ok(NewEntry { pack: args.pack, entry })
}

fn counts(entries: &[&Stored], output: &Output) -> String {
    let mut by_pack: BTreeMap<String, usize> = BTreeMap::new();
    entries.iter().for_each(|s| *by_pack.entry(s.source()).or_default() += 1);
    if output.json {
        return json_object(&json!({"entries": entries.len(), "packs": by_pack}));
    }
    let mut out: String = by_pack.iter().map(|(pack, count)| format!("{count:5}  {}\n", line(pack))).collect();
    out.push_str(&format!("{:5}  in all\n", entries.len()));
    out
}

/// What one pack holds.
#[derive(Default, serde::Serialize)]
struct Stats {
    entries: usize,
    patterns: usize,
    generic_patterns: usize,
    symptoms: usize,
    examples: usize,
    counterexamples: usize,
    references: usize,
    bytes: usize,
}

impl Stats {
    fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        self.patterns += entry.error_patterns.len();
        self.generic_patterns += entry.generic_patterns.len();
        self.symptoms += entry.symptoms.len();
        self.examples += entry.examples.len();
        self.counterexamples += entry.counterexamples.len();
        self.references += entry.references.len();
        self.bytes += json_line(entry).len() - 1;
    }

    fn row(&self, name: &str) -> String {
        let name = line(name);
        format!(
            "{name:28} {:>7} {:>8} {:>7} {:>8} {:>8} {:>8} {:>10} {:>7}\n",
            self.entries,
            self.patterns,
            self.generic_patterns,
            self.symptoms,
            self.examples,
            self.counterexamples,
            self.references,
            self.bytes / 1000
        )
    }
}

fn stats(entries: &[Stored], output: &Output) -> String {
    let (mut packs, mut all): (BTreeMap<String, Stats>, Stats) = Default::default();
    for stored in entries {
        packs.entry(stored.source()).or_default().add(stored.entry());
        all.add(stored.entry());
    }
    if output.json {
        return json_object(&json!({"packs": packs, "all": all}));
    }
    let head = format!(
        "{:28} {:>7} {:>8} {:>7} {:>8} {:>8} {:>8} {:>10} {:>7}\n",
        "", "entries", "patterns", "hints", "symptoms", "examples", "counter", "references", "KB"
    );
    let rows: String = packs.iter().map(|(name, pack)| pack.row(name)).collect();
    format!("{}{rows}{}", output.style.faint(&head), all.row("in all"))
}

fn list(entries: &[&Stored], output: &Output) -> String {
    if output.json {
        let rows: Vec<Value> =
            entries.iter().map(|s| json!({"id": s.id(), "title": s.entry().title, "source": s.source()})).collect();
        return json_object(&json!({"entries": rows}));
    }
    let wide = entries.iter().map(|s| s.id().len()).max().unwrap_or(0);
    entries
        .iter()
        .map(|s| format!("{:wide$}  {}\n", line(s.id()), output.style.faint(&line(&s.entry().title))))
        .collect()
}

/// A pattern after the variant that it shows.
fn pattern(one: &EntryPattern) -> String {
    let name = one.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    format!("{name}{}", one.pattern)
}

/// The section whose lines are numbered.
const FIX: &str = "Fix";

fn show(stored: &Stored, output: &Output) -> String {
    let entry = stored.entry();
    let mut out = format!(
        "{}\n{}\n\n",
        output.style.strong(&line(&entry.title)),
        output.style.faint(&line(&format!("{}, {}", entry.id, stored.source())))
    );
    let width = output.width.clamp(40, 110);
    let mut section = |label: &str, lines: &[String]| {
        for (index, text) in lines.iter().enumerate() {
            let head = if index == 0 { format!("{label:10}") } else { " ".repeat(10) };
            // A step goes on below its text, not below its number.
            let number = if label == FIX { format!("{}. ", index + 1) } else { String::new() };
            out.push_str(&wrap(text, &format!("{head}{number}"), &" ".repeat(10 + number.len()), width));
        }
    };
    section("Cause", &[entry.whole_cause()]);
    let lost = |step: &Step| step.loses.as_ref().map(|loses| format!(" Loses {loses}.")).unwrap_or_default();
    let steps = Fit::default().steps(&entry.fix);
    section(FIX, &steps.into_iter().map(|(text, step)| format!("{text}{}", lost(step))).collect::<Vec<_>>());
    section("Patterns", &entry.error_patterns.iter().map(pattern).collect::<Vec<_>>());
    section("Hints", &entry.generic_patterns.iter().map(pattern).collect::<Vec<_>>());
    section("Symptoms", &entry.symptoms);
    section("Tags", &[entry.tags.join(", ")]);
    section("More", &entry.references);
    out
}
