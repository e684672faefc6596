//! `ken bench ann`.

use super::Outcome;
use super::machine::peak_mib;
use super::output::{Failure, Output};
use super::progress::Meter;
use super::stop;
use crate::config::IndexSettings;
use crate::engine::Progress;
use crate::engine::face::failure::ErrorKind;
use crate::eval::{AnnPlan, AnnReport, Lap, Vectors, measure_ann};
use crate::render::{json_line, shown};
use clap::Args;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Measure the vector index alone: building, opening, recall, time, filters
///
/// Files hold vectors of length 1 as little-endian f32, row after row. Without files, clustered vectors are generated.
/// Recall is the share of the exact ten nearest that is found.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ken bench ann --n 100000
  ken bench ann --vectors base.f32 --queries queries.f32 --recall 0.98 --json")]
pub(super) struct AnnArgs {
    /// A file of vectors to index
    #[arg(long, value_name = "FILE", requires = "queries", conflicts_with = "n")]
    vectors: Option<PathBuf>,
    /// A file of query vectors
    #[arg(long, value_name = "FILE", requires = "vectors")]
    queries: Option<PathBuf>,
    /// How many vectors to generate
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=20_000_000))]
    n: u32,
    /// Dimensions of a vector
    #[arg(long, value_name = "D", default_value_t = 384, value_parser = clap::value_parser!(u16).range(1..=4096))]
    dim: u16,
    /// The recall target, in (0, 1]; at 1 all vectors are compared
    #[arg(long, value_name = "SHARE", default_value_t = IndexSettings::default().recall_target)]
    recall: f64,
    /// Also search only this share of the vectors; repeatable
    #[arg(long = "filter", value_name = "SHARE")]
    filters: Vec<f64>,
}

/// Queries that are made where no file is given.
const QUERIES: usize = 1_000;

pub(super) fn run(args: &AnnArgs, output: &Output) -> Outcome {
    let shares = args.filters.iter().chain([&args.recall]);
    if shares.clone().any(|share| !(*share > 0.0 && *share <= 1.0)) {
        let hint = "--recall 0.99 --filter 0.01";
        return Err(Failure::new(ErrorKind::Usage, "shares lie above 0 and are at most 1".to_owned(), hint));
    }
    let dims = usize::from(args.dim);
    let vectors = match args.vectors.as_ref().zip(args.queries.as_ref()) {
        Some((base, queries)) => {
            Vectors::open(base, queries, dims).map_err(|(path, error)| Failure::io(&shown(path), &error))?
        }
        None => Vectors::synthetic(args.n as usize, QUERIES, dims),
    };
    let total = vectors.rows();
    let plan = AnnPlan { target: args.recall, filters: args.filters.clone(), peak_mib };
    let mut meter = Meter::new(output);
    // From here on Ctrl-C takes the folder away.
    meter.show(Progress::Linking { done: 0, total });
    let folder = tempfile::tempdir().map_err(|e| Failure::io("a folder for temporary files", &e))?;
    let report = measure_ann(&vectors, &plan, folder.path(), &mut |done| {
        meter.show(Progress::Linking { done, total });
        if stop::is_asked_for() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    meter.finish();
    let report = report.map_err(|error| match error.kind() {
        std::io::ErrorKind::Interrupted => Failure::new(ErrorKind::Interrupted, "stopped", "fewer vectors: --n 10000"),
        _ => Failure::io(&shown(folder.path()), &error),
    })?;
    if output.json {
        let mut line = json!({"bench": "ann"});
        if let (Some(line), Ok(Value::Object(report))) = (line.as_object_mut(), serde_json::to_value(&report)) {
            line.extend(report);
        }
        output.print(&json_line(&line))?;
    } else {
        output.print(&table(&report))?;
    }
    Ok(0)
}

fn table(report: &AnnReport) -> String {
    let peak = report.build_peak_mib.map_or_else(String::new, |peak| format!(", {peak} MiB at most"));
    let mut out = format!(
        "{} vectors of {}: built in {:.1} s, measured in {:.1} s, written in {:.1} s{peak}; {:.0} bytes each; opened in {:.2} ms, first \
         search {:.2} ms\n",
        report.n,
        report.dim,
        report.build_s,
        report.certify_s,
        report.write_s,
        report.bytes_per_vector,
        report.open_ms,
        report.first_ms
    );
    match &report.certificate {
        Some(one) => out.push_str(&format!(
            "certificate: ef {}, recall {:.4} [{:.4}, {:.4}], {:.4} of rows find themselves\n",
            one.ef, one.recall[0], one.recall[1], one.recall[2], one.self_found
        )),
        None => out.push_str("no graph reaches this recall for certain: everything is compared\n"),
    }
    out.push_str(&format!("\n{:24} {:>9} {:>10} {:>9} {:>9}\n", "", "recall@10", "queries/s", "p50 us", "p95 us"));
    let mut row = |name: &str, lap: &Lap| {
        out.push_str(&format!(
            "{name:24} {:>9.4} {:>10.0} {:>9.1} {:>9.1}\n",
            lap.recall, lap.qps, lap.p50_us, lap.p95_us
        ));
    };
    row("search", &report.search);
    row("exact, one thread", &report.exact_1);
    row("exact, all threads", &report.exact_all);
    report.widths.iter().for_each(|one| row(&format!("walk, ef {}", one.ef), &one.lap));
    report.filters.iter().for_each(|one| row(&format!("{} % of rows", one.share * 100.0), &one.lap));
    out
}
