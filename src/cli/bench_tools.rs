//! `ken bench tools`.

use super::output::{Failure, Output};
use super::progress::Meter;
use super::surroundings::Surroundings;
use super::{Global, Outcome};
use crate::eval::{
    FollowedUser, Gain, Hidden, Planned, Ranked, ToolReport, drawn, follow_users, graph_figures, measure_tools,
};
use crate::render::json_line;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Measure how well tools are found for tasks and put in order
#[derive(Debug, Args)]
#[command(after_help = "\
Files of DIR, as JSON lines:
  tools.jsonl      {\"id\": \"a\", \"name\": \"a\", \"description\": \"Does a\"}; server,
                   parameters and tags (or keywords, domains) may be given too
  queries.jsonl    {\"query\": \"do a, then b\", \"tools\": [\"a\", \"b\"]}; edges
                   (pairs of places in tools), conversation and before (tools
                   that were called already) may be given too
  history.jsonl    what was used together: {\"id\": \"h\", \"tools\": [\"a\", \"b\"]},
                   with the query if it is known
  sequences.jsonl  the same of whole conversations, by their names; a request
                   is judged without its own

Words, meaning, both, and all signals with the graph are compared. Intervals
are paired bootstraps against the better of words and meaning.

Examples:
  ken bench tools tools-ultratool/
  ken bench tools --graph edges.jsonl    PageRank, Adamic-Adar and communities
  ken bench tools --thresholds           simulated users of several tempers")]
pub(super) struct ToolsArgs {
    /// Folder with tools.jsonl and queries.jsonl
    #[arg(value_name = "DIR", required_unless_present_any = ["graph", "thresholds"])]
    folder: Option<PathBuf>,
    /// Print what follows from a graph instead: lines {"a": 0, "b": 1, "weight": 2.0}
    #[arg(long, value_name = "FILE", conflicts_with = "folder")]
    graph: Option<PathBuf>,
    /// Follow thresholds of suggestions with simulated users instead
    #[arg(long, conflicts_with_all = ["folder", "graph"])]
    thresholds: bool,
}

pub(super) fn run(global: &Global, args: &ToolsArgs, output: &Output) -> Outcome {
    if let Some(path) = &args.graph {
        output.print(&json_line(&json!({"bench": "tools", "graph": graph_figures(path)?})))?;
        return Ok(0);
    }
    if args.thresholds {
        let users = follow_users();
        output.print(&match output.json {
            true => json_line(&json!({"bench": "tools", "thresholds": users})),
            false => followed(&users),
        })?;
        return Ok(0);
    }
    let Some(folder) = &args.folder else { return Ok(0) };
    let engine = Surroundings::open(global, output)?.measured_engine(None);
    let mut meter = Meter::new(output);
    let report = measure_tools(folder, &engine, &meter.session()).map_err(Failure::from);
    meter.finish();
    let report = report?;
    output.print(&match output.json {
        true => {
            let mut line = json!({"bench": "tools"});
            if let (Some(line), Ok(Value::Object(report))) = (line.as_object_mut(), serde_json::to_value(&report)) {
                line.extend(report);
            }
            json_line(&line)
        }
        false => table(&report),
    })?;
    Ok(0)
}

fn followed(users: &[FollowedUser]) -> String {
    let mut out = "Share accepted by the hundred outcomes; a mind changes after 300. Then the share at the threshold\n\
        after 300 and 600 outcomes with its deviation, and its swing over the last 100 of each.\n\n"
        .to_owned();
    for FollowedUser { user, accepted, at_300, at_end, swing, curve } in users {
        let shares: Vec<String> = accepted.iter().map(|share| format!("{share:.3}")).collect();
        out.push_str(&format!(
            "{user:24} {}  {:.3} +- {:.3}  {:.3} +- {:.3}  {:.3} {:.3}\n{:24} {}\n",
            shares.join(" "),
            at_300.0,
            at_300.1,
            at_end.0,
            at_end.1,
            swing.0,
            swing.1,
            "",
            drawn(curve)
        ));
    }
    out
}

fn table(report: &ToolReport) -> String {
    let ToolReport { tools, requests, histories, density, mix, .. } = report;
    let mut out = format!(
        "{tools} tools, {requests} requests, {} histories, {} of them with their request; density {density:.4}\n\
         weights: text {}, graph {}; sharpness {}\n\n",
        histories.0, histories.1, mix.0, mix.1, mix.2
    );
    let (passing, noise) = report.gate;
    out.push_str(&format!("pass the gate: {passing:.3} of the requests, {noise:.3} of foreign questions\n\n"));
    ranked(&mut out, "requests", &report.found, report.gain.as_ref());
    ranked(&mut out, "after other calls", &report.later, report.later_gain.as_ref());
    if !report.hidden.is_empty() {
        out.push_str(&format!("{:24} {:>9} {:>9} {:>9}\n", "one tool hidden", "MRR", "hit@1", "hit@5"));
        for Hidden { run, mrr, hit_1, hit_5, .. } in &report.hidden {
            out.push_str(&format!("{run:24} {mrr:>9.3} {hit_1:>9.3} {hit_5:>9.3}\n"));
        }
        gain(&mut out, "MRR", report.hidden_gain.as_ref());
    }
    if let Some(plans) = &report.plans {
        out.push_str(&format!(
            "{:24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
            "plans", "requests", "node F1", "edge F1", "edges", "in order", "exact"
        ));
        for (name, of) in [("of the right tools", &plans.given), ("of the tools found", &plans.found)] {
            let Planned { requests, node_f1, edge_f1, edge_recall, in_order, exact } = of;
            out.push_str(&format!(
                "{name:24} {requests:>9} {node_f1:>9.3} {edge_f1:>9.3} {edge_recall:>9.3} {in_order:>9.3} {exact:>9.3}\n"
            ));
        }
        let (pairs, share) = plans.pairs;
        out.push_str(&format!("order of pairs by histories: {share:.3} of {pairs}\n"));
    }
    out
}

fn ranked(out: &mut String, name: &str, runs: &[Ranked], against: Option<&Gain>) {
    if runs.is_empty() {
        return;
    }
    out.push_str(&format!(
        "{name:24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "recall@5", "recall@10", "nDCG@5", "nDCG@10", "full@10", "hit@1"
    ));
    for Ranked { run, recall_5, recall_10, ndcg_5, ndcg_10, full_10, hit_1, .. } in runs {
        out.push_str(&format!(
            "{run:24} {recall_5:>9.3} {recall_10:>9.3} {ndcg_5:>9.3} {ndcg_10:>9.3} {full_10:>9.3} {hit_1:>9.3}\n"
        ));
    }
    gain(out, "recall@5", against);
}

fn gain(out: &mut String, what: &str, gain: Option<&Gain>) {
    if let Some(Gain { over, mean, interval }) = gain {
        out.push_str(&format!("{what} over {over}: {mean:+.3} [{:+.3}, {:+.3}]\n", interval.low, interval.high));
    }
    out.push('\n');
}
