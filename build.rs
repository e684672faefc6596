//! Compiles the packs of `canon/` into tables: each entry made small, its patterns, and the words that every match of
//! a pattern contains. A cold lookup then parses no JSON and no regex it does not need, and adding a pack is adding a
//! file. Reads files of this repository only; downloads and compiles nothing else.

use flate2::{Compress, Compression, FlushCompress};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

#[path = "src/canon/literal.rs"]
mod literal;
#[path = "src/canon/prefilter.rs"]
mod prefilter;

#[derive(Deserialize)]
struct Pack<'a> {
    schema_version: u32,
    pack: String,
    title: String,
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    #[serde(default)]
    error_patterns: Vec<Pattern>,
    #[serde(default)]
    generic_patterns: Vec<Pattern>,
    #[serde(default)]
    aliases: Vec<String>,
}

/// A pattern, with or without a name.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pattern {
    Plain(String),
    Named { pattern: String },
}

impl Pattern {
    fn source(&self) -> &str {
        match self {
            Self::Plain(pattern) | Self::Named { pattern } => pattern,
        }
    }
}

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    println!("cargo::rerun-if-changed=canon");
    place_at_fixed_addresses();
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
    let mut texts = Vec::new();
    for path in &files {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        digest.add(&text);
        texts.push(text);
    }
    let parsed: Vec<Pack> = (files.iter().zip(&texts))
        .map(|(path, text)| serde_json::from_str(text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
        .collect();
    let all: Vec<Vec<String>> =
        parsed.iter().map(|pack| pack.entries.iter().map(|raw| compact(raw.get())).collect()).collect();
    let words = dictionary(&all.iter().flatten().map(String::as_str).collect::<Vec<_>>());
    let mut squeezed = Vec::new();
    let mut table = String::from("pub(super) static PACKS: &[CompiledPack] = &[");
    let mut patterns = Patterns::default();
    let mut open: Option<&str> = None;
    for (path, (pack, entries)) in files.iter().zip(parsed.iter().zip(&all)) {
        let Pack { schema_version, pack, title, .. } = pack;
        // A pack too long for one file goes on in the next: node.a-n.json, node.o-z.json.
        if open != Some(pack) {
            table.push_str(if open.is_some() { "] }," } else { "" });
            let head = format!("schema_version: {schema_version}, name: {pack:?}, title: {title:?}");
            write!(table, "CompiledPack {{ {head}, entries: &[").expect("to a string");
            open = Some(pack);
        }
        for text in entries {
            let entry: Entry = serde_json::from_str(text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            squeezed.extend(squeeze(&words, text));
            let (length, end) = (text.len(), squeezed.len());
            write!(table, "CompiledEntry {{ id: {:?}, length: {length}, end: {end} }},", entry.id)
                .expect("to a string");
            patterns.add(&entry);
        }
    }
    table.push_str(if open.is_some() { "] }];\n" } else { "];\n" });
    patterns.write(&mut table);
    for (file, made) in [("packs.rs", table.as_bytes()), ("packs.words", &words), ("packs.entries", &squeezed)] {
        fs::write(Path::new(&out).join(file), made).expect("OUT_DIR is writable");
    }
    println!("cargo::rustc-env=KEN_CANON_DIGEST={:016x}{:016x}", digest.0, digest.1);
}

/// Links `ken` for fixed addresses. Otherwise the loader writes 70,000 addresses into 300 pages at each start: 2 of the
/// 7 ms that a short call takes (docs/decisions.md, "Fixed addresses").
fn place_at_fixed_addresses() {
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bin=ken=-no-pie");
    }
}

/// Bytes of a dictionary: the window of deflate.
const WINDOW: usize = 32 * 1024;
/// How many texts a dictionary is drawn from, evenly spread.
const DRAWN: usize = 12;

/// A dictionary for these texts: what most of them share need not stand in each.
fn dictionary(texts: &[&str]) -> Vec<u8> {
    let drawn: String = texts.iter().step_by((texts.len() / DRAWN).max(1)).copied().collect();
    drawn.as_bytes()[drawn.len().saturating_sub(WINDOW)..].to_vec()
}

/// A text as a deflate stream (RFC 1951) of its own.
fn squeeze(dictionary: &[u8], text: &str) -> Vec<u8> {
    let mut stream = Compress::new(Compression::best(), false);
    stream.set_dictionary(dictionary).expect("a new stream takes a dictionary");
    // Deflate stores what it cannot make smaller, at five bytes a block.
    let mut out = Vec::with_capacity(text.len() + text.len() / 1000 + 64);
    stream.compress_vec(text.as_bytes(), &mut out, FlushCompress::Finish).expect("deflate takes any bytes");
    assert_eq!(stream.total_in() as usize, text.len(), "the whole text is in the stream");
    out
}

/// The same JSON without white space outside its strings.
fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut in_text, mut escaped) = (false, false);
    for c in json.chars() {
        if in_text || !c.is_ascii_whitespace() {
            out.push(c);
        }
        in_text = if in_text { escaped || c != '"' } else { c == '"' };
        escaped = in_text && c == '\\' && !escaped;
    }
    out
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

/// All patterns, and the words that their matches contain.
#[derive(Default)]
struct Patterns {
    entries: u32,
    list: String,
    text: String,
    aliases: String,
    required: Vec<literal::Required>,
}

impl Patterns {
    fn add(&mut self, entry: &Entry) {
        let specific = entry.error_patterns.iter().map(|p| (p.source(), false));
        for (source, generic) in specific.chain(entry.generic_patterns.iter().map(|p| (p.source(), true))) {
            // What has no certain word is no pattern; `ken canon check` says so, and a test keeps it out of these
            // packs.
            let Some(required) = literal::required(source) else { continue };
            self.text.push_str(source);
            let (entry_kind, end) = (2 * self.entries + u32::from(generic), self.text.len());
            write!(self.list, "CompiledPattern {{ entry_kind: {entry_kind}, end: {end} }},").expect("to a string");
            self.required.push(required);
        }
        for alias in &entry.aliases {
            write!(self.aliases, "({alias:?}, {}),", self.entries).expect("to a string");
        }
        self.entries += 1;
    }

    fn write(&self, table: &mut String) {
        let made = prefilter::Prefilter::new(&self.required);
        write!(
            table,
            "pub(super) static ALIASES: &[(&str, u32)] = &[{}];
            pub(super) static PATTERN_TEXT: &str = {:?};
            pub(super) static PATTERNS: &[CompiledPattern] = &[{}];
            pub(super) fn prefilter() -> Prefilter {{ Prefilter {{
                filter: Cow::Borrowed(&{:?}), ranks: Cow::Borrowed(&{:?}), starts: Cow::Borrowed(&{:?}),
                filed: Cow::Borrowed(&{:?}), text: Cow::Borrowed({:?}), ends: Cow::Borrowed(&{:?}),
                listener_starts: Cow::Borrowed(&{:?}), listeners: Cow::Borrowed(&{:?}), waits: Cow::Borrowed(&{:?}),
                companion_starts: Cow::Borrowed(&{:?}), companions: Cow::Borrowed(&{:?}), phrases: Cow::Borrowed({:?}),
            }} }}",
            self.aliases,
            self.text,
            self.list,
            made.filter,
            made.ranks,
            made.starts,
            made.filed,
            made.text,
            made.ends,
            made.listener_starts,
            made.listeners,
            made.waits,
            made.companion_starts,
            made.companions,
            made.phrases
        )
        .expect("to a string");
    }
}
