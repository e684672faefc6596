//! A report for people: one page that holds everything, opens without a network, and follows the reader's light or
//! dark.

mod charts;
mod drawing;

use super::result::{Percentiles, RunResult, Summary};
use crate::query::Stage;
use drawing::escaped;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// Colours that the style sheet has for runs.
const COLOURS: usize = 6;

/// The page of these results.
pub fn page(results: &[RunResult]) -> String {
    let mut runs: Vec<&str> = Vec::new();
    let mut sets: Vec<(&str, Vec<&RunResult>)> = Vec::new();
    for result in results {
        if !runs.contains(&result.run.as_str()) {
            runs.push(&result.run);
        }
        match sets.iter_mut().find(|(name, _)| *name == result.set) {
            Some((_, of)) => of.push(result),
            None => sets.push((&result.set, vec![result])),
        }
    }
    let metric = results.first().and_then(|result| result.metrics.first()).map_or("", String::as_str);
    let mut body = heading(results);
    let mut add = |part: &str| body.push_str(part);
    add(&format!(
        "<h2>Quality</h2><p>{} by set, with the interval that holds the mean with 95 % probability (bootstrap over \
         questions). Two bars whose intervals overlap can still differ for sure: <code>ken bench compare</code> pairs the \
         questions.</p><div class=\"card\">{}{}</div>",
        escaped(metric),
        legend(&runs),
        charts::quality(&sets, metric, &runs)
    ));
    add(&format!("<div class=\"card\">{}</div>", table(&sets)));
    for (set, results) in &sets {
        add(&of_set(set, results, &runs));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>Search, measured</title><style>{STYLE}</style></head>\
         <body><main>{body}<footer>Made by ken bench run. It needs nothing else to be shown.</footer></main></body></html>\n"
    )
}

/// The colour of a run, the same everywhere on the page.
fn colour(runs: &[&str], run: &str) -> String {
    let at = runs.iter().position(|known| *known == run).unwrap_or(0);
    format!("--s{}", at % COLOURS)
}

fn legend(runs: &[&str]) -> String {
    let one =
        |run: &&str| format!("<span><i style=\"background:var({})\"></i>{}</span>", colour(runs, run), escaped(run));
    format!("<div class=\"legend\">{}</div>", runs.iter().map(one).collect::<String>())
}

fn heading(results: &[RunResult]) -> String {
    let mut models: Vec<&str> = results.iter().filter_map(|result| result.model.as_deref()).collect();
    models.dedup();
    let mut out = String::from("<h1>Search, measured</h1><p>");
    if let Some(result) = results.first() {
        let machine = &result.machine;
        let _ = write!(out, "kenning {}", escaped(&result.version));
        if !models.is_empty() {
            let _ = write!(out, ", model {}", escaped(&models.join(", ")));
        }
        let _ = write!(out, ", on {} ({} threads, {})", escaped(&machine.cpu), machine.threads, escaped(&machine.os));
        if let Some(field) = &result.group_by {
            let _ = write!(out, ", searched by {}", escaped(field));
        }
        out.push_str(if result.binary { ", grades above 1 counted as 1." } else { "." });
    }
    out.push_str("</p>");
    out
}

/// All figures; the best of each set and column stands out.
fn table(sets: &[(&str, Vec<&RunResult>)]) -> String {
    let summaries: Vec<Vec<Summary>> =
        sets.iter().map(|(_, results)| results.iter().map(|result| result.summary()).collect()).collect();
    let first = summaries.iter().flatten().next();
    let names: Vec<String> = first.map(|summary| summary.metrics.keys().cloned().collect()).unwrap_or_default();
    let mut out = String::from("<table><tr><th>set</th><th>run</th>");
    names.iter().for_each(|name| out.push_str(&format!("<th>{}</th>", escaped(name))));
    out.push_str("<th>noise</th><th>coverage</th><th>auc</th><th>p50 ms</th><th>p95 ms</th><th>index MB</th></tr>");
    for of_set in &summaries {
        let value = |summary: &Summary, name: &str| summary.metrics.get(name).and_then(serde_json::Value::as_f64);
        for (at, summary) in of_set.iter().enumerate() {
            let _ = write!(
                out,
                "<tr{}><td>{}</td><td>{}</td>",
                if at == 0 { " class=\"first\"" } else { "" },
                escaped(if at == 0 { &summary.set } else { "" }),
                escaped(&summary.run)
            );
            for name in &names {
                let best = of_set.iter().filter_map(|other| value(other, name)).fold(f64::NEG_INFINITY, f64::max);
                match value(summary, name) {
                    Some(own) if own >= best && of_set.len() > 1 => {
                        let _ = write!(out, "<td class=\"best\">{own:.4}</td>");
                    }
                    Some(own) => {
                        let _ = write!(out, "<td>{own:.4}</td>");
                    }
                    None => out.push_str("<td>–</td>"),
                }
            }
            for share in [summary.silence.noise, summary.silence.coverage, summary.silence.auc] {
                let text = share.map_or_else(dash, |share| format!("{share:.3}"));
                let _ = write!(out, "<td>{text}</td>");
            }
            let times = summary.latency_ms.as_ref().map(|latency| latency.whole);
            let ms = [times.map(|times| times.p50), times.map(|times| times.p95)];
            for ms in ms {
                let _ = write!(out, "<td>{}</td>", ms.map_or_else(dash, |ms| format!("{ms:.2}")));
            }
            let size = summary.index_bytes.map_or_else(dash, |bytes| format!("{:.1}", bytes as f64 / 1e6));
            let _ = write!(out, "<td>{size}</td></tr>");
        }
    }
    out.push_str("</table>");
    out
}

fn dash() -> String {
    "–".to_owned()
}

fn of_set(set: &str, results: &[&RunResult], runs: &[&str]) -> String {
    let Some(first) = results.first() else { return String::new() };
    let answerable = first.answerable().count();
    let other = first.queries.len() - answerable;
    let mut out = format!("<h2>{}</h2><p>{} documents, {answerable} questions", escaped(set), first.documents);
    if other > 0 {
        let _ = write!(out, ", and {other} that nothing answers");
    }
    // What other software found says neither how sure it is nor how long it took.
    let results: Vec<&RunResult> = results.iter().copied().filter(|result| result.ranking.is_none()).collect();
    if results.is_empty() {
        return out + ".</p>";
    }
    let own: Vec<&str> = runs.iter().copied().filter(|run| results.iter().any(|result| result.run == *run)).collect();
    // Colours are those of the whole page.
    let shared: String = own
        .iter()
        .map(|run| format!("<span><i style=\"background:var({})\"></i>{}</span>", colour(runs, run), escaped(run)))
        .collect();
    let _ = write!(
        out,
        ".</p><div class=\"legend\">{shared}</div><div class=\"row\"><div class=\"card\"><h3>Risk and coverage</h3><p>How many \
         first hits are wrong when only the surest questions are answered{}. Lower is better; the dot is the gate.</p>{}</div>\
         <div class=\"card\"><h3>Time of a question</h3><p>Box: the middle half; line: 5 to 95 %; dot: 99 %; the number is \
         the median.</p>{}</div></div>",
        if other > 0 { "; answering one that nothing answers is wrong" } else { "" },
        charts::risk(&results, runs),
        charts::times(&results, runs)
    );
    out.push_str(&stages(&results));
    let histogram = |result: &&RunResult| {
        format!("<figure>{}<figcaption>{}</figcaption></figure>", charts::scores(result), escaped(&result.run))
    };
    let kinds = [("--right", "first hit right"), ("--wrong", "first hit wrong"), ("--none", "nothing answers it")];
    let kinds = kinds.iter().filter(|(name, _)| *name != "--none" || other > 0);
    let legend: String =
        kinds.map(|(name, text)| format!("<span><i style=\"background:var({name})\"></i>{text}</span>")).collect();
    let _ = write!(
        out,
        "<div class=\"card\"><h3>Relevance of the best hit</h3><div class=\"legend\">{legend}</div><div class=\"small\">{}</div></div>",
        results.iter().map(histogram).collect::<String>()
    );
    out
}

/// Where the time of a question goes, how many are answered a second, and in how much memory.
fn stages(results: &[&RunResult]) -> String {
    let mut out = String::from(
        "<div class=\"card\"><h3>Time by stage, memory</h3><p>p50, p95 and p99 in milliseconds; each stage has percentiles of its \
         own, which do not add up. Memory is the most that the process held until the run was done, the set and earlier runs \
         included.</p><table><tr><th>run</th>",
    );
    Stage::ALL.iter().for_each(|stage| out.push_str(&format!("<th>{}</th>", stage.name())));
    out.push_str("<th>questions/s</th><th>peak MiB</th></tr>");
    let times = |one: &Percentiles| format!("{:.2} / {:.2} / {:.2}", one.p50, one.p95, one.p99);
    for summary in results.iter().map(|result| result.summary()) {
        let _ = write!(out, "<tr><td>{}</td>", escaped(&summary.run));
        for stage in Stage::ALL {
            let text = summary.latency_ms.as_ref().and_then(|latency| latency.stages.get(stage.name()));
            let text = text.map_or_else(dash, times);
            let _ = write!(out, "<td>{text}</td>");
        }
        let peak = summary.peak_mib.map_or_else(dash, |peak| peak.to_string());
        let rate = summary.queries_per_s.map_or_else(dash, |rate| format!("{rate:.1}"));
        let _ = write!(out, "<td>{rate}</td><td>{peak}</td></tr>");
    }
    out.push_str("</table></div>");
    out
}

#[cfg(test)]
mod tests {
    use super::super::result::{Asked, Machine};
    use super::*;

    fn result(set: &str, run: &str) -> RunResult {
        let asked = |at: usize| Asked {
            id: format!("q{at}"),
            text: "a <b> question".into(),
            answerable: at % 4 != 3,
            values: if at % 4 == 3 { vec![] } else { vec![at as f64 / 40.0, 0.5] },
            ms: 0.5 + at as f64,
            best: at as f64 / 40.0,
            shown: at % 2,
            right: 0,
            first: at.is_multiple_of(3).then_some(1),
            stages: if run == "regex" { vec![] } else { vec![0.0, 0.25, at as f64, 0.5, 0.125] },
            ..Asked::default()
        };
        RunResult {
            format: RunResult::FORMAT,
            set: set.into(),
            split: "test".into(),
            set_digest: None,
            made_at: None,
            path: set.into(),
            run: run.into(),
            ranking: None,
            version: "0.1.0".into(),
            model: Some("m@0".into()),
            machine: Machine { cpu: "<cpu> & \"co\"".into(), threads: 2, os: "linux".into() },
            group_by: None,
            binary: false,
            depths: vec![10],
            gate: 0.4,
            documents: 9,
            left_out: 0,
            embedded: 0,
            index_bytes: Some(1_500_000),
            peak_mib: (run == "hybrid").then_some(57),
            stages: Stage::ALL.map(|stage| stage.name().to_owned()).into(),
            metrics: vec!["ndcg@10".into(), "mrr".into()],
            queries: (0..40).map(asked).collect(),
        }
    }

    #[test]
    fn holds_everything_and_asks_nobody() {
        let all = [result("one", "bm25"), result("one", "hybrid"), result("a<script>", "hybrid")];
        let page = page(&all);
        for outside in ["http:", "https:", "src=", "url(", "@import", "<script", "NaN", "inf"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("a&lt;script&gt;") && page.contains("&lt;cpu&gt; &amp; &quot;co&quot;"));
        // Quality, and for each set risk, times and a histogram for each of its runs.
        assert_eq!(page.matches("<svg").count(), 1 + (2 + 2) + (2 + 1));
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        // Embedding took no part.
        let row = "<tr><td>hybrid</td><td>–</td><td>0.25 / 0.25 / 0.25</td><td>20.00 / 37.00 / 39.00</td>";
        assert!(page.matches(row).count() == 2 && page.matches("<td>57</td></tr>").count() == 2, "{page}");
        assert!(page.contains("prefers-color-scheme: dark") && page.contains("gate 0.40"));
    }

    #[test]
    fn a_ranking_of_a_file_has_its_quality_alone() {
        let mut read = result("one", "theirs");
        read.ranking = Some("theirs.trec".into());
        let alone = page(&[read.clone()]);
        assert_eq!(alone.matches("<svg").count(), 1, "{alone}");
        let both = page(&[result("one", "bm25"), read]);
        assert!(both.matches("<svg").count() == 1 + 2 + 1 && both.contains("<td>–</td><td>–</td>"), "{both}");
    }

    #[test]
    fn of_nothing_is_a_page_too() {
        assert!(page(&[]).ends_with("</html>\n"));
    }
}
