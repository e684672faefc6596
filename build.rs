//! Compiles the packs of `canon/` into tables: where each entry lies in its file, its patterns, and the words that every
//! match of a pattern contains. A cold lookup then parses no JSON and no regex it does not need, and adding a pack is
//! adding a file. Reads files of this repository only; downloads and compiles nothing else.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

#[path = "src/canon/literal.rs"]
mod literal;

#[derive(Deserialize)]
struct Pack<'a> {
    pack: String,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    error_patterns: Vec<String>,
    #[serde(default)]
    generic_patterns: Vec<String>,
    #[serde(default)]
    aliases: Vec<String>,
}

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    println!("cargo::rerun-if-changed=canon");
    let mut digest = Digest::default();
    for source in READERS {
        println!("cargo::rerun-if-changed={source}");
        digest.add_sources(&Path::new(&root).join(source));
    }
    let folder = Path::new(&root).join("canon");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("canon/ must be readable: {e}"))
        .map(|entry| entry.expect("a folder entry is readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    let mut table = String::from("&[");
    for path in &files {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        digest.add(&text);
        let pack: Pack = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name = &pack.pack;
        write!(table, "CompiledPack {{ name: {name:?}, text: include_str!({path:?}), entries: &[")
            .expect("to a string");
        for raw in &pack.entries {
            let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
            let entry: Entry = serde_json::from_str(raw.get()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            write_entry(&mut table, &entry, start, start + raw.get().len());
        }
        table.push_str("] },");
    }
    table.push(']');
    fs::write(Path::new(&out).join("packs.rs"), table).expect("OUT_DIR is writable");
    println!("cargo::rustc-env=KEN_CANON_DIGEST={:016x}{:016x}", digest.0, digest.1);
}

/// What makes searchable texts of entries: a change here makes derived files stale.
const READERS: [&str; 3] = ["src/canon", "src/text", "src/query/relevance"];

/// FNV-1a, twice: names a state of files, and no more.
struct Digest(u64, u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4)
    }
}

impl Digest {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            self.1 = (self.1.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn add_sources(&mut self, path: &Path) {
        if path.is_dir() {
            let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut inside: Vec<_> = entries.map(|entry| entry.expect("a folder entry is readable").path()).collect();
            inside.sort();
            inside.iter().for_each(|path| self.add_sources(path));
        } else {
            self.add(&fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())));
        }
    }
}

fn write_entry(table: &mut String, entry: &Entry, start: usize, end: usize) {
    let (id, aliases) = (&entry.id, &entry.aliases);
    write!(table, "CompiledEntry {{ id: {id:?}, start: {start}, end: {end}, aliases: &{aliases:?}, patterns: &[")
        .expect("to a string");
    let specific = entry.error_patterns.iter().map(|p| (p, false));
    for (source, generic) in specific.chain(entry.generic_patterns.iter().map(|p| (p, true))) {
        // What has no certain word is no pattern; `ken canon check` says so, and a test keeps it out of these packs.
        let Some(required) = literal::required(source) else { continue };
        let (any_of, all_of) = (required.any_of, required.all_of);
        write!(
            table,
            "CompiledPattern {{ source: {source:?}, generic: {generic}, any_of: &{any_of:?}, all_of: &{all_of:?} }},"
        )
        .expect("to a string");
    }
    table.push_str("] },");
}
