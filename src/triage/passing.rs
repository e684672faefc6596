//! What a run prints when it goes well: the lines of a log of the same job from when it passed.
//!
//! Of each line a hash of its shape is kept and nothing else. Two lines have one shape if they differ in numbers, in
//! words with digits in them (ids, versions, durations) and in white space only. A block of a failed log whose lines an
//! ordinary run prints too is seldom the reason; `features` has what is known of that, `weights` what it is worth.

use crate::text::Cleaned;
use crate::types::limits::PASSING_LINES;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Bytes of a line that make its shape.
const TELLING_BYTES: usize = 400;
/// A line with fewer letters says nothing: a rule, a bracket, a count.
const LEAST_LETTERS: usize = 3;

/// The shapes of the lines of a run that went well.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passing {
    shapes: HashSet<u64, BuildHasherDefault<AsItIs>>,
}

impl Passing {
    /// From what [`Passing::shapes`] gave.
    pub fn from_shapes(shapes: impl IntoIterator<Item = u64>) -> Self {
        Self { shapes: shapes.into_iter().take(PASSING_LINES).collect() }
    }

    /// Adds the lines of a log, or of a piece of one. When there are too many shapes, those that come later are left
    /// out.
    pub fn add(&mut self, cleaned: &Cleaned) {
        for shape in (0..cleaned.lines.len()).filter_map(|at| shape(cleaned.line(at))) {
            if self.shapes.len() >= PASSING_LINES {
                return;
            }
            self.shapes.insert(shape);
        }
    }

    /// The hashes, in ascending order.
    pub fn shapes(&self) -> Vec<u64> {
        let mut out: Vec<u64> = self.shapes.iter().copied().collect();
        out.sort_unstable();
        out
    }

    /// Whether the run printed a line of this shape; `None` for a line that says nothing.
    pub fn has(&self, line: &str) -> Option<bool> {
        shape(line).map(|shape| self.shapes.contains(&shape))
    }
}

/// Hashes are their own hashes.
#[derive(Debug, Clone, Copy, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = step(self.0, *byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// A step of FNV-1a with 64 bits.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// A hash of what a line says; `None` if it says nothing.
fn shape(line: &str) -> Option<u64> {
    let line = &line.as_bytes()[..line.len().min(TELLING_BYTES)];
    let (mut hash, mut letters) = (0xcbf2_9ce4_8422_2325, 0);
    let mut at = 0;
    while at < line.len() {
        let word = line[at..].iter().position(|byte| !is_word(*byte)).map_or(line.len(), |end| at + end);
        let text = &line[at..word];
        if text.iter().any(u8::is_ascii_digit) {
            hash = step(hash, b'0');
        } else {
            letters += text.len();
            hash = text.iter().fold(hash, |hash, byte| step(hash, *byte));
        }
        if let Some(byte) = line.get(word).filter(|byte| !byte.is_ascii_whitespace()) {
            hash = step(hash, *byte);
        }
        at = word + 1;
    }
    (letters >= LEAST_LETTERS).then_some(hash)
}

/// Letters of any script, digits and the underscore.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;

    fn of(log: &str) -> Passing {
        let mut passing = Passing::default();
        passing.add(&clean(log));
        passing
    }

    #[test]
    fn lines_that_differ_in_numbers_and_ids_are_one() {
        let passing = of("Compiling shop v0.1.0 (3a9f2c71)\n12 passed in 0.31s\n----\n  at cart.js:3\n");
        for line in ["Compiling shop v12.0.1 (77fe0b2)", "3 passed in 11.02s", "at cart.js:77"] {
            assert_eq!(passing.has(line), Some(true), "{line}");
        }
        for line in ["Compiling cart v0.1.0 (3a9f2c71)", "12 failed in 0.31s", "12 passed", "at cart.ts:3"] {
            assert_eq!(passing.has(line), Some(false), "{line}");
        }
        for line in ["----", "", "42%", "}"] {
            assert_eq!(passing.has(line), None, "{line}");
        }
        assert_eq!(passing.shapes.len(), 3);
    }

    #[test]
    fn what_is_kept_makes_the_same_again() {
        let passing = of("one line\nanother line\nzum Schluß\n");
        let shapes = passing.shapes();
        assert!(shapes.len() == 3 && shapes.is_sorted());
        assert_eq!(Passing::from_shapes(shapes), passing);
    }

    #[test]
    fn a_log_of_many_shapes_is_kept_in_part() {
        let letters = |mut number: usize| {
            let mut word = String::new();
            for _ in 0..5 {
                word.push(char::from(b'a' + (number % 26) as u8));
                number /= 26;
            }
            word
        };
        let passing = of(&(0..PASSING_LINES + 9).map(|number| format!("{}\n", letters(number))).collect::<String>());
        assert_eq!(passing.shapes.len(), PASSING_LINES);
        assert_eq!(passing.has(&letters(PASSING_LINES)), Some(false));
    }
}
