//! `ken bench pack`.

use super::help::tokenizers;
use super::output::Output;
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::frames::Tokenizer;
use crate::eval::packing::{PackPlan, Packed, measure_packing};
use crate::eval::retrieval::{BenchError, SPLIT, read_split};
use crate::render::{json_line, line};
use clap::Args;
use std::path::PathBuf;

/// Measure how much evidence frames hold within a budget
///
/// Frames are compared with rankings and whole files that are cut to the same budget. A frame pays for all its text,
/// the others only for the text of the documents.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench pack sets/locomo --group-by group --file-by session
  ken bench pack sets/docs --file-by path --budget 4000 --json")]
pub(super) struct BenchPackArgs {
    /// Folders of sets
    #[arg(value_name = "DIR", required = true)]
    sets: Vec<PathBuf>,
    /// Budgets in tokens
    #[arg(long = "budget", value_name = "TOKENS", value_delimiter = ',', default_value = "2000,4000,8000")]
    budgets: Vec<usize>,
    /// How tokens are counted
    #[arg(long, value_name = "NAME", default_value_t, value_parser = tokenizers())]
    tokenizer: Tokenizer,
    /// Read the judgements of qrels/NAME.tsv
    #[arg(long, value_name = "NAME", default_value = SPLIT)]
    split: String,
    /// Use only documents that share the question's value of this metadata field
    #[arg(long, value_name = "FIELD")]
    group_by: Option<String>,
    /// Write documents that share this metadata field into one file
    #[arg(long, value_name = "FIELD")]
    file_by: Option<String>,
}

pub(super) fn run(global: &Global, args: BenchPackArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let sets = args.sets.iter().map(|path| read_split(path, &args.split)).collect::<Result<Vec<_>, BenchError>>()?;
    for (set, path) in sets.iter().zip(&args.sets) {
        args.group_by.as_ref().map_or(Ok(()), |name| set.require_field(name, path))?;
    }
    let plan =
        PackPlan { budgets: args.budgets, tokenizer: args.tokenizer, group_by: args.group_by, file_by: args.file_by };
    if !output.json {
        output.print(&format!(
            "{:16} {:>7} {:7} {:>8} {:>8} {:>8} {:>7}  {}\n",
            "set", "budget", "packer", "recall", "all", "tokens", "silent", "pack is ahead by"
        ))?;
    }
    for set in &sets {
        let mut meter = Meter::new(output);
        let measured = measure_packing(set, &surroundings.settings(), &plan, &meter.session());
        meter.finish();
        for one in measured? {
            output.print(&if output.json { json_line(&one) } else { row(&one) })?;
        }
    }
    Ok(0)
}

fn row(one: &Packed) -> String {
    let ahead = one.ahead.as_ref().map_or_else(String::new, |(mean, interval)| {
        format!("{mean:+.4} ({:+.4} to {:+.4})", interval.low, interval.high)
    });
    format!(
        "{:16} {:>7} {:7} {:>8.4} {:>8.4} {:>8.0} {:>7.3}  {ahead}\n",
        line(&one.set),
        one.budget,
        one.packer.name(),
        one.recall,
        one.all,
        one.tokens,
        one.silent
    )
}
