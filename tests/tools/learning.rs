//! What is learnt from runs and suggestions: by the command, with the hook, on a real database.

use super::{add, shelf};
use crate::memory::{ken_in, repository};
use crate::support::held::on_every_store;
use crate::support::ken::{User, run};
use serde_json::{Value, json};

fn call(user: &User, session: &str, tool: &str, is_ok: bool) {
    let report = json!({"session": session, "tool": tool, "input": "x", "exit_code": if is_ok { 0 } else { 1 },
        "error": if is_ok { "" } else { "it failed" }});
    assert_eq!(run(user.command(&["hook", "post-tool"]), report.to_string().as_bytes()).code, 0);
}

fn learnt(user: &User) -> Value {
    user.ken(&["tools", "capabilities", "--json"]).json()
}

const TASK: &str = "compile the Rust package and run the tests of the Rust package";

#[test]
fn a_set_that_recurs_is_suggested_and_one_that_failed_is_not_made() {
    let user = User::new();
    add(&user, &shelf());
    assert_eq!(user.ken(&["tools", "capabilities"]).code, 1);
    call(&user, "s1", "cargo_build", true);
    assert_eq!(learnt(&user)["capabilities"], json!([]));
    call(&user, "s1", "cargo_test", true);
    let first = learnt(&user);
    assert_eq!(first["capabilities"][0]["tools"], json!(["cargo_build", "cargo_test"]), "at the first success");
    assert_eq!((&first["capabilities"][0]["uses"], &first["capabilities"][0]["proven"]), (&json!(1), &json!(false)));
    assert_eq!(user.ken(&["tools", "find", "--json", TASK]).json()["capabilities"], json!([]), "once is no recurrence");
    // In another order and by the names that agents use.
    call(&user, "s2", "cargo_test", true);
    call(&user, "s2", "cargo_build", true);
    call(&user, "s3", "git_clone", true);
    call(&user, "s3", "send_mail", false);
    let second = learnt(&user);
    assert_eq!(second["capabilities"].as_array().unwrap().len(), 1, "{second}");
    assert_eq!(second["capabilities"][0]["uses"], 2);
    let found = user.ken(&["tools", "find", "--json", TASK]).json();
    assert_eq!(found["capabilities"][0]["tools"], json!(["cargo_build", "cargo_test"]), "{found}");
    assert_eq!(found["capabilities"][0]["because"][0], "used together in 2 tasks, 100 % ok");
    let text = user.ken(&["tools", "find", TASK]).out;
    assert!(text.contains("together: cargo_build, cargo_test\n"), "{text}");
    // A task that goes on is no other: it counts as what it is now.
    call(&user, "s2", "send_mail", true);
    let third = learnt(&user);
    let told: Vec<(usize, u64)> = third["capabilities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["tools"].as_array().unwrap().len(), one["uses"].as_u64().unwrap()))
        .collect();
    assert!(told.contains(&(2, 1)) && told.contains(&(3, 1)) && told.len() == 2, "{third}");
    let forgotten = user.ken(&["forget", "--session", "s2", "--json"]);
    assert_eq!(forgotten.code, 0, "{forgotten:?}");
    assert_eq!(learnt(&user)["capabilities"].as_array().unwrap().len(), 1);
}

#[test]
fn what_a_session_calls_says_what_was_right() {
    let user = User::new();
    add(&user, &shelf());
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let outcomes = |user: &User| {
        let learnt = learnt(user);
        learnt["thresholds"][0]["outcomes"].as_u64().unwrap()
    };
    let task = format!("compile the Rust package with {token}");
    let first = user.ken(&["tools", "find", "--json", "--session", "s", &task]).json();
    let suggested = first["tools"].as_array().unwrap().iter().filter(|one| one["suggested"] == true).count() as u64;
    assert!(suggested > 0, "{first}");
    call(&user, "s", "cargo_build", true);
    assert_eq!(outcomes(&user), 0, "the task is not over");
    assert_eq!(user.ken(&["tools", "find", "--session", "s", "send a message by mail"]).code, 0);
    assert_eq!(outcomes(&user), suggested, "the next task ends it");
    let value = learnt(&user)["thresholds"][0]["value"].as_f64().unwrap();
    assert!(value != 0.92 && (0.05..=0.99).contains(&value));
    assert_eq!(outcomes(&user), suggested, "what was settled is settled");
    // Neither task keeps a secret, and both go with their session.
    let database = user.home().join("kenning.db");
    let rows = |table: &str| {
        let connection = rusqlite::Connection::open(&database).unwrap();
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let text: String = rusqlite::Connection::open(&database)
        .unwrap()
        .query_row("SELECT group_concat(task) FROM tool_task", [], |row| row.get(0))
        .unwrap();
    assert!(text.contains("compile the Rust package") && !text.contains(&token), "{text}");
    assert_eq!((rows("tool_task"), rows("algorithm_trace")), (2, 0), "no trace unless one is wanted");
    user.ken(&["forget", "--session", "s"]);
    assert_eq!((rows("tool_task"), rows("tool_suggestion"), rows("capability_use")), (0, 0, 0));
}

#[test]
fn without_a_session_nothing_is_kept() {
    let user = User::new();
    add(&user, &shelf());
    user.ken(&["tools", "find", "compile the Rust package"]);
    let connection = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
    let count: i64 = connection.query_row("SELECT count(*) FROM tool_task", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0);
}

#[test]
fn decisions_are_traced_for_those_who_want_it() {
    let user = User::new();
    add(&user, &shelf());
    assert_eq!(user.ken(&["tools", "trace"]).code, 1);
    user.write("config.toml", "[tools]\ntrace = true\n");
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    user.ken(&["tools", "find", "--session", "s", &format!("compile the Rust package {token}")]);
    call(&user, "s", "cargo_build", true);
    user.ken(&["tools", "find", "--session", "s", "send a message by mail"]);
    let ran = user.ken(&["tools", "trace", "--json"]);
    assert!(!ran.out.contains(&token), "{ran:?}");
    let traces = ran.json();
    let all = traces["traces"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{traces}");
    assert!(all[1]["task"].as_str().unwrap().starts_with("compile the Rust package"), "the newest first: {traces}");
    assert_eq!(all[1]["decision"]["tools"][0]["tool"], "cargo_build");
    assert_eq!(all[1]["outcomes"][0]["accepted"], true);
    assert_eq!(all[1]["decision"]["thresholds"][0], 0.92);
    assert!(user.ken(&["tools", "trace", "--top", "1"]).out.starts_with("2. send a message by mail\n"));
    // The newest alone are kept.
    let connection = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO algorithm_trace (scope, session, at, question, data)
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
                SELECT scope, '', 0, 'old', '{}' FROM n, (SELECT scope FROM algorithm_trace LIMIT 1)",
        )
        .unwrap();
    user.ken(&["tools", "find", "send a message by mail"]);
    let count: i64 = connection.query_row("SELECT count(*) FROM algorithm_trace", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1000);
}

/// What one repository learnt is neither shown nor suggested in another, and moves no threshold there.
#[test]
fn another_repository_sees_nothing_of_it() {
    let user = User::new();
    let path = user.write("tools.json", shelf().to_string());
    assert_eq!(user.ken(&["tools", "add", "--global", path.to_str().unwrap()]).code, 0);
    let (here, there) = (repository(&user, "here"), repository(&user, "there"));
    for session in ["s1", "s2"] {
        for tool in ["cargo_build", "cargo_test"] {
            let report = json!({"session": session, "tool": tool, "input": "x", "exit_code": 0});
            let mut hook = user.command(&["hook", "post-tool"]);
            hook.current_dir(&there);
            assert_eq!(run(hook, report.to_string().as_bytes()).code, 0);
        }
    }
    ken_in(&user, &there, &["tools", "find", "--session", "s2", TASK]);
    let capabilities = |folder: &std::path::Path| {
        let learnt = ken_in(&user, folder, &["tools", "capabilities", "--json"]).json();
        learnt["capabilities"].as_array().unwrap().len()
    };
    assert_eq!((capabilities(&there), capabilities(&here)), (1, 0));
    let found = ken_in(&user, &here, &["tools", "find", "--json", TASK]).json();
    assert_eq!(found["capabilities"], json!([]), "{found}");
    let found = ken_in(&user, &there, &["tools", "find", "--json", TASK]).json();
    assert_eq!(found["capabilities"].as_array().unwrap().len(), 1, "{found}");
}

#[cfg(unix)]
on_every_store!(thresholds_survive_being_killed);

/// Processes that learn are killed at random: each outcome is counted once at most, and in the end all are.
#[cfg(unix)]
fn thresholds_survive_being_killed(new: fn() -> User) {
    let user = new();
    add(&user, &shelf());
    std::fs::set_permissions(user.home(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let tasks = ["compile the Rust package", "send a message by mail", "run the tests of the Rust package"];
    let mut suggested = 0;
    for number in 0..6 {
        let session = format!("s{number}");
        for task in &tasks[..2] {
            let found = user.ken(&["tools", "find", "--json", "--session", &session, task]).json();
            if *task == tasks[0] {
                suggested += found["tools"].as_array().unwrap().iter().filter(|one| one["suggested"] == true).count();
                call(&user, &session, "cargo_build", number % 2 == 0);
            }
        }
        // Whoever asks next would settle the first task; it is killed before it can, while it does, or after.
        let mut asking = user.command(&["tools", "capabilities", "--json"]);
        asking.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = asking.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5 * number));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let told = learnt(&user);
    assert!(suggested > 0);
    assert_eq!(told["thresholds"][0]["outcomes"], suggested, "each once: {told}");
    assert_eq!(learnt(&user), told, "and it stays");
    user.assert_sound();
}
