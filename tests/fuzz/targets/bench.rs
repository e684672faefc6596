//! What `ken bench` reads: judgements, rankings, sets, results, tables, vectors.

use crate::fuzz::{Reader, Target, about, emptied, files, outcome, sort_of};
use kenning::eval::retrieval::{
    Configuration, Ranking, RunResult, compare, page, read_qrels, read_run, read_set, write_run,
};
use kenning::eval::{Vectors, group_lines, mean_grouping, parse_cases, parse_lines};
use std::path::Path;

const LINES: &[&str] = &[
    "q1",
    "d1",
    "\t",
    " ",
    "Q0",
    "\n",
    "query-id\tcorpus-id\tscore\n",
    "1.0",
    "-1",
    "tag",
    "\u{feff}",
    "\r\n",
    "\u{a0}",
    "\u{2028}",
];

pub const QRELS: Target = Target { name: "qrels", seeds: Vec::new, words: LINES, longest: 64 << 10, reader: qrels };
pub const RANKING: Target =
    Target { name: "ranking", seeds: Vec::new, words: LINES, longest: 64 << 10, reader: ranking };
pub const SET: Target = Target {
    name: "bench-set",
    seeds: Vec::new,
    words: &[
        "=== corpus.jsonl\n",
        "=== queries.jsonl\n",
        "=== qrels/test.tsv\n",
        "=== ranking\n",
        "{\"_id\":\"d1\",\"text\":\"a\"}\n",
        "\"title\":null",
        "\"metadata\":{\"group\":\"g\"}",
        "q1\td1\t1\n",
        "\"_id\":1",
    ],
    longest: 32 << 10,
    reader: set,
};
pub const RESULT: Target = Target {
    name: "bench-result",
    seeds: Vec::new,
    words: &[
        "\"queries\":[]",
        "\"metrics\":[]",
        "\"values\":[]",
        "\"answerable\":false",
        "\"relevance\":",
        "\"ranking\":[]",
        "\"stages\":[]",
        "1e308",
        "-1",
        "\"depths\":[0]",
    ],
    longest: 64 << 10,
    reader: result,
};
/// Labelled cases, labelled lines and runs: the first byte says which.
pub const TABLES: Target = Target {
    name: "bench-tables",
    seeds: Vec::new,
    words: &[
        "system\ttemplate\tcontent\n",
        "\t",
        "\"",
        "\"\"",
        "bm25\n",
        "hybrid",
        ",",
        "=",
        "# a\n",
        "{\"id\":\"a\",\"kind\":\"log\",\"domain\":\"d\",\"text\":\"t\"}\n",
        "\"expect\":[]",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(tables),
};
pub const VECTORS: Target = Target {
    name: "bench-vectors",
    seeds: || vec![vec![0; 64], vec![0x3f; 4096]],
    words: &[],
    longest: 64 << 10,
    reader: vectors,
};

fn qrels(room: &Path) -> Reader {
    let path = room.join("qrels");
    Box::new(move |input| {
        std::fs::write(&path, input).unwrap();
        match read_qrels(&path) {
            Ok(all) => outcome((about(all.len()), about(all.values().map(|judged| judged.len()).sum()))),
            Err(error) => sort_of(&error),
        }
    })
}

fn ranking(room: &Path) -> Reader {
    let (path, again) = (room.join("ranking"), room.join("again"));
    Box::new(move |input| {
        std::fs::write(&path, input).unwrap();
        match read_run(&path) {
            Ok((run, tag)) => {
                let written = write_run(&run, if tag.is_empty() { "t" } else { &tag });
                std::fs::write(&again, written).unwrap();
                let (back, _) = read_run(&again).expect("what is written can be read");
                assert_eq!(back, run, "a ranking comes back as it was written");
                outcome((about(run.len()), about(run.values().map(Vec::len).sum())))
            }
            Err(error) => sort_of(&error),
        }
    })
}

fn set(room: &Path) -> Reader {
    let folder = room.join("set");
    Box::new(move |input| {
        emptied(&folder);
        std::fs::create_dir(folder.join("qrels")).unwrap();
        for (name, bytes) in files(input) {
            if ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "unanswerable.jsonl", "ranking"]
                .contains(&name.as_str())
            {
                std::fs::write(folder.join(name), bytes).unwrap();
            }
        }
        match read_set(&folder) {
            Ok(set) => {
                assert_eq!(set.digest(), read_set(&folder).unwrap().digest());
                let grouped = set.require_field("group", &folder).is_ok();
                let ranked = Ranking::read(&folder.join("ranking"), &set).map_or_else(|error| sort_of(&error), |_| 1);
                outcome((about(set.documents.len()), about(set.queries.len()), set.is_graded(), grouped, ranked))
            }
            Err(error) => sort_of(&error),
        }
    })
}

fn result(room: &Path) -> Reader {
    let path = room.join("result.json");
    Box::new(move |input| {
        std::fs::write(&path, input).unwrap();
        let result = match RunResult::read(&path) {
            Ok(result) => result,
            Err(error) => return sort_of(&error),
        };
        let again: RunResult = serde_json::from_str(&serde_json::to_string(&result).unwrap()).unwrap();
        let _ = (result.name(), result.summary(), result.outcomes(), result.times(), result.latency());
        let html = page(&[result.clone(), again.clone()], None);
        let metric = result.metrics.first().cloned().unwrap_or_default();
        let compared = compare(&result, &again, &metric, 5, &[])
            .map_or_else(|error| sort_of(&error), |found| outcome(format!("{found:?}").len().ilog2()));
        outcome((about(result.queries.len()), html.len().ilog2(), compared))
    })
}

fn tables(input: &[u8]) -> u64 {
    let (first, text) = input.split_first().unwrap_or((&0, &[]));
    let text = String::from_utf8_lossy(text);
    match first % 3 {
        0 => outcome(
            parse_cases("file", &text).map_or_else(|error| sort_of(&error), |cases| u64::from(about(cases.len()))),
        ),
        1 => match parse_lines("file", &text) {
            Ok(lines) => {
                let grouped = group_lines(&lines);
                let mean = mean_grouping(&grouped);
                outcome((about(lines.len()), about(grouped.len()), format!("{mean:?}").len().ilog2()))
            }
            Err(error) => sort_of(&error),
        },
        _ => match Configuration::read_all(&text) {
            Ok(runs) => {
                for run in &runs {
                    let again: Configuration = run.name().parse().expect("a run is read by its name");
                    assert_eq!(again.name(), run.name());
                }
                outcome(about(runs.len()))
            }
            Err(error) => sort_of(&error),
        },
    }
}

fn vectors(room: &Path) -> Reader {
    let path = room.join("vectors");
    Box::new(move |input| {
        std::fs::write(&path, input).unwrap();
        let dims = usize::from(*input.first().unwrap_or(&0)) * 3;
        match Vectors::open(&path, &path, dims) {
            Ok(all) => outcome((about(all.rows()), about(dims))),
            Err((_, error)) => sort_of(&error),
        }
    })
}
