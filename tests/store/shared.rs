//! Several machines that use one store in PostgreSQL.

use crate::support::ken::{User, section};
use crate::support::service::Service;
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
