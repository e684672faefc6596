//! A report for people: one page that holds everything, opens without a network, and follows the reader's light or
//! dark.

mod charts;
mod drawing;
mod paired;

use super::result::{GateFit, Percentiles, RunResult, Summary};
use super::silence::LEGEND;
use crate::query::Stage;
use drawing::escaped;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// Colours that the style sheet has for runs.
const COLOURS: usize = 6;

/// The page of these results; `against` names the run that the others are compared with, the first if nobody says.
pub fn page(results: &[RunResult], against: Option<&str>) -> String {
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
         questions). Two bars whose intervals overlap can still differ for sure: the tables of differences below pair the \
         questions.</p><div class=\"card\">{}{}</div>",
        escaped(metric),
        legend(&runs),
        charts::quality(&sets, metric, &runs)
    ));
    add(&format!("<div class=\"card\">{}{}</div>", table(&sets), words(results)));
    for (set, results) in &sets {
        add(&of_set(set, results, &runs, against));
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
    out.push_str(
        "<th>noise</th><th>coverage</th><th>oracle</th><th>auc</th><th>p50 ms</th><th>p95 ms</th><th>embedding s</th>\
         <th>tokens/s</th><th>index MB</th></tr>",
    );
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
            let silence = &summary.silence;
            let interval = silence.noise_interval.map(|ends| format!(" [{:.3}, {:.3}]", ends.low, ends.high));
            let share = |share: Option<f64>| share.map_or_else(dash, |share| format!("{share:.3}"));
            let _ = write!(out, "<td>{}{}</td>", share(silence.noise), interval.unwrap_or_default());
            for value in [silence.coverage, silence.oracle_coverage, silence.auc] {
                let _ = write!(out, "<td>{}</td>", share(value));
            }
            let times = summary.latency_ms.as_ref().map(|latency| latency.whole);
            let ms = [times.map(|times| times.p50), times.map(|times| times.p95)];
            for ms in ms {
                let _ = write!(out, "<td>{}</td>", ms.map_or_else(dash, |ms| format!("{ms:.2}")));
            }
            let embedding = summary.embedding.as_ref();
            let seconds = embedding.map_or_else(dash, |one| format!("{:.1}", one.seconds));
            let speed = embedding.map_or_else(dash, |one| format!("{:.0}", one.tokens_per_s()));
            let _ = write!(out, "<td>{seconds}</td><td>{speed}</td>");
            let size = summary.index_bytes.map_or_else(dash, |bytes| format!("{:.1}", bytes as f64 / 1e6));
            let _ = write!(out, "<td>{size}</td></tr>");
        }
    }
    out.push_str("</table>");
    out
}

/// What the columns of the table mean, and which gate was measured.
fn words(results: &[RunResult]) -> String {
    let mut out = String::from("<dl>");
    let mut say = |name: &str, meaning: &str| {
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(meaning));
    };
    for (name, meaning) in LEGEND {
        say(name, meaning);
    }
    say("[low, high]", "95 % interval of the noise, by Wilson");
    say(
        "embedding",
        "time to embed the documents, where their index was made for this report; the runs of a set share it",
    );
    let kinds = [
        (GateFit::Index, "fitted to each index without labels"),
        (GateFit::Calibration, "calibrated, the same for all documents"),
        (GateFit::None, "none: whatever is found is shown"),
    ];
    for (fit, what) in kinds {
        let mut runs: Vec<&str> =
            results.iter().filter(|one| one.gate_fit == Some(fit)).map(|one| one.run.as_str()).collect();
        runs.sort_unstable();
        runs.dedup();
        if !runs.is_empty() {
            say(&format!("gate of {}", runs.join(", ")), what);
        }
    }
    out + "</dl>"
}

fn dash() -> String {
    "–".to_owned()
}

fn of_set(set: &str, results: &[&RunResult], runs: &[&str], against: Option<&str>) -> String {
    let Some(first) = results.first() else { return String::new() };
    let answerable = first.answerable().count();
    let other = first.queries.len() - answerable;
    let mut out = format!("<h2>{}</h2><p>{} documents, {answerable} questions", escaped(set), first.documents);
    if other > 0 {
        let _ = write!(out, ", and {other} that nothing answers");
    }
    let differences = paired::paired(results, against);
    // What other software found says neither how sure it is nor how long it took.
    let results: Vec<&RunResult> = results.iter().copied().filter(|result| result.ranking.is_none()).collect();
    if results.is_empty() {
        return out + ".</p>" + &differences;
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
    out.push_str(&differences);
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
    use super::super::index::Embedding;
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
            gate_fit: Some(if run == "hybrid" { GateFit::Index } else { GateFit::Calibration }),
            foreign: vec![],
            documents: 9,
            left_out: 0,
            embedded: 0,
            embedding: (run == "hybrid").then_some(Embedding { texts: 9, tokens: 5_000, seconds: 2.0 }),
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
        let page = page(&all, None);
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
        let alone = page(&[read.clone()], None);
        assert_eq!(alone.matches("<svg").count(), 1, "{alone}");
        let both = page(&[result("one", "bm25"), read], None);
        assert!(both.matches("<svg").count() == 1 + 2 + 1 && both.contains("<td>–</td><td>–</td>"), "{both}");
    }

    #[test]
    fn of_nothing_is_a_page_too() {
        assert!(page(&[], None).ends_with("</html>\n"));
    }

    #[test]
    fn columns_are_explained_and_differences_are_tested() {
        let mut better = result("one", "hybrid");
        for query in better.queries.iter_mut().filter(|query| query.answerable) {
            query.values[0] += 0.1;
        }
        let both = [result("one", "bm25"), better];
        let found = page(&both, None);
        assert!(found.contains("<dt>oracle</dt>") && found.contains("<dt>gate of hybrid</dt><dd>fitted"), "{found}");
        assert!(found.contains("<td>2.0</td><td>2500</td>"), "embedding in seconds and tokens a second: {found}");
        assert!(found.contains("Differences from bm25") && found.contains("the 4 tests of this table, Holm (1979)"));
        // Both metrics, coverage and noise; what moved alone is called better.
        let row = "<td>ndcg@10</td><td>0.4750</td><td>0.5750</td><td>+0.1000</td><td>[+0.1000, +0.1000]</td>";
        assert!(found.contains(row), "{found}");
        assert_eq!((found.matches("class=\"better\"").count(), found.matches("class=\"worse\"").count()), (1, 0));
        let other = page(&both, Some("hybrid"));
        assert!(other.contains("Differences from hybrid") && other.contains("class=\"worse\""), "{other}");
        assert!(!page(&both[..1], None).contains("Differences from"), "one alone is compared with nothing");
    }
}
