//! The stretches of a long text: whole lines or sentences, a few hundred characters each, that are embedded beside the
//! whole. One vector of a long text says what it is about; what it says in one place is in the vector of that stretch.

use super::pattern::pattern;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Texts of fewer bytes are one stretch.
const LONG: usize = 800;
/// Bytes from which a stretch may end at an empty line or with a long line, and at which it ends anywhere.
const LEAST: usize = 400;
const MOST: usize = 640;
/// Bytes from which a long line may be divided behind a sentence.
const SENTENCES: usize = 200;
/// Stretches of one text; what stands behind them has no vector of its own.
const MOST_WINDOWS: usize = 32;

static SENTENCE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?;:]\s+"));

/// The stretches of a text in order, without those that say nothing; none for a text that is short.
pub fn windows(text: &str) -> Vec<Range<usize>> {
    if text.len() < LONG {
        return Vec::new();
    }
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut end_at = |end: usize, may_end: bool| {
        let length = end - start;
        if length >= MOST || length >= LEAST && may_end || end == text.len() {
            match out.last_mut() {
                Some(last) if length < LEAST / 2 => last.end = end,
                _ => out.push(start..end),
            }
            start = end;
        }
    };
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let end = line_start + line.len();
        let mut from = line_start;
        if line.len() > MOST {
            for found in SENTENCE_END.find_iter(line) {
                let at = line_start + found.end();
                if at - from >= SENTENCES && at < end {
                    end_at(at, false);
                    from = at;
                }
            }
        }
        end_at(end, line.trim().is_empty() || line.len() > MOST);
        line_start = end;
    }
    out.retain(|range| text[range.clone()].contains(char::is_alphanumeric));
    out.truncate(MOST_WINDOWS);
    if out.len() > 1 { out } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_text_is_cut_at_paragraphs_and_a_long_line_behind_sentences() {
        let paragraph = format!("{}\n", "Some words that fill a line of text.\n".repeat(12));
        let text = paragraph.repeat(3);
        let found: Vec<&str> = windows(&text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, [paragraph.as_str(); 3]);
        let line = "A sentence of a message that goes on. ".repeat(40);
        let found = windows(&line);
        assert!(found.len() == 2 || found.len() == 3, "{found:?}");
        assert!(found.iter().all(|range| line[range.clone()].starts_with("A sentence")));
        assert!(windows("short").is_empty());
        assert!(windows(&"-".repeat(2_000)).is_empty(), "nothing is said");
    }

    proptest! {
        #[test]
        fn stretches_are_in_order_and_leave_no_word_out(text in "([a-zß. ]{0,300}\n{0,2}){0,30}") {
            let found = windows(&text);
            let mut end = 0;
            for range in &found {
                prop_assert!(range.start >= end && range.end > range.start && range.end <= text.len());
                prop_assert!(!text[end..range.start].contains(char::is_alphanumeric));
                end = range.end;
            }
            if !found.is_empty() && found.len() < MOST_WINDOWS {
                prop_assert!(!text[end..].contains(char::is_alphanumeric));
            }
        }
    }
}
