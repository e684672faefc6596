//! Machines that share a store and are changed to a newer `ken` one after the other.

use crate::support::ken::User;
use crate::support::service::Service;
use serde_json::json;

/// A newer `ken` has changed the schema: an older one that runs already answers nothing from what it knew before, and
/// one that starts refuses too.
#[test]
fn an_older_ken_that_runs_already_refuses_the_schema_of_a_newer_one() {
    let user = User::sharing();
    let service = Service::start(&user, &[]);
    let item = json!({"items": [{"id": "pier", "text": "The north pier has forty lamps."}]}).to_string();
    assert_eq!(service.ask("PUT", "/v1/items", &item).status, 200);
    let question = json!({"query": "how many lamps has the north pier", "min_relevance": 0}).to_string();
    let search = || service.ask("POST", "/v1/search", &question);
    // Twice, so that everything that can be kept for the next request is.
    assert!((0..2).all(|_| search().body.contains("forty lamps")));
    let present = user.psql("SELECT number FROM kenning.schema_version");
    assert_eq!(user.psql("UPDATE kenning.schema_version SET number = 999"), "UPDATE 1\n");
    let ask = |method: &str, path: &str, body: &str| service.ask(method, path, body);
    for answer in [
        search(),
        ask("PUT", "/v1/items", &item.replace("forty", "sixty")),
        ask("DELETE", "/v1/items/pier", ""),
        ask("POST", "/v1/memories", r#"{"text": "The pier is closed on Mondays"}"#),
        ask("GET", "/v1/tools", ""),
        search(),
    ] {
        assert!(answer.status >= 400 && answer.body.contains("has schema 999"), "{answer:?}");
    }
    for arguments in
        [&["search", "how many lamps has the north pier"][..], &["index", "."], &["status"], &["doctor"], &["gc"]]
    {
        let ran = user.ken(arguments);
        assert!(ran.code == 6 && ran.err.contains("has schema 999"), "{arguments:?}: {ran:?}");
    }
    assert_eq!(ask("GET", "/healthz", "").status, 200, "it still runs");
    assert_eq!(user.psql("SELECT count(*) FROM kenning.item WHERE body LIKE '%forty%'"), "1\n", "nothing was changed");
    user.psql(&format!("UPDATE kenning.schema_version SET number = {present}"));
    assert!(search().body.contains("forty lamps"));
    user.assert_sound();
}
