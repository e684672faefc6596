//! `ken bench fingerprint`.

use super::Outcome;
use super::output::{Failure, Output};
use crate::engine::face::system::{self, Links};
use crate::engine::face::text::{FINGERPRINT_VERSION, decode, single_line};
use crate::eval::{SystemGrouping, group_lines, mean_grouping, parse_lines};
use crate::render::{json_line, shown};
use crate::types::limits::LOG;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Measure how well fingerprints group the lines of logs
///
/// The groups are compared with the statements that printed the lines.
#[derive(Debug, Args)]
#[command(after_help = "\
Columns of the file, whose first row names them:
  system    the system of the log; each system is grouped by itself
  template  a name of the statement that printed the line
  content   the line without its header (time, level, component)

Metrics: grouping accuracy is the share of lines whose group holds exactly the
lines of their template. Precision, recall and F1 are those of pairs of lines.

Examples:
  ken bench fingerprint lines.tsv
  ken bench fingerprint --json lines.tsv | jq .grouping_accuracy")]
pub(super) struct FingerprintArgs {
    /// Tab-separated lines with their templates
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &FingerprintArgs, output: &Output) -> Outcome {
    let mut lines = Vec::new();
    for path in &args.files {
        let name = shown(path).into_owned();
        let bytes = system::read(path, Links::Follow, LOG).map_err(|e| Failure::io(&name, &e))?;
        lines.extend(parse_lines(&name, &decode(&bytes)?)?);
    }
    let systems = group_lines(&lines);
    let all = systems.iter().chain(std::iter::once(&mean_grouping(&systems))).cloned().collect::<Vec<_>>();
    if output.json {
        for one in &all {
            let mut line = json!({"bench": "fingerprint", "version": FINGERPRINT_VERSION});
            if let (Some(line), Ok(serde_json::Value::Object(one))) = (line.as_object_mut(), serde_json::to_value(one))
            {
                line.extend(one);
            }
            output.print(&json_line(&line))?;
        }
        return Ok(0);
    }
    output.print(&table(&all))?;
    Ok(0)
}

fn table(systems: &[SystemGrouping]) -> String {
    let mut text = format!(
        "{:16} {:>7} {:>9} {:>7} {:>9} {:>9} {:>7} {:>7} {:>10}\n",
        "", "lines", "templates", "groups", "accuracy", "precision", "recall", "F1", "lines/s"
    );
    for SystemGrouping { system, grouping, lines_per_s } in systems {
        text.push_str(&format!(
            "{:16} {:>7} {:>9} {:>7} {:>9.3} {:>9.3} {:>7.3} {:>7.3} {:>10.0}\n",
            single_line(system, 16),
            grouping.lines,
            grouping.templates,
            grouping.groups,
            grouping.grouping_accuracy,
            grouping.precision,
            grouping.recall,
            grouping.f1,
            lines_per_s
        ));
    }
    text
}
