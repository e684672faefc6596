use super::{id, ken_in, remember, repository};
use crate::support::file_with;
use crate::support::ken::User;
use std::path::Path;

#[test]
fn a_forgotten_memory_is_in_no_byte_and_the_log_still_comes_to_the_same() {
    let user = User::new();
    let here = repository(&user, "one");
    std::fs::write(here.join("fail.log"), "error: zanzibarium: cannot open cache: lock file exists\n").unwrap();
    let kept = remember(&user, &here, &["Keep the doors shut", "--evidence", "the sign says so"]);
    let gone = remember(
        &user,
        &here,
        &[
            "Ask the zanzibarium cook",
            "--error",
            "fail.log",
            "--worked",
            "--because",
            "zanzibarium reasons",
            "--tag",
            "zanzibarium",
        ],
    );
    ken_in(&user, &here, &["dispute", "--because", "zanzibarium is closed", &id(&gone)]);
    ken_in(&user, &here, &["dispute", "--withdraw", &id(&gone)]);
    assert!(file_with(&user.home(), b"zanzibarium").is_some());
    let ran = ken_in(&user, &here, &["forget", &id(&gone)]);
    // Its problem has no other tactic, and goes with it.
    assert_eq!((ran.code, ran.out.as_str()), (0, "2 forgotten.\n"), "{ran:?}");
    assert_eq!(file_with(&user.home(), b"zanzibarium"), None);
    assert_eq!(ken_in(&user, &here, &["memory", "replay", "--check"]).code, 0);
    let told = ken_in(&user, &here, &["memory", "history", &id(&gone)]);
    assert!(told.out.contains("forgotten by a person") && told.out.contains("its words are forgotten"), "{told:?}");
    assert_eq!(ken_in(&user, &here, &["forget", &id(&gone)]).out, "Already forgotten: 1.\n");
    assert_eq!(ken_in(&user, &here, &["lookup", "fail.log"]).code, 1);
    let listed = ken_in(&user, &here, &["memory", "list", "--json"]).json();
    assert_eq!(listed["memories"].as_array().unwrap().len(), 1);
    assert_eq!(listed["memories"][0]["id"], id(&kept).as_str());
    // An export from before does not bring it back.
    user.assert_sound();
}

#[test]
fn an_export_brings_memories_to_another_machine_but_not_what_was_forgotten_there() {
    let (user, other) = (User::new(), User::new());
    let here = repository(&user, "one");
    let first = remember(&user, &here, &["Doors are shut at nine", "--service", "doors"]);
    for session in ["second", "third"] {
        remember(&user, &here, &["Doors are shut at nine", "--service", "doors", "--session", session]);
    }
    remember(&user, &here, &["Windows are shut at ten", "--service", "windows"]);
    ken_in(&user, &here, &["dispute", "--because", "summer", &id(&first)]);
    let export = ken_in(&user, &here, &["export"]).out;
    let taken = |user: &User, folder: &Path| {
        let mut command = user.command(&["import", "-"]);
        command.current_dir(folder);
        let ran = crate::support::ken::run(command, export.as_bytes());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    // What it is not is said, and what it is.
    std::fs::write(here.join("all.jsonl"), &export).unwrap();
    let refused = ken_in(&other, &here, &["memory", "import", "all.jsonl"]);
    assert!(refused.code == 2 && refused.err.contains("`ken import FILE` takes it in"), "{refused:?}");
    let told = taken(&other, &here);
    assert!(told.contains("5 events of memories"), "{told}");
    let list = |user: &User| ken_in(user, &here, &["memory", "list", "--json"]).json()["memories"].clone();
    assert_eq!(list(&other), list(&user));
    assert_eq!(list(&other)[0]["confidence"].as_u64().max(list(&other)[1]["confidence"].as_u64()), Some(80));
    assert_eq!(ken_in(&other, &here, &["forget", &id(&first)]).code, 0);
    taken(&other, &here);
    assert_eq!(list(&other).as_array().unwrap().len(), 1);
    assert_eq!(file_with(&other.home(), b"Doors are shut"), None);
    assert_eq!(ken_in(&other, &here, &["memory", "replay", "--check"]).code, 0);
    other.assert_sound();
}
