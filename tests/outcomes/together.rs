use super::{failure, failures, hook, runs};
use crate::support::ken::User;
use rusqlite::Connection;
use std::io::Write;
use std::process::{Child, Stdio};

/// Starts the hook, and hands it its report.
fn started(user: &User, report: &str) -> Child {
    let mut command = user.command(&["hook", "post-tool"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(report.as_bytes()).unwrap();
    child
}

#[test]
fn sixty_four_at_once_are_kept_or_counted() {
    let user = User::new();
    for round in 0..2 {
        // Each second one of one session, the others of one each. In the first round there is no database yet.
        let report = |number: usize| {
            let session = if number.is_multiple_of(2) { "shared".to_owned() } else { format!("own {number}") };
            failure(&session, "make", "make: *** No rule to make target 'x'.  Stop.").to_string()
        };
        let all: Vec<Child> = (0..64).map(|number| started(&user, &report(number))).collect();
        for child in all {
            let out = child.wait_with_output().unwrap();
            assert!(out.status.success() && out.stdout.is_empty() && out.stderr.is_empty(), "{out:?}");
        }
        let found = failures(&user);
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        // On a slow machine some hooks time out, and are counted as lost.
        let (rows, busy) = (number(&found["kept"]["rows"]), number(&found["kept"]["lost"]["busy"]));
        assert_eq!((rows + busy, number(&found["kept"]["lost"]["total"])), ((round + 1) * 64, busy), "{found}");
        assert_eq!(number(&found["failures"][0]["count"]), rows, "{found}");
        assert!(rows >= (round + 1) * 33 && number(&found["failures"][0]["sessions"]) <= 33, "{found}");
    }
    let mut shared: Vec<u64> = runs(&user)
        .iter()
        .filter(|run| run["session"] == "shared")
        .map(|run| run["sequence"].as_u64().unwrap())
        .collect();
    shared.sort_unstable();
    assert_eq!(shared, (1..=shared.len() as u64).collect::<Vec<_>>(), "numbered without gaps");
    user.assert_sound();
}

#[test]
fn who_finds_the_database_busy_counts_its_run_and_ends() {
    let user = User::new();
    hook(&user, failure("a", "ls", "x").to_string().as_bytes());
    let other = Connection::open(user.home().join("kenning.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    hook(&user, failure("a", "ls", "y").to_string().as_bytes());
    other.execute_batch("ROLLBACK").unwrap();
    hook(&user, failure("a", "ls", "z").to_string().as_bytes());
    let kept = &failures(&user)["kept"];
    assert_eq!((kept["rows"].as_u64(), kept["lost"]["busy"].as_u64()), (Some(2), Some(1)), "{kept}");
}

#[test]
fn the_writer_s_lock_is_in_nobody_s_way() {
    let user = User::new();
    hook(&user, failure("a", "ls", "x").to_string().as_bytes());
    let lock = std::fs::File::options().write(true).create(true).truncate(false).open(user.home().join("writer.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    hook(&user, failure("a", "ls", "y").to_string().as_bytes());
    drop(lock);
    assert_eq!(runs(&user).len(), 2);
}
