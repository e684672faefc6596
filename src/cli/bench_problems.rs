//! `ken bench problems`.

use super::Outcome;
use super::output::Output;
use crate::engine::face::text::single_line;
use crate::eval::{OutputProblems, ProblemFigures, measure_problems, read_outputs};
use crate::render::{json_line, line};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Measure how well files and lines are read out of what linters, compilers and tests print
#[derive(Debug, Args)]
#[command(after_help = "\
FILE holds JSON lines, one for each output of a tool:
  {\"id\": \"gcc\", \"input\": \"a.c:3:4: error: no\\n\",
   \"problems\": [{\"file\": \"a.c\", \"line\": 3, \"message\": \"no\"}]}

A problem is right if its file and its line are those of a marked one; each
marked one counts once. Precision: share of the read ones that are right.
Recall: share of the marked ones that are read.

Examples:
  ken bench problems outputs.jsonl
  ken bench problems outputs.jsonl --misses")]
pub(super) struct ProblemsArgs {
    /// The outputs
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// List what was missed and what is wrong
    #[arg(long)]
    misses: bool,
}

pub(super) fn run(args: &ProblemsArgs, output: &Output) -> Outcome {
    let (all, each) = measure_problems(&read_outputs(&args.file)?);
    if output.json {
        output.print(&json_line(&json!({"bench": "problems", "all": all, "outputs": each})))?;
        return Ok(0);
    }
    let heading = format!(
        "{:24} {:>7} {:>7} {:>7} {:>10} {:>7} {:>8}\n",
        "tool", "marked", "read", "right", "precision", "recall", "message"
    );
    let rows: String = each.iter().map(|one| row(&one.id, &one.figures)).collect();
    output.print(&format!("{heading}{rows}{}", row("all", &all)))?;
    if args.misses {
        each.iter().try_for_each(|one| output.print(&misses(one)))?;
    }
    Ok(0)
}

fn row(name: &str, of: &ProblemFigures) -> String {
    let ProblemFigures { marked, read, right, worded, precision, recall } = of;
    let message = if *right == 0 { 0.0 } else { *worded as f64 / *right as f64 };
    let name = single_line(name, 24);
    format!("{name:24} {marked:>7} {read:>7} {right:>7} {precision:>10.3} {recall:>7.3} {message:>8.3}\n")
}

fn misses(of: &OutputProblems) -> String {
    let told = |what: &str, places: &[String]| -> String {
        places.iter().map(|place| format!("{}: {what} {}\n", line(&of.id), line(place))).collect()
    };
    told("missed", &of.missed) + &told("wrong", &of.wrong)
}
