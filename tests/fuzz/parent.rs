//! Starts a process for each target and says what came of it.

use super::Target;
use super::targets::{ALL, PLANTED};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// CPU seconds for all targets of an ordinary test run.
const TOGETHER: f64 = 30.0;
/// A seed like any other.
const SEED: u64 = 17;

/// Names of what is passed to a child.
pub const TARGET: &str = "KEN_FUZZ_TARGET";
pub const ROOM: &str = "KEN_FUZZ_ROOM";
pub const SECONDS: &str = "KEN_FUZZ_SECONDS";
pub const RANDOM: &str = "KEN_FUZZ_SEED";
pub const INPUT: &str = "KEN_FUZZ_INPUT";
pub const WAITING: &str = "KEN_FUZZ_WAITING";

/// Wall-clock seconds that one input may wait for something.
const MOST_WAITING: f64 = 20.0;
/// The same where a target is known to wait, and CPU seconds of such a target: panics do not end it.
const PLANTED_WAITING: f64 = 5.0;
const PLANTED_SECONDS: f64 = 5.0;

/// Where a child keeps the input that it reads: its length in eight bytes, then the bytes.
pub const CURRENT: &str = "current";

/// Where failures are written.
pub fn failures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz-failures")
}

/// Writes a failure: the input, and beside it what happened.
pub fn write_failure(target: &str, seed: &str, input: &[u8], what: &str) -> String {
    let name = format!("{target}-{}", &crate::support::sha256(input)[..12]);
    let folder = failures();
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.bin"));
    std::fs::write(&path, input).unwrap();
    let hex: String = input.iter().take(2048).map(|byte| format!("{byte:02x}")).collect();
    let said = format!("target {target}, seed {seed}, {} bytes: {what}\n{}", input.len(), path.display());
    std::fs::write(folder.join(format!("{name}.txt")), format!("{said}\n{hex}\n")).unwrap();
    said
}

/// Runs a target in a process of its own, which ends when an input waits for longer than `waiting` seconds.
fn run(target: &Target, seconds: f64, waiting: f64, seed: &str) -> Result<String, String> {
    // In memory where there is such a folder: most targets write a file for each input.
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let room = tempfile::Builder::new().prefix("ken-fuzz-").tempdir_in(parent).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fuzz::child::child", "--nocapture", "--test-threads=1"])
        .env(TARGET, target.name)
        .env(ROOM, room.path())
        .env(SECONDS, seconds.to_string())
        .env(WAITING, waiting.to_string())
        .env(RANDOM, seed)
        .env("RAYON_NUM_THREADS", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&child.stdout), text(&child.stderr));
    if child.status.success() {
        let line = out.lines().find_map(|line| line.find("fuzzed ").map(|at| line[at..].to_owned()));
        return line.ok_or_else(|| format!("{}: it did not run: {out}{err}", target.name));
    }
    // A panic is told by the child; whoever was ended in the middle of an input has left it.
    let told: Vec<&str> = err.lines().filter(|line| line.starts_with("FAILED ")).collect();
    if !told.is_empty() {
        return Err(told.join("\n"));
    }
    let left = std::fs::read(room.path().join(CURRENT)).unwrap_or_default();
    let len = left.first_chunk::<8>().map_or(0, |len| u64::from_le_bytes(*len) as usize);
    let input = left.get(8..8 + len).unwrap_or_default();
    let why = err.lines().rev().find(|line| line.starts_with("ENDED ")).unwrap_or("");
    Err(write_failure(target.name, seed, input, &format!("{} {why}", child.status)))
}

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[test]
fn readers_withstand_hostile_bytes() {
    let wanted = setting("KEN_FUZZ_TARGETS");
    let named = |target: &&Target| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == target.name));
    let targets: Vec<&Target> = ALL.iter().filter(named).collect();
    assert!(!targets.is_empty(), "no target of that name");
    let together = if crate::support::long::is_long() { TOGETHER } else { TOGETHER / 5.0 };
    let seconds = setting(SECONDS).map_or(together / ALL.len() as f64, |seconds| seconds.parse().unwrap());
    let seed = setting(RANDOM).unwrap_or_else(|| SEED.to_string());
    let mut failed = Vec::new();
    for target in targets {
        match run(target, seconds, MOST_WAITING, &seed) {
            Ok(line) => println!("{line}"),
            Err(what) => failed.push(what),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The fuzzer can fail: a reader that panics, hangs, takes memory, recurses without end or breaks its promise is found,
/// and with it an input that shows it.
#[test]
fn planted_faults_are_found() {
    // At once, because one of them waits until it is ended.
    std::thread::scope(|scope| PLANTED.iter().for_each(|target| drop(scope.spawn(move || finds(target)))));
}

fn finds(target: &Target) {
    let what = run(target, PLANTED_SECONDS, PLANTED_WAITING, "1").expect_err(target.name);
    let path = what.split_whitespace().find(|word| word.ends_with(".bin")).map(PathBuf::from);
    let path = path.unwrap_or_else(|| panic!("{what}"));
    let input = std::fs::read(&path).unwrap();
    assert!(input.windows(2).any(|pair| pair == b"K!"), "{}: {what}: {input:?}", target.name);
    for ending in ["bin", "txt"] {
        std::fs::remove_file(path.with_extension(ending)).unwrap();
    }
}

/// A folder of seeds that no target reads would never run.
#[test]
fn no_seed_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(ALL.iter().any(|target| target.name == name), "{name} is no target");
    }
    for target in ALL {
        assert!(!super::child::seeds(target).is_empty(), "{} has no seed", target.name);
    }
}
