//! Reads the tables of [`Prefilter`], which the build script only makes.

use super::prefilter::{PREFIX, Prefilter, Wait, slot};

fn range(starts: &[u32], at: usize) -> std::ops::Range<usize> {
    starts[at] as usize..starts[at + 1] as usize
}

/// Whether a text begins with a phrase, of which a space is any white space and letters have no case.
fn stands<'a>(phrase: impl Iterator<Item = &'a u8>, text: impl Iterator<Item = &'a u8>) -> bool {
    let mut text = text.peekable();
    for wanted in phrase {
        let fits = |byte: &u8| if *wanted == b' ' { is_space(*byte) } else { byte.eq_ignore_ascii_case(wanted) };
        if text.next_if(|byte| fits(byte)).is_none() {
            return false;
        }
        if *wanted == b' ' {
            while text.next_if(|byte| is_space(**byte)).is_some() {}
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
        stands(from.iter(), text_from.iter()) && stands(before.iter().rev(), text_before.iter().rev())
    }

    /// How many words there are.
    pub fn words(&self) -> usize {
        self.ends.len()
    }

    fn word(&self, number: u32) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.text.as_bytes()[start as usize..self.ends[number as usize] as usize]
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
            for &number in &self.filed[range(&self.starts, rank as usize)] {
                let word = self.word(number);
                if bytes.len() - start >= word.len() && bytes[start..start + word.len()].eq_ignore_ascii_case(word) {
                    out.push((start, number));
                }
            }
        }
        out
    }
}
