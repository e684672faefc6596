//! Finds a fixed set of short words in a text of any length, ASCII case aside.
//!
//! The set is known only at run time (users add packs) and a command looks it up once, so building must cost next to
//! nothing: words are filed by their first four bytes, a bit map over hashes of those turns away nearly every position,
//! and what is left is compared. An Aho-Corasick automaton over the same words took seven milliseconds to build.

use std::collections::HashMap;

/// Bits of the map's index.
const BITS: u32 = 16;
/// Bytes by which a word is filed; shorter words cannot be found.
pub const PREFIX: usize = 4;

/// The words, ready to be found.
#[derive(Debug)]
pub(super) struct Words {
    filter: Vec<u64>,
    by_prefix: HashMap<u32, Vec<u32>>,
    words: Vec<Box<[u8]>>,
}

fn slot(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

fn key_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(PREFIX).fold(0, |key, b| (key << 8) | u32::from(b.to_ascii_lowercase()))
}

impl Words {
    /// Files the words; a word's number is its position. Words under four bytes are never found.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let mut out = Self { filter: vec![0; 1 << (BITS - 6)], by_prefix: HashMap::new(), words: Vec::new() };
        for (number, word) in words.into_iter().enumerate() {
            out.words.push(word.as_bytes().into());
            if word.len() < PREFIX {
                continue;
            }
            let key = key_of(word.as_bytes());
            let slot = slot(key);
            out.filter[slot >> 6] |= 1 << (slot & 63);
            out.by_prefix.entry(key).or_default().push(number as u32);
        }
        out
    }

    /// Every place where a word stands: byte offset and the word's number, by offset.
    pub fn find(&self, text: &str) -> Vec<(usize, u32)> {
        let bytes = text.as_bytes();
        let mut out = Vec::new();
        let mut key = 0u32;
        for (at, byte) in bytes.iter().enumerate() {
            key = (key << 8) | u32::from(byte.to_ascii_lowercase());
            let slot = slot(key);
            if self.filter[slot >> 6] & (1 << (slot & 63)) == 0 || at + 1 < PREFIX {
                continue;
            }
            let start = at + 1 - PREFIX;
            for &number in self.by_prefix.get(&key).into_iter().flatten() {
                let word = &self.words[number as usize];
                if bytes.len() - start >= word.len() && bytes[start..start + word.len()].eq_ignore_ascii_case(word) {
                    out.push((start, number));
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The referee looks for each word at each position.
        #[test]
        fn finds_what_a_naive_search_finds(
            words in prop::collection::vec("[a-cA-C]{4,6}", 1..8),
            text in "[a-dA-D é]{0,80}",
        ) {
            let found = Words::new(words.iter().map(String::as_str)).find(&text);
            let mut naive = Vec::new();
            for start in 0..text.len() {
                for (number, word) in words.iter().enumerate() {
                    let end = start + word.len();
                    if text.as_bytes().get(start..end).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes())) {
                        naive.push((start, number as u32));
                    }
                }
            }
            prop_assert_eq!(found, naive);
        }
    }
}
