//! A copy in PostgreSQL of the first schema, as the first release's `ken store copy` wrote it: it opens for ever, with
//! everything in it.
//!
//! `tests/compat/postgres-1/store.sql` was made in three steps. [`leave_a_store`] made a store in SQLite. `ken store
//! copy` copied it to a database. `pg_dump --data-only --inserts` wrote the rows and columns that such a copy has in
//! the tables of `0001_first.sql`. The test puts them behind that migration in a database that says it has schema 1.

use crate::support::ken::{Ran, User, run, write};
use crate::support::tiny::Tiny;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn ran_in(user: &User, folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut command = user.command(arguments);
    command.current_dir(folder);
    let ran = run(command, input.as_bytes());
    assert!([0, 1].contains(&ran.code), "{arguments:?}: {ran:?}");
    ran
}

/// Somebody whose store is a database as the first release left it.
fn of_the_first_schema() -> User {
    let user = User::sharing();
    let made = user.psql(&format!(
        "CREATE SCHEMA kenning; SET search_path = kenning; CREATE TABLE schema_version (number bigint NOT NULL);
         INSERT INTO schema_version VALUES (1); {}; {}",
        include_str!("../../index/postgres/0001_first.sql"),
        include_str!("../compat/postgres-1/store.sql")
    ));
    assert!(!made.contains("ERROR"), "{made}");
    assert_eq!(schema(&user), "1\n");
    user
}

fn schema(user: &User) -> String {
    user.psql("SELECT number FROM kenning.schema_version")
}

/// How many rows each table of the first schema has, but for what a store has of its own.
fn rows(user: &User) -> String {
    let created = include_str!("../../index/postgres/0001_first.sql").lines();
    let tables = created.filter_map(|line| line.strip_prefix("CREATE TABLE \"")?.split('"').next());
    let counts = tables
        .filter(|table| *table != "meta")
        .map(|table| format!("SELECT '{table} ' || count(*) FROM kenning.\"{table}\""));
    user.psql(&counts.collect::<Vec<_>>().join(" UNION ALL "))
}

fn told(user: &User, arguments: &[&str]) -> Value {
    let ran = user.ken(arguments);
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran.json()
}

/// What is in it, whichever way it is asked for.
fn assert_all_is_there(user: &User) {
    user.assert_sound();
    for (kind, question, text) in [
        (
            "chunk",
            "where are bees kept",
            "Bees are kept behind the orchard wall, where the morning sun reaches the hives.",
        ),
        ("chunk", "how often are signing keys rotated", "Signing keys are rotated every ninety days."),
        ("chunk", "how many lamps has the north pier", "The north pier has forty"),
        ("fact", "when are keys rotated", "Keys are rotated in May"),
    ] {
        let found = told(user, &["search", "--json", "--min-relevance", "0", "--kind", kind, question]);
        assert!(found["results"].to_string().contains(text), "{question}: {found}");
    }
    let texts = user.texts();
    assert!(texts.iter().any(|text| text == "The north pier has forty \u{0}lamps."), "{texts:?}");
    assert!(!user.dump().contains("swordfish"), "it was forgotten before");
    let status = told(user, &["status", "--json"]);
    let shown = json!([status["files"], status["items"]["chunk"], status["without_vector"], status["forgotten"]]);
    assert_eq!(shown, json!([4, 4, 0, 1]), "{status}");
    let memories = told(user, &["memory", "list", "--json"]);
    assert!(memories.to_string().contains("Keys are rotated in May"), "{memories}");
    assert_eq!(user.ken(&["memory", "replay", "--check"]).code, 0);
    let tools = told(user, &["tools", "list", "--json"]);
    assert_eq!(tools["tools"].as_array().unwrap().len(), 2, "{tools}");
    assert!(told(user, &["patterns", "list", "--json"]).to_string().contains("apt-get install -y jq"));
    let item = told(user, &["items", "get", "pier", "--json"]);
    assert!(item.to_string().contains("2.5"), "{item}");
}

#[test]
fn a_database_of_the_first_schema_opens_with_everything_in_it() {
    let user = of_the_first_schema();
    let before = rows(&user);
    assert_eq!(before.matches(" 0\n").count(), 3, "most tables have rows: {before}");
    // Whoever brings it up to date first is killed, now and then.
    for kill in 0..6 {
        let mut first = user.command(&["status"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(kill * 15));
        first.kill().unwrap();
        first.wait().unwrap();
    }
    let opened = user.ken(&["status"]);
    assert_eq!(opened.code, 0, "{opened:?}");
    assert_eq!(rows(&user), before);
    let texts = user.texts();
    let fresh = User::sharing();
    assert_eq!(fresh.ken_with(&["items", "put", "-"], br#"{"id": "a", "text": "b"}"#).code, 0);
    assert_eq!(schema(&user), schema(&fresh));
    // What items are found by is made by the next `ken gc`.
    for arguments in [&["gc"][..], &["doctor", "--repair"], &["gc"]] {
        assert_eq!(user.ken(arguments).code, 0, "{arguments:?}");
        assert_all_is_there(&user);
    }
    assert_eq!(user.texts(), texts);

    // It goes into a file, and from there into another database of the first schema.
    let file = User::new();
    let folder = file.home();
    let folder = folder.to_str().unwrap();
    let here = user.store().unwrap();
    assert_eq!(told(&user, &["store", "copy", "--json", "--from", here, "--to", folder])["same"], true);
    let other = of_the_first_schema();
    let there = other.store().unwrap();
    assert_eq!(told(&other, &["store", "copy", "--json", "--from", folder, "--to", there])["same"], true);
    assert_all_is_there(&other);
    assert_eq!([other.texts(), file.texts()], [&texts; 2].map(Clone::clone));

    // And it is gone on with.
    assert_eq!(user.ken_with(&["items", "put", "-"], br#"{"id": "pier", "text": "The pier is gone."}"#).code, 0);
    assert_eq!(user.ken(&["remember", "The tower has a bell"]).code, 0);
    let changed = user.texts();
    assert!(changed.len() == texts.len() && changed.iter().any(|text| text == "The pier is gone."), "{changed:?}");
    user.assert_sound();
}

/// Leaves a store of this version in `$KEN_TEST_COMPAT`: to be run once when a fixture is made.
#[test]
fn leave_a_store() {
    let Some(target) = std::env::var_os("KEN_TEST_COMPAT") else { return };
    // A place that says nothing of the machine it was made on.
    let notes = Path::new("/tmp/kenning-example/notes");
    write(&notes.join("farm.txt"), "Bees are kept behind the orchard wall, where the morning sun reaches the hives.");
    write(&notes.join("keys.md"), "# Operations\n\n## Keys\n\nSigning keys are rotated every ninety days.\n");
    write(&notes.join("more.md"), "# More\n\nSee [keys](keys.md).\n");
    write(&notes.join("safe.md"), "# Safe\n\nThe old password is swordfish.\n");
    let user = User::new();
    let model = user.home().join("tiny");
    Tiny::indexer().write(&model);
    user.write("config.toml", format!("[model]\nname = {model:?}\n"));
    let ken = |arguments: &[&str], input: &str| ran_in(&user, notes, arguments, input);
    ken(&["config", "set", "tools.trace", "true"], "");
    ken(&["index", "."], "");
    let old = user.exported().into_iter().find(|record| record.to_string().contains("swordfish")).unwrap();
    ken(&["forget", old["item"]["uid"].as_str().unwrap()], "");
    let item = json!({"id": "pier", "text": "The north pier has forty \u{0}lamps.", "attributes": {"year": 2.5}});
    ken(&["items", "put", "-"], &item.to_string());
    ken(&["remember", "--author", "person", "Keys are rotated in May"], "");
    let tools = json!([{"name": "rotate_keys", "description": "Rotate the signing keys of a service"},
        {"name": "send_mail", "description": "Send a message to an address by mail"}]);
    write(&notes.join("../tools.json"), tools.to_string());
    ken(&["tools", "add", "../tools.json"], "");
    for session in ["s0", "s1", "s2", "s3"] {
        for task in ["rotate the signing keys of the service", "send a message by mail"] {
            ken(&["tools", "find", "--json", "--session", session, task], "");
            let tool = if task.starts_with("rotate") { "rotate_keys" } else { "send_mail" };
            let used = json!({"session": session, "tool": tool, "input": "x", "exit_code": 0});
            ken(&["hook", "post-tool"], &used.to_string());
        }
        for (input, error) in
            [("make test", "make: jq: No such file or directory"), ("apt-get install -y jq", ""), ("make test", "")]
        {
            let report = json!({"session": session, "tool": "bash", "input": input, "error": error,
                "exit_code": i32::from(!error.is_empty())});
            ken(&["hook", "post-tool"], &report.to_string());
        }
    }
    ken(&["tools", "capabilities", "--json"], "");
    let patterns = ken(&["patterns", "list", "--kind", "recovery", "--json"], "").json();
    ken(&["patterns", "promote", "--author", "person", patterns["patterns"][0]["id"].as_str().unwrap()], "");
    ken(&["search", "--min-relevance", "0", "signing keys"], "");
    // Only a long walk of git's history would leave one.
    let database = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
    database.execute("INSERT INTO repository VALUES ('/tmp/kenning-example', 'repo:0123')", []).unwrap();
    drop(database);
    fs::create_dir_all(&target).unwrap();
    let copied = ken(&["store", "copy", "--to", Path::new(&target).to_str().unwrap()], "");
    assert_eq!(copied.code, 0, "{copied:?}");
}
