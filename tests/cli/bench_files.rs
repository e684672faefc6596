use crate::support::ken::{Ran, User, write};

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
