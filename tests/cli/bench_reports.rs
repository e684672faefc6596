//! What reports say of themselves: legends, gates, tests and their correction; sets that are made of what is indexed.

use crate::support::ken::{User, write};
use serde_json::{Value, json};

/// Thirty documents of two words each, and a question for each.
fn set(user: &User, name: &str, words: [&str; 2]) -> String {
    let folder = user.work().join(name);
    let (mut corpus, mut queries, mut judged) = (String::new(), String::new(), String::new());
    for at in 0..30 {
        let (first, second) = (words[0], words[1]);
        let text = format!("The {first}{at} is kept beside the {second}{at} all year.");
        corpus.push_str(&format!("{}\n", json!({"_id": format!("d{at}"), "title": "", "text": text})));
        let asked = format!("where is the {first}{at} kept");
        queries.push_str(&format!("{}\n", json!({"_id": format!("q{at}"), "text": asked})));
        judged.push_str(&format!("q{at}\td{at}\t1\n"));
    }
    for (file, text) in [("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels/test.tsv", judged)] {
        write(&folder.join(file), text);
    }
    folder.to_str().unwrap().to_owned()
}

#[test]
fn the_table_says_what_its_columns_mean_and_which_gate_it_measured() {
    let user = User::new();
    let folder = set(&user, "own", ["anchor", "beacon"]);
    let alone = user.ken(&["bench", "run", &folder, "--run", "bm25", "--run", "regex"]);
    assert_eq!(alone.code, 0, "{alone:?}");
    for name in ["noise", "cover", "oracle", "auc"] {
        assert!(alone.out.lines().any(|line| line.starts_with(name)), "{name}: {alone:?}");
    }
    let gates: Vec<&str> = alone.out.lines().filter(|line| line.starts_with("gate ")).collect();
    assert!(gates.len() == 2 && gates[0].contains("of bm25: fitted to each index without labels"), "{gates:?}");
    assert!(gates[1].contains("of regex: none"), "{gates:?}");
    assert!(alone.err.contains("no unanswerable.jsonl") && alone.err.contains("--foreign DIR"), "{alone:?}");
    let json = user.ken(&["bench", "run", &folder, "--run", "bm25", "--json"]).json();
    assert_eq!((&json["gate_fit"], &json["silence"]["noise"]), (&json!("index"), &Value::Null), "{json}");
    assert!(json["embedding"].is_null(), "without a model nothing is embedded: {json}");
}

#[test]
fn questions_of_other_sets_are_those_without_an_answer() {
    let user = User::new();
    let own = set(&user, "own", ["anchor", "beacon"]);
    let other = set(&user, "other", ["zebra", "violin"]);
    let run =
        |more: &[&str]| user.ken(&[&["bench", "run", &own, "--run", "bm25", "--json", "--out", "out"], more].concat());
    let with = run(&["--foreign", &other, "--foreign", &own]);
    let found = with.json();
    assert_eq!(found["unanswerable"].as_u64(), Some(30), "its own questions are not foreign: {with:?}");
    assert!(!with.err.contains("no unanswerable.jsonl"), "{with:?}");
    let silence = &found["silence"];
    assert!(silence["noise"].is_number() && silence["noise_interval"]["high"].as_f64() > Some(0.0), "{silence}");
    assert!(silence["oracle_coverage"].as_f64() >= silence["coverage"].as_f64(), "{silence}");
    // The gate takes the same questions again.
    let gate = user.ken(&["bench", "gate", "--baseline", "out/own.bm25.json", "--json"]);
    assert_eq!((gate.code, gate.json()["tests"]["family"].as_u64()), (0, Some(2)), "{gate:?}");
    let missing = run(&["--foreign", "nowhere"]);
    assert_eq!(missing.code, 9, "{missing:?}");
    assert_eq!(run(&[]).json()["unanswerable"].as_u64(), Some(0));
}

#[test]
fn comparisons_name_their_tests_and_correct_them() {
    let user = User::new();
    let folder = set(&user, "own", ["anchor", "beacon"]);
    let arguments = ["bench", "run", &folder, "--run", "bm25", "--run", "regex", "--out", "out", "--html", "page.html"];
    let ran = user.ken(&[&arguments[..], &["--against", "regex"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let compare = ["bench", "compare", "out/own.regex.json", "out/own.bm25.json"];
    let text = user.ken(&compare);
    for name in ["paired bootstrap", "paired randomisation test", "Holm (1979)", "p Holm"] {
        assert!(text.out.contains(name), "{name}: {text:?}");
    }
    let json = user.ken(&[&compare[..], &["--json"]].concat()).json();
    let deltas = json["deltas"].as_array().unwrap();
    assert_eq!(json["tests"]["family"].as_u64(), Some(deltas.len() as u64));
    assert!(deltas.iter().all(|delta| delta["p_holm"].as_f64() >= delta["p"].as_f64()), "{json}");
    let page = std::fs::read_to_string(user.work().join("page.html")).unwrap();
    assert!(page.contains("Differences from regex") && page.contains("<dt>oracle</dt>"), "{page}");
    let unknown = user.ken(&[&arguments[..], &["--against", "dense"]].concat());
    assert!(unknown.code == 2 && unknown.err.contains("bm25; regex"), "{unknown:?}");
}

#[test]
fn what_is_indexed_becomes_a_set_to_label() {
    let user = User::new();
    let nothing = user.ken(&["bench", "from-index", "set"]);
    assert!(nothing.code == 3 && nothing.err.contains("ken index"), "{nothing:?}");
    assert!(!user.work().join("set").exists());
    for at in 0..12 {
        let text = format!(
            "# Guide {at}\n\n## Turning the wheel {at}\n\nThe wheel number {at} is turned by hand every morning.\n\n\
             ## Cleaning the mill {at}\n\nSomebody cleans the mill of house {at} before the winter comes.\n"
        );
        write(&user.work().join(format!("notes/n{at}.md")), &text);
    }
    assert_eq!(user.ken(&["index", "notes"]).code, 0);
    let made = user.ken(&["bench", "from-index", "set", "--questions", "15", "--json"]);
    let counts = made.json();
    let asked = counts["questions"].as_u64();
    assert!(made.code == 0 && asked >= Some(12) && asked <= Some(15), "{made:?}");
    assert_eq!(counts["unanswerable"].as_u64(), Some(200));
    assert!(counts["documents"].as_u64() >= Some(12), "{counts}");
    let queries = std::fs::read_to_string(user.work().join("set/queries.jsonl")).unwrap();
    let queries: Vec<Value> = queries.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(queries.iter().all(|query| query["metadata"]["proposed"] == json!(true)), "{queries:?}");
    let paths: std::collections::HashSet<String> =
        queries.iter().map(|query| query["metadata"]["path"].to_string()).collect();
    assert_eq!(paths.len(), 12, "every file has its turn: {queries:?}");
    assert!(user.work().join("set/README.md").exists());
    // It is a set, and what is still proposed is said.
    let ran = user.ken(&["bench", "run", "set", "--run", "bm25", "--json"]);
    let found = ran.json();
    assert_eq!((ran.code, found["queries"].as_u64(), found["unanswerable"].as_u64()), (0, asked, Some(200)));
    assert!(found["metrics"]["recall@10"].as_f64() > Some(0.9), "known items are found by their words: {found}");
    assert!(
        ran.err.contains(&format!("{0} of {0} questions", asked.unwrap())) && ran.err.contains("unanswerable.jsonl"),
        "{ran:?}"
    );
    let again = user.ken(&["bench", "from-index", "set"]);
    assert!(again.code == 2 && again.err.contains("not empty"), "{again:?}");
}

#[cfg(unix)]
#[test]
fn a_calibration_is_shown_before_and_after() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let (own, other) = (set(&user, "own", ["anchor", "beacon"]), set(&user, "other", ["zebra", "violin"]));
    let ran = user.ken(&["bench", "calibrate", &own, &other, "--json"]);
    let found = ran.json();
    for when in ["before", "after"] {
        let figures = &found["figures"][when];
        for name in ["noise", "coverage", "right", "auc"] {
            assert!(figures[name].is_number(), "{when}, {name}: {ran:?}");
        }
        assert!(figures["noise_interval"]["low"].is_number(), "{figures}");
    }
    assert_eq!(found["fitted"]["noise"], found["figures"]["after"]["noise"]);
    let text = user.ken(&["bench", "calibrate", &own, &other]);
    let rows = |name: &str| text.out.lines().filter(|line| line.starts_with(name)).count();
    assert!(rows("before  ") == 2 && rows("after  ") == 1, "a row each, and the legend: {text:?}");
    // What a run took to embed is told once: the second finds the index.
    let run = |path: &str| user.ken(&["bench", "run", path, "--run", "hybrid", "--json"]).json();
    let third = set(&user, "third", ["granite", "harbor"]);
    let first = run(&third);
    let embedding = &first["embedding"];
    assert_eq!((embedding["texts"].as_u64(), first["gate_fit"].as_str()), (Some(30), Some("index")), "{first}");
    assert!(embedding["tokens"].as_u64() > Some(200) && embedding["seconds"].as_f64() > Some(0.0), "{first}");
    assert!(run(&third)["embedding"].is_null());
}
