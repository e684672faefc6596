//! Which patterns are worth a try, from the words that each of their matches must contain.
//!
//! Everything lies in flat tables, so that the build can write those of the built-in patterns into the program and a
//! command that looks one message up builds nothing (this file is shared with the build script). Words are filed by a
//! hash of their first four bytes: a bit map turns away nearly every position of a text, a rank in it finds the words
//! to compare. An Aho-Corasick automaton over the same words took seven milliseconds to build.

use super::literal::{Required, words};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Bits of the map's index.
const BITS: u32 = 16;
/// Bytes by which a word is filed; shorter words cannot be found.
pub const PREFIX: usize = 4;
/// Bytes of a phrase that are compared on each side of its word's first byte: enough to turn nearly all others away.
const CONTEXT: usize = 20;

/// The tables over a set of patterns; patterns are known by their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefilter {
    /// Bit map over the hashes of words' beginnings.
    pub filter: Cow<'static, [u64]>,
    /// Bits before each word of the map.
    pub ranks: Cow<'static, [u32]>,
    /// Where the words of each set bit begin in `filed`, and one more.
    pub starts: Cow<'static, [u32]>,
    /// Numbers of words, set bit by set bit, and within one by their texts.
    pub filed: Cow<'static, [u32]>,
    /// All words, lower case, one after the other.
    pub text: Cow<'static, str>,
    /// Where each word ends in `text`.
    pub ends: Cow<'static, [u32]>,
    /// Where the waits of each word begin in `listeners`, and one more.
    pub listener_starts: Cow<'static, [u32]>,
    /// Waits to look at when a word is seen, word by word.
    pub listeners: Cow<'static, [u32]>,
    /// What patterns wait for, pattern by pattern.
    pub waits: Cow<'static, [Wait]>,
    /// Where the words of each wait begin in `companions`, and one more.
    pub companion_starts: Cow<'static, [u32]>,
    /// Words that must stand near, wait by wait.
    pub companions: Cow<'static, [u32]>,
    /// Texts of phrases.
    pub phrases: Cow<'static, str>,
}

/// A variant of a pattern as it is found: the phrase that must stand around a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// The pattern's number.
    pub pattern: u32,
    /// Where the phrase begins in the text of phrases.
    pub start: u32,
    /// Bytes of it before the word, and from the word's first byte on.
    pub sides: (u8, u8),
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

/// A variant that is being filed: its rarest word, the phrase around that, and the rarest words of the other phrases.
struct Variant<'a> {
    phrase: &'a str,
    word: &'a str,
    companions: Vec<&'a str>,
}

/// The rarer a word is among all patterns, the rarer it is in texts: a variant waits for its rarest word, the longest
/// of equally rare ones.
fn rarest<'a>(phrases: &'a [String], common: &HashMap<&str, usize>) -> Option<Variant<'a>> {
    let rarity = |word: &&str| (std::cmp::Reverse(common.get(word).copied().unwrap_or(0)), word.len());
    let best: Vec<(&str, &str)> =
        phrases.iter().filter_map(|phrase| Some((phrase.as_str(), words(phrase).max_by_key(rarity)?))).collect();
    let (phrase, word) = *best.iter().max_by_key(|(_, word)| rarity(word))?;
    let companions = best.iter().map(|(_, other)| *other).filter(|other| *other != word).collect();
    Some(Variant { phrase, word, companions })
}

/// How many patterns hold each word.
fn commonness<'a>(patterns: &[&'a Required]) -> HashMap<&'a str, usize> {
    let mut common = HashMap::new();
    for required in patterns {
        let own: HashSet<&str> = required.variants.iter().flatten().flat_map(|phrase| words(phrase)).collect();
        own.into_iter().for_each(|word| *common.entry(word).or_default() += 1);
    }
    common
}

/// Texts one after the other, equal ones once.
#[derive(Default)]
struct Pool<'a> {
    text: String,
    starts: HashMap<&'a str, u32>,
}

impl<'a> Pool<'a> {
    fn start_of(&mut self, text: &'a str) -> u32 {
        *self.starts.entry(text).or_insert_with(|| {
            self.text.push_str(text);
            (self.text.len() - text.len()) as u32
        })
    }
}

impl Prefilter {
    /// Builds the tables; a pattern's number is its position.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a Required>) -> Self {
        let patterns: Vec<&Required> = patterns.into_iter().collect();
        let common = commonness(&patterns);
        let mut words: Vec<&str> = Vec::new();
        let mut ids: HashMap<&str, u32> = HashMap::new();
        let mut id_of = |word: &'a str| {
            *ids.entry(word).or_insert_with(|| {
                words.push(word);
                words.len() as u32 - 1
            })
        };
        let (mut listening, mut companions, mut waits) = (Vec::new(), Vec::new(), Vec::new());
        let mut phrases = Pool::default();
        for (pattern, required) in (0u32..).zip(patterns) {
            for variant in required.variants.iter().filter_map(|phrases| rarest(phrases, &common)) {
                // The word is a part of the phrase, which is plain ASCII.
                let at = variant.word.as_ptr() as usize - variant.phrase.as_ptr() as usize;
                let (from, to) = (at.saturating_sub(CONTEXT), (at + CONTEXT).min(variant.phrase.len()));
                listening.push((id_of(variant.word), waits.len() as u32));
                companions.push(variant.companions.iter().map(|word| id_of(word)).collect());
                let start = phrases.start_of(&variant.phrase[from..to]);
                waits.push(Wait { pattern, start, sides: ((at - from) as u8, (to - at) as u8) });
            }
        }
        let mut listeners = vec![Vec::new(); words.len()];
        listening.into_iter().for_each(|(word, wait)| listeners[word as usize].push(wait));
        // Of one slot in the order of their texts, so that those with one beginning stand together.
        let mut by_slot: Vec<(usize, String, u32)> = (0u32..)
            .zip(&words)
            .filter(|(_, word)| word.len() >= PREFIX)
            .map(|(number, word)| (slot(key_of(word.as_bytes())), word.to_ascii_lowercase(), number))
            .collect();
        by_slot.sort_unstable();
        let mut filter = vec![0u64; 1 << (BITS - 6)];
        let mut filed: Vec<Vec<u32>> = Vec::new();
        for (slot, _, number) in by_slot {
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
            waits: waits.into(),
            companion_starts,
            companions,
            phrases: phrases.text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn required(words: &[String]) -> Vec<Required> {
        words.iter().map(|word| Required { variants: vec![vec![word.clone()]] }).collect()
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
    fn patterns_wait_for_their_rarest_word() {
        let of = |variants: &[&[&str]]| Required {
            variants: variants
                .iter()
                .map(|phrases| phrases.iter().map(|&phrase| phrase.to_owned()).collect())
                .collect(),
        };
        let required =
            [of(&[&["the volume x", "is locked"]]), of(&[&["locked"], &["volume"]]), of(&[&["volume is full"]])];
        let filter = Prefilter::new(&required);
        assert_eq!(filter.waits.iter().map(|wait| wait.pattern).collect::<Vec<_>>(), [0, 1, 1, 2]);
        let text = "The volume\tX is locked, volume Y is full";
        let seen = filter.find(text);
        assert_eq!(seen.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [4, 16, 24, 36]);
        let (volume, locked, full) = (seen[0].1, seen[1].1, seen[3].1);
        assert_eq!(filter.listeners(volume), [2]);
        assert_eq!(filter.listeners(locked), [0, 1]);
        assert_eq!(filter.listeners(full), [3]);
        assert_eq!([0, 1, 2, 3].map(|wait| filter.companions(wait)), [&[volume][..], &[], &[], &[]]);
        assert!(filter.phrase_stands(0, text, 16) && filter.phrase_stands(2, text, 4));
        assert!(!filter.phrase_stands(3, text, 36) && filter.phrase_stands(3, "a\nVOLUME\n is full", 13));
        assert!(!filter.phrase_stands(3, "full", 0), "the text begins within the phrase");
        assert!(Prefilter::new(&[]).find("anything").is_empty());
    }
}
