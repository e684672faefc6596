//! `ken bench compare` and `ken bench gate`.

use super::bench_run::{How, Work, measure_set};
use super::output::{Failure, Output};
use super::surroundings::Surroundings;
use super::{Global, Outcome, complete};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::text::single_line;
use crate::eval::retrieval::{
    BenchError, Comparison, Configuration, Delta, RunResult, Tests, compare, read_split, same_set,
};
use crate::render::{json_line, line, shown};
use clap::Args;
use std::path::PathBuf;

/// Questions that are named.
const MOVED: usize = 10;

/// Compare two results of `ken bench run --out`
///
/// The runs are compared question by question. Intervals are those of a paired bootstrap, p-values those of a paired
/// randomisation test with Holm's correction for several metrics. A difference counts as better or worse if its p-value
/// is below 0.05, its interval excludes 0, and it is at least 0.0005.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench compare results/rustc.bm25.json results/rustc.hybrid.json
  ken bench compare before/rustc.bm25.json after/rustc.bm25.json --metric map")]
pub(super) struct CompareArgs {
    /// The first result
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second result; a positive difference means that it is higher
    #[arg(value_name = "B")]
    b: PathBuf,
    /// List the questions that changed most by this metric [default: the first metric]
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Compare even if the set has changed since
    #[arg(long)]
    changed_set: bool,
}

/// Measure again, and fail if a result is significantly worse than a baseline
///
/// The tests are those of `ken bench compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench gate --baseline results/rustc.hybrid.json
  ken bench gate --baseline results/rustc.hybrid.json --metric ndcg@10

Exit code: 8 if a metric is significantly worse.")]
pub(super) struct GateArgs {
    /// A result of `ken bench run --out`; repeatable
    #[arg(long, value_name = "FILE", required = true)]
    baseline: Vec<PathBuf>,
    /// What to measure [default: the run of the baseline]
    #[arg(long = "run", value_name = "NAME", value_parser = str::parse::<Configuration>,
        add = complete::runs())]
    run: Option<Configuration>,
    /// The folder of the set [default: as in the baseline]
    #[arg(long, value_name = "DIR")]
    set: Option<PathBuf>,
    /// A metric that must not be worse; repeatable [default: the first metric and noise]
    #[arg(long = "metric", value_name = "NAME")]
    metrics: Vec<String>,
    /// Compare even if the set has changed since
    #[arg(long)]
    changed_set: bool,
}

pub(super) fn run_compare(args: &CompareArgs, output: &Output) -> Outcome {
    let (a, b) = (RunResult::read(&args.a)?, RunResult::read(&args.b)?);
    let metric = args.metric.as_ref().or(a.metrics.first()).cloned().unwrap_or_default();
    if !args.changed_set {
        same_set(&a, &b)?;
    }
    let comparison = compare(&a, &b, &metric, MOVED, &[])?;
    output.print(&if output.json { json_line(&comparison) } else { text(&comparison, &metric) })?;
    Ok(0)
}

pub(super) fn run_gate(global: &Global, args: &GateArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let mut losses = Vec::new();
    for path in &args.baseline {
        let before = RunResult::read(path)?;
        let run = match &args.run {
            Some(run) => run.clone(),
            None if before.ranking.is_some() => {
                let text = format!("{} was read from a file and cannot be measured again", before.name());
                return Err(Failure::new(ErrorKind::Usage, text, "--run NAME measures something else against it"));
            }
            None => before.run.parse().map_err(|error: String| wrong(format!("{}: {error}", before.run)))?,
        };
        let first = before.metrics.first().cloned().unwrap_or_default();
        let held = if args.metrics.is_empty() { vec![first.clone(), "noise".to_owned()] } else { args.metrics.clone() };
        let folder = args.set.clone().unwrap_or_else(|| PathBuf::from(&before.path));
        let mut set = read_split(&folder, &before.split)?;
        let how = How::like(&before);
        how.add_foreign(std::slice::from_mut(&mut set))?;
        before.group_by.as_ref().map_or(Ok(()), |name| set.require_field(name, &folder))?;
        let now = set.digest();
        if !args.changed_set && before.set_digest.as_ref().is_some_and(|digest| *digest != now) {
            return Err(BenchError::Changed { a: before.name(), b: shown(&folder).into_owned() }.into());
        }
        let mut found = None;
        let work = Work { runs: &[run], rankings: &[] };
        measure_set(&surroundings, &folder, &set, work, &how, output, &mut |result, _| {
            found = Some(compare(&before, &result, &first, MOVED, &held)?);
            Ok(())
        })?;
        let Some(comparison) = found else { continue };
        if let Some(unknown) = args.metrics.iter().find(|name| !comparison.deltas.iter().any(|d| d.metric == **name)) {
            return Err(wrong(format!("{unknown} was not measured on {}", before.set)));
        }
        output.print(&if output.json { json_line(&comparison) } else { text(&comparison, &first) })?;
        let lost = comparison.deltas.iter().filter(|delta| delta.is_loss());
        losses.extend(lost.map(|delta| format!("{} {} by {:.4}", before.name(), delta.metric, delta.difference.abs())));
    }
    if losses.is_empty() {
        return Ok(0);
    }
    let text = format!("significantly worse than the baseline: {}", losses.join(", "));
    Err(Failure::new(ErrorKind::CheckFailed, text, "the questions that moved are named above"))
}

fn wrong(message: String) -> Failure {
    Failure::new(ErrorKind::Usage, message, "the result names its metrics; see `ken bench compare --help`")
}

fn text(comparison: &Comparison, metric: &str) -> String {
    let mut out = format!("{} -> {}, {} questions", line(&comparison.a), line(&comparison.b), comparison.queries);
    if comparison.unpaired > 0 {
        out.push_str(&format!(", {} in one of them alone", comparison.unpaired));
    }
    if let (Some(a), Some(b)) = &comparison.models
        && a != b
    {
        out.push_str(&format!("\nthe models differ: {} -> {}", line(a), line(b)));
    }
    out.push_str(&format!(
        "\n{:16} {:>8} {:>8} {:>9} {:>20} {:>8} {:>8} {:>6} {:>6} {:>6}\n",
        "", "before", "after", "change", "95 % interval", "p", "p Holm", "won", "lost", "same"
    ));
    comparison.deltas.iter().for_each(|delta| out.push_str(&row(delta)));
    out.push_str(&legend(&comparison.tests));
    if !comparison.moved.is_empty() {
        out.push_str(&format!("\nmoved most by {}:\n", line(metric)));
    }
    let place = |place: Option<usize>| place.map_or_else(|| "-".to_owned(), |place| place.to_string());
    for moved in &comparison.moved {
        let (first, top) = (&moved.first, &moved.top);
        let why: String = moved.why.iter().map(|why| format!("        {}\n", line(why))).collect();
        out.push_str(&format!(
            "{:+.3}  {}  first right at {} -> {}, on top {} -> {}\n        {}\n{why}",
            moved.b - moved.a,
            line(&moved.id),
            place(first.0),
            place(first.1),
            line(top.0.as_deref().unwrap_or("-")),
            line(top.1.as_deref().unwrap_or("-")),
            single_line(&moved.text, 100)
        ));
    }
    out
}

/// What the columns mean.
fn legend(tests: &Tests) -> String {
    let Tests { interval, p, correction, family, alpha, .. } = tests;
    format!(
        "95 % interval  {interval}\np              {p}\np Holm         p corrected for {family} metrics tested together, \
         {correction}; below {alpha} it decides\n"
    )
}

fn row(delta: &Delta) -> String {
    let mark = match (delta.is_significant(), delta.is_loss()) {
        (true, true) => " worse",
        (true, false) => " better",
        _ => "",
    };
    let holm = delta.p_holm.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}"));
    let interval = format!("[{:+.4}, {:+.4}]", delta.interval.low, delta.interval.high);
    format!(
        "{:16} {:>8.4} {:>8.4} {:>+9.4} {interval:>20} {:>8.4} {holm:>8} {:>6} {:>6} {:>6}{mark}\n",
        line(&delta.metric),
        delta.a,
        delta.b,
        delta.difference,
        delta.p,
        delta.wins,
        delta.losses,
        delta.ties
    )
}
