//! The tables of `ken bench run`, for people: a line a run, times by stage, and what the columns mean.

use crate::engine::face::asking::Stage;
use crate::eval::retrieval::{Embedding, GateFit, LEGEND, Percentiles, Summary};
use crate::render::line;

/// The columns of metrics: nDCG and recall at all depths.
fn columns(depths: &[usize]) -> Vec<String> {
    let at = |name: &str| depths.iter().map(|depth| format!("{name}@{depth}")).collect::<Vec<_>>();
    let single = ["mrr", "map", "success@1"].map(str::to_owned);
    [at("ndcg"), single.to_vec(), at("recall")].concat()
}

/// Columns for the names of sets and of runs.
pub(super) type Widths = (usize, usize);

/// As wide as the longest name, and no narrower than usual.
pub(super) fn widths(sets: &[&str], runs: &[&str]) -> Widths {
    let longest = |names: &[&str]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    (longest(sets).max(16), longest(runs).max(13))
}

pub(super) fn table_head(depths: &[usize], (of_set, of_run): Widths) -> String {
    let mut out = format!("{:of_set$} {:of_run$}", "set", "run");
    columns(depths).iter().for_each(|name| out.push_str(&format!(" {name:>10}")));
    out.push_str(&format!(
        " {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8}\n",
        "noise", "cover", "oracle", "auc", "p50 ms", "p95 ms", "p99 ms"
    ));
    out
}

pub(super) fn table_row(summary: &Summary, depths: &[usize], (of_set, of_run): Widths) -> String {
    let share = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let mut out = format!("{:of_set$} {:of_run$}", line(&summary.set), line(&summary.run));
    for name in columns(depths) {
        let value = summary.metrics.get(&name).and_then(serde_json::Value::as_f64);
        out.push_str(&format!(" {:>10}", value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))));
    }
    let silence = &summary.silence;
    let shares = [silence.noise, silence.coverage, silence.oracle_coverage, silence.auc];
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

/// What it took to embed the documents of a set; nothing if its index was there already.
pub(super) fn embedding_row(summary: &Summary, (of_set, _): Widths) -> String {
    let Some(embedding) = &summary.embedding else { return String::new() };
    let Embedding { texts, tokens, seconds } = embedding;
    let speed = embedding.tokens_per_s();
    format!(
        "{:of_set$} documents embedded: {texts} texts, {tokens} tokens in {seconds:.1} s ({speed:.0} tokens/s)\n",
        ""
    )
}

/// What the columns mean, and which gate was measured.
pub(super) fn legend(summaries: &[Summary], max_noise: f64) -> String {
    let mut out = String::from("\n");
    for (name, meaning) in LEGEND {
        out.push_str(&format!("{name:<8} {meaning}\n"));
    }
    out.push_str("p50 ms   half of the questions are answered in this time; p95, p99: 95 and 99 of 100\n");
    let of = |fit: GateFit| {
        let mut runs: Vec<&str> = Vec::new();
        for summary in summaries.iter().filter(|summary| summary.gate_fit == Some(fit)) {
            if !runs.contains(&summary.run.as_str()) {
                runs.push(&summary.run);
            }
        }
        line(&runs.join(", ")).into_owned()
    };
    let fitted = format!("fitted to each index without labels, for noise of {max_noise:.3} (search.max_noise)");
    let kinds = [
        (GateFit::Index, fitted.as_str()),
        (GateFit::Calibration, "the calibrated one, the same for all documents"),
        (GateFit::None, "none: whatever is found is shown"),
    ];
    for (fit, what) in kinds {
        let runs = of(fit);
        if !runs.is_empty() {
            out.push_str(&format!("gate     of {runs}: {what}\n"));
        }
    }
    out
}

/// p50, p95 and p99 of each stage in milliseconds, questions a second, memory.
pub(super) fn stage_table(summaries: &[Summary], (of_set, of_run): Widths) -> String {
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
