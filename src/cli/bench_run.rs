//! `ken bench run`.

use super::clock::now_ms;
use super::machine::{machine, peak_mib};
use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::asking::Stage;
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, Links};
use crate::eval::retrieval::{
    BenchError, BenchIndex, Configuration, Percentiles, Plan, Ranking, RunResult, SPLIT, Set, Summary, measure,
    measure_ranking, page, prepare, read_split, write_run,
};
use crate::render::{json_line, line, shown};
use crate::types::limits::CONFIG;
use clap::Args;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Measure search on sets of documents, questions and judgements
///
/// A set is a folder in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/test.tsv, and unanswerable.jsonl if
/// there are questions that nothing should answer. Its index is made once and kept in the cache.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench run sets/scifact
  ken bench run sets/* --run bm25 --run hybrid --out results --html report.html
  ken bench run sets/locomo --group-by group --json | jq .metrics
  ken bench run sets/rustc --run hybrid --run hybrid,word_weight=0.5,feedback=false
  ken bench run sets/rustc --run hybrid --ranking theirs.trec

Runs are regex (the question's words as one pattern), bm25, dense, hybrid (what ken search does), dense-plain and
hybrid-plain, which embed the question without the model's query prefix, hybrid-query, which embeds it with the prefix
alone, and hybrid+rerank (ken search --rerank).
Settings after a name make any other run: meaning, words, whole, rerank, feedback (true or false), question (query,
passage or both) and word_weight (a number).")]
pub(super) struct RunArgs {
    /// Folders of sets
    #[arg(value_name = "DIR", required = true)]
    sets: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
    /// Measure a ranking of other software, as trec_eval reads it (QUERY Q0 DOCUMENT RANK SCORE TAG); may be given
    /// again
    ///
    /// It is a run named after its file. What it lists counts as shown; a question that it leaves out found nothing.
    /// Other runs are measured beside it only if --run or --runs is given.
    #[arg(long = "ranking", value_name = "FILE")]
    rankings: Vec<PathBuf>,
    /// Print a second table: times by stage of the search, questions a second, memory
    #[arg(long)]
    stages: bool,
    /// Write each run's values (SET.RUN.json) and rankings (SET.RUN.trec) into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write a report for people: one page that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// How sets are measured.
#[derive(Debug, Args)]
pub(super) struct How {
    /// What to measure; may be given again; bm25, dense and hybrid if not given
    #[arg(long = "run", value_name = "NAME[,KEY=VALUE...]", value_parser = str::parse::<Configuration>)]
    runs: Vec<Configuration>,
    /// What to measure, a run a line, after those of --run
    #[arg(long = "runs", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Whose judgements are read: those of qrels/NAME.tsv
    #[arg(long, value_name = "NAME", default_value = SPLIT)]
    split: String,
    /// Search only documents with the question's own value of this field of the metadata
    #[arg(long, value_name = "FIELD")]
    group_by: Option<String>,
    /// Depths of the metrics
    #[arg(long = "k", value_name = "DEPTHS", value_delimiter = ',', default_value = "10,100",
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    depths: Vec<u16>,
    /// Count grades above 1 as 1
    #[arg(long)]
    binary: bool,
}

impl How {
    /// As an earlier result was measured.
    pub fn like(result: &RunResult) -> Self {
        Self {
            runs: Vec::new(),
            file: None,
            split: result.split.clone(),
            group_by: result.group_by.clone(),
            depths: result.depths.iter().filter_map(|depth| u16::try_from(*depth).ok()).collect(),
            binary: result.binary,
        }
    }

    /// The runs that are asked for.
    fn all_runs(&self) -> Result<Vec<Configuration>, Failure> {
        let mut runs = self.runs.clone();
        if let Some(file) = &self.file {
            let name = shown(file).into_owned();
            let text = system::read_text(file, Links::Follow, CONFIG).map_err(|e| Failure::io(&name, &e))?;
            let hint = "a run a line, as --run has it; ken bench run --help";
            let read = Configuration::read_all(&text);
            runs.extend(read.map_err(|why| Failure::new(ErrorKind::Usage, format!("{name}: {why}"), hint))?);
        }
        Ok(runs)
    }
}

pub(super) fn run(global: &Global, args: &RunArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let mut runs = args.how.all_runs()?;
    if runs.is_empty() && args.rankings.is_empty() {
        runs = Configuration::usual();
    }
    // Everything is read before anything is measured: a bad line of the last set should not cost the first.
    let sets = args.sets.iter().map(|path| {
        let set = read_split(path, &args.how.split)?;
        args.how.group_by.as_ref().map_or(Ok(()), |name| set.require_field(name, path))?;
        Ok((path, set))
    });
    let sets = sets.collect::<Result<Vec<(&PathBuf, Set)>, BenchError>>()?;
    let rankings = match (&sets[..], &args.rankings[..]) {
        (_, []) => Vec::new(),
        ([(_, set)], files) => files.iter().map(|file| Ranking::read(file, set)).collect::<Result<_, BenchError>>()?,
        _ => {
            let hint = "give one folder with --ranking, and the others by themselves";
            return Err(Failure::new(ErrorKind::Usage, "a ranking is of one set", hint));
        }
    };
    check_targets(args, &runs, &rankings, &sets)?;
    let of_runs = runs.iter().map(Configuration::name).chain(rankings.iter().map(|ranking| ranking.name.as_str()));
    let of_sets = sets.iter().map(|(_, set)| set.name.as_str());
    let widths = widths(&of_sets.collect::<Vec<_>>(), &of_runs.collect::<Vec<_>>());
    let mut results = Vec::new();
    if !output.json {
        output.print(&table_head(&args.how, widths))?;
    }
    for (path, set) in &sets {
        let work = Work { runs: &runs, rankings: &rankings };
        measure_set(&surroundings, path, set, work, &args.how, output, &mut |result, ranking| {
            let summary = result.summary();
            output.print(&if output.json { json_line(&summary) } else { table_row(&summary, &args.how, widths) })?;
            if let Some(out) = &args.out {
                write(&out.join(format!("{}.json", result.name())), &json_line(&result))?;
                write(&out.join(format!("{}.trec", result.name())), &ranking)?;
            }
            results.push(result);
            Ok(())
        })?;
    }
    if args.stages && !output.json {
        output.print(&stage_table(&results.iter().map(RunResult::summary).collect::<Vec<_>>(), widths))?;
    }
    if let Some(html) = &args.html {
        write(html, &page(&results))?;
    }
    Ok(0)
}

/// Whether the results can be written to where they are wanted, each to a file of its own.
fn check_targets(
    args: &RunArgs,
    runs: &[Configuration],
    rankings: &[Ranking],
    sets: &[(&PathBuf, Set)],
) -> Result<(), Failure> {
    if let Some(out) = &args.out {
        let names = sets.iter().flat_map(|(_, set)| {
            let own = runs.iter().map(Configuration::name).chain(rankings.iter().map(|ranking| ranking.name.as_str()));
            own.map(|run| RunResult::name_of(&set.name, &set.split, run))
        });
        let mut seen = HashSet::new();
        if let Some(twice) = names.into_iter().find(|name| !seen.insert(name.clone())) {
            let text = format!("two results would be written to {twice}.json");
            let hint = "sets are named after their folders and rankings after their files; use one --out each";
            return Err(Failure::new(ErrorKind::Usage, text, hint));
        }
        let failed = |e: std::io::Error| Failure::io(&shown(out), &e);
        std::fs::create_dir_all(out).map_err(failed)?;
        tempfile::tempfile_in(out).map_err(failed)?;
    }
    if let Some(html) = &args.html {
        try_writing(html)?;
    }
    Ok(())
}

/// What is measured on a set.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub runs: &'a [Configuration],
    pub rankings: &'a [Ranking],
}

/// Measures all runs of a set; `done` gets each with its rankings as text.
pub(super) fn measure_set(
    surroundings: &Surroundings,
    path: &Path,
    set: &Set,
    work: Work<'_>,
    how: &How,
    output: &Output,
    done: &mut dyn FnMut(RunResult, String) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let plan = Plan {
        depths: depths(how),
        group_by: how.group_by.clone(),
        binary: how.binary,
        machine: machine(),
        clock: now_ms,
        peak_mib,
    };
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut index: Option<BenchIndex> = None;
    let with_model = work.runs.iter().any(Configuration::needs_model);
    for run in work.runs {
        let mut meter = Meter::new(output);
        if run.needs_index() && index.is_none() {
            let group_by = how.group_by.as_deref();
            index = Some(prepare(set, group_by, &surroundings.settings(), with_model, &meter.session())?);
        }
        let measured = measure(set, &path, run, index.as_ref(), &plan, &meter.session());
        meter.finish();
        let (result, ranking) = measured?;
        done(result, write_run(&ranking, run.name()))?;
    }
    for ranking in work.rankings {
        let (result, run) = measure_ranking(set, &path, ranking, &plan);
        done(result, write_run(&run, &ranking.name))?;
    }
    Ok(())
}

fn depths(how: &How) -> Vec<usize> {
    let mut depths: Vec<usize> = how.depths.iter().map(|depth| usize::from(*depth)).collect();
    depths.sort_unstable();
    depths.dedup();
    depths
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|e| Failure::io(&shown(path), &e))
}

/// Fails if a file cannot be written, before anything is measured for it. What it holds stays.
fn try_writing(path: &Path) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::io(&shown(path), &e);
    let is_new = !path.exists();
    std::fs::File::options().create(true).append(true).open(path).map_err(failed)?;
    if is_new { std::fs::remove_file(path).map_err(failed) } else { Ok(()) }
}

/// The columns of metrics: nDCG and recall at all depths.
fn columns(how: &How) -> Vec<String> {
    let depths = depths(how);
    let at = |name: &str| depths.iter().map(|depth| format!("{name}@{depth}")).collect::<Vec<_>>();
    let single = ["mrr", "map", "success@1"].map(str::to_owned);
    [at("ndcg"), single.to_vec(), at("recall")].concat()
}

/// Columns for the names of sets and of runs.
type Widths = (usize, usize);

/// As wide as the longest name, and no narrower than usual.
fn widths(sets: &[&str], runs: &[&str]) -> Widths {
    let longest = |names: &[&str]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    (longest(sets).max(16), longest(runs).max(13))
}

fn table_head(how: &How, (of_set, of_run): Widths) -> String {
    let mut out = format!("{:of_set$} {:of_run$}", "set", "run");
    columns(how).iter().for_each(|name| out.push_str(&format!(" {name:>10}")));
    out.push_str(&format!(
        " {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}\n",
        "noise", "cover", "auc", "p50 ms", "p95 ms", "p99 ms"
    ));
    out
}

fn table_row(summary: &Summary, how: &How, (of_set, of_run): Widths) -> String {
    let share = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let mut out = format!("{:of_set$} {:of_run$}", line(&summary.set), line(&summary.run));
    for name in columns(how) {
        let value = summary.metrics.get(&name).and_then(serde_json::Value::as_f64);
        out.push_str(&format!(" {:>10}", value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))));
    }
    let silence = &summary.silence;
    let shares = [silence.noise, silence.coverage, silence.auc];
    shares.iter().for_each(|value| out.push_str(&format!(" {:>6}", share(*value))));
    let times = summary.latency_ms.as_ref().map(|latency| [latency.whole.p50, latency.whole.p95, latency.whole.p99]);
    for at in 0..3 {
        let ms = times.map_or_else(|| "-".to_owned(), |times| format!("{:.2}", times[at]));
        out.push_str(&format!(" {ms:>8}"));
    }
    out.push('\n');
    if summary.left_out > 0 {
        let what = "documents left out because they are the question itself";
        out.push_str(&format!("{:of_set$} {what}: {}\n", "", summary.left_out));
    }
    out
}

/// p50, p95 and p99 of each stage in milliseconds, questions a second, memory.
fn stage_table(summaries: &[Summary], (of_set, of_run): Widths) -> String {
    let mut out = format!("\n{:of_set$} {:of_run$}", "set", "run");
    Stage::ALL.iter().for_each(|stage| out.push_str(&format!(" {:>20}", stage.name())));
    out.push_str(&format!(" {:>11} {:>8}\n{:wide$}", "questions/s", "peak MiB", "", wide = of_set + 1 + of_run));
    Stage::ALL.iter().for_each(|_| out.push_str(&format!(" {:>20}", "p50    p95    p99")));
    out.push('\n');
    let times = |one: &Percentiles| format!("{:.2} {:>6.2} {:>6.2}", one.p50, one.p95, one.p99);
    for summary in summaries {
        out.push_str(&format!("{:of_set$} {:of_run$}", line(&summary.set), line(&summary.run)));
        for stage in Stage::ALL {
            let stage = summary.latency_ms.as_ref().and_then(|latency| latency.stages.get(stage.name()));
            let text = stage.map_or_else(|| "-".to_owned(), times);
            out.push_str(&format!(" {text:>20}"));
        }
        let peak = summary.peak_mib.map_or_else(|| "-".to_owned(), |peak| peak.to_string());
        let rate = summary.queries_per_s.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
        out.push_str(&format!(" {rate:>11} {peak:>8}\n"));
    }
    out
}
