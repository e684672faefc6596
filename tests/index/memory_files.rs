use crate::support::ken::{Ran, User, run};
use serde_json::{Value, json};

const ERROR: &str = "error[E0382]: borrow of moved value: `names`\n";

/// A person in a repository of their own.
fn user() -> User {
    let user = User::new();
    user.document(".git/HEAD", "ref: refs/heads/main\n");
    user
}

/// A person says it.
fn said(user: &User, arguments: &[&str]) -> Ran {
    let ran = user.ken(&[arguments, &["--author", "person"]].concat());
    assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    ran
}

fn memories(user: &User) -> Vec<Value> {
    let ran = user.ken(&["memory", "list", "--json", "-n", "1000"]);
    ran.json()["memories"].as_array().unwrap().clone()
}

/// What is served, sorted.
fn served(user: &User) -> Vec<String> {
    let all = memories(user).into_iter().filter(|memory| memory["served"] == true && memory["kind"] != "problem");
    let mut texts: Vec<String> = all.map(|memory| memory["words"]["text"].as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

fn the_one(user: &User, text: &str) -> Value {
    let mut all = memories(user);
    all.retain(|memory| memory["words"]["text"] == text);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.remove(0)
}

/// Events of the log, which comes to what is stored.
fn events(user: &User) -> u64 {
    let ran = user.ken(&["memory", "replay", "--check", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()["events"].as_u64().unwrap()
}

/// Takes a file in; what became of it: added, updated, known, withdrawn.
fn import(user: &User, file: &str) -> [u64; 4] {
    let ran = said(user, &["memory", "import", "--json", file]);
    let of = &ran.json()["files"][0];
    ["added", "updated", "known", "withdrawn"].map(|name| of[name].as_u64().unwrap())
}

/// The first hit for the error.
fn first_hit(user: &User) -> Value {
    user.ken_with(&["lookup", "--json", "-"], ERROR.as_bytes()).json()["results"][0]["hits"][0].clone()
}

#[test]
fn memories_go_out_as_markdown_and_come_in_elsewhere() {
    let user = user();
    user.document("fail.log", ERROR);
    said(&user, &["remember", "Clone the names first", "--error", "fail.log", "--worked"]);
    said(&user, &["remember", "Update the compiler", "--error", "fail.log", "--failed"]);
    said(&user, &["remember", "--category", "naming", "--pattern", "snake_case", "Use snake_case", "--tag", "sql"]);
    let fact = ["remember", "No p4 there", "--service", "ec2", "--region", "eu-west-3", "--subject", "p4"];
    said(&user, &[&fact[..], &["--until", "2099-12-31"]].concat());
    said(
        &user,
        &["remember", "--scope", "global", "--kind", "preference", "# Title\n---\nkind: fact\n---\nNever push"],
    );
    said(&user, &["remember", "It was wrong"]);
    let wrong = the_one(&user, "It was wrong")["id"].as_str().unwrap().to_owned();
    said(&user, &["dispute", &wrong, "--because", "it was"]);
    assert_eq!(user.ken(&["memory", "export", "out"]).code, 0);
    let text = user.ken(&["memory", "export"]).out;
    assert_eq!(std::fs::read_to_string(user.work().join("out/memories.md")).unwrap(), text);

    let other = self::user();
    let file = other.document("memories.md", &text);
    assert_eq!(import(&other, "memories.md"), [5, 0, 0, 0]);
    let shape = |user: &User| -> Vec<Value> {
        let part = |memory: Value| {
            let words = memory["words"].as_object().unwrap().clone();
            let words: serde_json::Map<_, _> = words.into_iter().filter(|(key, _)| key != "evidence").collect();
            let is_global = memory["scope"] == "global";
            let of = |name: &str| memory[name].clone();
            json!([of("kind"), is_global, of("authority"), of("worked"), of("failed"), of("until"), words])
        };
        let all = memories(user).into_iter().filter(|memory| memory["state"] == "active");
        let mut all: Vec<Value> = all.map(part).collect();
        all.sort_by_key(Value::to_string);
        all
    };
    assert_eq!(shape(&user), shape(&other));
    let finding = other.ken_with(&["lookup", "--json", "-"], ERROR.as_bytes()).json()["results"][0].clone();
    let hits = finding["hits"].as_array().unwrap();
    let fix = hits.iter().find(|hit| hit["kind"] == "tactic").unwrap();
    assert_eq!((&fix["tier"], &fix["memory"]["validated"]), (&json!("fingerprint"), &json!(false)));
    assert_eq!(finding["failed"][0]["text"], "Update the compiler");
    // What is known makes no event, wherever it comes from.
    let before = events(&other);
    assert_eq!(import(&other, "memories.md"), [0, 0, 5, 0]);
    let ran = run(other.command(&["memory", "import", "--json", "-"]), text.as_bytes());
    assert_eq!((ran.code, ran.json()["files"][0]["known"].as_u64()), (0, Some(5)), "{ran:?}");
    assert_eq!(events(&other), before);
    // What was written from a memory and edited puts it right, and claims no authority.
    let at_home =
        text.replace("Use snake_case", "Use snake_case in SQL").replace("authority: personal", "authority: org");
    user.document("memories.md", at_home);
    assert_eq!(import(&user, "memories.md"), [0, 1, 4, 0]);
    assert_eq!(the_one(&user, "Use snake_case in SQL")["authority"], "personal");
    // A mistake in its last line: nothing of the file is stored.
    std::fs::write(file, "---\nkind: fact\n---\nNew\n\n---\nkind: fact\nuntil: soon\n---\nOther\n").unwrap();
    let ran = other.ken(&["memory", "import", "memories.md"]);
    assert!(ran.code == 2 && ran.err.contains("memories.md, line 8: `until`"), "{ran:?}");
    assert_eq!(events(&other), before);
}

#[test]
fn a_folder_that_holds_something_else_is_left_alone() {
    let user = user();
    said(&user, &["remember", "Use tabs"]);
    user.document("out/memories.md", "Of my childhood\n");
    let ran = user.ken(&["memory", "export", "out"]);
    assert!(ran.code == 2 && ran.err.contains("holds something else"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(user.work().join("out/memories.md")).unwrap(), "Of my childhood\n");
}

#[test]
fn rules_of_agents_are_refreshed_with_their_file() {
    let user = user();
    let (tabs, push) = ("Use tabs to indent Go files", "Never push to main directly");
    let write = |rules: &[&str]| {
        let rules: String = rules.iter().map(|rule| format!("- {rule}\n")).collect();
        user.document("AGENTS.md", format!("# Rules\n\nThis is a service.\n\n{rules}"));
    };
    write(&[tabs, "Run `just test` before every commit", push]);
    assert_eq!(import(&user, "AGENTS.md"), [3, 0, 0, 0]);
    let memory = the_one(&user, push);
    assert_eq!((&memory["kind"], &memory["source"]), (&json!("preference"), &json!("file")));
    assert_eq!(memory["words"]["evidence"], json!([{"file": "AGENTS.md", "lines": [7, 7]}]));
    let before = events(&user);
    assert_eq!(import(&user, "AGENTS.md"), [0, 0, 3, 0]);
    assert_eq!(events(&user), before);

    // From below the file is the same one.
    write(&["Run `just check` before every commit", tabs, "Name branches after their ticket"]);
    let mut below = user.command(&["memory", "import", "../AGENTS.md", "--author", "person"]);
    std::fs::create_dir_all(user.work().join("src")).unwrap();
    below.current_dir(user.work().join("src"));
    let ran = run(below, b"");
    assert_eq!(ran.out, "../AGENTS.md: 1 added, 1 updated, 1 known, 1 not said any more\n");
    let now = ["Name branches after their ticket", "Run `just check` before every commit", tabs];
    assert_eq!(served(&user), now);
    let gone = the_one(&user, push);
    assert_eq!((&gone["state"], &gone["dispute"]), (&json!("disputed"), &json!("AGENTS.md no longer says so")));
    let before = events(&user);
    assert_eq!(import(&user, "AGENTS.md"), [0, 0, 3, 0]);
    assert_eq!(events(&user), before);

    // It comes back; what a person disputes does not.
    let id = the_one(&user, tabs)["id"].as_str().unwrap().to_owned();
    said(&user, &["dispute", &id, "--because", "this is no Go"]);
    write(&["Run `just check` before every commit", tabs, push]);
    assert_eq!(import(&user, "AGENTS.md"), [0, 1, 2, 1]);
    assert_eq!(served(&user), [push, "Run `just check` before every commit"]);

    // What another file says as well stays until that one drops it too; so does what a person said themselves.
    said(&user, &["remember", "--kind", "preference", "Write short commits"]);
    user.document("CLAUDE.md", format!("- {push}.\n- Write short commits\n"));
    assert_eq!(import(&user, "CLAUDE.md"), [0, 0, 2, 0]);
    std::fs::remove_file(user.work().join("AGENTS.md")).unwrap();
    assert_eq!(import(&user, "AGENTS.md"), [0, 0, 0, 1]);
    assert_eq!(served(&user), [push, "Write short commits"]);
    user.document("CLAUDE.md", "");
    assert_eq!(import(&user, "CLAUDE.md"), [0, 0, 0, 1]);
    assert_eq!(served(&user), ["Write short commits"]);
    assert_eq!(user.ken(&["memory", "import", "GEMINI.md"]).code, 9);
    user.assert_sound();
}

const TEAM: &str = "---
kind: tactic
authority: team
error: |
  error[E0382]: borrow of moved value: `names`
---
Ask the borrow team
";

#[test]
fn what_a_trusted_team_says_stands_before_packs() {
    let user = user();
    assert_eq!(first_hit(&user)["id"], "rust/use-after-move");
    user.document(".ken/memory/rust.md", TEAM);
    // Untrusted, it is not read.
    let ran = user.ken(&["memory", "refresh"]);
    assert!(ran.code == 2 && ran.err.contains("ken trust"), "{ran:?}");
    user.document("a.md", "Some text.\n");
    user.ken(&["index", "a.md"]);
    assert!(!user.home().join("kenning.db").exists() || memories(&user).is_empty());

    let ran = user.ken(&["trust", "--json"]);
    assert_eq!((ran.code, &ran.json()["memory"]["added"]), (0, &json!(1)), "{ran:?}");
    let hit = first_hit(&user);
    assert_eq!(hit["content"]["fix"][0].as_str().or(hit["fix"][0].as_str()), Some("Ask the borrow team"), "{hit}");
    assert_eq!((&hit["overrides_canon"], &hit["memory"]["authority"]), (&json!(true), &json!("team")));
    let memory = the_one(&user, "Ask the borrow team");
    assert_eq!(memory["words"]["evidence"][0]["file"], ".ken/memory/rust.md");
    let before = events(&user);
    for call in [&["trust"][..], &["memory", "refresh"], &["index", "a.md"]] {
        assert_eq!(user.ken(call).code, 0);
    }
    assert_eq!(events(&user), before);

    // Changed, it is served as it was trusted.
    user.document(".ken/memory/rust.md", TEAM.replace("Ask", "Call"));
    assert_eq!(user.ken(&["memory", "refresh"]).code, 2);
    user.ken(&["index", "a.md"]);
    assert_eq!(served(&user), ["Ask the borrow team"]);
    user.ken(&["trust"]);
    assert_eq!(served(&user), ["Call the borrow team"]);
    assert_eq!(the_one(&user, "Call the borrow team")["id"], memory["id"]);

    // A mistake is told with its place, and what it stands in is not trusted.
    user.document(".ken/memory/wrong.md", "---\nkind: fact\nauthority: team\n---\nA\n\n---\nkind: fact\n---\nB\n");
    let ran = user.ken(&["trust"]);
    assert!(ran.code == 2 && ran.err.contains("wrong.md, line 7") && ran.err.contains("authority: team"), "{ran:?}");
    assert_eq!(user.ken(&["trust", "--check", "--json"]).json()["state"], "changed");
    user.document(".ken/memory/wrong.md", "---\nkind: fact\nauthority: team\nglobal: true\n---\nA\n");
    assert_eq!(user.ken(&["trust"]).code, 2);
    std::fs::remove_file(user.work().join(".ken/memory/wrong.md")).unwrap();

    // Without trust, or without its file, it is not served; and comes back.
    for revoked in [true, false] {
        if revoked {
            user.ken(&["trust", "--revoke"]);
        } else {
            std::fs::remove_file(user.work().join(".ken/memory/rust.md")).unwrap();
            user.ken(&["trust"]);
        }
        assert_eq!((served(&user), first_hit(&user)["id"].as_str()), (vec![], Some("rust/use-after-move")));
        user.document(".ken/memory/rust.md", TEAM.replace("Ask", "Call"));
        user.ken(&["trust"]);
        assert_eq!(served(&user), ["Call the borrow team"]);
        assert_eq!(the_one(&user, "Call the borrow team")["authority"], "team");
    }
    user.assert_sound();
}

/// A file of one's own does not put right what the team says.
#[test]
fn what_is_taken_in_changes_nothing_of_the_team() {
    let user = user();
    let fact = |authority: &str, text: &str| {
        format!("---\nkind: fact\nauthority: {authority}\nservice: ec2\nsubject: p4\n---\n{text}\n")
    };
    user.document(".ken/memory/ec2.md", fact("org", "There is no p4"));
    user.ken(&["trust"]);
    user.document("theirs.md", fact("org", "There are many p4"));
    assert_eq!(import(&user, "theirs.md"), [0, 0, 1, 0]);
    assert_eq!(served(&user), ["There is no p4"]);
    // The authority is what the file says now.
    user.document(".ken/memory/ec2.md", fact("team", "There is no p4"));
    user.ken(&["trust"]);
    assert_eq!(the_one(&user, "There is no p4")["authority"], "team");
}

#[test]
fn a_memory_becomes_the_teams_and_stays_one() {
    let user = user();
    said(&user, &["remember", "--category", "naming", "--pattern", "snake_case", "Use snake_case for tables"]);
    said(&user, &["remember", "--category", "naming", "--pattern", "plural", "Name tables in the plural"]);
    said(&user, &["remember", "--scope", "global", "--kind", "preference", "Never swear"]);
    let id = |text: &str| the_one(&user, text)["id"].as_str().unwrap().to_owned();
    let (tables, plural) = (id("Use snake_case for tables"), id("Name tables in the plural"));
    let ran = user.ken(&["memory", "promote", &tables]);
    assert!(ran.code == 2 && ran.err.contains("only a person"), "{ran:?}");
    assert!(!user.work().join(".ken").exists());
    let global = user.ken(&["memory", "promote", &id("Never swear"), "--author", "person"]);
    assert!(global.code == 2 && global.err.contains("every repository"), "{global:?}");

    // A file that holds another text keeps it.
    user.document(".ken/memory/preference-naming.md", "Notes on names\n");
    said(&user, &["memory", "promote", &tables]);
    said(&user, &["memory", "promote", &plural]);
    said(&user, &["memory", "promote", &plural]);
    let read = |name: &str| std::fs::read_to_string(user.work().join(".ken/memory").join(name)).unwrap();
    assert_eq!(read("preference-naming.md"), "Notes on names\n");
    let written = "---\nkind: preference\nauthority: team\ncategory: naming\npattern: snake_case\n---\n\
        Use snake_case for tables\n\n---\nkind: preference\nauthority: team\ncategory: naming\npattern: plural\n---\n\
        Name tables in the plural\n";
    assert_eq!(read("preference-naming-2.md"), written);
    let other = user.ken(&["memory", "promote", &plural, "--org", "--author", "person"]);
    assert!(other.code == 2 && other.err.contains("another authority"), "{other:?}");
    std::fs::remove_file(user.work().join(".ken/memory/preference-naming.md")).unwrap();
    let before = events(&user);
    let ran = user.ken(&["trust", "--json"]);
    assert_eq!(ran.json()["memory"]["known"], 2, "{ran:?}");
    assert_eq!(events(&user), before, "it is the same memory");
    assert_eq!(the_one(&user, "Use snake_case for tables")["authority"], "team");

    // Somebody else of the team, who said the same before.
    let other = self::user();
    said(&other, &["remember", "--category", "naming", "--pattern", "snake_case", "Use snake_case for tables"]);
    other.document(".ken/memory/preference-naming-2.md", written);
    let ran = other.ken(&["trust", "--json"]);
    assert_eq!([&ran.json()["memory"]["added"], &ran.json()["memory"]["updated"]], [1, 1], "{ran:?}");
    assert_eq!(the_one(&other, "Use snake_case for tables")["authority"], "team");

    // Dropped by the team, what somebody said themselves is their own again.
    std::fs::remove_file(user.work().join(".ken/memory/preference-naming-2.md")).unwrap();
    user.ken(&["trust"]);
    let memory = the_one(&user, "Use snake_case for tables");
    assert_eq!((&memory["authority"], &memory["state"]), (&json!("personal"), &json!("active")));
    user.assert_sound();
}

#[cfg(unix)]
#[test]
fn nothing_is_written_or_read_through_a_link_out_of_the_repository() {
    let user = user();
    said(&user, &["remember", "--kind", "preference", "Use tabs"]);
    let outside = user.home().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::create_dir_all(user.work().join(".ken")).unwrap();
    std::os::unix::fs::symlink(&outside, user.work().join(".ken/memory")).unwrap();
    let id = the_one(&user, "Use tabs")["id"].as_str().unwrap().to_owned();
    let ran = user.ken(&["memory", "promote", &id, "--author", "person"]);
    assert!(ran.code == 9 && ran.err.contains("out of the repository"), "{ran:?}");
    std::fs::write(outside.join("a.md"), TEAM).unwrap();
    assert_ne!(user.ken(&["trust"]).code, 0);
    assert_eq!((std::fs::read_dir(&outside).unwrap().count(), served(&user)), (1, vec!["Use tabs".to_owned()]));
}

#[test]
fn secrets_in_files_are_taken_out() {
    let user = user();
    user.document("AGENTS.md", "- Use the token ghp_16C7e42F292c6912E7710c838347Ae178B4a to push\n");
    let ran = said(&user, &["memory", "import", "AGENTS.md"]);
    assert!(ran.err.contains("taken out before it was stored"), "{ran:?}");
    let all = user.exported().into_iter().map(|record| record.to_string()).collect::<String>();
    assert!(all.contains("to push") && !all.contains("ghp_16C7"), "{all}");
    let before = events(&user);
    assert_eq!(import(&user, "AGENTS.md"), [0, 0, 1, 0]);
    assert_eq!(events(&user), before);
}
