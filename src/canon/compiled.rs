//! The built-in packs as the build left them: text, and tables into it.

use super::prefilter::{Prefilter, Wait};
use flate2::{Decompress, FlushDecompress};
use std::borrow::Cow;

/// A pack.
#[derive(Debug)]
pub(super) struct CompiledPack {
    pub schema_version: u32,
    pub name: &'static str,
    pub title: &'static str,
    pub entries: &'static [CompiledEntry],
}

/// An entry: what finding it takes, and where the rest of it lies.
#[derive(Debug)]
pub(super) struct CompiledEntry {
    pub id: &'static str,
    /// Bytes of its JSON.
    pub length: u32,
    /// Its last byte in [`ENTRIES`], plus one. The first is the end of the entry before it.
    pub end: u32,
}

/// The entries of all packs, in their order, each a deflate stream of its own (RFC 1951): a lookup expands the few that
/// it shows, some ten microseconds each.
static ENTRIES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packs.entries"));
/// The dictionary of these streams.
static WORDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packs.words"));

/// The JSON of an entry that is compiled in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Squeezed {
    bytes: &'static [u8],
    length: u32,
}

impl Squeezed {
    /// The JSON. A test expands every one, so that there is nothing to be done here about one that is damaged.
    pub fn json(self) -> String {
        expand(self.bytes, self.length as usize).unwrap_or_default()
    }
}

/// The text of `length` bytes in a stream, or `None` if these bytes are no such stream.
fn expand(bytes: &[u8], length: usize) -> Option<String> {
    let mut stream = Decompress::new(false);
    stream.set_dictionary(WORDS).ok()?;
    let mut out = Vec::with_capacity(length);
    stream.decompress_vec(bytes, &mut out, FlushDecompress::Finish).ok()?;
    String::from_utf8(out).ok().filter(|text| text.len() == length)
}

/// All entries with their packs, in their order.
pub(super) fn compiled_entries() -> impl Iterator<Item = (&'static CompiledPack, &'static CompiledEntry, Squeezed)> {
    let all = PACKS.iter().flat_map(|pack| pack.entries.iter().map(move |entry| (pack, entry)));
    let mut start = 0;
    all.map(move |(pack, entry)| {
        let bytes = &ENTRIES[start..entry.end as usize];
        start = entry.end as usize;
        (pack, entry, Squeezed { bytes, length: entry.length })
    })
}

/// A pattern; its number is its place among all. Places rather than texts: a text is an address, and ten thousand
/// addresses are ten thousand things to be set right whenever the program starts.
#[derive(Debug)]
pub(super) struct CompiledPattern {
    /// Place of its entry among all entries, times two, and one more if it is generic.
    pub entry_kind: u32,
    /// Where it ends in the text of all patterns; it begins where the one before ends.
    pub end: u32,
}

/// All patterns of the program.
pub(super) fn compiled_pattern(number: usize) -> (usize, &'static str, bool) {
    let pattern = &PATTERNS[number];
    let start = number.checked_sub(1).map_or(0, |before| PATTERNS[before].end);
    let source = &PATTERN_TEXT[start as usize..pattern.end as usize];
    (pattern.entry_kind as usize / 2, source, pattern.entry_kind % 2 == 1)
}

/// How many there are.
pub(super) fn compiled_patterns() -> usize {
    PATTERNS.len()
}

/// Of the packs and of the program's sources that read them: differs whenever what is derived from them might.
pub(super) const DIGEST: &str = env!("KEN_CANON_DIGEST");

// `PACKS`, `ALIASES`, `PATTERNS`, `PATTERN_TEXT` and `prefilter()`.
include!(concat!(env!("OUT_DIR"), "/packs.rs"));

#[cfg(test)]
mod tests {
    use super::super::literal::{Required, required};
    use super::super::pack::PackFile;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::any;

    proptest::proptest! {
        #[test]
        fn bytes_that_are_no_entry_are_none(bytes in vec(any::<u8>(), 0..300)) {
            proptest::prop_assert!(expand(&bytes, 7777).is_none());
        }
    }

    /// The files of a pack, in their order.
    fn pack_files(name: &str) -> Vec<PackFile> {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/canon")).unwrap();
        let mut paths: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        paths.iter().map(read).filter(|file: &PackFile| file.pack == name).collect()
    }

    #[test]
    fn the_tables_say_what_the_packs_say() {
        let mut patterns = (0..compiled_patterns()).map(compiled_pattern);
        let mut words: Vec<Required> = Vec::new();
        let mut number = 0;
        let mut compiled = compiled_entries();
        for pack in PACKS {
            let files: Vec<PackFile> = pack_files(pack.name);
            let heads = files.iter().map(|file| (file.schema_version, &*file.title));
            assert!(!files.is_empty() && heads.eq(files.iter().map(|_| (pack.schema_version, pack.title))));
            for entry in files.iter().flat_map(|file| &file.entries) {
                let (of, found, squeezed) = compiled.next().unwrap();
                assert_eq!((of.name, found.id), (pack.name, &*entry.id));
                assert_eq!(serde_json::from_str::<super::super::Entry>(&squeezed.json()).unwrap(), *entry);
                let own = ALIASES.iter().filter(|(_, entry)| *entry == number).map(|(alias, _)| *alias);
                assert!(own.eq(entry.aliases.iter()));
                for one in entry.patterns() {
                    let (source, generic) = (&one.pattern, !entry.error_patterns.contains(one));
                    assert_eq!(patterns.next().unwrap(), (number as usize, source.as_str(), generic));
                    words.push(required(source).unwrap());
                }
                number += 1;
            }
        }
        assert!(patterns.next().is_none() && compiled.next().is_none());
        assert_eq!(Prefilter::new(&words), prefilter());
    }
}
