//! What the system refuses: an error that says so and a code, never a panic, a signal or a silent loss.
#![cfg(target_os = "linux")]

use crate::support::ken::{Ran, User, run, section};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const MODEL: &str = "bge-small-en-v1.5-int8";
/// Nobody runs anything under this number.
const NOBODY: u32 = 54_321;

/// Runs `ken` below a shell that has set a limit.
fn limited(user: &User, limit: &str, arguments: &[&str]) -> Ran {
    let own = user.command(&[]);
    let mut command = Command::new("bash");
    command.args(["-c", &format!("{limit}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_ken")]).args(arguments);
    same_surroundings(&own, &mut command);
    run(command, b"")
}

fn same_surroundings(own: &Command, command: &mut Command) {
    command.env_clear().current_dir(own.get_current_dir().unwrap());
    for (name, value) in own.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
}

fn told(ran: &Ran, code: i32) {
    let told = ran.err.contains("error:") && !ran.err.contains("panicked");
    assert!(ran.code == code && told, "{ran:?}");
}

fn filled(user: &User, files: u32) {
    let text = |file: u32| (0..8).map(|n| section(n, &format!("Paragraph {n} of file {file}."))).collect::<String>();
    (0..files).for_each(|file| drop(user.document(&format!("{file}.md"), text(file))));
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_costs_nothing() {
    let user = User::new();
    filled(&user, 3);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let before = user.texts();
    filled(&user, 200);
    let ran = limited(&user, "ulimit -f 300", &["index", "."]);
    told(&ran, 9);
    assert!(ran.err.contains("ulimit -f"), "{ran:?}");
    user.assert_sound();
    assert!(user.texts().len() >= before.len());
    told(&limited(&user, "ulimit -f 1", &["export", "all.jsonl"]), 9);
    assert!(!user.work().join("all.jsonl").exists());
    assert_eq!(user.ken(&["index", "."]).code, 0);
    assert_eq!(user.texts().len(), 1600);
}

#[test]
fn too_little_memory_is_said_before_anything_begins() {
    let user = User::new().with_model(MODEL);
    filled(&user, 3);
    let ran = limited(&user, "ulimit -v 120000", &["index", "."]);
    told(&ran, 9);
    assert!(ran.err.contains("ulimit -v") && !user.home().join("kenning.db").exists(), "{ran:?}");
    // Enough for everything but the model.
    let ran = limited(&user, "ulimit -v 400000", &["index", "."]);
    told(&ran, 9);
    assert!(ran.err.contains("address space") && ran.err.contains("ulimit -v"), "{ran:?}");
    assert_eq!(user.ken(&["index", "."]).code, 0);
    for kilobytes in [150_000, 250_000, 350_000, 500_000, 700_000, 1_000_000] {
        for (verb, code) in [
            (&["search", "--kind", "chunk", "zebra unicorn"][..], 1),
            (&["lookup", "--dry-run", "no such thing"], 1),
            (&["status"], 0),
        ] {
            let ran = limited(&user, &format!("ulimit -v {kilobytes}"), verb);
            assert!(ran.code == code && !ran.err.contains("panicked"), "{kilobytes} {verb:?}: {ran:?}");
        }
    }
}

/// Nobody may start a thread: work is done by the one there is.
#[test]
fn everything_works_without_a_second_thread() {
    let user = User::new();
    own_model(&user);
    filled(&user, 12);
    let ken = user.work().join("../ken-for-all");
    // Another process copies it, for the reason that `support::program` gives.
    assert!(Command::new("cp").arg(env!("CARGO_BIN_EXE_ken")).arg(&ken).status().unwrap().success());
    give_away(&user.work().join(".."));
    let ran = |arguments: &[&str]| {
        let mut command = Command::new("prlimit");
        command.arg("--nproc=1:1").arg(&ken).args(arguments);
        same_surroundings(&user.command(&[]), &mut command);
        // The limit does not hold for root.
        if fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0) {
            command.uid(NOBODY).gid(NOBODY);
        }
        run(command, b"")
    };
    for (verb, code) in [
        (&["index", "."][..], 0),
        (&["search", "--min-relevance", "0", "--kind", "chunk", "paragraph 3 of file 5"], 0),
        // candle cannot do without, so this is answered by words.
        (&["--encoder", "candle", "search", "--min-relevance", "0", "--kind", "chunk", "paragraph 4 of file 5"], 0),
        (&["status"], 0),
        (&["pack", "--task", "paragraph 3 of file 5"], 0),
        (&["gc"], 0),
        (&["doctor"], 0),
        (&["run", "--", "true"], 126),
    ] {
        let ran = ran(verb);
        assert!(ran.code == code && !ran.err.contains("panicked"), "{verb:?}: {ran:?}");
    }
    let watched = ran(&["index", "--watch", "."]);
    told(&watched, 9);
}

/// A copy of the model, for somebody who may not look where the tests keep it.
fn own_model(user: &User) {
    crate::support::home::installed(MODEL);
    user.write("config.toml", format!("[model]\nname = \"{MODEL}\"\n"));
    let shared = crate::support::home::dir();
    for (folder, begins) in [(format!("models/{MODEL}"), ""), ("vectors".to_owned(), "canon-")] {
        fs::create_dir_all(user.home().join(&folder)).unwrap();
        for entry in fs::read_dir(shared.join(&folder)).into_iter().flatten().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with(begins) && entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), user.home().join(&folder).join(name)).unwrap();
            }
        }
    }
    fs::set_permissions(user.home(), fs::Permissions::from_mode(0o700)).unwrap();
}

/// Gives all of a folder to nobody, where that is for us to do.
fn give_away(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            give_away(&entry.path());
        }
        drop(std::os::unix::fs::lchown(entry.path(), Some(NOBODY), Some(NOBODY)));
    }
    drop(std::os::unix::fs::lchown(folder, Some(NOBODY), Some(NOBODY)));
}

/// A result that nobody can get is no success; one that nobody wants is.
#[test]
fn results_that_cannot_be_written_are_an_error() {
    let user = User::new();
    filled(&user, 2);
    assert_eq!(user.ken(&["index", "."]).code, 0);
    let shell = |ending: &str, arguments: &[&str]| {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("\"$0\" \"$@\" {ending}"), env!("CARGO_BIN_EXE_ken")]).args(arguments);
        same_surroundings(&user.command(&[]), &mut command);
        run(command, b"")
    };
    let lookup = [
        "lookup",
        "--dry-run",
        "Error: Error acquiring the state lock\n\nError message: ConditionalCheckFailedException",
    ];
    for verb in [
        &lookup[..],
        &["status"],
        &["export"],
        &["--json", "status"],
        &["--help"],
        &["completions", "bash"],
        &["search", "--min-relevance", "0", "paragraph"],
    ] {
        for ending in [">&-", ">/dev/full"] {
            let ran = shell(ending, verb);
            assert!(ran.code == 9 && ran.err.contains("standard output"), "{verb:?} {ending}: {ran:?}");
        }
        for ending in [">/dev/null", "1<>/dev/null", "</dev/null >/dev/null 2>&1"] {
            assert_eq!(shell(ending, verb).code, 0, "{verb:?} {ending}");
        }
    }
}
