//! `ken bench logs`.

use super::Outcome;
use super::output::{Failure, Output};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::text::single_line;
use crate::eval::{
    LogFigures, LogFit, MissedLog, SurveyedLog, fit_logs, measure_logs, passing_logs, read_logs, shipped_log_weights,
    survey_compared_logs, survey_logs,
};
use crate::render::{json_line, line};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Measure how well the reason of a failed run is found in its log
#[derive(Debug, Args)]
#[command(after_help = "\
Files of DIR, as JSON lines; lines of a log count from 1:
  logs.jsonl    {\"id\": \"1\", \"lines\": [\"...\", \"...\"]}
  labels.jsonl  {\"id\": \"1\", \"repo\": \"o/name\", \"start\": 10, \"end\": 12}

Metrics: hit@k: the headline of one of the first k blocks is marked. start@1:
the first line of the first block is marked. overlap@k: a line of one of the
first k blocks is marked. F1: of lines. p@1: mean probability of the first
block.

Examples:
  ken bench logs logs/ --by-repo
  ken bench logs logs/ --passing --fit
  ken bench logs logs/ --fit")]
pub(super) struct LogsArgs {
    /// Folder with logs.jsonl and labels.jsonl
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also print a row for each repository
    #[arg(long)]
    by_repo: bool,
    /// Fit the weights by cross-validation over repositories, and print them
    #[arg(long)]
    fit: bool,
    /// Compare each log with the unmarked lines of another log of its repository
    #[arg(long)]
    passing: bool,
    /// List the logs whose first block is wrong
    #[arg(long)]
    misses: bool,
}

pub(super) fn run(args: &LogsArgs, output: &Output) -> Outcome {
    let logs = read_logs(&args.folder)?;
    if !args.passing {
        return report(args, &survey_logs(&logs), None, output);
    }
    let passing = passing_logs(&logs);
    let compared = survey_compared_logs(&logs, &passing);
    if compared.is_empty() {
        let text = "no repository of the set has two logs".to_owned();
        return Err(Failure::new(ErrorKind::Usage, text, "leave out --passing to measure each log by itself"));
    }
    let paired = logs.into_iter().zip(&passing).filter(|(_, passing)| passing.is_some());
    let alone = survey_logs(&paired.map(|(log, _)| log).collect::<Vec<_>>());
    report(args, &alone, Some(false), output)?;
    report(args, &compared, Some(true), output)
}

/// Measures or fits, and prints; `compared` tells whether logs were compared with others where that is the question.
fn report(args: &LogsArgs, logs: &[SurveyedLog], compared: Option<bool>, output: &Output) -> Outcome {
    if let (Some(compared), false) = (compared, output.json) {
        let with = if compared { "with" } else { "without" };
        output.print(&format!("{with} a log of a run that passed\n"))?;
    }
    if args.fit {
        let Some(fit) = fit_logs(logs) else {
            let text = "a fit needs logs of five repositories or more".to_owned();
            return Err(Failure::new(ErrorKind::Usage, text, "leave out --fit to measure the shipped weights"));
        };
        return print_fit(args, &fit, compared, output);
    }
    let weights = shipped_log_weights();
    let all = measure_logs(logs, &weights);
    let mut repos: BTreeMap<String, Vec<SurveyedLog>> = BTreeMap::new();
    if args.by_repo {
        logs.iter().for_each(|log| repos.entry(log.repo.clone()).or_default().push(log.clone()));
    }
    let repos = repos.into_iter().map(|(repo, logs)| (repo, measure_logs(&logs, &weights))).collect();
    if output.json {
        print_json(&all, &repos, compared, output)?;
    } else {
        output.print(&table(&all, &repos))?;
        output.print(&marked_seen(&all, compared))?;
    }
    if args.misses {
        for log in logs {
            if let Some(miss) = MissedLog::of(log, &log.outcome(&weights)) {
                print_miss(&miss, output)?;
            }
        }
    }
    Ok(0)
}

/// How often comparing cannot help.
fn marked_seen(all: &LogFigures, compared: Option<bool>) -> String {
    match compared {
        Some(true) => format!("all marked lines stand in the other log too: {:.3} of the logs\n", all.marked_seen),
        _ => String::new(),
    }
}

fn print_fit(args: &LogsArgs, fit: &LogFit, compared: Option<bool>, output: &Output) -> Outcome {
    let none = BTreeMap::new();
    let repos = if args.by_repo { &fit.by_repo } else { &none };
    if output.json {
        output.print(&json_line(&json!({"bench": "logs", "passing": compared, "fit": fit})))?;
    } else {
        let rows: String =
            fit.weights.iter().map(|(name, weight)| format!("    (\"{name}\", {weight:.4}),\n")).collect();
        let held_out = table(&fit.held_out, repos);
        let fitted = row("weights of all logs, on them", &fit.fitted);
        let seen = marked_seen(&fit.fitted, compared);
        output.print(&format!("held out by repository\n{held_out}{fitted}{seen}\n{rows}"))?;
    }
    if args.misses {
        for miss in &fit.misses {
            print_miss(miss, output)?;
        }
    }
    Ok(0)
}

fn print_miss(miss: &MissedLog, output: &Output) -> Result<(), Failure> {
    let MissedLog { id, first, marked } = miss;
    let text = match output.json {
        true => json_line(&json!({"bench": "logs", "missed": id, "first": first, "marked": marked})),
        false => format!("{} marked {marked:?}, first block {first:?}\n", line(id)),
    };
    output.print(&text)
}

fn print_json(
    all: &LogFigures,
    repos: &BTreeMap<String, LogFigures>,
    compared: Option<bool>,
    output: &Output,
) -> Result<(), Failure> {
    for (repo, figures) in repos.iter().map(|(repo, figures)| (Some(repo), figures)).chain([(None, all)]) {
        let mut line = json!({"bench": "logs", "passing": compared, "repo": repo});
        if let (Some(line), Ok(Value::Object(figures))) = (line.as_object_mut(), serde_json::to_value(figures)) {
            line.extend(figures);
        }
        output.print(&json_line(&line))?;
    }
    Ok(())
}

fn table(all: &LogFigures, repos: &BTreeMap<String, LogFigures>) -> String {
    let mut text = format!(
        "{:28} {:>5} {:>6} {:>6} {:>7} {:>9} {:>9} {:>11} {:>6} {:>6} {:>10} {:>8}\n",
        "",
        "logs",
        "hit@1",
        "hit@3",
        "start@1",
        "overlap@1",
        "overlap@3",
        "overlap any",
        "F1",
        "p@1",
        "blocks/log",
        "us/line"
    );
    for (repo, figures) in repos {
        text.push_str(&row(repo, figures));
    }
    text.push_str(&row("all", all));
    text
}

fn row(name: &str, of: &LogFigures) -> String {
    format!(
        "{:28} {:>5} {:>6.3} {:>6.3} {:>7.3} {:>9.3} {:>9.3} {:>11.3} {:>6.3} {:>6.3} {:>10.1} {:>8.2}\n",
        single_line(name, 28),
        of.logs,
        of.hit_1,
        of.hit_3,
        of.start_1,
        of.overlap_1,
        of.overlap_3,
        of.overlap_any,
        of.f1,
        of.probability_1,
        of.blocks,
        of.us_per_line
    )
}
