use super::runs;
use crate::support::ken::{Ran, User, run};
use crate::support::terminal::terminal;
use serde_json::Value;
use std::io::{Read, Write};
use std::process::Command;

/// Fails until there is a file `lever`.
const SCRIPT: &str = "test -e lever || { echo 'gearbox: fatal: the lever is stuck in its slot' >&2; exit 3; }";

fn ken(user: &User, arguments: &[&str]) -> Command {
    let mut command = user.command(arguments);
    command.env("KEN_SESSION", "monday");
    command
}

fn learn(user: &User, script: &str) -> Ran {
    run(ken(user, &["run", "--learn", "--", "sh", "-c", script]), b"")
}

fn solutions(user: &User) -> Value {
    let ran = user.ken_with(&["lookup", "--json", "-"], b"gearbox: fatal: the lever is stuck in its slot\n");
    ran.json()["results"][0]["hits"].clone()
}

#[test]
fn a_program_is_told_how_to_keep_what_helped() {
    let user = User::new();
    let none = run(ken(&user, &["remember", "Put the lever back", "--overcame"]), b"");
    assert!(none.code == 2 && none.err.contains("ken run --learn"), "{none:?}");
    assert_eq!(learn(&user, SCRIPT).code, 3);
    // What changes nothing is no step.
    assert_eq!(learn(&user, "ls").err, "");
    assert_eq!(learn(&user, "touch lever").err, "");
    let ran = learn(&user, SCRIPT);
    assert!(ran.code == 0 && ran.out.is_empty(), "{ran:?}");
    assert!(ran.err.contains("the lever is stuck") && ran.err.contains("1  sh -c 'touch lever'"), "{ran:?}");
    assert!(ran.err.contains("--overcame") && !ran.err.contains("ls"), "{ran:?}");
    assert_eq!(runs(&user).len(), 4, "kept, though the setting is off");
    // It works still: nothing was overcome.
    assert_eq!(learn(&user, SCRIPT).err, "");
    let kept = run(ken(&user, &["remember", "--json", "Put the lever back", "--overcame"]), b"");
    assert_eq!(kept.code, 0, "{kept:?}");
    let memory = kept.json()["memory"].clone();
    assert_eq!((&memory["kind"], &memory["worked"]), (&"tactic".into(), &1.into()), "{memory}");
    assert_eq!(memory["words"]["evidence"][0]["exit_code"], 0, "{memory}");
    assert!(solutions(&user).to_string().contains("Put the lever back"), "{}", solutions(&user));
    // Another session overcame nothing.
    let mut other = ken(&user, &["remember", "Oil it", "--overcame"]);
    other.env("KEN_SESSION", "tuesday");
    assert_eq!(run(other, b"").code, 2);
}

#[test]
fn a_failure_without_a_word_is_overcome_too() {
    let user = User::new();
    assert_eq!(learn(&user, "test -e lever || exit 4").code, 4);
    std::fs::write(user.work().join("lever"), "").unwrap();
    let ran = learn(&user, "test -e lever || exit 4");
    assert!(ran.err.contains("exit code 4"), "{ran:?}");
    let kept = run(ken(&user, &["remember", "Put the lever back", "--overcame"]), b"");
    assert_eq!(kept.code, 0, "{kept:?}");
}

#[test]
fn a_person_is_asked_what_helped() {
    for (answer, text) in [("1\n", Some("Run `sh -c 'touch lever'`")), ("Oil it\n", Some("Oil it")), ("\n", None)] {
        let user = User::new();
        learn(&user, SCRIPT);
        learn(&user, "touch lever");
        let (mut person, slave) = terminal();
        let mut command = ken(&user, &["run", "--learn", "--", "sh", "-c", SCRIPT]);
        command.stdin(slave.try_clone().unwrap()).stderr(slave);
        let mut child = command.spawn().unwrap();
        drop(command);
        person.write_all(answer.as_bytes()).unwrap();
        let mut said = Vec::new();
        // Ends with an error when nobody holds the other side any more.
        let _ = person.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
        assert!(said.contains("What helped?"), "{said}");
        let known = solutions(&user).to_string();
        assert_eq!(text.is_some_and(|text| known.contains(text)), text.is_some(), "{known} {said}");
        assert_eq!(text.is_none(), known == "null" || known == "[]", "{known} {said}");
    }
}
