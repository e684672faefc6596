//! Reads the tables of [`Prefilter`], which the build script only makes.

use super::prefilter::{PREFIX, Prefilter, slot};

fn range(starts: &[u32], at: usize) -> std::ops::Range<usize> {
    starts[at] as usize..starts[at + 1] as usize
}

impl Prefilter {
    /// Patterns to try where a word was seen.
    pub fn listeners(&self, word: u32) -> &[u32] {
        &self.listeners[range(&self.listener_starts, word as usize)]
    }

    /// Words that must stand near for a pattern to match.
    pub fn companions(&self, pattern: u32) -> &[u32] {
        &self.companions[range(&self.companion_starts, pattern as usize)]
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
