//! `ken patterns`: what made failures go away, found in what tools did.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::remember::By;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::engine::face::outcomes::{PatternKind, Place};
use crate::engine::face::system::lower_priority;
use crate::engine::{Engine, KeptPattern, PROMOTED, Pending, REJECTED};
use crate::render::{PatternRow, json_object, pattern_text, patterns_text};
use crate::serve::{Here, outcomes_seen_from};
use crate::types::{Access, Author};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;

/// Longest time that an analysis in the background takes, in milliseconds.
const BACKGROUND_MS: i64 = 60_000;

/// Show what made failures go away, and keep what is right as a tactic
///
/// A pattern says: after this failure somebody did that, and then the same command worked. Patterns are found in the
/// runs that agents report (`ken outcomes`), and belong to their repository. A pattern is a guess until you promote it.
#[derive(Debug, Subcommand)]
pub(super) enum PatternsVerb {
    /// Analyse new runs and list patterns, the surest first
    #[command(after_help = "\
Examples:
  ken patterns list
  ken patterns list --kind flaky

Exit code: 0 if there are any, 1 if not.")]
    List(ListArgs),
    /// Show a pattern: the failure, what helped, and in which runs
    #[command(after_help = "Example:\n  ken patterns show 3f9c")]
    Show(IdArgs),
    /// Make a tactic of a pattern, which lookups show from then on
    ///
    /// Only a person can do this, and the pattern must be at least 0.70 sure. Its runs become the evidence of the
    /// tactic.
    #[command(after_help = "Example:\n  ken patterns promote 3f9c")]
    Promote(DecideArgs),
    /// Say that a pattern is wrong: it is shown no more
    #[command(after_help = "Example:\n  ken patterns reject 3f9c")]
    Reject(IdArgs),
    ProposeCanon(super::patterns_drafts::DraftsArgs),
    /// Analyse new runs now
    ///
    /// This happens by itself after every 25 runs of a session. Several processes can do it at once: each run is
    /// analysed by one of them.
    #[command(after_help = "Example:\n  ken patterns find")]
    Find(FindArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only of this kind; without it sequences are left out
    #[arg(long, value_enum)]
    kind: Option<Kinds>,
    /// Only patterns in this state
    #[arg(long, value_enum)]
    state: Option<States>,
    /// Most patterns
    #[arg(short = 'n', long, value_name = "COUNT", default_value = "20",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

#[derive(Debug, Args)]
pub(super) struct IdArgs {
    /// The pattern, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
}

#[derive(Debug, Args)]
pub(super) struct DecideArgs {
    /// The pattern, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    by: By,
}

#[derive(Debug, Args)]
pub(super) struct FindArgs {
    /// Started by ken itself: only sessions with enough new runs, with low priority, for a minute at most
    #[arg(long, hide = true)]
    background: bool,
}

/// Kinds of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kinds {
    /// After this failure that helped
    Recovery,
    /// After this failure that never helped
    FailedTactic,
    /// It fails and works with nothing changed between
    Flaky,
    /// It takes long
    Slow,
    /// One follows the other
    Sequence,
}

impl Kinds {
    fn kind(self) -> PatternKind {
        match self {
            Self::Recovery => PatternKind::Recovery,
            Self::FailedTactic => PatternKind::FailedTactic,
            Self::Flaky => PatternKind::Flaky,
            Self::Slow => PatternKind::Slow,
            Self::Sequence => PatternKind::Sequence,
        }
    }
}

/// Where a pattern stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum States {
    /// Nothing was decided
    Found,
    /// A tactic was made of it
    Promoted,
    /// Somebody found it wrong
    Rejected,
}

impl States {
    fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Promoted => PROMOTED,
            Self::Rejected => REJECTED,
        }
    }
}

pub(super) fn run(global: &Global, verb: PatternsVerb, output: &Output) -> Outcome {
    if let PatternsVerb::Find(FindArgs { background: true }) = verb {
        return find_later(global, output);
    }
    let engine = Surroundings::open(global, output)?.engine();
    let here = Here::new(working_directory()?);
    let access = outcomes_seen_from(&engine, &Access::all(), &here);
    let outcome = match verb {
        PatternsVerb::List(args) => list(&engine, &args, &access, output),
        PatternsVerb::Show(args) => engine
            .outcome_pattern(&args.id, &access, &output.session())
            .map_err(Failure::from)
            .and_then(|found| show(&found, output)),
        PatternsVerb::Promote(args) => promote(&engine, &args, &access, output),
        PatternsVerb::Reject(args) => {
            let found = engine.reject_pattern(&args.id, &access, &output.session())?;
            said(&found, &format!("Rejected: {}.", found.advice), output)
        }
        PatternsVerb::ProposeCanon(args) => super::patterns_drafts::run(&engine, &args, &access, output),
        PatternsVerb::Find(_) => {
            let done = engine.analyse_outcomes(Pending::All, &worker(), &output.session())?;
            output.print(&match output.json {
                true => json_object(&done),
                false => format!("{} new runs of {} sessions looked at.\n", done.rows, done.batches),
            })?;
            Ok(0)
        }
    };
    engine.close();
    outcome
}

fn list(engine: &Engine, args: &ListArgs, access: &Access, output: &Output) -> Outcome {
    // Whoever looks wants to see the last session too. That another process is at it is no reason to show nothing.
    if let Err(error) = engine.analyse_outcomes(Pending::All, &worker(), &output.session()) {
        output.note(&format!("new runs could not be looked at: {error}"));
    }
    let (kind, state) = (args.kind.map(Kinds::kind), args.state.map(States::name));
    let mut found = engine.outcome_patterns(kind, state, access, &output.session())?;
    // What follows what is for those who ask for it: there is much of it, and none of it helps.
    found.retain(|one| kind.is_some() || one.pattern.kind != PatternKind::Sequence);
    let all = found.len();
    found.truncate(args.limit as usize);
    output.tell_notes();
    if output.json {
        output.print(&json_object(&json!({ "patterns": found, "all": all })))?;
    } else if found.is_empty() {
        output.say("Nothing recurs in the runs that were reported here; `ken outcomes` lists them.");
    } else {
        let rows = found.iter().map(|one| row(one, &[], &[]));
        output.print(&patterns_text(rows, now_ms(), output.style, output.width))?;
        if found.len() < all {
            output.say(&format!("{} of {all}; -n shows more.", found.len()));
        }
    }
    Ok(u8::from(found.is_empty()))
}

/// A pattern as it is shown, with the runs that are to be named.
fn row<'a>(found: &'a KeptPattern, evidence: &'a [(&'a str, u32)], against: &'a [(&'a str, u32)]) -> PatternRow<'a> {
    let pattern = &found.pattern;
    PatternRow {
        id: &pattern.id,
        kind: pattern.kind.name(),
        state: &found.state,
        advice: &found.advice,
        action: (&pattern.tool, &pattern.head),
        error: &pattern.error,
        confidence: pattern.confidence,
        tried: (pattern.worked, pattern.failed),
        last_at: pattern.last_at,
        memory: found.memory.as_deref(),
        evidence,
        against,
    }
}

fn runs(places: &[Place]) -> Vec<(&str, u32)> {
    places.iter().map(|place| (place.session.as_str(), place.sequence)).collect()
}

fn show(found: &KeptPattern, output: &Output) -> Outcome {
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(found),
        false => {
            let (evidence, against) = (runs(&found.pattern.evidence), runs(&found.pattern.counterexamples));
            pattern_text(&row(found, &evidence, &against), now_ms(), output.style, output.width)
        }
    })?;
    Ok(0)
}

fn promote(engine: &Engine, args: &DecideArgs, access: &Access, output: &Output) -> Outcome {
    let author: Author = args.by.author();
    let found = engine.promote_pattern(&args.id, &author, access, &output.session())?;
    let memory = found.memory.clone().unwrap_or_default();
    said(&found, &format!("{}: {}.\nLookups of this error show it from now on.", memory, found.advice), output)
}

fn said(found: &KeptPattern, text: &str, output: &Output) -> Outcome {
    output.tell_notes();
    output.print(&match output.json {
        true => json_object(found),
        false => format!("{text}\n"),
    })?;
    Ok(0)
}

/// The analysis that the hook starts: nobody waits for it, and nobody hears of it.
fn find_later(global: &Global, output: &Output) -> Outcome {
    lower_priority();
    let surroundings = Surroundings::open(global, output)?;
    let (engine, keep_days) = (surroundings.engine(), surroundings.config.settings().outcomes.keep_days);
    let session = output.session().until(now_ms().saturating_add(BACKGROUND_MS));
    if !engine.gather_outcomes()? {
        engine.close();
        return Ok(0);
    }
    let done = engine.analyse_outcomes(Pending::Due, &worker(), &session);
    // Whoever has nothing but the hook starts no `ken gc`.
    let dropped = engine.drop_old_outcomes(keep_days, &session);
    engine.close();
    dropped?;
    done.map_or_else(|error| Err(error.into()), |_| Ok(0))
}

/// Who claims a batch.
fn worker() -> String {
    format!("process {}", std::process::id())
}
