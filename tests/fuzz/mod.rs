//! Hostile bytes for every reader of what is not ours: no panic, no hang, no memory without bound, no broken promise.
//!
//! A small mutation fuzzer on stable Rust. `targets` has one file for each family of readers and the table of them all;
//! `mutate` makes an input of what is there already; `child` is the loop, in a process of its own because a stack
//! overflow or an abort ends a process; `parent` starts it and reports. What a reader answers is boiled down to a
//! number, and an input with a new answer is mutated further: that stands in for coverage, which stable Rust does not
//! tell.
//!
//! Seeds lie in `corpus/<target>/`, those of binary formats are made by our own writers. `corpus/<target>/regressions/`
//! holds every input that once broke a reader; all of them run first.
//!
//! - `KEN_FUZZ_SECONDS`: CPU seconds for each target; by default all targets together take some 30.
//! - `KEN_FUZZ_SEED`: a number; by default always the same, so that the ordinary test run is repeatable.
//! - `KEN_FUZZ_TARGETS`: names with commas between; by default all.
//! - `KEN_FUZZ_INPUT`: a file: only this input, once for each target.
//!
//! A failure is written to `target/fuzz-failures/`: the bytes, and beside them what happened. Ten CPU-minutes for each
//! target: `benches/security/fuzz-nightly.sh`.

#![cfg(unix)]
// What a run came to is told to whoever started it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod child;
mod mutate;
mod parent;
mod targets;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Reads an input; what came of it, boiled down to a number by [`outcome`].
pub type Reader = Box<dyn FnMut(&[u8]) -> u64>;

/// A reader of foreign bytes.
pub struct Target {
    pub name: &'static str,
    /// Inputs that are made by code, beside those of `corpus/<name>/`.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What the format is made of: put in as it stands, repeated and nested.
    pub words: &'static [&'static str],
    /// Bytes of the longest input.
    pub longest: usize,
    /// Makes the reader; what it writes, it writes below this folder.
    pub reader: fn(&Path) -> Reader,
}

/// Boils an answer down. Inputs with the same number count as the same kind of input.
pub fn outcome(answer: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    answer.hash(&mut hasher);
    hasher.finish()
}

/// What sort of error this is: the words of its message, as far as they are the program's own and not the input's.
pub fn sort_of(error: &impl std::fmt::Display) -> u64 {
    let message = error.to_string();
    let mut quoted = false;
    let own = |line: &&str| !line.contains('|');
    let words = message.lines().filter(own).flat_map(str::split_whitespace).filter(|word| {
        let quotes = word.matches(['"', '`']).count();
        let plain = !quoted && quotes == 0 && word.bytes().all(|b| b.is_ascii_alphabetic() || b",.:;()".contains(&b));
        quoted ^= quotes % 2 == 1;
        plain
    });
    outcome(words.take(14).collect::<Vec<_>>())
}

/// How many, roughly: so that one more of a thing is not yet another sort of answer.
pub fn about(count: usize) -> u32 {
    if count < 4 { count as u32 } else { 4 + count.ilog2() }
}

/// The files of an input: each begins with a line `=== name`.
pub fn files(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut out: Vec<(String, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"=== ") {
            Some(name) => out.push((String::from_utf8_lossy(name).trim().to_owned(), Vec::new())),
            None => out.iter_mut().last().into_iter().for_each(|(_, bytes)| bytes.extend_from_slice(line)),
        }
    }
    out
}

/// An empty folder.
pub fn emptied(folder: &Path) {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{}: {error}", folder.display()),
        _ => std::fs::create_dir_all(folder).unwrap(),
    }
}
