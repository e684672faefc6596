//! The built-in packs as the build left them: text, and tables into it.

use super::prefilter::{Prefilter, Wait};
use std::borrow::Cow;

/// A pack.
#[derive(Debug)]
pub(super) struct CompiledPack {
    pub name: &'static str,
    /// The whole file.
    pub text: &'static str,
    pub entries: &'static [CompiledEntry],
}

/// An entry: what finding it takes, and where the rest of it lies.
#[derive(Debug)]
pub(super) struct CompiledEntry {
    /// Byte range of its id in the pack's text.
    pub id: (u32, u32),
    /// Byte range of its JSON object in the pack's text.
    pub start: u32,
    pub end: u32,
}

impl CompiledPack {
    /// The id of one of its entries.
    pub fn id(&self, entry: &CompiledEntry) -> &'static str {
        &self.text[entry.id.0 as usize..entry.id.1 as usize]
    }

    /// The JSON of one of its entries.
    pub fn raw(&self, entry: &CompiledEntry) -> &'static str {
        &self.text[entry.start as usize..entry.end as usize]
    }
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

    #[test]
    fn the_tables_say_what_the_packs_say() {
        let mut patterns = (0..compiled_patterns()).map(compiled_pattern);
        let mut words: Vec<Required> = Vec::new();
        let mut number = 0;
        for pack in PACKS {
            let file: PackFile = serde_json::from_str(pack.text).unwrap();
            assert_eq!(file.entries.len(), pack.entries.len());
            for (entry, compiled) in file.entries.iter().zip(pack.entries) {
                assert_eq!(entry.id, pack.id(compiled));
                assert_eq!(serde_json::from_str::<super::super::Entry>(pack.raw(compiled)).unwrap(), *entry);
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
        assert!(patterns.next().is_none());
        assert_eq!(Prefilter::new(&words), prefilter());
    }
}
