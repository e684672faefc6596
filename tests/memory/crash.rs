//! `kill -9` at random moments of everything that changes memories: the log and what it comes to agree, nothing that
//! was acknowledged is missing, and forgotten text is in no byte.

use super::{id, ken_in, remember, repository};
use crate::support::held::on_every_store;
use crate::support::ken::User;
use std::process::Stdio;
use std::time::Duration;

on_every_store!(a_kill_at_any_moment_leaves_a_log_that_agrees);

fn a_kill_at_any_moment_leaves_a_log_that_agrees(new: fn() -> User) {
    let kills = crate::support::long::amount("KEN_MEMORY_KILLS", 200, 20);
    let user = new();
    let here = repository(&user, "one");
    std::fs::write(
        here.join("s.md"),
        "User: remember that doors are shut at nine\nUser: no, use pnpm instead of npm\n",
    )
    .unwrap();
    let mut acknowledged: Vec<String> = Vec::new();
    let mut forgotten: Vec<String> = Vec::new();
    for kill in 0..kills {
        let said =
            remember(&user, &here, &[&format!("wordkept{kill} is remembered"), "--service", &format!("s{kill}")]);
        acknowledged.push(id(&said));
        let gone = remember(&user, &here, &[&format!("wordgone{kill} is to go")]);
        let target = acknowledged[(kill as usize * 7) % acknowledged.len()].clone();
        let new = format!("something{kill} new");
        let arguments: Vec<&str> = match kill % 5 {
            0 => vec!["remember", "--author", "person", &new],
            1 => vec!["dispute", "--because", "x", &target],
            2 => vec!["learn", "--auto", "s.md"],
            3 => vec!["memory", "replay"],
            _ => vec!["forget", gone["memory"]["id"].as_str().unwrap()],
        };
        let mut command = user.command(&arguments);
        command.current_dir(&here).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(kill * 1_777 % 60_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let checked = ken_in(&user, &here, &["memory", "replay", "--check"]);
        assert_eq!(checked.code, 0, "after {arguments:?}: {checked:?}");
        let ran = ken_in(&user, &here, &["forget", &id(&gone)]);
        assert!(ran.code == 0, "{ran:?}");
        forgotten.push(format!("wordgone{kill} "));
    }
    let listed = ken_in(&user, &here, &["memory", "list", "--json", "-n", "1000"]).json();
    let known: Vec<&str> =
        listed["memories"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(acknowledged.iter().all(|id| known.contains(&id.as_str())), "an acknowledged memory is missing");
    for file in std::fs::read_dir(user.home()).unwrap().flatten().filter(|file| file.path().is_file()) {
        let bytes = std::fs::read(file.path()).unwrap();
        for word in &forgotten {
            let found = bytes.windows(word.len()).any(|at| at == word.as_bytes());
            assert!(!found, "{word} is in {}", file.path().display());
        }
    }
    #[cfg(all(target_os = "linux", feature = "postgres"))]
    if user.is_sharing() {
        let rows = user.dump();
        assert!(rows.contains("wordkept0 "), "{rows}");
        forgotten.iter().for_each(|word| assert!(!rows.contains(word), "{word} is in a row"));
    }
    user.assert_sound();
}
