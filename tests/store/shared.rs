//! Several machines that use one store in PostgreSQL.

use crate::support::ken::{User, section};
use crate::support::service::Service;
use crate::support::tiny::Tiny;
use serde_json::json;

fn ran(user: &User, arguments: &[&str]) -> String {
    let ran = user.ken(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran.out
}

#[test]
fn what_one_machine_knows_the_other_one_finds() {
    let one = User::sharing();
    let two = User::beside(&one);
    one.document("keys.md", format!("# Keys\n\n{}", section(1, "The signing keys are rotated in May.")));
    ran(&one, &["index", "."]);
    ran(&one, &["remember", "The staging cluster is called heron"]);
    let found = ran(&two, &["search", "--min-relevance", "0", "when are the signing keys rotated"]);
    assert!(found.contains("rotated in May"), "{found}");
    let found = ran(&two, &["search", "--min-relevance", "0", "what is the staging cluster called"]);
    assert!(found.contains("heron"), "{found}");
    assert!(!one.home().join("kenning.db").exists() && !two.home().join("kenning.db").exists());

    // The file is on the other machine: it is neither gone nor taken away.
    let status = two.ken(&["status", "--json"]).json();
    assert_eq!((status["gone"].as_array().unwrap().len(), status["files"].as_u64()), (0, Some(1)), "{status}");
    ran(&two, &["index"]);
    assert!(
        ran(&two, &["search", "--min-relevance", "0", "when are the signing keys rotated"]).contains("rotated in May")
    );

    // On its own machine it is.
    std::fs::remove_file(one.work().join("keys.md")).unwrap();
    ran(&one, &["index"]);
    let found = two.ken(&["search", "--min-relevance", "0", "when are the signing keys rotated"]);
    assert!(!found.out.contains("rotated in May"), "{found:?}");
}

#[test]
fn a_running_service_sees_at_once_what_another_machine_writes_and_forgets() {
    let one = User::sharing();
    let two = User::beside(&one);
    let service = Service::start(&one, &[]);
    let asked = json!({"query": "how many lamps has the north pier", "min_relevance": 0});
    let found = |service: &Service| service.post("/v1/search", &asked).body.contains("forty lamps");
    assert!(!found(&service));
    let item = br#"{"id": "pier", "text": "The north pier has forty lamps."}"#;
    let put = two.ken_with(&["items", "put", "-"], item);
    assert_eq!(put.code, 0, "{put:?}");
    assert!(found(&service));
    ran(&two, &["items", "delete", "pier"]);
    assert!(!found(&service));
}

#[test]
fn a_search_says_that_the_words_of_an_older_copy_are_missing() {
    let user = User::sharing();
    ran(&user, &["remember", "The staging cluster is called heron"]);
    let search = || user.ken(&["search", "--min-relevance", "0", "heron"]);
    let before = search();
    assert!(before.out.contains("called heron") && !before.err.contains("words"), "{before:?}");
    // As a copy of an earlier version is, which had no words.
    let gone = "DELETE FROM kenning.item_words; DELETE FROM kenning.posting; DELETE FROM kenning.word_segment;
        DELETE FROM kenning.dead_words; DELETE FROM kenning.dead_term;
        UPDATE kenning.word_total SET documents = 0, tokens = 0";
    user.client().batch_execute(gone).unwrap();
    let lacking = search();
    assert!(lacking.err.contains("items that are not found by words yet: 1; `ken gc`"), "{lacking:?}");
    ran(&user, &["gc"]);
    let after = search();
    assert!(after.out.contains("called heron") && !after.err.contains("words"), "{after:?}");
}

/// Where the index is not asked, it does not matter what it would find.
#[test]
fn status_says_how_vectors_are_compared_now() {
    let user = User::sharing();
    let model = user.home().join("tiny");
    Tiny::quick().write(&model);
    let configured = |target: &str| {
        user.write("config.toml", format!("[model]\nname = {model:?}\n[index]\nrecall_target = {target}\n"));
    };
    configured("0.98");
    ran(&user, &["remember", "The staging cluster is called heron"]);
    let certificate = r#"{"recall": 0.985, "target": 0.98, "queries": 64, "over_fetch": 2, "vectors": 6000}"#;
    let stored = "INSERT INTO kenning.meta SELECT 'nearest_certificate ' || value, $1 FROM kenning.meta
        WHERE key = 'active_model'";
    assert_eq!(user.client().execute(stored, &[&certificate]).unwrap(), 1);
    let said = ran(&user, &["status"]);
    assert!(said.contains("1 vectors in the store; every vector is compared"), "{said}");
    // It is known by its name.
    let id: i64 = user.client().query_one("SELECT id FROM kenning.model", &[]).unwrap().get(0);
    let made = format!("CREATE INDEX half_vector_hnsw_{id} ON kenning.half_vector (model_id)");
    user.client().batch_execute(&made).unwrap();
    let said = ran(&user, &["status"]);
    assert!(said.contains("searches find 98.5 % of the nearest") && !said.contains("below the target"), "{said}");
    configured("0.99");
    let strict = user.ken(&["status", "--strict"]);
    let short = "the index of vectors has a recall of 0.985, below the target 0.99";
    assert!(strict.code == 8 && strict.out.contains(short) && strict.err.contains(short), "{strict:?}");
    configured("1.0");
    let said = ran(&user, &["status"]);
    assert!(said.contains("1 vectors in the store; every vector is compared"), "{said}");
}
