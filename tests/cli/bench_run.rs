use crate::support::ken::{User, write};
use serde_json::{Value, json};
use std::fmt::Write;

const WORDS: [&str; 12] = [
    "anchor", "beacon", "copper", "dynamo", "ember", "falcon", "granite", "harbor", "ivory", "jasmine", "kettle",
    "lantern",
];

/// Thirty-six documents, each about a pair of words; thirty-six questions for them, four that nothing answers.
fn set(user: &User, name: &str, answered: bool) -> String {
    let (mut corpus, mut queries, mut judged) =
        (String::new(), String::new(), String::from("query-id\tcorpus-id\tscore\n"));
    let mut number = 0;
    for (at, first) in WORDS.iter().enumerate() {
        for second in [WORDS[(at + 1) % 12], WORDS[(at + 4) % 12], WORDS[(at + 6) % 12]] {
            let text =
                if answered { format!("The {first} stood beside the {second}.") } else { "Nothing here.".to_owned() };
            let group = format!("g{}", number % 2);
            let record = json!({"_id": format!("d{number}"), "title": "", "text": text, "metadata": {"group": group}});
            writeln!(corpus, "{record}").unwrap();
            let asked = format!("where is the {second} with the {first}");
            writeln!(queries, "{}", json!({"_id": format!("q{number}"), "text": asked, "metadata": {"group": group}}))
                .unwrap();
            writeln!(judged, "q{number}\td{number}\t{}", 1 + number % 2).unwrap();
            number += 1;
        }
    }
    let none: String =
        (0..4).map(|at| json!({"_id": format!("u{at}"), "text": "zebra xylophone"}).to_string() + "\n").collect();
    let folder = user.work().join(name);
    let files = [
        ("corpus.jsonl", corpus),
        ("queries.jsonl", queries),
        ("qrels/test.tsv", judged),
        ("unanswerable.jsonl", none),
    ];
    files.iter().for_each(|(file, text)| drop(write(&folder.join(file), text)));
    folder.to_str().unwrap().to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn words_are_measured_without_a_model() {
    let user = User::new();
    let folder = set(&user, "pairs", true);
    let ran = user.ken(&[
        "bench",
        "run",
        &folder,
        "--run",
        "regex",
        "--run",
        "bm25",
        "--json",
        "--k",
        "1,10",
        "--out",
        "out",
        "--html",
        "page.html",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let all = lines(&ran.out);
    assert_eq!(all.iter().map(|line| line["run"].as_str().unwrap()).collect::<Vec<_>>(), ["regex", "bm25"]);
    let bm25 = &all[1];
    assert_eq!(
        (bm25["set"].as_str(), bm25["queries"].as_u64(), bm25["unanswerable"].as_u64()),
        (Some("pairs"), Some(36), Some(4))
    );
    for metric in ["ndcg@10", "ndcg_binary@10", "mrr", "map", "recall@10", "precision@1", "success@1"] {
        assert_eq!(bm25["metrics"][metric].as_f64().map(|v| v > 0.05), Some(true), "{metric}: {bm25}");
    }
    // Two documents of each pair of words answer alike at least; the right one is among the first.
    assert!(bm25["metrics"]["recall@10"].as_f64() > Some(0.9) && bm25["model"].is_null(), "{bm25}");
    assert_eq!((bm25["silence"]["noise"].as_f64(), bm25["silence"]["auc"].as_f64()), (Some(0.0), Some(1.0)), "{bm25}");
    assert!(bm25["latency_ms"]["p99"].as_f64() >= bm25["latency_ms"]["p50"].as_f64());
    let stages: Vec<&String> = bm25["latency_ms"]["stages"].as_object().unwrap().keys().collect();
    assert_eq!(stages, ["fuse", "rest", "words"], "without a model nothing is embedded, and no vector compared");
    assert!(all[0]["latency_ms"]["stages"].is_null() && bm25["queries_per_s"].as_f64() > Some(0.0));
    assert!(bm25["peak_mib"].as_u64() > Some(1) || !cfg!(target_os = "linux"), "{bm25}");
    assert!(bm25["index_bytes"].as_u64() > Some(1000) && all[0]["index_bytes"].is_null());
    // The files hold the same: the ranking's own figures are those that were printed.
    let ranking = std::fs::read_to_string(user.work().join("out/pairs.bm25.trec")).unwrap();
    let right = ranking.lines().filter(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        fields[3] == "1" && fields[0][1..] == fields[2][1..]
    });
    let success = (right.count() as f64 / 36.0 * 1e4).round() / 1e4;
    assert_eq!(bm25["metrics"]["success@1"].as_f64(), Some(success));
    let kept: Value = serde_json::from_slice(&std::fs::read(user.work().join("out/pairs.bm25.json")).unwrap()).unwrap();
    assert_eq!(
        (kept["queries"].as_array().map(Vec::len), kept["depths"].as_array().map(Vec::len)),
        (Some(40), Some(2))
    );
    // The stages of a question are the whole of its time, and the first hit says why it is first.
    let asked = &kept["queries"][0];
    let sum: f64 = asked["stages"].as_array().unwrap().iter().map(|ms| ms.as_f64().unwrap()).sum();
    assert!((sum - asked["ms"].as_f64().unwrap()).abs() < 0.01, "{asked}");
    let top = &asked["top_hit"];
    assert_eq!((&top["id"], top["rank"].as_u64()), (&asked["top"][0], Some(1)));
    assert!(top["words"].as_f64() > Some(0.0) && top["closeness"].is_number() && top["cosine"].is_null(), "{top}");
    assert!(std::fs::read_to_string(user.work().join("page.html")).unwrap().contains("</svg>"));
    // The user's own index is another one.
    assert_eq!(user.ken(&["status", "--json"]).json()["items"], json!({}));
}

#[test]
fn two_results_are_compared_and_a_loss_is_an_error() {
    let user = User::new();
    let (good, bad) = (set(&user, "pairs", true), set(&user, "other/pairs", false));
    assert_eq!(user.ken(&["bench", "run", &good, "--run", "bm25", "--out", "a", "--json"]).code, 0);
    assert_eq!(user.ken(&["bench", "run", &bad, "--run", "bm25", "--out", "b", "--json"]).code, 0);
    let compare = |a: &str, b: &str| user.ken(&["bench", "compare", a, b, "--json", "--changed-set"]).json();
    let found = compare("a/pairs.bm25.json", "b/pairs.bm25.json");
    let first = &found["deltas"][0];
    assert_eq!((first["metric"].as_str(), first["wins"].as_u64()), (Some("ndcg@10"), Some(0)));
    assert!(first["losses"].as_u64() > Some(30) && first["p"].as_f64() < Some(0.001), "{first}");
    assert!(first["interval"]["high"].as_f64() < Some(0.0), "{first}");
    assert_eq!(found["moved"].as_array().map(Vec::len), Some(10));
    let text =
        user.ken(&["bench", "compare", "a/pairs.bm25.json", "b/pairs.bm25.json", "--metric", "mrr", "--changed-set"]);
    assert!(text.out.contains("moved most by mrr") && text.out.contains(" worse"), "{text:?}");
    assert!(
        text.out.contains("is first and right: words 0.") && text.out.contains("after, nothing was found"),
        "{text:?}"
    );
    assert_eq!(found["moved"][0]["why"].as_array().map(Vec::len), Some(4));

    let gate = |more: &[&str]| user.ken(&[&["bench", "gate", "--baseline", "a/pairs.bm25.json"], more].concat());
    let same = gate(&[]);
    assert_eq!(same.code, 0, "{same:?}");
    let worse = gate(&["--set", &bad, "--changed-set"]);
    assert!(worse.code == 8 && worse.err.contains("ndcg@10"), "{worse:?}");
    assert_eq!(gate(&["--set", &bad, "--changed-set", "--metric", "noise"]).code, 0, "silence has not become worse");
    assert_eq!(gate(&["--metric", "nothing"]).code, 2);
    assert_eq!(user.ken(&["bench", "compare", "a/pairs.bm25.json", "pairs/corpus.jsonl"]).code, 2);
    assert_eq!(user.ken(&["bench", "gate", "--baseline", "none.json"]).code, 9);
}

#[test]
fn what_is_no_set_is_refused_with_its_place() {
    let user = User::new();
    let folder = set(&user, "pairs", true);
    write(&user.work().join("pairs/qrels/test.tsv"), "query-id\tcorpus-id\tscore\nq1\td1\tmany\n");
    let ran = user.ken(&["bench", "run", &folder, "--run", "bm25"]);
    assert!(ran.code == 2 && ran.err.contains("test.tsv, line 2"), "{ran:?}");
    assert_eq!(user.ken(&["bench", "run", "nowhere", "--run", "bm25"]).code, 9);
    assert_eq!(user.ken(&["bench", "run", &folder, "--run", "bm26"]).code, 2);
    set(&user, "pairs", true);
    assert_eq!(user.ken(&["bench", "run", &folder]).code, 4, "hybrid needs a model");
}

/// Equal texts are two documents, of which each may be the right one.
#[test]
fn equal_texts_are_each_ranked() {
    let user = User::new();
    let folder = set(&user, "pairs", true);
    let corpus = user.work().join("pairs/corpus.jsonl");
    let twin = "{\"_id\":\"z\",\"text\":\"The anchor stood beside the beacon.\"}\n";
    write(&corpus, std::fs::read_to_string(&corpus).unwrap() + twin);
    user.ken(&["bench", "run", &folder, "--run", "bm25", "--out", "out"]);
    let ranking = std::fs::read_to_string(user.work().join("out/pairs.bm25.trec")).unwrap();
    let first: Vec<&str> = ranking.lines().filter(|line| line.starts_with("q0 ")).take(2).collect();
    assert!(first[0].starts_with("q0 Q0 d0 1 ") && first[1].starts_with("q0 Q0 z 2 "), "{first:?}");
}

#[cfg(unix)]
#[test]
fn meaning_is_measured_through_the_product_and_embedded_once() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let folder = set(&user, "pairs", true);
    let run =
        |more: &[&str]| lines(&user.ken(&[&["bench", "run", &folder, "--json", "--out", "out"], more].concat()).out);
    let first = run(&[]);
    assert_eq!(first.iter().map(|line| line["run"].as_str().unwrap()).collect::<Vec<_>>(), ["bm25", "dense", "hybrid"]);
    let embedded = |all: &[Value]| all.iter().map(|line| line["embedded"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(embedded(&first), [0, 36, 36]);
    assert!(first[2]["model"].as_str().unwrap().starts_with("bge-small-en-v1.5-int8@"));
    assert!(first[1]["metrics"]["recall@10"].as_f64() > Some(0.8), "{}", first[1]);
    let stages = |line: &Value| line["latency_ms"]["stages"].as_object().unwrap().len();
    assert_eq!((stages(&first[1]), stages(&first[2])), (4, 5), "meaning alone counts no words");
    let table = user.ken(&["bench", "run", &folder, "--run", "hybrid", "--stages"]);
    assert!(table.out.lines().any(|line| line.contains("embed") && line.contains("peak MiB")), "{table:?}");
    let again = run(&["--run", "dense", "--run", "hybrid"]);
    assert_eq!(embedded(&again), [0, 0], "the index is there");
    assert_eq!(again[0]["metrics"], first[1]["metrics"], "and answers as it did");
    // Words, meaning and both are three searches.
    let ranking = |name: &str| std::fs::read_to_string(user.work().join(format!("out/pairs.{name}.trec"))).unwrap();
    let scores = |name: &str| -> Vec<String> {
        ranking(name).lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect()
    };
    assert!(scores("bm25") != scores("dense") && scores("dense") != scores("hybrid"));
    // By group only documents of the question's own group answer.
    run(&["--run", "hybrid", "--group-by", "group"]);
    let hybrid = ranking("hybrid");
    let parity = |field: &str| field[1..].parse::<u32>().unwrap() % 2;
    let grouped = hybrid.lines().filter(|line| line.starts_with('q')).all(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        parity(fields[0]) == parity(fields[2])
    });
    assert!(grouped && hybrid.lines().filter(|line| line.starts_with("q0 ")).count() == 18, "{hybrid}");
}
