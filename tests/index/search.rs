use crate::support::home;
use crate::support::ken::{User, run};
use crate::support::tiny::Tiny;
use kenning::embed::DEFAULT_RERANKER;

const KEYS: &str =
    "Signing keys are rotated every ninety days; the on-call engineer runs the rotation script and announces it.";
const BEES: &str =
    "Bees are kept behind the orchard wall, where the morning sun reaches the hives before anything else.";
const RETRY: &str =
    "A failed request is retried three times with doubling pauses; after that the job goes to the dead-letter queue.";

fn notes(user: &User) {
    user.document("ops/keys.md", format!("# Operations\n\n## Keys\n\n{KEYS}\n"));
    user.document("ops/retry.md", format!("# Operations\n\n## Jobs\n\n{RETRY}\n"));
    user.document("farm.txt", BEES);
}

fn hits(json: &serde_json::Value) -> Vec<(String, String)> {
    let hits = json["results"][0]["hits"].as_array().unwrap();
    let text = |hit: &serde_json::Value, field: &str| hit[field].as_str().unwrap_or("").to_owned();
    hits.iter().map(|hit| (text(hit, "kind"), text(hit, "snippet"))).collect()
}

/// The whole way with the real model: a question in other words is answered, one about nothing that is known is not.
#[test]
fn a_question_in_other_words_is_answered_or_not_at_all() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    notes(&user);
    let ran = user.ken(&["index", ".", "--json"]).json();
    assert_eq!((ran["embedded"].as_u64(), ran["without_vector"].as_u64()), (Some(3), Some(0)));
    let found = user.ken(&["search", "--json", "--explain", "how often are the signing keys replaced"]);
    let json = found.json();
    assert_eq!((found.code, json["results"][0]["semantic"].as_str()), (0, Some("on")), "{found:?}");
    let hit = json["results"][0]["hits"][0].clone();
    assert_eq!((hit["kind"].as_str(), hit["title"].as_str()), (Some("chunk"), Some("Operations > Keys")));
    assert!(hit["path"].as_str().unwrap().ends_with("ops/keys.md"));
    assert_eq!((hit["line_start"].as_u64(), hit["line_end"].as_u64()), (Some(5), Some(5)));
    assert!(hit["explain"]["margin"].as_f64().unwrap() >= 0.0 && hit.get("cause").is_none());
    let silent = user.ken(&["search", "--json", "the best seats at the opera in Verona"]);
    assert_eq!((silent.code, silent.json()["results"][0]["verdict"].as_str()), (1, Some("none")), "{silent:?}");
    // The canon is part of everything.
    let canon = user.ken(&["search", "--json", "terraform says somebody else is holding the lock on the state"]).json();
    assert_eq!(canon["results"][0]["hits"][0]["id"], "terraform-aws/state-lock");
    let only = user.ken(&["search", "--json", "--kind", "chunk", "terraform says somebody else holds the state lock"]);
    assert!(hits(&only.json()).iter().all(|(kind, _)| kind == "chunk"));
    // A second indexing embeds nothing, and so does a copy of what is known.
    user.document("copy/keys.md", format!("# Operations\n\n## Keys\n\n{KEYS}\n"));
    let again = user.ken(&["index", ".", "--json"]).json();
    assert_eq!((again["files_added"].as_u64(), again["embedded"].as_u64()), (Some(1), Some(0)));
    let twice = user.ken(&["search", "--json", "how often are the signing keys replaced"]).json();
    assert_eq!(twice["results"][0]["hits"][0]["also_in"].as_u64(), Some(1), "the same text is shown once");
    user.assert_sound();
}

/// What nothing answers as it is spelt is asked again as it was meant, and that is told.
#[test]
fn a_slip_of_the_pen_is_put_right() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    notes(&user);
    // Of so many texts most lack a word, so that one which holds it stands out.
    for job in 0..30 {
        let text = format!("update jobs_{job} set attempts = {job}, state = 'new' where id = {job} and kind = 'mail';");
        user.document(&format!("jobs/{job}.sql"), text);
    }
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let ask = |question: &str| user.ken(&["search", "--dry-run", "--kind", "chunk", question]);
    let found = ask("orchrd");
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.starts_with("farm.txt:1") && found.err.contains("searched for `orchard`"), "{found:?}");
    for question in ["orchard", "the orchestra"] {
        let ran = ask(question);
        assert!(!ran.err.contains("searched for"), "{ran:?}");
    }
}

#[test]
fn what_came_near_to_the_gate_is_named_with_its_place() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    notes(&user);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let question =
        ["search", "--dry-run", "--kind", "chunk", "--min-relevance", "0.6", "how often are the signing keys replaced"];
    let ran = user.ken(&question);
    assert!(ran.code == 1 && ran.out.is_empty(), "{ran:?}");
    assert!(ran.err.contains("Nothing sure. Closest: ops/keys.md:5 Operations > Keys ("), "{ran:?}");
    let answer = user.ken(&[&["--json"], &question[..]].concat()).json();
    let finding = &answer["results"][0];
    assert!(finding["hits"].as_array().unwrap().is_empty() && finding["verdict"] == "none", "{answer:#}");
    assert_eq!(
        (finding["candidates"][0]["line_start"].as_u64(), finding["candidates"].as_array().unwrap().len()),
        (Some(5), 1)
    );
    // What lies in a file that is gone is not near either.
    std::fs::remove_file(user.work().join("ops/keys.md")).unwrap();
    assert!(!user.ken(&question).err.contains("keys.md"));
}

/// A cross-encoder changes the order and nothing else: who is there and how sure stays, the scores are dealt out anew.
#[test]
fn a_cross_encoder_has_a_say_in_the_order_alone() {
    home::installed(DEFAULT_RERANKER);
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    notes(&user);
    let capital =
        "Paris has been the capital of France for most of a thousand years, with Versailles and Vichy between.";
    user.document("france.txt", capital);
    user.document("germany.txt", "The capital of Germany is Berlin; before 1990 the capital of West Germany was Bonn.");
    user.document(
        "money.txt",
        "What is capital? Capital is what earns more capital; France taxes it, and so do others.",
    );
    user.ken(&["index", "."]);
    let ask = |more: &[&str]| {
        let question = ["search", "--json", "--dry-run", "--min-relevance", "0", "-n", "50", "--kind", "chunk"];
        user.ken(&[&question, more, &["what is the capital of france"]].concat()).json()["results"][0].clone()
    };
    let (plain, read) = (ask(&[]), ask(&["--rerank", "--explain"]));
    assert!(plain.get("reranked").is_none() && read["reranked"] == true, "{read}");
    let list = |finding: &serde_json::Value, field: &str| -> Vec<f64> {
        finding["hits"].as_array().unwrap().iter().map(|hit| hit[field].as_f64().unwrap()).collect()
    };
    assert!(list(&plain, "score").len() == 6 && list(&plain, "score") == list(&read, "score"), "{plain} {read}");
    let sure = |finding: &serde_json::Value| {
        let hits = finding["hits"].as_array().unwrap().iter();
        let mut all: Vec<_> = hits.map(|hit| (hit["id"].to_string(), hit["relevance"].to_string())).collect();
        all.sort();
        all
    };
    assert_eq!(sure(&plain), sure(&read));
    let best = &read["hits"][0];
    assert!(best["path"].as_str().unwrap().ends_with("france.txt"), "{read}");
    let logit = |hit: &serde_json::Value| hit["explain"]["rerank"].as_f64().unwrap();
    assert!(logit(best) > 3.0 && read["hits"].as_array().unwrap()[1..].iter().all(|hit| logit(hit) < logit(best)));
    let text = user.ken(&["search", "--rerank", "--explain", "--min-relevance", "0", "what is the capital of france"]);
    assert!(text.out.contains("score 0.") && text.out.contains("cross-encoder +"), "{text:?}");
    // It makes no vectors, so it cannot be the model in use.
    let refused = user.ken(&["model", "use", DEFAULT_RERANKER]);
    assert!(refused.code == 2 && refused.err.contains("is a reranker, not an encoder"), "{refused:?}");
    let listed = user.ken(&["model", "list", "--json"]).json();
    let of =
        |name: &str| listed["models"].as_array().unwrap().iter().find(|m| m["name"] == name).unwrap()["kind"].clone();
    assert_eq!((of(DEFAULT_RERANKER), of("bge-small-en-v1.5-int8")), ("reranker".into(), "encoder".into()));
}

#[test]
fn a_missing_cross_encoder_is_an_error_that_says_how_to_get_it() {
    let user = User::new();
    notes(&user);
    user.ken(&["index", "."]);
    let missing = user.ken(&["search", "--json", "--rerank", "signing keys"]);
    assert_eq!((missing.code, missing.json()["error"]["kind"].as_str()), (4, Some("no_model")), "{missing:?}");
    let hint = missing.json()["error"]["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains(&format!("ken model pull {DEFAULT_RERANKER}")), "{hint}");
    assert_eq!(user.ken(&["search", "--min-relevance", "0", "signing keys"]).code, 0, "nobody else needs it");
}

#[test]
fn filters_are_part_of_the_search() {
    let user = User::new();
    notes(&user);
    user.ken(&["index", "."]);
    let search = |more: &[&str]| {
        let arguments = [&["search", "--json", "--min-relevance", "0", "-n", "50", "--kind", "chunk"], more].concat();
        hits(&user.ken(&[&arguments[..], &["keys retried bees"]].concat()).json()).len()
    };
    assert_eq!(search(&[]), 3);
    assert_eq!(search(&["--path", "ops"]), 2);
    assert_eq!(search(&["--path", "ops/keys.md"]), 1);
    assert_eq!(search(&["--path", "op"]), 0, "a folder is no prefix of a name");
    assert_eq!(search(&["--path", "*/k*.md"]), 1);
    user.document("[slug]/page [1].md", "The keys of the bees were retried in a folder with brackets in its name.");
    user.ken(&["index", "."]);
    assert_eq!((search(&["--path", "[slug]"]), search(&["--path", "[slug]/page [1].md"])), (1, 1));
    std::fs::remove_dir_all(user.work().join("[slug]")).unwrap();
    user.ken(&["index", "."]);
    assert_eq!(search(&["--tag", "none"]), 0);
    assert_eq!(search(&["--provider", "aws"]), 0);
    assert_eq!(search(&["--scope", "global"]), 3);
    assert_eq!(user.ken(&["search", "--kind", "spell", "x"]).code, 2);
    // Nothing is pushed out by what the filter excludes.
    for number in 0..300 {
        user.document(
            &format!("many/{number}.md"),
            format!("The keys were retried by the bees, time {number} of many in a row of notes."),
        );
    }
    user.ken(&["index", "."]);
    assert_eq!(search(&["--path", "ops"]), 2);
}

#[test]
fn hostile_questions_find_nothing_worse_than_nothing() {
    let user = User::new();
    notes(&user);
    user.ken(&["index", "."]);
    for question in [
        "\" OR * NEAR(keys, 3) ^ : - keys:",
        "'; DROP TABLE item; --",
        "\"\"\"",
        "the of and",
        "🐝🐝🐝",
        "a\u{202e}b\u{1b}[31m",
        "AND OR NOT",
        "keys*",
        "item_fts: keys",
        "{keys} + (bees)",
    ] {
        let ran = user.ken(&["search", "--json", "--min-relevance", "0", question]);
        let hits = ran.json()["results"][0]["hits"].as_array().unwrap().len();
        assert_eq!(ran.code, i32::from(hits == 0), "{question}: {ran:?}");
        assert!(!ran.out.contains('\u{1b}'));
    }
    let long = "keys and bees ".repeat(80_000);
    let found = run(user.command(&["search", "--json", "--min-relevance", "0", "-"]), long.as_bytes());
    assert_eq!((found.code, found.json()["results"][0]["hits"].as_array().unwrap().is_empty()), (0, false));
    for (bad, input) in [("empty", b"".as_slice()), ("binary", b"\x7fELF\0\0\x01\x02")] {
        let ran = run(user.command(&["search", "-"]), input);
        assert!(ran.code == 2 && ran.err.contains("error:"), "{bad}: {ran:?}");
    }
}

#[test]
fn says_why_an_item_is_not_shown() {
    let user = User::new();
    notes(&user);
    user.ken(&["index", "."]);
    let why = |id: &str, more: &[&str]| {
        let arguments =
            [&["search", "--json", "--dry-run", "--why-not", id], more, &["keys are rotated every ninety days"]]
                .concat();
        user.ken(&arguments).json()["results"][0]["why_not"]["stage"].as_str().unwrap().to_owned()
    };
    let all = user.exported();
    let id = |text: &str| {
        let item = all.iter().find(|record| record["item"]["body"] == text).unwrap();
        item["item"]["uid"].as_str().unwrap().to_owned()
    };
    assert_eq!(why(&id(KEYS), &["--min-relevance", "0"]), "shown");
    assert_eq!(why(&id(KEYS), &["--min-relevance", "1"]), "gate");
    assert_eq!(why(&id(BEES), &[]), "candidates");
    assert_eq!(why("chunk/none", &[]), "candidates");
}

/// Vectors of two models are never compared: the index answers with its own until another is complete.
#[test]
fn the_model_of_the_index_changes_whole_or_not_at_all() {
    let user = User::new().with_model("bge-small-en-v1.5-int8");
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other");
    // A tiny model, because a change of model embeds all packs again.
    Tiny::indexer().write(&other);
    let other = other.to_str().unwrap();
    notes(&user);
    user.ken(&["index", "."]);
    let question = "how often are the signing keys replaced";
    // Another model than the index's is refused, with what to do.
    let refused = user.ken(&["search", "--json", "--model", other, question]);
    assert_eq!((refused.code, refused.json()["error"]["kind"].as_str()), (6, Some("mismatch")), "{refused:?}");
    assert!(
        refused.json()["error"]["hint"].as_str().unwrap().contains(&format!("ken model use {other}")),
        "{refused:?}"
    );
    user.document("new.md", "A new paragraph that is not indexed yet and would need a vector of its own.");
    assert_eq!(user.ken(&["index", ".", "--model", other]).code, 6);
    assert_eq!(user.ken(&["search", question]).code, 0, "the index still answers with its own");
    // Changed, everything is embedded again and the old vectors are of no use.
    assert_eq!(user.ken(&["model", "use", other]).code, 0);
    let status = user.ken(&["status", "--json"]).json();
    assert!(status["index_model"].as_str().unwrap().starts_with("other@"), "{status}");
    assert_eq!((status["models_agree"].as_bool(), status["unused_vectors"].as_u64()), (Some(true), Some(3)));
    // How sure is another matter: this model's fit for indexed texts is that of its entries.
    let found = user.ken(&["search", "--json", "--min-relevance", "0", "--kind", "chunk", question]).json();
    assert!(hits(&found)[0].1.contains("ninety days"), "{found}");
    assert_eq!(user.ken(&["search", "--model", "bge-small-en-v1.5-int8", question]).code, 6);
    assert_eq!(user.ken(&["gc", "--json"]).json()["vectors"].as_u64(), Some(3));
    user.assert_sound();
}

/// Indexed without a model, the texts get their vectors when there is one.
#[test]
fn vectors_come_when_the_model_does() {
    let user = User::new();
    notes(&user);
    let ran = user.ken(&["index", "."]);
    assert!(ran.code == 0 && ran.err.contains("ken model pull"), "{ran:?}");
    let tiny = tempfile::tempdir().unwrap();
    Tiny::indexer().write(tiny.path());
    let model = tiny.path().to_str().unwrap();
    let ran = user.ken(&["index", ".", "--json", "--model", model]).json();
    // They are cut anew, by the model's own tokenizer; what comes out is the same.
    assert_eq!((ran["chunks_kept"].as_u64(), ran["embedded"].as_u64()), (Some(3), Some(3)));
    assert_eq!(ran["without_vector"].as_u64(), Some(0));
    user.assert_sound();
}
