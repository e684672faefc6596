//! Reads the tables of [`Prefilter`], which the build script only makes.

use super::prefilter::{PREFIX, Prefilter, Wait, slot};

fn range(starts: &[u32], at: usize) -> std::ops::Range<usize> {
    starts[at] as usize..starts[at + 1] as usize
}

/// Whether a text begins with a phrase, of which a space is any white space and letters have no case.
fn begins(phrase: &[u8], text: &[u8]) -> bool {
    let mut at = 0;
    for wanted in phrase {
        let Some(byte) = text.get(at) else { return false };
        if *wanted != b' ' {
            if !byte.eq_ignore_ascii_case(wanted) {
                return false;
            }
            at += 1;
        } else if is_space(*byte) {
            at += text[at..].iter().take_while(|byte| is_space(**byte)).count();
        } else {
            return false;
        }
    }
    true
}

/// Whether a text ends with a phrase, read in the same way.
fn ends(phrase: &[u8], mut text: &[u8]) -> bool {
    for wanted in phrase.iter().rev() {
        let Some((byte, rest)) = text.split_last() else { return false };
        if *wanted != b' ' {
            if !byte.eq_ignore_ascii_case(wanted) {
                return false;
            }
            text = rest;
        } else if is_space(*byte) {
            text = &rest[..rest.len() - rest.iter().rev().take_while(|byte| is_space(**byte)).count()];
        } else {
            return false;
        }
    }
    true
}

/// What a space of a pattern matches.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

impl Prefilter {
    /// Waits to look at where a word was seen.
    pub fn listeners(&self, word: u32) -> &[u32] {
        &self.listeners[range(&self.listener_starts, word as usize)]
    }

    /// The pattern whose variant a wait is.
    pub fn pattern_of(&self, wait: u32) -> u32 {
        self.waits[wait as usize].pattern
    }

    /// Words that must stand near for a wait to be over.
    pub fn companions(&self, wait: u32) -> &[u32] {
        &self.companions[range(&self.companion_starts, wait as usize)]
    }

    /// Whether the phrase of a wait stands around this place of its word.
    pub fn phrase_stands(&self, wait: u32, text: &str, at: usize) -> bool {
        let Wait { start, sides: (before, from), .. } = self.waits[wait as usize];
        let word = start as usize + before as usize;
        let phrase = self.phrases.as_bytes();
        let (before, from) = (&phrase[start as usize..word], &phrase[word..word + from as usize]);
        let (text_before, text_from) = text.as_bytes().split_at(at);
        begins(from, text_from) && ends(before, text_before)
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.ends.len()
    }

    fn word(&self, number: u32) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.text.as_bytes()[start as usize..self.ends[number as usize] as usize]
    }

    /// Those of some words, sorted by their texts, that stand at a place. Hundreds of words begin with `error`, so they
    /// are not tried one after another: each byte of the text leaves those that go on with it.
    fn words_at(&self, bytes: &[u8], start: usize, mut filed: &[u32], out: &mut Vec<(usize, u32)>) {
        let mut depth = 0;
        while let [first, ..] = filed {
            let word = self.word(*first);
            if word.len() == depth {
                out.push((start, *first));
                filed = &filed[1..];
                continue;
            }
            let Some(byte) = bytes.get(start + depth).map(u8::to_ascii_lowercase) else { return };
            // One word alone is compared at once.
            if filed.len() == 1 {
                if bytes.get(start..start + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word)) {
                    out.push((start, *first));
                }
                return;
            }
            let from = filed.partition_point(|other| self.word(*other)[depth] < byte);
            let to = from + filed[from..].partition_point(|other| self.word(*other)[depth] == byte);
            filed = &filed[from..to];
            depth += 1;
        }
    }

    /// Every place where a word stands, ASCII case aside: byte offset and the word's number, by offset.
    pub fn find(&self, text: &str) -> Vec<(usize, u32)> {
        let bytes = text.as_bytes();
        let mut out = Vec::new();
        let mut key = 0u32;
        for (at, byte) in bytes.iter().enumerate() {
            key = (key << 8) | u32::from(byte.to_ascii_lowercase());
            let slot = slot(key);
            let (bits, bit) = (self.filter[slot >> 6], 1u64 << (slot & 63));
            if bits & bit == 0 || at + 1 < PREFIX {
                continue;
            }
            let start = at + 1 - PREFIX;
            let rank = self.ranks[slot >> 6] + (bits & (bit - 1)).count_ones();
            self.words_at(bytes, start, &self.filed[range(&self.starts, rank as usize)], &mut out);
        }
        out
    }
}
