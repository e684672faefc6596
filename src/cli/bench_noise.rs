//! `ken bench noise`.

use super::lookup::{FilterArgs, ShowArgs, options};
use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::decode;
use crate::eval::noise;
use crate::render::{json_object, line, shown};
use crate::types::limits::LOG;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Measure how often ordinary text is answered
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench noise /var/log/*.log
  ken bench noise --lines 1,100 --pack docker --pack linux app.log")]
pub(super) struct NoiseArgs {
    /// Logs of healthy systems, or other ordinary text
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Lengths of the windows in lines
    #[arg(long, value_name = "LINES", value_delimiter = ',', default_values_t = [1, 10, 100, 1000, 10_000])]
    lines: Vec<usize>,
    /// How many windows of each length
    #[arg(long, default_value_t = 500, value_name = "COUNT")]
    inputs: usize,
    #[command(flatten)]
    filters: FilterArgs,
    /// List the entries that were shown
    #[arg(long)]
    entries: bool,
}

pub(super) fn run(global: &Global, args: NoiseArgs, output: &Output) -> Outcome {
    let mut texts = Vec::new();
    for path in &args.files {
        let bytes = system::read(path, Links::Follow, LOG).map_err(|e| Failure::io(&shown(path), &e))?;
        texts.push(decode(&bytes)?.into_owned());
    }
    let surroundings = Surroundings::open(global, output)?;
    let engine = surroundings.measured_engine(None);
    let options = options(&surroundings.config.settings().lookup, args.filters, ShowArgs::default());
    let mut meter = Meter::new(output);
    let found = noise(&engine, &texts, &args.lines, args.inputs, &options, &meter.session());
    meter.finish();
    output.tell_notes();
    let found = found?;
    if output.json {
        output.print(&json_object(&json!({"lengths": found})))?;
        return Ok(0);
    }
    let mut text = format!("{:>8} {:>8} {:>8} {:>8} {:>8}\n", "lines", "inputs", "sure", "guessed", "silent");
    for length in &found {
        let percent = |n: usize| 100.0 * n as f64 / length.inputs.max(1) as f64;
        text.push_str(&format!(
            "{:>8} {:>8} {:>7.1}% {:>7.1}% {:>7.1}%\n",
            length.lines,
            length.inputs,
            percent(length.sure),
            percent(length.guessed),
            percent(length.inputs - length.sure - length.guessed)
        ));
        if args.entries {
            length.entries.iter().for_each(|(id, count)| text.push_str(&format!("{count:>17} {}\n", line(id))));
        }
    }
    output.print(&text)?;
    Ok(0)
}
