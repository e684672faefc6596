use crate::support::ken::{Ran, User, write};
use serde_json::Value;

const CORPUS: &str = r#"{"_id": 1, "title": null, "text": "the anchor chain of a ship", "metadata": {"group": "sea"}}
{"_id": 2, "title": "Kettle", "text": "boils the water for tea", "metadata": {"group": "home"}}
{"_id": "3", "text": "granite is a hard stone", "metadata": {"group": "land"}}
"#;
const QUERIES: &str = r#"{"_id": 10, "text": "hard stone", "metadata": {"group": "land"}}
{"_id": "2", "text": "kettle", "metadata": {"group": "home"}}
{"_id": 11, "text": "not judged"}
{"_id": "1", "text": "water", "metadata": {"group": "home"}}
"#;
const JUDGED: &str = "query-id\tcorpus-id\tscore\n10\t3\t1.0\n2\t1\t1\n1\t2\t1\n1\t2\t1\n";

/// A set as other tools write them.
fn set(user: &User, name: &str) -> String {
    let folder = user.work().join(name);
    for (file, text) in [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/test.tsv", JUDGED)] {
        write(&folder.join(file), format!("\u{feff}{text}"));
    }
    folder.to_str().unwrap().to_owned()
}

fn bench(user: &User, verb: &str, arguments: &[&str]) -> Ran {
    user.ken(&[&["bench", verb], arguments].concat())
}

fn kept(user: &User, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(user.work().join(name)).unwrap()).unwrap()
}

#[test]
fn other_judgements_are_named_and_can_be_taken() {
    let user = User::new();
    let folder = set(&user, "own");
    std::fs::rename(user.work().join("own/qrels/test.tsv"), user.work().join("own/qrels/dev.tsv")).unwrap();
    let ran = bench(&user, "run", &[&folder, "--run", "bm25"]);
    assert!(ran.code == 2 && ran.err.contains("hint: ") && ran.err.contains("--split dev"), "{ran:?}");
    let ran = bench(&user, "run", &[&folder, "--run", "bm25", "--split", "dev", "--json", "--out", "out"]);
    assert_eq!((ran.code, ran.json()["queries"].as_u64()), (0, Some(3)), "{ran:?}");
    let again = bench(&user, "gate", &["--baseline", "out/own.dev.bm25.json"]);
    assert_eq!(again.code, 0, "the gate measures the same questions: {again:?}");
}

/// The ranking puts what is right first, second and nowhere.
#[test]
fn a_ranking_of_other_software_is_a_run() {
    let user = User::new();
    let folder = set(&user, "own");
    write(&user.work().join("own/unanswerable.jsonl"), "{\"_id\":\"u\",\"text\":\"zebra\"}\n");
    let ranking = "10 Q0 3 1 9.5 tag\n10 Q0 1 2 9.0 tag\n1 Q0 unknown 1 3 tag\n1 Q0 2 2 1 tag\n11 Q0 2 1 1 tag\n";
    write(&user.work().join("other.one.trec"), ranking);
    write(&user.work().join("two.txt"), "10 Q0 3 1 1 t\nu Q0 3 1 1 t\n");
    let ran = bench(
        &user,
        "run",
        &[
            &folder,
            "--ranking",
            "other.one.trec",
            "--ranking",
            "two.txt",
            "--run",
            "bm25",
            "--json",
            "--out",
            "out",
            "--html",
            "page.html",
        ],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let all: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all.iter().map(|one| one["run"].as_str().unwrap()).collect::<Vec<_>>(), ["bm25", "other.one", "two"]);
    let (one, two) = (&all[1], &all[2]);
    assert_eq!(
        (one["metrics"]["mrr"].as_f64(), one["metrics"]["recall@10"].as_f64()),
        (Some(0.5), Some(0.6667)),
        "{one}"
    );
    assert_eq!(one["queries"].as_u64(), Some(3), "a question that is left out counts");
    assert!(one["latency_ms"].is_null() && one["queries_per_s"].is_null() && one["model"].is_null(), "{one}");
    assert!(one["silence"]["auc"].is_null() && one["silence"]["noise"].is_null(), "it was not asked: {one}");
    assert!(two["silence"]["auc"].is_null() && two["silence"]["noise"].as_f64() == Some(1.0), "{two}");
    assert_eq!(kept(&user, "out/own.other.one.json")["ranking"].as_str(), Some("other.one.trec"));
    assert!(std::fs::read_to_string(user.work().join("page.html")).unwrap().contains("other.one"));
    let compared = bench(&user, "compare", &["out/own.bm25.json", "out/own.other.one.json", "--json"]);
    assert_eq!((compared.code, compared.json()["queries"].as_u64()), (0, Some(3)), "{compared:?}");
    // The table, without a model and without other runs.
    let table = bench(&user, "run", &[&folder, "--ranking", "two.txt"]);
    let row = table.out.lines().find(|line| line.contains("two")).unwrap();
    assert!(
        table.code == 0 && table.out.contains("noise") && row.trim_end().ends_with("-        -        -"),
        "{table:?}"
    );
    assert_eq!(bench(&user, "gate", &["--baseline", "out/own.two.json"]).code, 2, "nothing can be measured again");
}

#[test]
fn a_ranking_of_something_else_is_refused() {
    let user = User::new();
    let (folder, other) = (set(&user, "own"), set(&user, "other"));
    write(&user.work().join("strange.txt"), "10 Q0 3 1 1 t\n99 Q0 3 1 1 t\n");
    write(&user.work().join("short.txt"), "10 3 1\n");
    write(&user.work().join("bm25.txt"), "10 Q0 3 1 1 t\n");
    let refused = |arguments: &[&str], words: &str| {
        let ran = bench(&user, "run", arguments);
        assert!(ran.code == 2 && ran.err.contains(words) && ran.err.contains("hint: "), "{ran:?}");
    };
    refused(&[&folder, "--ranking", "strange.txt"], "99");
    refused(&[&folder, "--ranking", "short.txt"], "short.txt, line 1");
    refused(&[&folder, &other, "--ranking", "bm25.txt"], "one set");
    refused(&[&folder, "--ranking", "bm25.txt", "--run", "bm25", "--out", "out"], "own.bm25");
    assert_eq!(bench(&user, "run", &[&folder, "--ranking", "none.txt"]).code, 9);
}

/// Of the questions 1 and 2, whose numbers documents have too, the second alone is its document.
#[test]
fn a_question_does_not_find_itself() {
    let user = User::new();
    let folder = set(&user, "own");
    write(&user.work().join("all.txt"), "2 Q0 2 1 9 t\n2 Q0 1 2 8 t\n1 Q0 1 1 9 t\n1 Q0 2 2 8 t\n");
    let arguments = [&folder, "--run", "regex", "--run", "bm25", "--ranking", "all.txt", "--out", "out"];
    let ran = bench(&user, "run", &[&arguments[..], &["--json"]].concat());
    for line in ran.out.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["left_out"].as_u64(), Some(1), "{line}");
        let ranking = user.work().join(format!("out/own.{}.trec", line["run"].as_str().unwrap()));
        let ranking = std::fs::read_to_string(ranking).unwrap();
        assert!(!ranking.contains("2 Q0 2 "), "{ranking}");
        assert!(ranking.contains("1 Q0 2 "), "what answers stays: {ranking}");
    }
    let table = bench(&user, "run", &arguments[..]).out;
    assert_eq!(table.matches("left out").count(), 3, "{table}");
}

#[test]
fn results_know_their_set_and_their_day() {
    let user = User::new();
    let folder = set(&user, "own");
    let run = |out: &str| assert_eq!(bench(&user, "run", &[&folder, "--run", "bm25", "--out", out]).code, 0);
    run("a");
    run("b");
    let (a, b) = (kept(&user, "a/own.bm25.json"), kept(&user, "b/own.bm25.json"));
    let digest = a["set_digest"].as_str().unwrap();
    assert!(digest.len() == 64 && Some(digest) == b["set_digest"].as_str());
    let day = a["made_at"].as_str().unwrap();
    assert!(day.len() == 20 && day.starts_with("20") && day.ends_with('Z'), "{day}");
    let compare = |more: &[&str]| bench(&user, "compare", &[&["a/own.bm25.json", "b/own.bm25.json"], more].concat());
    let gate = |more: &[&str]| bench(&user, "gate", &[&["--baseline", "a/own.bm25.json"], more].concat());
    assert_eq!((compare(&[]).code, gate(&[]).code), (0, 0));
    // One grade more.
    write(&user.work().join("own/qrels/test.tsv"), JUDGED.replace("2\t1\t1", "2\t1\t0"));
    run("b");
    for ran in [compare(&[]), gate(&[])] {
        assert!(ran.code == 2 && ran.err.contains("changed") && ran.err.contains("--changed-set"), "{ran:?}");
    }
    assert_eq!((compare(&["--changed-set"]).code, gate(&["--changed-set"]).code), (0, 0));
    // Of before digests were kept.
    let mut old = a.clone();
    for key in ["set_digest", "made_at"] {
        old.as_object_mut().unwrap().remove(key);
    }
    write(&user.work().join("a/own.bm25.json"), old.to_string());
    assert_eq!((compare(&[]).code, gate(&[]).code), (0, 0));
    // Another model.
    let mut other = old.clone();
    (old["model"], other["model"]) = ("m@1".into(), "m@2".into());
    write(&user.work().join("a/own.bm25.json"), old.to_string());
    write(&user.work().join("b/own.bm25.json"), other.to_string());
    assert!(compare(&[]).out.contains("the models differ: m@1 -> m@2"), "{:?}", compare(&[]));
    assert_eq!(compare(&["--json"]).json()["models"], serde_json::json!(["m@1", "m@2"]));
}

#[test]
fn files_of_one_name_are_not_written_twice() {
    let user = User::new();
    let (one, two) = (set(&user, "x/own"), set(&user, "y/own"));
    let ran = bench(&user, "run", &[&one, &two, "--run", "regex", "--out", "out"]);
    assert!(ran.code == 2 && ran.err.contains("own.regex") && ran.out.is_empty(), "{ran:?}");
    assert!(!user.work().join("out/own.regex.json").exists());
    assert_eq!(bench(&user, "run", &[&one, &two, "--run", "regex"]).code, 0);
}

#[test]
fn a_field_that_nothing_has_groups_nothing() {
    let user = User::new();
    let folder = set(&user, "own");
    let ran = bench(&user, "run", &[&folder, "--run", "regex", "--group-by", "grp"]);
    assert!(
        ran.code == 2 && ran.err.contains("grp") && ran.err.contains("hint: ") && ran.err.contains("group"),
        "{ran:?}"
    );
    assert_eq!(bench(&user, "run", &[&folder, "--run", "regex", "--group-by", "group"]).code, 0);
}

#[test]
fn every_depth_has_its_columns_and_nothing_is_below_zero() {
    let user = User::new();
    let folder = set(&user, "a-name-that-is-longer-than-its-column");
    write(&user.work().join("empty.txt"), "10 Q0 unknown 1 1 t\n");
    let arguments = [&folder, "--run", "bm25", "--ranking", "empty.txt", "--k", "1,3,10,100"];
    let table = bench(&user, "run", &arguments).out;
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    for depth in [1, 3, 10, 100] {
        assert!(
            head.contains(&format!("ndcg@{depth}").as_str()) && head.contains(&format!("recall@{depth}").as_str()),
            "{table}"
        );
    }
    // The legend stands below, behind an empty line.
    let rows = table.lines().take_while(|line| !line.is_empty());
    let widths: Vec<usize> = rows.filter(|line| !line.contains("left out")).map(str::len).collect();
    assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
    let json = bench(&user, "run", &[&arguments[..], &["--json"]].concat()).out;
    assert!(!table.contains("-0.0") && !json.contains("-0.0"), "{table}{json}");
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is_measured() {
    let user = User::new();
    let folder = set(&user, "own");
    write(&user.work().join("file"), "");
    for arguments in [["--html", "none/page.html"], ["--html", "own"], ["--out", "file"], ["--out", "file/out"]] {
        let ran = bench(&user, "run", &[&[folder.as_str(), "--run", "regex"], &arguments[..]].concat());
        assert!(ran.code == 9 && ran.out.is_empty(), "{ran:?}");
    }
    let ran = bench(&user, "run", &[&folder, "--run", "bm26", "--html", "page.html"]);
    assert!(ran.code == 2 && !user.work().join("page.html").exists());
}

#[test]
fn every_run_is_in_the_help() {
    let help = bench(&User::new(), "run", &["--help"]).out;
    let refused = bench(&User::new(), "run", &[".", "--run", "nothing"]).err;
    let names = refused.split("one of ").nth(1).unwrap().lines().next().unwrap();
    for name in names.split(", ") {
        let found = help.split(|c: char| c.is_whitespace() || c == ',').any(|word| word == name);
        assert!(found, "{name}: {help}");
    }
}
