//! Memory: what is learnt comes back where it belongs, and nowhere else; its log is the truth.

mod changing; // facts and preferences that change: the current value is served, an old one never
mod crash; // kill -9 at random moments
mod forgotten; // what was forgotten is in no byte
mod lookup; // what was tried before, beside what packs say
mod passing; // what is said in passing stands before what it revises
mod random; // random histories, replayed
#[cfg(unix)]
mod review; // proposals one by one, at a terminal
mod said; // the verbs as somebody types them
mod scopes; // two repositories, every use case that reads

use crate::support::ken::{Ran, User};
use std::path::Path;

/// Makes a folder below the user's work a repository of its own.
pub fn repository(user: &User, name: &str) -> std::path::PathBuf {
    let folder = user.work().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let git = |arguments: &[&str]| {
        let ran = std::process::Command::new("git").args(arguments).current_dir(&folder).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    git(&["init", "-q"]);
    let name = format!("user.name={name}");
    git(&["-c", &name, "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", &name]);
    folder
}

/// Runs `ken` in a folder.
pub fn ken_in(user: &User, folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = user.command(arguments);
    command.current_dir(folder);
    crate::support::ken::run(command, b"")
}

/// Remembers something as a person; gives what `--json` says.
pub fn remember(user: &User, folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let mut all = vec!["remember", "--json", "--author", "person"];
    all.extend(arguments);
    let ran = ken_in(user, folder, &all);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.json()
}

/// The id of what was remembered.
pub fn id(remembered: &serde_json::Value) -> String {
    remembered["memory"]["id"].as_str().unwrap().to_owned()
}
