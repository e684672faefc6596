//! `ken patterns propose-canon`: what it drafts passes the check, is in no lookup, and holds no secret.

use super::{failure, hook};
use crate::support::ken::User;
use serde_json::{Value, json};

/// An error of a tool of this test, of which no pack knows anything.
fn unknown_shelf(name: &str) -> String {
    format!("reading the catalogue\nshelver: error: shelf '{name}' has no librarian\n")
}

fn went_well(session: &str, input: &str) -> Value {
    json!({"session": session, "tool": "bash", "input": input, "exit_code": 0})
}

/// Four sessions with the same kind of error and what helped, and other errors of the same tool.
fn sessions(user: &User) {
    for (number, name) in ["north", "south", "east-2", "west"].iter().enumerate() {
        let session = format!("s{number}");
        for report in [
            failure(&session, "shelver sort", &unknown_shelf(name)),
            went_well(&session, "apt-get install -y librarian"),
            went_well(&session, "shelver sort"),
            failure(&session, "shelver open", &format!("shelver: error: shelf '{name}' is locked by its librarian")),
        ] {
            hook(user, report.to_string().as_bytes());
        }
    }
    assert_eq!(user.ken(&["patterns", "find"]).code, 0);
}

#[test]
fn drafts_pass_the_check_and_match_what_comes_next() {
    let user = User::new();
    assert_eq!(user.ken(&["patterns", "propose-canon"]).code, 1, "nothing was kept");
    sessions(&user);
    let ran = user.ken(&["patterns", "propose-canon"]);
    assert!(ran.code == 0 && ran.err.contains("2 drafts. No lookup uses them"), "{ran:?}");
    let pack: Value = serde_json::from_str(&ran.out).unwrap();
    let entries = pack["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2, "{pack:#}");
    let entry = entries.iter().find(|one| one["id"] == "drafts/shelver-error-shelf-has-no-librarian");
    let entry = entry.unwrap_or_else(|| panic!("{pack:#}"));
    assert_eq!(entry["error_patterns"], json!([r"shelver: error: shelf '[^'\n]+' has no librarian"]));
    let fix = "Run `apt-get install -y librarian`, then `shelver` again. Worked in 4 of 4 sessions.";
    assert_eq!(entry["fix"], json!([fix]));
    assert!(entry["counterexamples"][0].as_str().unwrap().contains("is locked by"), "{entry:#}");
    assert!(entry["tags"][0] == "draft" && entry["cause"].to_string().contains("A draft"), "{entry:#}");

    user.document("drafts.json", &ran.out);
    let checked = user.ken(&["canon", "check", "drafts.json"]);
    assert!(checked.code == 0 && checked.err.contains("0 errors"), "{checked:?}");
    // Nobody has put it into a pack.
    let error = unknown_shelf("attic");
    assert_eq!(user.ken_with(&["lookup", "-"], error.as_bytes()).code, 1);
    user.write("canon/drafts.json", &ran.out);
    let known = user.ken_with(&["lookup", "-"], error.as_bytes());
    assert!(known.code == 0 && known.out.contains("apt-get install -y librarian"), "{known:?}");
    // Now a pack tells of it.
    let again = user.ken(&["patterns", "propose-canon", "--json"]);
    assert_eq!(again.code, 1);
    let reason = again.json()["refused"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("drafts/shelver-error-shelf-") && reason.ends_with("tells of it already"), "{reason}");
    user.assert_sound();
}

#[test]
fn one_pattern_is_drafted_into_a_file_that_is_new() {
    let user = User::new();
    sessions(&user);
    let found = user.ken(&["patterns", "list", "--kind", "recovery", "--json"]).json();
    let id = found["patterns"][0]["id"].as_str().unwrap();
    let ran = user.ken(&["patterns", "propose-canon", &id[..8], "--out", "team-drafts.json", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let told = ran.json();
    let about = &told["drafts"][0];
    assert_eq!((&about["count"], &about["sessions"], &about["tool"]), (&4.into(), &4.into(), &"bash".into()));
    let written: Value = serde_json::from_slice(&std::fs::read(user.work().join("team-drafts.json")).unwrap()).unwrap();
    assert_eq!((&written, written["pack"].as_str()), (&told["pack"], Some("team-drafts")));
    assert_eq!(user.ken(&["canon", "check", "team-drafts.json"]).code, 0);

    let user_packs = user.home().join("canon");
    std::fs::create_dir_all(&user_packs).unwrap();
    let into_packs = user_packs.join("b.json");
    for (arguments, said) in [
        (&["--out", "team-drafts.json"][..], "is there already"),
        (&["--out", "no/such/b.json"], "no/such"),
        (&["--out", into_packs.to_str().unwrap()], "lookups would use drafts"),
        (&["--pack", "No Name"], "is no name for a pack"),
        (&["--out", "No Name.json"], "is no name for a pack"),
        (&["no-such-id"], "no pattern, or more than one"),
        (&["--least", "0"], "invalid value '0'"),
    ] {
        let ran = user.ken(&[&["patterns", "propose-canon"], arguments].concat());
        assert!(matches!(ran.code, 2 | 9) && ran.err.contains(said), "{arguments:?}: {ran:?}");
    }
    assert!(!into_packs.exists());
    // Met four times, not five: nothing is drafted and nothing is written.
    let ran = user.ken(&["patterns", "propose-canon", "--least", "5", "--out", "c.json"]);
    assert!(ran.code == 1 && !user.work().join("c.json").exists(), "{ran:?}");
}

#[test]
fn what_cannot_be_drafted_is_told_and_secrets_are_not() {
    let user = User::new();
    let secret = "ghp_Kq81LmZ0pRt53XvB7nWc2YdF9sHg4JuAeTi6";
    for number in 0..3 {
        let session = format!("s{number}");
        for error in ["failed", &format!("courier: box {number} was not taken with token {secret} by anybody")] {
            hook(&user, failure(&session, "courier send", error).to_string().as_bytes());
        }
    }
    let ran = user.ken(&["patterns", "propose-canon"]);
    assert!(ran.code == 0 && ran.err.contains("Not drafted, met 3 times: bash: failed"), "{ran:?}");
    assert!(ran.out.contains("courier: box") && !ran.out.contains(&secret[4..20]), "{ran:?}");
    user.document("drafts.json", &ran.out);
    assert_eq!(user.ken(&["canon", "check", "drafts.json"]).code, 0);
    // Other repositories' errors are not told here.
    let elsewhere = crate::memory::repository(&user, "one");
    for number in 0..3 {
        let mut report = failure(&format!("e{number}"), "x", &format!("ferry: dock {number} is under water"));
        report["cwd"] = elsewhere.to_str().unwrap().into();
        hook(&user, report.to_string().as_bytes());
    }
    assert!(!user.ken(&["patterns", "propose-canon"]).out.contains("ferry"));
    assert!(crate::memory::ken_in(&user, &elsewhere, &["patterns", "propose-canon"]).out.contains("ferry"));
}
