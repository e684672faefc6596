//! What could not be used is said, once, by every verb: a pack of the user's own that cannot be read makes a note.

use crate::support::ken::{User, run};

/// A call of every verb that reads the packs.
const CALLS: &[&[&str]] = &[
    &["lookup", "error[E0382]: borrow of moved value: `s`"],
    &["lookup", "--json", "nothing that anybody knows"],
    &["run", "--", "sh", "-c", "echo plutonium is low >&2; exit 1"],
    &["search", "harvest of apples"],
    &["search", "--json", "harvest of apples"],
    &["pack", "--task", "harvest of apples", "--budget", "800"],
    &["ask", "ken: search harvest of apples"],
    &["ask", "ken: status"],
    &["index", "."],
    &["index", "--refresh"],
    &["index", "no-such-folder"],
    &["status"],
    &["status", "--brief"],
    &["forget", "chunk/0000"],
    &["forget", "--path", "no-such-file"],
    &["forget", "--list"],
    &["forget", "--undo", "chunk/0000"],
    &["export"],
    &["export", "--markdown", "out"],
    &["import", "no-such-file"],
    &["store", "copy", "--to", "copied"],
    &["store", "compare", "--to", "copied"],
    &["remember", "The early apples are harvested in August"],
    &["dispute", "0000", "--because", "x"],
    &["learn", "a.md"],
    &["memory", "list"],
    &["memory", "history", "0000"],
    &["memory", "replay", "--check"],
    &["outcomes"],
    &["outcomes", "--all"],
    &["doctor"],
    &["doctor", "--repair"],
    &["gc"],
    &["gc", "--auto"],
    &["canon", "list"],
    &["canon", "show", "rust/use-after-move"],
    &["canon", "search", "borrow"],
    &["canon", "check"],
    &["canon", "add", "--pack", "other", "--title", "A title of some words", "--cause", "A cause.", "--fix", "A fix."],
    &["check", "plan.json"],
    &["model", "list"],
    &["model", "use", "no-such-model"],
    &["bench", "embed"],
    &["patterns", "list"],
    &["tools", "list"],
    &["tools", "find", "apples"],
    &["tools", "plan", "apples"],
    &["tools", "capabilities"],
    &["tools", "trace"],
    &["patterns", "propose-canon"],
    &["purge", "--dry-run"],
];

/// Verbs that read no pack: they have nothing to say, and `hook` never says anything. `mcp` and `serve` make notes for
/// a call, and say them in the answer (`tests/serve`).
const WITHOUT: &[&str] =
    &["config", "trust", "completions", "man", "mcp", "gateway", "init", "hook", "serve", "items", "help"];

fn user() -> User {
    let user = User::new();
    user.write("canon/mine.json", "{ this is no pack");
    user.document("a.md", "The first paragraph is about the harvest of the early apples in autumn.");
    user.document("plan.json", r#"{"resource_changes": []}"#);
    user
}

#[test]
fn every_verb_tells_each_note_once() {
    let user = user();
    for call in CALLS {
        let ran = user.ken(call);
        let notes = ran.err.lines().filter(|line| line.starts_with("note:") && line.contains("mine")).count();
        assert_eq!(notes, 1, "{call:?}: {ran:?}");
    }
}

#[test]
fn no_verb_is_missing_here() {
    let help = User::new().ken(&["--help"]).out;
    let verbs = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let verbs: Vec<&str> = verbs.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")).collect();
    assert!(verbs.len() > 15, "{help}");
    for verb in verbs.iter().filter_map(|line| line.split_whitespace().next()) {
        let known = CALLS.iter().any(|call| call[0] == verb) || WITHOUT.contains(&verb);
        assert!(known, "{verb} is not in the table");
    }
}

#[test]
fn who_wants_quiet_has_it() {
    let ran = run(user().command(&["--quiet", "status"]), b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}
