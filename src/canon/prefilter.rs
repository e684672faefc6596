//! Which patterns are worth a try, from the words that each of their matches must contain.
//!
//! Everything lies in flat tables, so that the build can write those of the built-in patterns into the program and a command
//! that looks one message up builds nothing (this file is shared with the build script). Words are filed by a hash of
//! their first four bytes: a bit map turns away nearly every position of a text, a rank in it finds the words to compare. An
//! Aho-Corasick automaton over the same words took seven milliseconds to build.

use super::literal::Required;
use std::borrow::Cow;
use std::collections::HashMap;

/// Bits of the map's index.
const BITS: u32 = 16;
/// Bytes by which a word is filed; shorter words cannot be found.
pub const PREFIX: usize = 4;

/// The tables over a set of patterns; patterns are known by their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefilter {
    /// Bit map over the hashes of words' beginnings.
    pub filter: Cow<'static, [u64]>,
    /// Bits before each word of the map.
    pub ranks: Cow<'static, [u32]>,
    /// Where the words of each set bit begin in `filed`, and one more.
    pub starts: Cow<'static, [u32]>,
    /// Numbers of words, set bit by set bit.
    pub filed: Cow<'static, [u32]>,
    /// All words, lower case, one after the other.
    pub text: Cow<'static, str>,
    /// Where each word ends in `text`.
    pub ends: Cow<'static, [u32]>,
    /// Where the patterns of each word begin in `listeners`, and one more.
    pub listener_starts: Cow<'static, [u32]>,
    /// Patterns to try when a word is seen, word by word.
    pub listeners: Cow<'static, [u32]>,
    /// Where the words of each pattern begin in `companions`, and one more.
    pub companion_starts: Cow<'static, [u32]>,
    /// Words that must stand near, pattern by pattern.
    pub companions: Cow<'static, [u32]>,
}

/// Bit of the map for a word's beginning.
pub fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

fn key_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(PREFIX).fold(0, |key, b| (key << 8) | u32::from(b.to_ascii_lowercase()))
}

/// Lists of numbers, one after the other, with where each begins.
fn flat(lists: Vec<Vec<u32>>) -> (Cow<'static, [u32]>, Cow<'static, [u32]>) {
    let mut starts = vec![0];
    let mut all = Vec::new();
    for list in lists {
        all.extend(list);
        starts.push(all.len() as u32);
    }
    (starts.into(), all.into())
}

impl Prefilter {
    /// Builds the tables; a pattern's number is its position.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a Required>) -> Self {
        let mut words: Vec<&str> = Vec::new();
        let mut ids: HashMap<&str, u32> = HashMap::new();
        let mut id_of = |word: &'a str| {
            *ids.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() as u32 - 1
            })
        };
        let (mut listening, mut companions) = (Vec::new(), Vec::new());
        for (number, required) in (0u32..).zip(patterns) {
            listening.extend(required.any_of.iter().map(|word| (id_of(word), number)));
            companions.push(required.all_of.iter().map(|word| id_of(word)).collect());
        }
        let mut listeners = vec![Vec::new(); words.len()];
        listening.into_iter().for_each(|(word, pattern)| listeners[word as usize].push(pattern));
        let mut by_slot: Vec<(usize, u32)> = (0u32..)
            .zip(&words)
            .filter(|(_, word)| word.len() >= PREFIX)
            .map(|(number, word)| (slot(key_of(word.as_bytes())), number))
            .collect();
        by_slot.sort_unstable();
        let mut filter = vec![0u64; 1 << (BITS - 6)];
        let mut filed: Vec<Vec<u32>> = Vec::new();
        for (slot, number) in by_slot {
            let bit = 1 << (slot & 63);
            if filter[slot >> 6] & bit == 0 {
                filter[slot >> 6] |= bit;
                filed.push(Vec::new());
            }
            filed.last_mut().into_iter().for_each(|words| words.push(number));
        }
        let ranks: Vec<u32> = filter
            .iter()
            .scan(0, |before, bits| Some(std::mem::replace(before, *before + bits.count_ones())))
            .collect();
        let ends: Vec<u32> = words
            .iter()
            .scan(0, |end, word| {
                *end += word.len() as u32;
                Some(*end)
            })
            .collect();
        let (starts, filed) = flat(filed);
        let (listener_starts, listeners) = flat(listeners);
        let (companion_starts, companions) = flat(companions);
        Self {
            filter: filter.into(),
            ranks: ranks.into(),
            starts,
            filed,
            text: words.concat().to_ascii_lowercase().into(),
            ends: ends.into(),
            listener_starts,
            listeners,
            companion_starts,
            companions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn required(words: &[String]) -> Vec<Required> {
        words.iter().map(|word| Required { any_of: vec![Cow::Owned(word.clone())], all_of: Vec::new() }).collect()
    }

    proptest! {
        /// The referee looks for each word at each position.
        #[test]
        fn finds_what_a_naive_search_finds(
            words in prop::collection::btree_set("[a-c]{4,6}", 1..8),
            text in "[a-dA-D é]{0,80}",
        ) {
            let words: Vec<String> = words.into_iter().collect();
            let filter = Prefilter::new(&required(&words));
            let mut naive = Vec::new();
            for start in 0..text.len() {
                for (number, word) in words.iter().enumerate() {
                    let end = start + word.len();
                    if text.as_bytes().get(start..end).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes())) {
                        naive.push((start, number as u32));
                    }
                }
            }
            let mut found = filter.find(&text);
            found.sort_unstable();
            prop_assert_eq!(found, naive);
        }
    }

    #[test]
    fn words_know_their_patterns() {
        let of = |any: &[&'static str], all: &[&'static str]| {
            let owned = |words: &[&'static str]| words.iter().map(|word| Cow::Borrowed(*word)).collect();
            Required { any_of: owned(any), all_of: owned(all) }
        };
        let filter = Prefilter::new(&[of(&["volume"], &["locked"]), of(&["locked", "volume"], &[])]);
        let seen = filter.find("Volume x is locked");
        assert_eq!(seen.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 12]);
        assert_eq!(filter.listeners(seen[0].1), [0, 1]);
        assert_eq!(filter.listeners(seen[1].1), [1]);
        assert_eq!((filter.companions(0), filter.companions(1)), (&[seen[1].1][..], &[][..]));
        assert!(Prefilter::new(&[]).find("anything").is_empty());
    }
}
