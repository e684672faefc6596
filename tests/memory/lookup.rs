use super::{id, ken_in, remember, repository};
use crate::support::ken::User;
use serde_json::Value;

/// An error that a pack knows by its pattern.
const KNOWN: &str = "fatal: refusing to merge unrelated histories\n";

fn hits(user: &User, folder: &std::path::Path) -> Vec<(String, Value)> {
    let ran = ken_in(user, folder, &["lookup", "--json", "fail.log"]);
    let found = ran.json()["results"][0]["hits"].as_array().unwrap().clone();
    found.into_iter().map(|hit| (hit["id"].as_str().unwrap().to_owned(), hit)).collect()
}

#[test]
fn a_fix_that_a_person_confirmed_stands_before_what_packs_say() {
    let user = User::new();
    let here = repository(&user, "one");
    std::fs::write(here.join("fail.log"), KNOWN).unwrap();
    let pack = hits(&user, &here)[0].0.clone();
    let fix = ["Fetch with --unshallow first", "--error", "fail.log", "--worked"];
    // A program's word stands behind, and a person's before.
    let said = ken_in(&user, &here, &[&["remember", "--json", "--author", "program"][..], &fix].concat()).json();
    let order: Vec<String> = hits(&user, &here).into_iter().map(|(id, _)| id).collect();
    assert_eq!(order, [pack.clone(), id(&said)]);
    assert_eq!(ken_in(&user, &here, &["memory", "confirm", "--author", "person", &id(&said)]).code, 0);
    let found = hits(&user, &here);
    assert_eq!(found.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), [id(&said), pack.clone()]);
    let first = &found[0].1;
    assert_eq!((&first["source"], &first["overrides_canon"]), (&"memory".into(), &true.into()));
    assert!(first["override_reason"].as_str().is_some_and(|why| why.contains("confirmed")));
    assert_eq!((&first["memory"]["trial"]["worked"], &first["tier"]), (&1.into(), &"fingerprint".into()));
    // What is disputed is out at once, and comes back.
    assert_eq!(ken_in(&user, &here, &["dispute", &id(&said), "--because", "it was luck"]).code, 0);
    assert_eq!(hits(&user, &here).len(), 1);
    assert_eq!(ken_in(&user, &here, &["dispute", &id(&said), "--withdraw"]).code, 0);
    assert_eq!(hits(&user, &here).len(), 2);
}

#[test]
fn what_did_not_help_is_named_and_no_answer() {
    let user = User::new();
    let here = repository(&user, "one");
    std::fs::write(here.join("fail.log"), "error: frobnicator: cannot open cache: lock file exists\n").unwrap();
    remember(&user, &here, &["Reboot the machine", "--error", "fail.log", "--failed"]);
    let ran = ken_in(&user, &here, &["lookup", "fail.log"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("Reboot the machine (tried once, did not help"), "{ran:?}");
    let json = ken_in(&user, &here, &["lookup", "--json", "fail.log"]).json();
    assert_eq!(json["results"][0]["failed"][0]["text"], "Reboot the machine");
    assert_eq!(json["results"][0]["verdict"], "none");
    let fix = remember(&user, &here, &["Delete the lock", "--error", "fail.log", "--worked"]);
    let ran = ken_in(&user, &here, &["lookup", "fail.log"]);
    assert!(ran.code == 0 && ran.out.contains("Delete the lock") && ran.out.contains("Reboot"), "{ran:?}");
    // Numbers and paths of another day change nothing.
    std::fs::write(here.join("fail.log"), "\n\nerror: frobnicator: cannot open cache: lock file exists\n").unwrap();
    assert_eq!(hits(&user, &here)[0].0, id(&fix));
    // In a frame: what failed is named as such, and preferences come whatever the task is.
    remember(&user, &here, &["Never commit on Fridays", "--category", "habit"]);
    let frame = ken_in(&user, &here, &["pack", "--task", "Write a poem about bees", "--budget", "2000"]);
    assert!(frame.out.contains("# Learnings") && frame.out.contains("Never commit on Fridays"), "{frame:?}");
    assert!(!frame.out.contains("Reboot"), "{frame:?}");
}

#[test]
fn an_attempt_leads_to_what_worked_against_the_same_problem() {
    let user = User::new();
    let here = repository(&user, "one");
    let tried = |text: &str, error: &str, outcome: &str| {
        std::fs::write(here.join("fail.log"), error).unwrap();
        id(&remember(&user, &here, &[text, "--error", "fail.log", outcome]))
    };
    let (cache, port) = ("error: frobnicator: cannot open cache\n", "error: frobnicator: no port is left\n");
    let failed = tried("Reboot the machine", cache, "--failed");
    let worked = tried("Delete the lock", cache, "--worked");
    tried("Wait for a minute", port, "--worked");
    let found = |kind: &str| -> Vec<String> {
        let asked = ["search", "--json", "--dry-run", "--kind", kind, "reboot the machine"];
        let answer = ken_in(&user, &here, &asked).json();
        let hits = answer["results"][0]["hits"].as_array().unwrap().clone();
        hits.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found("tactic"), [failed.clone(), worked.clone()]);
    assert_eq!(found("fact"), [""; 0]);
    // What is disputed leads nowhere, and nothing leads to it.
    assert_eq!(ken_in(&user, &here, &["dispute", &worked, "--because", "it was luck"]).code, 0);
    assert_eq!(found("tactic"), [failed]);
}
