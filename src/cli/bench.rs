//! `ken bench`.

use super::bench_ann::{self, AnnArgs};
use super::bench_calibrate::{self, CalibrateArgs};
use super::bench_compare::{self, CompareArgs, GateArgs};
use super::bench_embed::{self, EmbedArgs};
use super::bench_fingerprint::{self, FingerprintArgs};
use super::bench_from_index::{self, FromIndexArgs};
use super::bench_logs::{self, LogsArgs};
use super::bench_noise::{self, NoiseArgs};
use super::bench_outcomes::{self, OutcomesArgs};
use super::bench_pack::{self, BenchPackArgs};
use super::bench_problems::{self, ProblemsArgs};
use super::bench_run::{self, RunArgs};
use super::bench_tools::{self, ToolsArgs};
use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::single_line;
use crate::eval::{Case, CaseKind, Reliability, Report, builtin_cases, chain_cases, parse_cases, run as run_cases};
use crate::render::{json_line, line, shown};
use crate::types::limits::TEST_SET;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

/// Measure search, lookups, frames and the encoder
#[derive(Debug, Subcommand)]
pub(super) enum BenchVerb {
    Run(RunArgs),
    Compare(CompareArgs),
    Gate(GateArgs),
    FromIndex(FromIndexArgs),
    Builtin(BuiltinArgs),
    Noise(NoiseArgs),
    Fingerprint(FingerprintArgs),
    Logs(LogsArgs),
    Problems(ProblemsArgs),
    Outcomes(OutcomesArgs),
    Tools(ToolsArgs),
    Pack(BenchPackArgs),
    Ann(AnnArgs),
    Calibrate(CalibrateArgs),
    Embed(EmbedArgs),
}

/// Measure lookups on the built-in cases
///
/// The cases are messages, logs, descriptions in other words (paraphrases), and questions without an answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:\n  ken bench builtin\n  ken bench builtin --misses\n  ken bench builtin --floor 0.93 0.72 0.96")]
pub(super) struct BuiltinArgs {
    /// Use these cases: JSON lines with id, kind, domain, text, expect; repeatable
    #[arg(long, value_name = "FILE")]
    cases: Vec<PathBuf>,
    /// List the wrong answers
    #[arg(long)]
    misses: bool,
    /// Exit with 8 if a share is lower: messages and logs, paraphrases, silence
    #[arg(long, num_args = 3, value_names = ["MESSAGES", "PARAPHRASES", "SILENCE"])]
    floor: Option<Vec<f64>>,
}

pub(super) fn run(global: &Global, verb: BenchVerb, output: &Output) -> Outcome {
    match verb {
        BenchVerb::Run(args) => bench_run::run(global, &args, output),
        BenchVerb::Compare(args) => bench_compare::run_compare(&args, output),
        BenchVerb::Gate(args) => bench_compare::run_gate(global, &args, output),
        BenchVerb::FromIndex(args) => bench_from_index::run(global, &args, output),
        BenchVerb::Builtin(args) => builtin(global, &args, output),
        BenchVerb::Noise(args) => bench_noise::run(global, args, output),
        BenchVerb::Fingerprint(args) => bench_fingerprint::run(&args, output),
        BenchVerb::Logs(args) => bench_logs::run(&args, output),
        BenchVerb::Problems(args) => bench_problems::run(&args, output),
        BenchVerb::Outcomes(args) => bench_outcomes::run(&args, output),
        BenchVerb::Tools(args) => bench_tools::run(global, &args, output),
        BenchVerb::Ann(args) => bench_ann::run(&args, output),
        BenchVerb::Pack(args) => bench_pack::run(global, args, output),
        BenchVerb::Calibrate(args) => bench_calibrate::run(global, &args, output),
        BenchVerb::Embed(args) => bench_embed::run(global, &args, output),
    }
}

fn read_cases(paths: &[PathBuf]) -> Result<Vec<Case>, Failure> {
    if paths.is_empty() {
        return Ok([builtin_cases()?, chain_cases()?].concat());
    }
    let mut cases = Vec::new();
    for path in paths {
        let name = shown(path).into_owned();
        let text = system::read_text(path, Links::Follow, TEST_SET).map_err(|e| Failure::io(&name, &e))?;
        cases.extend(parse_cases(&name, &text)?);
    }
    Ok(cases)
}

fn builtin(global: &Global, args: &BuiltinArgs, output: &Output) -> Outcome {
    let cases = read_cases(&args.cases)?;
    let engine = Surroundings::open(global, output)?.measured_engine(None);
    let mut meter = Meter::new(output);
    let (report, observations) = run_cases(&engine, &cases, &meter.session())?;
    meter.finish();
    let uncovered = cases.iter().filter(|c| c.kind != CaseKind::Unanswerable && c.expect.is_empty()).count();
    if output.json {
        output.print(&json_line(&json!({"set": "builtin", "uncovered": uncovered, "report": report})))?;
    } else {
        output.print(&table(&report, uncovered))?;
        if args.misses {
            for seen in observations.iter().filter(|o| !o.right()) {
                let text = cases.iter().find(|c| c.id == seen.id).map_or("", |c| &c.text);
                let text = single_line(text, 110);
                output.print(&format!(
                    "{} want {} got {} ({}, best {:.3})\n    {text}\n",
                    line(&seen.id),
                    if seen.expect.is_empty() { "silence".into() } else { line(&seen.expect.join("|")).into_owned() },
                    seen.hits.first().map_or("silence", String::as_str),
                    seen.tier.as_deref().unwrap_or("-"),
                    seen.best
                ))?;
            }
        }
    }
    let share = |kinds: &[CaseKind]| {
        let of = || kinds.iter().filter_map(|kind| report.kinds.get(kind));
        let (right, all): (usize, usize) = (of().map(|c| c.right).sum(), of().map(|c| c.cases).sum());
        right as f64 / all.max(1) as f64
    };
    let reached =
        [share(&[CaseKind::Message, CaseKind::Log]), share(&[CaseKind::Paraphrase]), share(&[CaseKind::Unanswerable])];
    let below = args.floor.iter().flatten().zip(reached).any(|(floor, reached)| reached < *floor);
    if below {
        let text = format!("below the floor: {reached:.3?}");
        return Err(Failure::new(ErrorKind::CheckFailed, text, "ken bench builtin --misses"));
    }
    Ok(0)
}

fn table(report: &Report, uncovered: usize) -> String {
    let mut out = format!("{:36} {:>6} {:>8} {:>8} {:>8} {:>9}\n", "", "cases", "right", "exact", "among", "answered");
    for (name, counts) in &report.groups {
        out.push_str(&row(name, counts));
    }
    for (kind, counts) in &report.kinds {
        out.push_str(&row(&format!("all {kind:?}").to_lowercase(), counts));
    }
    for (kind, counts) in &report.held_back {
        out.push_str(&row(&format!("held back {kind:?}").to_lowercase(), counts));
    }
    out.push_str(&format!(
        "precision of what is shown {:.3}, AUC {:.3}, answerable cases that no entry covers: {uncovered}\n",
        report.precision, report.auc
    ));
    push_reliability(&mut out, "guesses", &report.reliability);
    push_reliability(&mut out, "guesses on held back cases", &report.reliability_held_back);
    out
}

/// The reliability diagram as a table: what is claimed against what is right.
fn push_reliability(out: &mut String, name: &str, reliability: &Reliability) {
    if reliability.cases == 0 {
        return;
    }
    out.push_str(&format!("{name}: {}, expected calibration error {:.3}\n", reliability.cases, reliability.ece));
    for bin in &reliability.bins {
        let bar = "#".repeat((bin.right * 40.0).round() as usize);
        let (claimed, right) = (100.0 * bin.claimed, 100.0 * bin.right);
        out.push_str(&format!("  claimed {claimed:>3.0} %, right {right:>3.0} % of {:>5}  {bar}\n", bin.cases));
    }
}

fn row(name: &str, counts: &crate::eval::Counts) -> String {
    let percent = |n: usize| 100.0 * n as f64 / counts.cases.max(1) as f64;
    let name = line(name);
    format!(
        "{name:36} {:>6} {:>7.1}% {:>7.1}% {:>7.1}% {:>8.1}%\n",
        counts.cases,
        percent(counts.right),
        percent(counts.exact),
        percent(counts.among),
        percent(counts.answered)
    )
}
