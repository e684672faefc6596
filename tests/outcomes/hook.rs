use super::{failure, failures, hook, runs};
use crate::support::ken::{User, run};
use serde_json::json;
use std::io::Write;
use std::process::Stdio;
use std::time::Instant;

#[test]
fn a_run_is_kept_and_shown() {
    let user = User::new();
    let claude = json!({"session_id": "one", "cwd": user.work(), "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash", "tool_input": {"command": "cargo build"},
        "error": "Exit code 101\nerror[E0382]: borrow of moved value: `s`"});
    let gemini = json!({"session_id": "two", "cwd": user.work(), "hook_event_name": "AfterTool",
        "tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "tool_response": {"llmContent": "a.txt"}});
    let cursor = json!({"conversation_id": "three", "hook_event_name": "afterShellExecution", "command": "make",
        "output": "", "duration": 12, "workspace_roots": [user.work()]});
    let plain = failure("four", "cargo build", "error[E0382]: borrow of moved value: `s`");
    for report in [claude, gemini, cursor, plain] {
        hook(&user, report.to_string().as_bytes());
    }
    let kept = runs(&user);
    let told: Vec<String> = kept
        .iter()
        .map(|run| format!("{} {} {} {} {}", run["session"], run["sequence"], run["tool"], run["head"], run["is_ok"]))
        .collect();
    let expected = [
        r#""four" 1 "bash" "cargo" false"#,
        r#""three" 1 "shell" "make" true"#,
        r#""two" 1 "run_shell_command" "ls" true"#,
        r#""one" 1 "Bash" "cargo" false"#,
    ];
    let mut sorted = told.clone();
    sorted.sort();
    let mut wanted = expected.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(sorted, wanted);
    assert_eq!(kept.iter().find(|run| run["session"] == "one").unwrap()["exit_code"], 101);
    let found = failures(&user);
    let prints: Vec<_> = found["failures"].as_array().unwrap().iter().map(|one| &one["error_fingerprint"]).collect();
    assert!(prints.len() == 2 && prints[0] == prints[1], "one kind of error, of two tools: {found}");
    let text = user.ken(&["outcomes"]);
    assert!(text.out.contains("bash: cargo") && text.out.contains("borrow of moved value"), "{text:?}");
    assert!(text.out.ends_with("4 runs in 4 sessions, 2 failures of 2 kinds.\n"), "{text:?}");
    assert!(user.ken(&["status"]).out.contains("4 runs in 4 sessions"), "the status tells of them");
    user.assert_sound();
}

#[test]
fn failures_of_one_kind_are_counted_together() {
    let user = User::new();
    for (session, times) in [("a", 3), ("b", 1)] {
        for number in 0..times {
            let error = format!("cat: /tmp/x{number}/file.txt: No such file or directory");
            hook(&user, failure(session, "cat x", &error).to_string().as_bytes());
        }
    }
    hook(&user, failure("a", "cat y", "cat: y: Permission denied").to_string().as_bytes());
    let found = failures(&user);
    let counts: Vec<(u64, u64)> = found["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["count"].as_u64().unwrap(), one["sessions"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [(4, 2), (1, 1)], "{found}");
    let since = user.ken(&["outcomes", "--json", "--since", "1d"]).json();
    assert_eq!(since["failures"].as_array().unwrap().len(), 2);
    for one in since["failures"].as_array().unwrap() {
        let same = found["failures"]
            .as_array()
            .unwrap()
            .iter()
            .find(|other| other["error_fingerprint"] == one["error_fingerprint"]);
        assert_eq!(same.unwrap(), one, "counted from rows and from the counts");
    }
    assert_eq!(user.ken(&["outcomes", "--tool", "CAT"]).code, 0);
    assert_eq!(user.ken(&["outcomes", "--tool", "dog"]).code, 1);
}

#[test]
fn whatever_comes_in_it_ends_with_0_says_nothing_and_counts_it() {
    let user = User::new();
    hook(&user, failure("a", "ls", "x").to_string().as_bytes());
    let large = vec![b' '; (16 << 20) + 1];
    let deep = "{\"tool\":".repeat(10_000);
    let broken: &[&[u8]] =
        &[b"", b"[]", b"{}", b"not json", b"{\"tool\": 7}", b"\xff\xfe\x00", deep.as_bytes(), &large];
    for report in broken {
        hook(&user, report);
    }
    // What tells of no run is neither kept nor lost.
    hook(&user, br#"{"hook_event_name": "SessionStart", "session_id": "s"}"#);
    let kept = &failures(&user)["kept"];
    assert_eq!((&kept["rows"], &kept["lost"]["unreadable"]), (&json!(1), &json!(broken.len())), "{kept}");
    let text = user.ken(&["outcomes"]).out;
    assert!(text.ends_with(&format!("; {} runs could not be kept.\n", broken.len())), "{text}");
}

#[test]
fn it_never_fails_whatever_it_is_called_with_and_wherever() {
    let user = User::new();
    let report = failure("a", "ls", "x").to_string();
    for arguments in [&["hook", "post-tool", "--nonsense"][..], &["hook", "post-tool", "more", "words"]] {
        let ran = run(user.command(arguments), report.as_bytes());
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{arguments:?}");
    }
    let mut homeless = user.command(&["hook", "post-tool"]);
    homeless.env_remove("KEN_HOME");
    assert_eq!(run(homeless, report.as_bytes()).code, 0);
    let mut odd = user.command(&["hook", "post-tool"]);
    odd.env("KEN_HOME", "relative/path");
    assert_eq!(run(odd, report.as_bytes()).code, 0);
    let mut told = user.command(&["hook", "post-tool", "--verbose"]);
    let ran = run(
        {
            told.env("KEN_HOOK_VERBOSE", "0");
            told
        },
        b"[]",
    );
    assert!(ran.code == 0 && ran.out.is_empty() && ran.err.contains("is not kept"), "{ran:?}");
}

/// Two hooks of one agent, or an agent and the one that it works for, tell of the same call.
#[test]
fn what_several_tell_of_one_call_counts_once() {
    let user = User::new();
    let report = |session: &str, id: &str| {
        let input = json!({"command": "make all"});
        json!({"session_id": session, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": id,
            "tool_input": input, "error": "Exit code 2\nmake: *** No rule to make target 'all'."})
        .to_string()
    };
    let long = "toolu_01A2b3C4d5E6f7G8h9";
    for (session, id) in [("main", long), ("main", long), ("sub", long), ("main", "1"), ("main", "1"), ("sub", "1")] {
        hook(&user, report(session, id).as_bytes());
    }
    let told = failures(&user);
    assert_eq!((&told["kept"]["rows"], &told["failures"][0]["count"]), (&json!(3), &json!(3)), "{told}");
}

/// An agent that forgets to close the pipe is not held up.
#[test]
fn it_does_not_wait_for_an_end_that_never_comes() {
    let user = User::new();
    let whole = failure("a", "ls", "x").to_string();
    for report in [whole.as_str(), &whole[..20]] {
        let mut command = user.command(&["hook", "post-tool"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = command.spawn().unwrap();
        let mut open = child.stdin.take().unwrap();
        open.write_all(report.as_bytes()).unwrap();
        let ran = child.wait_with_output().unwrap();
        drop(open);
        assert_eq!((ran.status.code(), ran.stdout.len(), ran.stderr.len()), (Some(0), 0, 0), "{report}");
        assert!(begun.elapsed().as_secs() < 60, "it waited for {:?}", begun.elapsed());
    }
    // What came was kept if it was whole, and counted if not.
    let kept = &failures(&user)["kept"];
    assert_eq!((&kept["rows"], &kept["lost"]["unreadable"]), (&json!(1), &json!(1)), "{kept}");
}

#[test]
fn a_damaged_database_is_no_reason_to_fail() {
    for damage in [&b"a letter"[..], b"SQLite format 3\0 and then nothing"] {
        let user = User::new();
        user.write("kenning.db", damage);
        hook(&user, failure("a", "ls", "x").to_string().as_bytes());
        assert_eq!(std::fs::read(user.home().join("kenning.db")).unwrap(), damage, "it is let be");
        assert_eq!(std::fs::read(user.home().join("kenning.db.lost")).unwrap(), b"d");
    }
    let user = User::new();
    hook(&user, failure("a", "ls", "x").to_string().as_bytes());
    // The middle of a table.
    let path = user.home().join("kenning.db");
    assert_eq!(user.ken(&["gc"]).code, 0);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8192..].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    hook(&user, failure("a", "ls", "x").to_string().as_bytes());
    assert_eq!(std::fs::read(user.home().join("kenning.db.lost")).unwrap().len(), 1);
}

#[test]
fn a_failure_names_the_places_that_its_tool_named() {
    let user = User::new();
    let printed = "warning: unused import\n --> src/a.rs:1:5\n  |\n\nerror[E0382]: borrow of moved value: `s`\n \
        --> src/main.rs:7:9\n  |\n\nerror: could not compile `shop`";
    hook(&user, failure("a", "cargo check", printed).to_string().as_bytes());
    hook(&user, failure("a", "cc a.c", "a.c:3:4: error: no such name").to_string().as_bytes());
    let ran = user.ken(&["outcomes", "--json"]);
    let failures = ran.json()["failures"].as_array().unwrap().clone();
    let of = |head: &str| failures.iter().find(|one| one["head"] == head).unwrap()["places"].clone();
    let places = json!([
        {"file": "src/main.rs", "line": 7, "column": 9, "message": "borrow of moved value: `s`"},
        {"file": "src/a.rs", "line": 1, "column": 5, "message": "unused import"},
    ]);
    assert_eq!(of("cargo"), places);
    assert_eq!(of("cc")[0]["line"], 3);
    let text = user.ken(&["outcomes"]).out;
    assert!(text.contains("at: src/main.rs:7:9, src/a.rs:1:5"), "{text}");
    assert!(!text.contains("at: a.c"), "the error itself says it: {text}");
}

#[test]
fn a_command_is_kept_only_where_that_is_wanted() {
    let user = User::new();
    let fail = ["run", "--", "sh", "-c", "echo the lever is stuck >&2; exit 3"];
    assert_eq!(user.ken(&fail).code, 3);
    assert!(runs(&user).is_empty());
    user.write("config.toml", "[run]\nkeep_outcomes = true\n");
    assert_eq!(user.ken(&fail).code, 3);
    let quiet = user.ken(&["run", "--", "true"]);
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
    let kept = runs(&user);
    assert_eq!(kept.len(), 2, "{kept:?}");
    let failed = kept.iter().find(|run| run["is_ok"] == false).unwrap();
    assert_eq!((failed["exit_code"].as_i64(), failed["head"].as_str()), (Some(3), Some("echo")), "{failed}");
    assert!(failed["error"].as_str().unwrap().contains("the lever is stuck"), "{failed}");
    // Where it cannot be kept the command's own code stands.
    user.write("kenning.db", "a letter");
    let ran = user.ken(&fail);
    assert!(ran.code == 3 && ran.err.contains("could not be kept"), "{ran:?}");
}

#[test]
fn a_run_is_kept_whatever_settings_say_that_are_not_about_the_store() {
    let user = User::new();
    let report = br#"{"tool": "bash", "input": "make", "exit_code": 2}"#;
    user.write("config.toml", "[lookup]\nlimit = 'many'\n");
    assert_eq!(user.ken_with(&["hook", "post-tool"], report).code, 0);
    // Another key may be meant by one that is not known, and then nobody knows where the run belongs.
    user.write("config.toml", "[stor]\nurl = 'postgres://me@db/k'\n");
    assert_eq!(user.ken_with(&["hook", "post-tool"], report).code, 0);
    user.write("config.toml", "");
    let kept = &failures(&user)["kept"];
    assert_eq!((&kept["rows"], &kept["lost"]["total"]), (&json!(1), &json!(1)), "{kept}");
}
