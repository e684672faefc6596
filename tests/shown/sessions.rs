//! Runs a shown command and compares: what it prints with what stands below it, or else that it works.

use super::blocks::Shown;
use super::known::{self, How};
use super::mask;
use super::report::Fault;
use super::shell::{Ended, Shell};
use super::spans;
use std::path::Path;

/// What is wrong with a command, tried in its place among others.
pub fn fault(shell: &Shell, shown: &Shown) -> Option<Fault> {
    let fault = |expected: &str, got: String| {
        let (place, command) = (shown.place.clone(), shown.command.clone());
        Some(Fault { place, command, expected: expected.to_owned(), got })
    };
    let as_shown = known::filled(&shown.command);
    let mut right = vec![0, 1];
    let ended = match known::how(&shown.command) {
        Some(How::Text) => return None,
        Some(How::Read) => return spans::unreadable(shell, &as_shown).and_then(|got| fault("a call that exists", got)),
        Some(How::Elsewhere) => {
            let missing = missing_files(&shown.command);
            return if missing.is_empty() { None } else { fault("files of this repository", missing.join("\n")) };
        }
        Some(How::Alone(line)) => Shell::without_model().types(line),
        Some(How::Instead(line)) => shell.types(line),
        Some(How::Exits(code)) => {
            right = vec![code];
            shell.types(&as_shown)
        }
        None => shell.types(&as_shown),
    };
    if !shown.output.is_empty() {
        let agree = mask::agree(&shown.output, &ended.shown);
        return if agree { None } else { fault(&shown.output.join("\n"), ended.shown) };
    }
    let works = works(&ended, &right);
    if works { None } else { fault(&format!("exit code {right:?} and no error"), told(&ended)) }
}

/// Whether `ken` was called, ended well, and complained about nothing.
fn works(ended: &Ended, right: &[i32]) -> bool {
    let complains = |line: &str| line.starts_with("error:") || line.contains(": not found");
    let well = ended.calls.iter().all(|(code, _)| right.contains(code));
    !ended.calls.is_empty() && well && (right.len() == 1 || !ended.shown.lines().any(complains))
}

/// A run in words.
fn told(ended: &Ended) -> String {
    let calls: String = ended.calls.iter().map(|(code, call)| format!("ken {call} -> {code}\n")).collect();
    format!("exit code {}\n{calls}{}", ended.code, ended.shown)
}

/// What a command of another program names in this repository, and is not there.
fn missing_files(command: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words: Vec<&str> = command.split_whitespace().collect();
    let files = words.iter().filter(|word| word.starts_with("benches/")).map(|word| (*word).to_owned());
    let benches = words.windows(2).filter(|pair| pair[0] == "--bench").map(|pair| format!("benches/{}.rs", pair[1]));
    files.chain(benches).filter(|file| !root.join(file).exists()).collect()
}
