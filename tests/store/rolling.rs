//! Machines that share a store and are changed one after the other: to a newer `ken`, to another model.

use crate::support::ken::{Ran, User};
use crate::support::service::Service;
use crate::support::tiny::Tiny;
use serde_json::json;
use std::process::{Command, Stdio};

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

fn ran(user: &User, arguments: &[&str]) -> Ran {
    let ran = user.ken(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran
}

fn put(user: &User, id: &str, text: &str) -> Ran {
    user.ken_with(&["items", "put", "-"], json!({"id": id, "text": text}).to_string().as_bytes())
}

/// How many vectors of each model there are.
fn vectors(user: &User) -> String {
    user.psql(
        "SELECT split_part(fingerprint, '@', 1) || ' ' || count(*) FROM kenning.vector
         JOIN kenning.model ON model.id = model_id GROUP BY fingerprint ORDER BY fingerprint",
    )
}

/// One machine changes to another model. The other one answers all the while, puts nothing in that the first would not
/// find, and is told how to follow.
#[test]
fn machines_change_to_another_model_one_after_the_other() {
    let one = User::sharing();
    let two = User::beside(&one);
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    Tiny::quick().write(a.path());
    Tiny { seed: 9, ..Tiny::quick() }.write(b.path());
    for (dir, name) in [(&a, "alpha"), (&b, "beta")] {
        ran(&one, &["model", "import", dir.path().to_str().unwrap(), "--name", name]);
    }
    ran(&one, &["model", "use", "alpha"]);
    // An import embeds all packs, so the other machine gets a copy.
    let copied = Command::new("cp").arg("-a").arg(one.home()).arg(two.home()).status();
    assert!(copied.unwrap().success());
    let (pier, tower) = ("The north pier has forty lamps.", "The tower has a bell of bronze.");
    assert_eq!(put(&one, "pier", pier).code, 0);
    assert_eq!(vectors(&one), "alpha 1\n");
    let finds = |user: &User, text: &str| ran(user, &["search", "--min-relevance", "0", text]).out.contains(text);

    let mut using = one.command(&["model", "use", "beta"]);
    let mut using = using.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut is_over = false;
    while !is_over {
        is_over = using.try_wait().unwrap().is_some();
        assert!(finds(&two, pier));
    }
    assert!(using.wait().unwrap().success());
    assert_eq!(vectors(&one), "alpha 1\nbeta 1\n", "the other machine searches with the old ones");

    let refused = put(&two, "tower", tower);
    assert!(refused.code == 6 && refused.err.contains("ken model use beta"), "{refused:?}");
    assert_eq!(put(&one, "tower", tower).code, 0);
    assert!(finds(&two, tower) && finds(&one, tower));

    ran(&two, &["model", "use", "beta"]);
    assert_eq!(put(&two, "gate", "The gate is closed at dusk.").code, 0);
    assert!(finds(&two, tower) && finds(&one, "The gate is closed at dusk."));
    ran(&one, &["gc"]);
    assert_eq!(vectors(&one), "beta 3\n");
    two.assert_sound();
}
