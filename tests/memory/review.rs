use super::{ken_in, repository};
use crate::support::ken::User;
use crate::support::terminal::terminal;
use rustix::termios::{LocalModes, tcgetattr};
use std::fs::File;
use std::io::Write;
use std::process::Stdio;

#[test]
fn proposals_are_decided_by_single_keys() {
    let user = User::new();
    let here = repository(&user, "one");
    let session = "User: Remember that CI images need build-essential.\nAssistant: I will.\n\
        User: Remember that the gate is at port 7.\nUser: Remember that releases are cut on Mondays.\n";
    std::fs::write(here.join("s.md"), session).unwrap();
    let learnt = ken_in(&user, &here, &["learn", "s.md"]);
    assert!(learnt.code == 0 && learnt.err.contains("3 wait"), "{learnt:?}");
    let (mut person, slave) = terminal();
    let is_line = |slave: &File| tcgetattr(slave).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO);
    assert!(is_line(&slave));
    let mut command = user.command(&["memory", "review", "--json"]);
    command.current_dir(&here).stdin(slave.try_clone().unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Approved, not understood, rejected; then Ctrl-C, which a terminal that reads keys hands on as one. No Enter.
    person.write_all(b"axr").unwrap();
    // Typed only while the program waits for keys: at other times the terminal would make a signal of it.
    while child.try_wait().unwrap().is_none() {
        if !is_line(&slave) {
            person.write_all(b"\x03").unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let ran = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    let done: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!((&done["approved"], &done["rejected"]), (&1.into(), &1.into()), "{said}");
    assert!(said.contains("1 of 3") && said.contains("3 of 3"), "{said}");
    assert!(is_line(&slave), "the terminal is as it was before");
}
