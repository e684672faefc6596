//! Lines of a long log that a thousand others like them have been before: they say nothing more.
//!
//! Two lines are alike when they differ in digits only. A line is passed over when [`ALIKE_LINES`] like it have come
//! and no other kind of line stands within [`NEARBY_LINES`] of it: what is said once keeps its surroundings.

use super::clean::{Cleaned, Line};
use crate::types::limits::{ALIKE_LINES, LINE_KINDS};
use std::collections::HashMap;

/// Lines around one of a rarer kind that stay.
const NEARBY_LINES: usize = 20;
/// Bytes of a line that tell its kind.
const TELLING_BYTES: usize = 512;

/// What kinds of lines there were so far, and how often.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    seen: HashMap<u64, u32>,
    /// Lines that were passed over.
    pub passed_over: usize,
}

impl Repeats {
    /// The lines without those that repeat others; their numbers stay.
    pub fn thin(&mut self, cleaned: Cleaned) -> Cleaned {
        let rare: Vec<usize> = (0..cleaned.lines.len()).filter(|&at| self.is_rare(cleaned.line(at))).collect();
        let mut out = Cleaned { text: String::with_capacity(cleaned.text.len().min(1 << 20)), lines: Vec::new() };
        let mut next = 0;
        for at in rare {
            let first = at.saturating_sub(NEARBY_LINES).max(next);
            next = (at + NEARBY_LINES + 1).min(cleaned.lines.len());
            for index in first..next {
                let start = out.text.len();
                out.text.push_str(cleaned.line(index));
                let end = out.text.len();
                out.text.push('\n');
                out.lines.push(Line { start, end, ..cleaned.lines[index].clone() });
            }
        }
        self.passed_over += cleaned.lines.len() - out.lines.len();
        out
    }

    /// Counts a line; whether there have been few of its kind. Where there are too many kinds to count, a new one is
    /// rare.
    fn is_rare(&mut self, line: &str) -> bool {
        let kind = kind(line);
        let is_full = self.seen.len() >= LINE_KINDS;
        match self.seen.get_mut(&kind) {
            Some(count) => {
                *count = count.saturating_add(1);
                *count as usize <= ALIKE_LINES
            }
            None => {
                if !is_full {
                    self.seen.insert(kind, 1);
                }
                true
            }
        }
    }
}

/// A hash of a line without its digits (FNV-1a, 64 bits).
fn kind(line: &str) -> u64 {
    let bytes = &line.as_bytes()[..line.len().min(TELLING_BYTES)];
    let telling = bytes.iter().filter(|byte| !byte.is_ascii_digit());
    telling.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::super::clean::clean;
    use super::*;

    #[test]
    fn what_a_thousand_lines_said_is_passed_over_and_what_is_said_once_keeps_its_surroundings() {
        let many: String = (0..5_000).map(|n| format!("step {n} of 5000 failed\n")).collect();
        let text = format!("{many}error: the one that matters\n  at line 7\n{many}");
        let mut repeats = Repeats::default();
        let whole = clean(&text);
        let thin = repeats.thin(whole.clone());
        assert_eq!(repeats.passed_over, whole.lines.len() - thin.lines.len());
        assert!(thin.lines.len() < ALIKE_LINES + 100, "{}", thin.lines.len());
        let at = (0..thin.lines.len()).find(|&at| thin.line(at) == "error: the one that matters").unwrap();
        assert_eq!(thin.lines[at].number, 5_001);
        assert_eq!(thin.line(at + 1), "  at line 7");
        assert_eq!(thin.line(at - 1), "step 4999 of 5000 failed");
        for at in 0..thin.lines.len() {
            assert_eq!(thin.line(at), whole.line(thin.lines[at].number - 1));
            assert_eq!(thin.line_at(thin.lines[at].start), at);
        }
    }
}
