//! The built-in packs as the build left them: text, and tables into it.

use super::literal::Required;

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
    pub id: &'static str,
    /// Byte range of its JSON object in the pack's text.
    pub start: usize,
    pub end: usize,
    pub aliases: &'static [&'static str],
    pub patterns: &'static [CompiledPattern],
}

/// A pattern and the words that every match contains.
#[derive(Debug)]
pub(super) struct CompiledPattern {
    pub source: &'static str,
    pub generic: bool,
    pub any_of: &'static [&'static str],
    pub all_of: &'static [&'static str],
}

impl CompiledPattern {
    pub fn required(&self) -> Required {
        let owned = |words: &[&'static str]| words.iter().map(|word| (*word).into()).collect();
        Required { any_of: owned(self.any_of), all_of: owned(self.all_of) }
    }
}

/// Of the packs and of the program's sources that read them: differs whenever what is derived from them might.
pub(super) const DIGEST: &str = env!("KEN_CANON_DIGEST");

/// All built-in packs, by name.
pub(super) static PACKS: &[CompiledPack] = include!(concat!(env!("OUT_DIR"), "/packs.rs"));

#[cfg(test)]
mod tests {
    use super::super::literal::required;
    use super::super::pack::PackFile;
    use super::*;

    #[test]
    fn the_tables_say_what_the_packs_say() {
        for pack in PACKS {
            let file: PackFile = serde_json::from_str(pack.text).unwrap();
            assert_eq!(file.entries.len(), pack.entries.len());
            for (entry, compiled) in file.entries.iter().zip(pack.entries) {
                assert_eq!(entry.id, compiled.id);
                assert_eq!(
                    serde_json::from_str::<super::super::Entry>(&pack.text[compiled.start..compiled.end]).unwrap(),
                    *entry
                );
                let all: Vec<&String> = entry.error_patterns.iter().chain(&entry.generic_patterns).collect();
                assert_eq!(all.len(), compiled.patterns.len(), "{}", entry.id);
                for (source, pattern) in all.iter().zip(compiled.patterns) {
                    assert_eq!(*source, pattern.source);
                    assert_eq!(required(source).unwrap(), pattern.required());
                }
            }
        }
    }
}
