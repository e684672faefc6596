//! Where to cut a stretch that is too long for one chunk: at a line end, else at a sentence's, else between words, else
//! between characters; into parts of about the same length.

use super::size::Sizer;
use std::ops::Range;

/// Cuts `range` into stretches of at most `room` tokens, in order, that together are all of it but white space at the
/// cuts.
pub(super) fn cut(text: &str, range: Range<usize>, room: usize, sizer: &Sizer<'_>) -> Vec<Range<usize>> {
    let total = sizer.tokens(&text[range.clone()]);
    // Parts of one length rather than full ones and a rest.
    let parts = total.div_ceil(room.max(1)).max(1);
    let aim = (total / parts + total / parts / 8 + 1).min(room);
    let mut out = Vec::new();
    let mut rest = range;
    while rest.start < rest.end {
        let end = first_part(text, rest.clone(), aim, room, sizer);
        let part = trimmed(text, rest.start..end);
        if !part.is_empty() {
            out.push(part);
        }
        rest.start = end;
    }
    out
}

/// Without white space at the end and empty lines at the start.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let body = &text[range.clone()];
    let end = range.start + body.trim_end().len();
    let blank = body.len() - body.trim_start().len();
    // Indentation of the first line stays: it may mean something.
    let start = body[..blank].rfind('\n').map_or(range.start, |at| range.start + at + 1);
    start.min(end)..end
}

/// Where the first part of `range` ends: not beyond `aim` tokens if that is possible, never beyond `room`.
fn first_part(text: &str, range: Range<usize>, aim: usize, room: usize, sizer: &Sizer<'_>) -> usize {
    for boundary in [line_end, sentence_end, word_end] {
        let end = filled(text, range.clone(), aim, room, boundary, sizer);
        if end > range.start {
            return end;
        }
    }
    // One word beyond the limit: as many characters as fit, at least one.
    let body = &text[range.clone()];
    let first = body.chars().next().map_or(body.len(), char::len_utf8);
    let mut length = body.len().min(room.saturating_mul(Sizer::BYTES_PER_TOKEN).max(first));
    loop {
        length = body.floor_char_boundary(length).max(first);
        if length == first || sizer.tokens(&body[..length]) <= room {
            return range.start + length;
        }
        length /= 2;
    }
}

/// The end of the last stretch between boundaries that still fits; the start of `range` if not even the first does.
/// Looks no further than what could fit, so that a line of megabytes is not read again for each of its parts.
fn filled(
    text: &str,
    range: Range<usize>,
    aim: usize,
    room: usize,
    boundary: fn(&str) -> usize,
    sizer: &Sizer<'_>,
) -> usize {
    let (mut end, mut tokens, mut before) = (range.start, 0, range.start);
    // Of so many bytes the sizer says more than `room` tokens, whatever they are.
    let too_long = room.saturating_add(1).saturating_mul(Sizer::BYTES_PER_TOKEN);
    while end < range.end {
        let reach = text.ceil_char_boundary(end.saturating_add(too_long)).min(range.end);
        let next = end + boundary(&text[end..reach]);
        if next - end >= too_long {
            break;
        }
        let more = sizer.tokens(&text[end..next]);
        if tokens + more > if tokens == 0 { room } else { aim } {
            break;
        }
        (before, end, tokens) = (end, next, tokens + more);
    }
    // Tokens need not add up; if they are more together than one by one, the last stretch goes.
    if sizer.tokens(&text[range.start..end]) > room { before } else { end }
}

fn line_end(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

fn sentence_end(text: &str) -> usize {
    for (at, mark) in text.char_indices() {
        let after = at + mark.len_utf8();
        match mark {
            '。' | '！' | '？' => return after,
            '.' | '!' | '?' if text[after..].starts_with(char::is_whitespace) => {
                return after + text[after..].chars().next().map_or(0, char::len_utf8);
            }
            _ => {}
        }
    }
    text.len()
}

fn word_end(text: &str) -> usize {
    let word = text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len());
    text[word..].find(char::is_whitespace).map_or(text.len(), |at| word + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Characters, CountTokens};
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Counts as [`Characters`], and how many bytes it was asked about.
    #[derive(Default)]
    struct Asked(Cell<usize>);

    impl CountTokens for Asked {
        fn name(&self) -> &str {
            "asked"
        }

        fn count(&self, text: &str) -> usize {
            self.0.set(self.0.get() + text.len());
            Characters.count(text)
        }
    }

    /// `filled` by the whole rest.
    fn naive(
        text: &str,
        range: Range<usize>,
        aim: usize,
        room: usize,
        boundary: fn(&str) -> usize,
        sizer: &Sizer<'_>,
    ) -> usize {
        let (mut end, mut tokens, mut before) = (range.start, 0, range.start);
        while end < range.end {
            let next = end + boundary(&text[end..range.end]);
            let more = sizer.tokens(&text[end..next]);
            if tokens + more > if tokens == 0 { room } else { aim } {
                break;
            }
            (before, end, tokens) = (end, next, tokens + more);
        }
        if sizer.tokens(&text[range.start..end]) > room { before } else { end }
    }

    proptest! {
        #[test]
        fn what_lies_beyond_the_room_changes_nothing(
            text in "([a-zä。！]{0,30}|[ ]{0,20}|[.!?] ?|\r?\n|日本語){0,80}",
            room in 1usize..30,
            less in 0usize..30,
            skip in 0usize..40,
        ) {
            let sizer = Sizer { counter: &Characters };
            let range = text.floor_char_boundary(skip)..text.len();
            let aim = room - less.min(room - 1);
            for boundary in [line_end, sentence_end, word_end] {
                let expected = naive(&text, range.clone(), aim, room, boundary, &sizer);
                prop_assert_eq!(filled(&text, range.clone(), aim, room, boundary, &sizer), expected);
            }
        }
    }

    #[test]
    fn a_long_line_is_looked_at_a_few_times_only() {
        for text in ["word ".repeat(100_000), "A sentence of words. ".repeat(20_000), "x".repeat(300_000)] {
            let asked = Asked::default();
            let parts = cut(&text, 0..text.len(), 500, &Sizer { counter: &asked });
            assert!(parts.len() > 50, "{}", parts.len());
            assert!(asked.0.get() < 20 * text.len(), "{} bytes for {}", asked.0.get(), text.len());
        }
    }
}
