use super::{failure, failures, hook, runs};
use crate::support::file_with;
use crate::support::ken::User;
use rusqlite::Connection;

#[test]
fn a_forgotten_session_is_in_no_byte() {
    let user = User::new();
    let error = |word: &str| format!("error: {word} cannot open cache");
    for number in 0..30 {
        hook(&user, failure("zanzibar-1", "grep zanzibarium x", &error("zanzibarium")).to_string().as_bytes());
        hook(&user, failure("other", "grep kettle x", &error("kettle")).to_string().as_bytes());
        // One kind that both met, last by the one that is to go.
        if number == 7 {
            hook(&user, failure("other", "ls", "ls: /a/kettle.txt: No such file or directory").to_string().as_bytes());
            let gone = failure("zanzibar-1", "ls", "ls: /a/zanzibarium.txt: No such file or directory");
            hook(&user, gone.to_string().as_bytes());
        }
    }
    // A copy of the database as an upgrade leaves one.
    std::fs::copy(user.home().join("kenning.db"), user.home().join("kenning.db.schema8.backup")).unwrap();
    assert!(file_with(&user.home(), b"zanzibarium").is_some());
    let ran = user.ken(&["forget", "--session", "zanzibar-1"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("31 runs of tools forgotten, with 2 kinds of failures"), "{ran:?}");
    for word in [&b"zanzibarium"[..], b"zanzibar-1"] {
        assert_eq!(file_with(&user.home(), word), None);
    }
    let found = failures(&user);
    let mut counts: Vec<u64> =
        found["failures"].as_array().unwrap().iter().map(|one| one["count"].as_u64().unwrap()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 30], "{found}");
    let examples: Vec<&str> =
        found["failures"].as_array().unwrap().iter().map(|one| one["example"].as_str().unwrap()).collect();
    assert!(examples.iter().all(|example| example.contains("kettle")), "{examples:?}");
    assert_eq!(user.ken(&["forget", "--session", "zanzibar-1"]).out, "Nothing is kept of this session.\n");
    // The session may go on.
    hook(&user, failure("zanzibar-1", "ls", "x").to_string().as_bytes());
    assert_eq!(runs(&user).iter().find(|run| run["session"] == "zanzibar-1").unwrap()["sequence"], 1);
    user.assert_sound();
}

#[test]
fn old_rows_go_and_stay_counted() {
    let user = User::new();
    for session in ["old", "both"] {
        hook(&user, failure(session, "ls", "ls: x: Permission denied").to_string().as_bytes());
    }
    let database = Connection::open(user.home().join("kenning.db")).unwrap();
    let day = 86_400_000i64;
    for table in [
        "tool_outcome SET at = at - ",
        "outcome_session SET first_at = first_at - ",
        "error_log SET first_at = first_at - ",
    ] {
        database.execute(&format!("UPDATE {table}{}", 100 * day), []).unwrap();
    }
    drop(database);
    hook(&user, failure("both", "ls", "ls: x: Permission denied").to_string().as_bytes());
    user.write("config.toml", "[outcomes]\nkeep_days = 200\n");
    assert_eq!(user.ken(&["gc", "--json"]).json()["outcomes"], 0);
    user.write("config.toml", "");
    let ran = user.ken(&["gc"]);
    assert!(ran.out.contains("2 runs of tools were older than 90 days"), "{ran:?}");
    let left = runs(&user);
    assert_eq!(left.len(), 1);
    assert_eq!((&left[0]["session"], &left[0]["sequence"]), (&"both".into(), &2.into()), "no number is given twice");
    let found = failures(&user);
    assert_eq!((&found["failures"][0]["count"], &found["failures"][0]["sessions"]), (&3.into(), &2.into()), "{found}");
    user.assert_sound();
    // Forgotten after its rows are gone, it is not counted any more either.
    assert_eq!(user.ken(&["forget", "--session", "old"]).code, 0);
    assert_eq!(failures(&user)["failures"][0]["count"], 2);
    user.assert_sound();
}

#[test]
fn a_purge_takes_everything() {
    let user = User::new();
    hook(&user, failure("a", "ls", "x").to_string().as_bytes());
    hook(&user, b"[]");
    assert!(user.home().join("kenning.db.lost").exists());
    assert_eq!(user.ken(&["purge", "--yes"]).code, 0);
    assert!(!user.home().exists() || std::fs::read_dir(user.home()).unwrap().next().is_none());
}
