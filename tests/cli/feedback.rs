//! What people say of answers: `ken lookup --worked` and `--wrong`.

use crate::support::ken::{Ran, User, run};

const ERROR: &str = "fatal: refusing to merge unrelated histories";
const ENTRY: &str = "git-ssh/unrelated-histories";
/// Nothing that a pattern matches.
const OWN_WORDS: &str = "the merge robot of our team is grumpy on mondays";

/// In a terminal that is called so.
fn at(user: &User, terminal: &str, arguments: &[&str]) -> Ran {
    let mut command = user.command(arguments);
    command.env("KEN_SESSION", terminal);
    run(command, b"")
}

fn stored(user: &User) -> String {
    std::fs::read_to_string(user.home().join("feedback.jsonl")).unwrap_or_default()
}

#[test]
fn a_wrong_answer_is_left_out_for_its_error_until_it_is_called_right() {
    let user = User::new();
    assert_eq!(at(&user, "one", &["lookup", ERROR]).code, 0);
    let said = at(&user, "one", &["lookup", "--wrong"]);
    assert_eq!((said.code, said.out.starts_with(&format!("{ENTRY} was wrong."))), (0, true), "{said:?}");

    let silent = user.ken(&["lookup", ERROR]);
    assert_eq!(
        (silent.code, silent.err.contains(&format!("Left out, because you said that it is wrong here: {ENTRY}"))),
        (1, true),
        "{silent:?}"
    );
    let json = user.ken(&["lookup", "--json", ERROR]).json();
    assert_eq!(json["results"][0]["rejected"][0], ENTRY, "{json}");
    // Another error that the same entry explains.
    let other = format!("git pull origin main\n{ERROR}\nfatal: Not possible to fast-forward, aborting.");
    let other = user.ken(&["lookup", &other]);
    assert_eq!(other.code, 0, "{other:?}");

    assert_eq!(at(&user, "one", &["lookup", "--worked", ENTRY]).code, 0);
    let answered = user.ken(&["lookup", ERROR]);
    assert!(answered.code == 0 && answered.out.contains("You said: It worked once, was wrong once."), "{answered:?}");
    let json = user.ken(&["lookup", "--json", ERROR]).json();
    assert_eq!(json["results"][0]["hits"][0]["tried"], serde_json::json!({"worked": 1, "wrong": 1}), "{json}");
}

/// The file holds what `--worked` stores, for an error of which the packs know nothing.
#[test]
fn what_worked_answers_the_same_error_again() {
    let user = User::new();
    assert_eq!(user.ken(&["lookup", OWN_WORDS]).code, 1);
    let fingerprint = user.ken(&["lookup", "--json", OWN_WORDS]).json()["results"][0]["error"]["fingerprint"].clone();
    let line = serde_json::json!({"entry": ENTRY, "fingerprint": fingerprint, "worked": true, "at": 1});
    user.write("feedback.jsonl", format!("no feedback\n{line}\n"));
    let json = user.ken(&["lookup", "--json", OWN_WORDS]).json();
    let first = &json["results"][0]["hits"][0];
    assert_eq!((&first["id"], &first["tier"]), (&ENTRY.into(), &"fingerprint".into()), "{json}");
    // Unless a filter leaves it out.
    assert_eq!(user.ken(&["lookup", "--pack", "docker", OWN_WORDS]).code, 1);
}

#[test]
fn an_answer_is_known_to_its_own_terminal_alone_and_nothing_of_the_error_is_kept() {
    let user = User::new();
    assert_eq!(at(&user, "one", &["lookup", ERROR]).code, 0);
    let other = at(&user, "two", &["lookup", "--worked"]);
    assert_eq!((other.code, other.err.contains("ken lookup --worked ID")), (2, true), "{other:?}");
    let unknown = at(&user, "one", &["lookup", "--worked", "git-ssh/unrelated-historie"]);
    assert_eq!((unknown.code, unknown.err.contains(ENTRY)), (2, true), "{unknown:?}");
    assert_eq!(stored(&user), "");
    // By its id in a terminal that never saw it: it counts for the entry.
    let json = at(&user, "two", &["--json", "lookup", "--worked", ENTRY]).json();
    assert_eq!((&json["entry"], &json["fingerprint"]), (&ENTRY.into(), &serde_json::Value::Null), "{json}");
    assert_eq!(at(&user, "one", &["lookup", "--worked"]).code, 0);
    assert_eq!(stored(&user).lines().count(), 2);
    for file in ["feedback.jsonl", "last"].map(|name| user.home().join(name)) {
        let files: Vec<_> = match std::fs::read_dir(&file) {
            Ok(folder) => folder.map(|file| file.unwrap().path()).collect(),
            Err(_) => vec![file],
        };
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.contains(ENTRY) && !text.contains("merge unrelated"), "{text}");
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{}", file.display());
        }
    }
    assert_eq!(user.ken(&["purge", "--yes"]).code, 0);
    assert!(!user.home().join("last").exists() && !user.home().join("feedback.jsonl").exists());
}

/// What somebody says of answers changes no figure.
#[test]
fn measurements_go_without_it() {
    let user = User::new();
    let case =
        serde_json::json!({"id": "one", "kind": "message", "domain": "git-ssh", "text": ERROR, "expect": [ENTRY]});
    user.document("cases.jsonl", format!("{case}\n"));
    assert_eq!(at(&user, "one", &["lookup", ERROR]).code, 0);
    assert_eq!(at(&user, "one", &["lookup", "--wrong"]).code, 0);
    let report = user.ken(&["bench", "builtin", "--cases", "cases.jsonl", "--json"]).json()["report"].take();
    assert_eq!(report["kinds"]["message"]["right"], 1, "{report}");
}

/// A dry run leaves nothing, and neither does a program without a terminal.
#[test]
fn nothing_is_kept_where_nobody_looks() {
    let user = User::new();
    assert_eq!(at(&user, "one", &["lookup", "--dry-run", ERROR]).code, 0);
    assert_eq!(user.ken(&["lookup", ERROR]).code, 0);
    assert!(!user.home().join("last").exists());
}
