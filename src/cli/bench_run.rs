//! `ken bench run`.

use super::bench_table::{embedding_row, legend, stage_table, table_head, table_row, widths};
use super::clock::now_ms;
use super::machine::{machine, peak_mib};
use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome, complete};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::canonical;
use crate::engine::face::system::{self, Links};
use crate::eval::retrieval::{
    BenchError, BenchIndex, Configuration, FOREIGN, Plan, Ranking, RunResult, SPLIT, Set, add_foreign, is_proposed,
    measure, measure_ranking, page, prepare, read_set, read_split, write_run,
};
use crate::render::{json_line, shown};
use crate::types::limits::CONFIG;
use clap::Args;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Measure search on sets of documents, questions and judgements
///
/// A set is a folder in the BEIR layout: corpus.jsonl, queries.jsonl, qrels/test.tsv, and unanswerable.jsonl if there
/// are questions without an answer. Its index is made once and kept in the cache.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench run sets/scifact
  ken bench run sets/* --run bm25 --run hybrid --out results
  ken bench run sets/locomo --group-by group --json | jq .metrics
  ken bench run sets/rustc --run hybrid --run hybrid,word_weight=0.5
  ken bench run sets/rustc --run hybrid --ranking theirs.trec
  ken bench run sets/rustc --foreign sets/cacm --foreign sets/scifact
  ken bench run sets/rustc --html report.html --against bm25

Runs:
  regex          the words of the question as one pattern
  bm25           words alone
  dense          meaning alone
  hybrid         what ken search does
  hybrid+rerank  what ken search --rerank does
  dense-plain, hybrid-plain  the question embedded without the query prefix
  hybrid-query   the question embedded only with the query prefix

Settings behind a run's name, such as hybrid,feedback=false:
  meaning, words, whole, rerank, feedback  true or false
  question                                 query, passage or both
  word_weight                              a number")]
pub(super) struct RunArgs {
    /// Folders of sets
    #[arg(value_name = "DIR", required = true)]
    sets: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
    /// Measure a ranking of other software in TREC format (QUERY Q0 DOCUMENT RANK SCORE TAG); repeatable
    #[arg(long = "ranking", value_name = "FILE")]
    rankings: Vec<PathBuf>,
    /// Print times by stage of the search, questions a second, and memory
    #[arg(long)]
    stages: bool,
    /// Write the values (SET.RUN.json) and rankings (SET.RUN.trec) of each run here
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write a report as one HTML page that needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The run that others are compared with in the report [default: the first run]
    #[arg(long, value_name = "NAME", requires = "html")]
    against: Option<String>,
}

/// How sets are measured.
#[derive(Debug, Args)]
pub(super) struct How {
    /// What to measure; repeatable [default: bm25, dense and hybrid]
    #[arg(long = "run", value_name = "NAME[,KEY=VALUE...]", value_parser = str::parse::<Configuration>,
        add = complete::runs())]
    runs: Vec<Configuration>,
    /// A file of runs, one on each line, measured after those of --run
    #[arg(long = "runs", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Read the judgements of qrels/NAME.tsv
    #[arg(long, value_name = "NAME", default_value = SPLIT)]
    split: String,
    /// Search only documents that share the question's value of this metadata field
    #[arg(long, value_name = "FIELD")]
    group_by: Option<String>,
    /// Depths of the metrics
    #[arg(long = "k", value_name = "DEPTHS", value_delimiter = ',', default_value = "10,100",
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    depths: Vec<u16>,
    /// Count grades above 1 as 1
    #[arg(long)]
    binary: bool,
    /// Use up to 400 questions of this set as unanswerable ones, in sets without unanswerable.jsonl; repeatable
    #[arg(long, value_name = "DIR")]
    foreign: Vec<PathBuf>,
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
            foreign: result.foreign.iter().map(PathBuf::from).collect(),
        }
    }

    /// The depths of the metrics, each once.
    fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = self.depths.iter().map(|depth| usize::from(*depth)).collect();
        depths.sort_unstable();
        depths.dedup();
        depths
    }

    /// Gives sets without unanswerable questions those of the sets that are foreign to them.
    pub fn add_foreign(&self, sets: &mut [Set]) -> Result<(), BenchError> {
        let foreign = self.foreign.iter().map(|path| read_split(path, &self.split).or_else(|_| read_set(path)));
        let foreign = foreign.collect::<Result<Vec<Set>, BenchError>>()?;
        sets.iter_mut().for_each(|set| add_foreign(set, &foreign));
        Ok(())
    }

    /// The runs that are asked for.
    fn all_runs(&self) -> Result<Vec<Configuration>, Failure> {
        let mut runs = self.runs.clone();
        if let Some(file) = &self.file {
            let name = shown(file).into_owned();
            let text = system::read_text(file, Links::Follow, CONFIG).map_err(|e| Failure::io(&name, &e))?;
            let hint = "one run on each line, as for --run; see `ken bench run --help`";
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
        Ok(set)
    });
    let mut sets = sets.collect::<Result<Vec<Set>, BenchError>>()?;
    args.how.add_foreign(&mut sets)?;
    let sets: Vec<(&PathBuf, Set)> = args.sets.iter().zip(sets).collect();
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
    let mut results: Vec<RunResult> = Vec::new();
    let depths = args.how.depths();
    if !output.json {
        output.print(&table_head(&depths, widths))?;
    }
    for (path, set) in &sets {
        let work = Work { runs: &runs, rankings: &rankings };
        measure_set(&surroundings, path, set, work, &args.how, output, &mut |result, ranking| {
            let summary = result.summary();
            output.print(&if output.json { json_line(&summary) } else { table_row(&summary, &depths, widths) })?;
            // All runs of a set by meaning share its index.
            if !output.json && results.iter().all(|other| other.set != result.set || other.embedding.is_none()) {
                output.print(&embedding_row(&summary, widths))?;
            }
            if let Some(out) = &args.out {
                write(&out.join(format!("{}.json", result.name())), &json_line(&result))?;
                write(&out.join(format!("{}.trec", result.name())), &ranking)?;
            }
            results.push(result);
            Ok(())
        })?;
    }
    if !output.json {
        let summaries: Vec<_> = results.iter().map(RunResult::summary).collect();
        if args.stages {
            output.print(&stage_table(&summaries, widths))?;
        }
        output.print(&legend(&summaries, surroundings.settings().max_noise))?;
    }
    for (path, set) in &sets {
        advise(path, set, output);
    }
    if let Some(html) = &args.html {
        write(html, &page(&results, args.against.as_deref()))?;
    }
    Ok(0)
}

/// Says what the figures of a set cannot tell.
fn advise(path: &Path, set: &Set, output: &Output) {
    let name = shown(path);
    if set.unanswerable.is_empty() {
        output.note(&format!(
            "{name} has no unanswerable.jsonl, so noise, oracle and auc are unknown; --foreign DIR uses the questions \
             of another set"
        ));
    }
    let (proposed, all) = (set.queries.iter().filter(|query| is_proposed(query)).count(), set.queries.len());
    if proposed > 0 {
        output.note(&format!(
            "{proposed} of {all} questions of {name} are still proposals in the documents' own words, which are easy to \
             find: write them as people would ask"
        ));
    }
    if set.unanswerable.iter().any(|query| is_proposed(query) && !query.id.starts_with(FOREIGN)) {
        output.note(&format!(
            "unanswerable.jsonl of {name} holds questions that the gate is fitted with, so its noise is what was asked \
             for; replace them, or use --foreign without them"
        ));
    }
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
    let measured = || runs.iter().map(Configuration::name).chain(rankings.iter().map(|ranking| ranking.name.as_str()));
    if let Some(unknown) = args.against.as_ref().filter(|name| !measured().any(|run| run == name.as_str())) {
        let hint = format!("one of {}", measured().collect::<Vec<_>>().join("; "));
        return Err(Failure::new(ErrorKind::Usage, format!("--against {unknown} is no run that is measured"), hint));
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
        depths: how.depths(),
        group_by: how.group_by.clone(),
        binary: how.binary,
        machine: machine(),
        foreign: foreign_paths(how, set),
        clock: now_ms,
        peak_mib,
    };
    let path = canonical(path).unwrap_or_else(|_| path.to_owned());
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

/// Where the sets lie that this one's unanswerable questions were taken from.
fn foreign_paths(how: &How, set: &Set) -> Vec<String> {
    let is_foreign = set.unanswerable.iter().any(|query| query.id.starts_with(FOREIGN));
    let paths = how.foreign.iter().filter(|_| is_foreign).map(|path| canonical(path).unwrap_or_else(|_| path.clone()));
    paths.map(|path| path.to_string_lossy().into_owned()).collect()
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
