//! What a command leaves to a process of its own, which goes on after it.

use super::Global;
use crate::engine::face::system;
use std::process::Stdio;
use std::sync::OnceLock;

/// The options of this process that say which model is run, and how.
static MODEL: OnceLock<Vec<String>> = OnceLock::new();

/// Keeps the options that a background process needs to run the same model as this one.
pub(super) fn same_model(global: &Global) {
    let given = [("--model", &global.model), ("--encoder", &global.encoder), ("--precision", &global.precision)];
    let given = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value.clone()?]));
    drop(MODEL.set(given.flatten().collect()));
}

/// Starts `ken gc --auto`, which outlives this process and does not hear the terminal's Ctrl-C; false if that fails.
pub(super) fn renew_later() -> bool {
    let model: Vec<&str> = MODEL.get().into_iter().flatten().map(String::as_str).collect();
    start(&[&["gc", "--auto", "--quiet"], &model[..]].concat())
}

/// Starts an analysis of what tools did, in the same way.
pub(super) fn analyse_later() -> bool {
    start(&["patterns", "find", "--background", "--quiet"])
}

fn start(arguments: &[&str]) -> bool {
    let Ok(own) = system::own_path(std::env::args_os().next()) else { return false };
    let mut command = system::ourselves(&own);
    command.args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    system::in_background(&mut command);
    match command.spawn() {
        Ok(mut child) => {
            // Should this process stay, as one that watches files does, nothing of the other is left behind.
            // Where no thread can be started, it is the system that takes it away in the end.
            drop(std::thread::Builder::new().spawn(move || drop(child.wait())));
            true
        }
        Err(_) => false,
    }
}
