//! `ken lookup`.

use super::feedback::{self, FeedbackArgs};
use super::input::{Origins, open_file, open_log};
use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome, complete};
use crate::config::LookupSettings;
use crate::engine::Engine;
use crate::engine::face::asking::{LookupOptions, Passing};
use crate::render::{Length, answer_json, line, lookup_text, shown, silence_text};
use crate::serve::{Here, LookupRequest, seen_from};
use crate::types::{Access, Answer, Semantic};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Look up an error: its known cause and fix, or nothing
///
/// TEXT is an error message, a log, or a description of the problem in your own words. If TEXT is the name of a file,
/// that file is read; gzip files and the zip files of build systems are unpacked. The likeliest reason for the failure
/// comes first. Nothing that you look up is stored or sent.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken lookup \"fatal: refusing to merge unrelated histories\"
  kubectl describe pod web-0 | ken lookup -
  ken lookup build.log
  ken lookup logs_1234567.zip
  ken lookup fail.log --passing green.log
  ken lookup --provider aws --explain \"AccessDenied when creating the bucket\"
  ken lookup --worked    the last answer helped: answer it first from now on
  ken lookup --json - < build.log | jq -r '.results[0].hits[].id'

Exit code: 0 if anything is known, 1 if nothing is.")]
pub(super) struct LookupArgs {
    /// The error, or the name of a log file; `-` reads standard input
    #[arg(value_name = "TEXT")]
    text: Vec<OsString>,
    /// A log of the same job from a run that passed; lines in both logs are less likely the reason
    #[arg(long, value_name = "FILE")]
    passing: Option<PathBuf>,
    /// Get the model first if it is missing
    #[arg(long)]
    pull: bool,
    /// Do not count the hits as shown
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    feedback: FeedbackArgs,
    #[command(flatten)]
    filters: FilterArgs,
    #[command(flatten)]
    show: ShowArgs,
}

/// Options that narrow a lookup.
#[derive(Debug, Default, Args)]
pub(super) struct FilterArgs {
    /// Only entries about this kind of object, such as aws_s3_bucket
    #[arg(long, value_name = "KIND")]
    resource: Option<String>,
    /// Only entries of this provider, such as aws
    #[arg(long, value_name = "NAME", add = complete::providers())]
    provider: Option<String>,
    /// Only entries of this pack; repeatable
    #[arg(long = "pack", value_name = "NAME", add = complete::packs())]
    packs: Vec<String>,
    /// Only entries with this tag; repeatable
    #[arg(long = "tag", value_name = "TAG", add = complete::tags())]
    tags: Vec<String>,
}

/// Options that change what is shown.
#[derive(Debug, Default, Args)]
pub(super) struct ShowArgs {
    /// Most hits for each error [default: 3, setting: lookup.limit]
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: Option<u32>,
    /// Most errors that are answered [default: 5, setting: lookup.max_errors]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100))]
    max_errors: Option<u32>,
    /// Show hits from this relevance on, 0 to 1 [default: the calibrated gate]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_relevance: Option<f32>,
    /// Show how each hit was scored: signals, weights, gate and margin
    #[arg(long)]
    explain: bool,
    /// Print only the title and the first command of each answer
    #[arg(long, conflicts_with_all = ["explain", "why_not"])]
    short: bool,
    /// Say why this entry was not shown
    #[arg(long, value_name = "ID", add = complete::entries())]
    why_not: Option<String>,
}

pub(super) fn share(text: &str) -> Result<f32, String> {
    text.parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Flags over settings.
pub(super) fn options(settings: &LookupSettings, filters: FilterArgs, show: ShowArgs) -> LookupOptions {
    let request = LookupRequest {
        dry_run: false,
        text: String::new(),
        limit: show.limit,
        max_errors: show.max_errors,
        min_relevance: show.min_relevance,
        resource: filters.resource,
        provider: filters.provider,
        packs: filters.packs,
        tags: filters.tags,
        explain: show.explain,
        why_not: show.why_not,
    };
    request.options(settings)
}

pub(super) fn run(global: &Global, args: LookupArgs, output: &Output) -> Outcome {
    if let Some((entry, worked)) = args.feedback.said() {
        return feedback::run(global, entry, worked, output);
    }
    let example = "`ken lookup \"the error\"`, or pipe it in: `make 2>&1 | ken lookup -`";
    let mut input = open_log(&args.text, example, output)?;
    let started = Instant::now();
    let passing = args.passing.as_deref().map(|path| passing(path, output)).transpose()?;
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.engine();
    let length = if args.show.short { Length::Short } else { Length::Full };
    let mut options = options(&surroundings.config.settings().lookup, args.filters, args.show);
    options.passing = passing.map(Arc::new);
    options.feedback = engine.usable_feedback(&output.session());
    options.access = seen_from(&engine, &Access::all(), &Here::new(working_directory()?));
    let mut meter = Meter::new(output);
    if args.pull || surroundings.config.settings().model.auto_pull {
        let pulled = engine.pull_if_missing(&meter.session());
        meter.finish();
        match pulled {
            Ok(()) => {}
            // Patterns and keywords answer without a model; asked for by a flag, it must be had.
            Err(error) if !args.pull => output.say(&line(&format!("The model could not be pulled: {error}"))),
            Err(error) => return Err(error.into()),
        }
    }
    surroundings.require_model(global, &engine)?;
    let looked_up = engine.lookup_from(&mut *input.reader, &options, &meter.session());
    let answer = looked_up.map_err(|error| input.failure(error))?;
    meter.finish();
    let code = show(&answer, length, !options.filters.is_empty(), took_ms(started), output)?;
    tell_origins(&answer, &input.origins, output);
    if !args.dry_run {
        engine.count_looked_up(&answer, &output.session());
        if let Some(terminal) = feedback::terminal() {
            engine.keep_last_answer(&answer, &terminal, &output.session());
        }
    }
    engine.close();
    Ok(code)
}

/// What a log of a run that passed prints.
fn passing(path: &Path, output: &Output) -> Result<Passing, Failure> {
    let mut input = open_file(path, output)?;
    Engine::passing(&mut *input.reader).map_err(|error| {
        let mut failure = input.failure(error);
        failure.message = format!("{}: {}", shown(path), failure.message);
        failure
    })
}

/// Says which files of an archive the errors stand in.
fn tell_origins(answer: &Answer, origins: &Origins, output: &Output) {
    for error in answer.results.iter().map(|finding| &finding.error) {
        let (first, last) = (error.line_start, error.line_end);
        if let Some((name, from)) = origins.of(first) {
            output.say(&format!("lines {first}-{last} are lines {from}-{} of {}", from + last - first, line(&name)));
        }
    }
}

/// Milliseconds since then, to the microsecond.
pub(super) fn took_ms(started: Instant) -> f64 {
    (started.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// Prints an answer, and what the engine has noted; `filtered` says whether filters left entries out.
fn show(answer: &Answer, length: Length, filtered: bool, took_ms: f64, output: &Output) -> Outcome {
    output.tell_notes();
    if output.json {
        output.print(&answer_json(answer, took_ms))?;
    } else {
        let text = lookup_text(answer, length, output.style, output.width);
        output.print(&text)?;
        if !answer.found() {
            output.tell_text(&silence_text(answer, filtered, "", output.message_style, output.width));
            if answer.results.iter().any(|finding| finding.semantic == Semantic::Off) {
                output.say(
                    "There is no usable model, so only patterns and words were compared; get one with: \
                     `ken model pull`",
                );
            }
        }
    }
    Ok(u8::from(!answer.found()))
}
