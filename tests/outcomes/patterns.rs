use super::{failure, hook, runs};
use crate::memory::ken_in;
use crate::support::held::on_every_store;
use crate::support::ken::User;
use serde_json::{Value, json};
use std::process::{Child, Stdio};
use std::time::Duration;

const ERROR: &str = "make: jq: No such file or directory\nmake: *** [Makefile:3: test] Error 127";

fn went_well(session: &str, input: &str) -> Value {
    json!({"session": session, "tool": "bash", "input": input, "exit_code": 0})
}

/// A failure, and what made it go away, in so many sessions.
fn overcome(user: &User, sessions: std::ops::Range<usize>) {
    for session in sessions.map(|number| format!("s{number}")) {
        for report in [
            failure(&session, "make test", ERROR),
            went_well(&session, "apt-get install -y jq"),
            went_well(&session, "make test"),
        ] {
            hook(user, report.to_string().as_bytes());
        }
    }
}

fn patterns(user: &User, arguments: &[&str]) -> Vec<Value> {
    let ran = user.ken(&[&["patterns", "list", "--json"], arguments].concat());
    ran.json()["patterns"].as_array().unwrap().clone()
}

#[test]
fn what_helped_in_several_sessions_becomes_a_tactic_that_lookups_show() {
    let user = User::new();
    // Once is no pattern.
    overcome(&user, 0..1);
    assert_eq!(user.ken(&["patterns", "list"]).code, 1);
    overcome(&user, 1..4);
    let found = patterns(&user, &["--kind", "recovery"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let advice = "Run `apt-get install -y jq`, then `make` again";
    assert_eq!((&found[0]["advice"], &found[0]["worked"]), (&advice.into(), &4.into()));
    assert!(found[0]["evidence"].as_array().unwrap().len() == 4 && found[0]["confidence"].as_f64().unwrap() > 0.8);
    let overcame = user.ken(&["outcomes", "--json"]).json();
    assert_eq!(overcame["failures"][0]["overcome"], advice);

    let id = found[0]["id"].as_str().unwrap();
    let refused = user.ken(&["patterns", "promote", "--author", "program", id]);
    assert!(refused.code == 2 && refused.err.contains("only a person"), "{refused:?}");
    let promoted = user.ken(&["patterns", "promote", "--author", "person", "--json", &id[..6]]);
    assert_eq!(promoted.code, 0, "{promoted:?}");
    let memory = promoted.json()["memory"].as_str().unwrap().to_owned();
    let answer = user.ken_with(&["lookup", "-"], ERROR.as_bytes());
    assert!(answer.code == 0 && answer.out.contains(advice) && answer.out.contains("worked 4"), "{answer:?}");
    let history = user.ken(&["memory", "history", &memory]);
    assert!(history.out.contains("s0") && history.out.contains("s3"), "its evidence is linked: {history:?}");
    // What was decided stays when more is found.
    overcome(&user, 4..5);
    let again = patterns(&user, &["--state", "promoted"]);
    assert_eq!((&again[0]["worked"], &again[0]["memory"]), (&5.into(), &memory.into()));

    assert_eq!(user.ken(&["patterns", "reject", id]).code, 0);
    assert!(patterns(&user, &[]).iter().all(|one| one["id"] != id));
    user.assert_sound();
}

#[test]
fn what_is_not_sure_is_refused_with_what_is_missing() {
    let user = User::new();
    overcome(&user, 0..2);
    // The same step after the same failure, in vain.
    let session = "vain";
    for report in [
        failure(session, "make test", ERROR),
        went_well(session, "apt-get install -y jq"),
        failure(session, "make test", ERROR),
    ] {
        hook(&user, report.to_string().as_bytes());
    }
    let found = patterns(&user, &["--kind", "recovery"]);
    let confidence = found[0]["confidence"].as_f64().unwrap();
    assert!((0.5..0.7).contains(&confidence) && found[0]["failed"] == 1, "{found:?}");
    let refused = user.ken(&["patterns", "promote", "--author", "person", found[0]["id"].as_str().unwrap()]);
    assert!(refused.code == 2 && refused.err.contains("0.60 sure") && refused.err.contains("2 more"), "{refused:?}");
    let shown = user.ken(&["patterns", "show", found[0]["id"].as_str().unwrap()]);
    assert!(shown.out.contains("vain 3"), "{shown:?}");
    assert_eq!(user.ken(&["patterns", "show", "nope"]).code, 2);
    assert_eq!(user.ken(&["patterns", "show", ""]).code, 2);
}

#[test]
fn a_pattern_is_of_its_repository() {
    let user = User::new();
    let (here, there) = (crate::memory::repository(&user, "one"), crate::memory::repository(&user, "two"));
    for session in ["a", "b"] {
        for mut report in [
            failure(session, "make test", ERROR),
            went_well(session, "apt-get install -y jq"),
            went_well(session, "make test"),
        ] {
            report["cwd"] = there.to_str().unwrap().into();
            hook(&user, report.to_string().as_bytes());
        }
    }
    assert_eq!(ken_in(&user, &here, &["patterns", "list"]).code, 1);
    let found = ken_in(&user, &there, &["patterns", "list", "--json"]).json();
    let id = found["patterns"][0]["id"].as_str().unwrap();
    for arguments in [["patterns", "show", id], ["patterns", "reject", id]] {
        assert_eq!(ken_in(&user, &here, &arguments).code, 2, "{arguments:?}");
    }
    assert_eq!(ken_in(&user, &there, &["patterns", "show", id]).code, 0);
    // A session that is forgotten takes what rests on it along.
    assert_eq!(user.ken(&["forget", "--session", "a"]).code, 0);
    assert_eq!(ken_in(&user, &there, &["patterns", "list"]).code, 1);
}

#[test]
fn runs_of_a_burst_are_analysed_once_by_who_waits_for_them() {
    let user = User::new();
    for step in 0..24 {
        hook(&user, went_well("s", &format!("echo {step}")).to_string().as_bytes());
    }
    let in_background = || assert_eq!(user.ken(&["patterns", "find", "--background", "--quiet"]).code, 0);
    let analysed = || -> i64 {
        let database = rusqlite::Connection::open(user.home().join("kenning.db")).unwrap();
        database.query_row("SELECT analysed FROM outcome_session", [], |row| row.get(0)).unwrap()
    };
    // Somebody waits already.
    let lock = std::fs::File::create(user.home().join("kenning.db.analysis.lock")).unwrap();
    lock.lock().unwrap();
    hook(&user, went_well("s", "echo last").to_string().as_bytes());
    in_background();
    assert_eq!(analysed(), 0);
    drop(lock);
    // The process that the hook has started may wait by now; then one of ours ends at once.
    for _ in 0..3000 {
        in_background();
        if analysed() > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(analysed(), 25);
}

fn start(user: &User, arguments: &[&str]) -> Child {
    let mut command = user.command(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

on_every_store!(each_run_is_given_to_one_analysis);

/// Many analyses at once, some of them killed, while runs are reported: each run is in one batch at most, and in one
/// exactly once nobody is killed any more.
fn each_run_is_given_to_one_analysis(new: fn() -> User) {
    let kills = crate::support::long::amount("KEN_OUTCOME_KILLS", 200, 16);
    let user = new();
    hook(&user, failure("s0", "make", "make: *** Error 1").to_string().as_bytes());
    for kill in 0..kills {
        let mut analyses: Vec<Child> = (0..2 << (kill % 3)).map(|_| start(&user, &["patterns", "find"])).collect();
        for report in 0..3 {
            hook(&user, failure(&format!("s{report}"), "make", "make: *** Error 1").to_string().as_bytes());
        }
        std::thread::sleep(Duration::from_micros(u64::from(kill) * 2_777 % 30_000));
        analyses[0].kill().unwrap();
        for mut one in analyses {
            one.wait().unwrap();
        }
    }
    assert_eq!(user.ken(&["patterns", "find"]).code, 0);
    let sql = "SELECT session, from_row, to_row FROM outcome_batch ORDER BY session, from_row";
    let number = |text: &str| text.parse::<i64>().unwrap();
    let batches: Vec<(String, i64, i64)> =
        user.rows(sql).into_iter().map(|row| (row[0].clone(), number(&row[1]), number(&row[2]))).collect();
    let mut next = std::collections::BTreeMap::new();
    for (session, from, to) in &batches {
        let expected = next.insert(session, to + 1).unwrap_or(1);
        assert_eq!(*from, expected, "rows of {session} are in two batches or in none: {batches:?}");
    }
    let all: usize = next.values().map(|next| usize::try_from(next - 1).unwrap()).sum();
    assert_eq!(all, runs(&user).len());
    user.assert_sound();
}
