//! Patterns against a text of any length, in time linear in the text.
//!
//! One pass finds the words that patterns wait for. Where such a word stands in its phrase, with the words of the
//! pattern's other phrases within a window of some lines, and only there, its regex runs. Windows that overlap are one
//! stretch, so that no byte is searched twice
//! for a pattern, however often its words stand there. A pattern that has matched often enough in one text is let go:
//! one log holds thousands of equal lines.

use super::compiled::{compiled_patterns, prefilter};
use super::literal::Required;
use super::pattern::{Pattern, group_names};
use super::prefilter::Prefilter;
use crate::screen;
use regex_automata::Input;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes looked at on each side of a required word.
const WINDOW: usize = 3_000;
/// Lines looked at on each side.
const WINDOW_LINES: usize = 10;
/// Matches of one pattern after which it is let go.
const MAX_MATCHES: usize = 32;
/// Windows are joined up to so many bytes.
const MAX_STRETCH: usize = 32 << 10;
/// Bytes to search from which a pattern is worth compiling for speed.
const MUCH: usize = 8 << 10;
/// Longest captured value, in characters.
const MAX_CAPTURE: usize = 300;

/// A pattern that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternHit {
    /// Index of the entry.
    pub entry: usize,
    /// The pattern as its pack has it.
    pub pattern: String,
    /// Whether it only points to the entry.
    pub generic: bool,
    /// Byte range in the text.
    pub span: Range<usize>,
    /// Named groups that took part, without control characters.
    pub captures: BTreeMap<String, String>,
}

/// A set of patterns behind its prefilter.
#[derive(Debug)]
pub(super) struct Matcher {
    prefilter: Prefilter,
    patterns: Patterns,
}

/// The patterns by number.
#[derive(Debug)]
enum Patterns {
    /// Those of the program, each made when it is first tried.
    Builtin(Vec<OnceLock<Box<Pattern>>>),
    Own(Vec<Pattern>),
}

impl Patterns {
    fn get(&self, number: u32) -> &Pattern {
        let at = number as usize;
        match self {
            Self::Builtin(made) => made[at].get_or_init(|| Box::new(Pattern::compiled(at))),
            Self::Own(all) => &all[at],
        }
    }
}

impl Matcher {
    /// Over the patterns that are compiled in, with the tables that the build made.
    pub fn builtin() -> Self {
        let made = std::iter::repeat_with(OnceLock::new).take(compiled_patterns()).collect();
        Self { prefilter: prefilter(), patterns: Patterns::Builtin(made) }
    }

    /// Over these patterns, each with the words that its matches contain.
    pub fn new(patterns: Vec<(Pattern, Required)>) -> Self {
        let prefilter = Prefilter::new(patterns.iter().map(|(_, required)| required));
        Self { prefilter, patterns: Patterns::Own(patterns.into_iter().map(|(pattern, _)| pattern).collect()) }
    }

    /// All matches in `text` of the patterns of entries that `wanted` admits, in the order of their position.
    pub fn find(&self, text: &str, wanted: &dyn Fn(usize) -> bool) -> Vec<PatternHit> {
        let seen = self.prefilter.find(text);
        let mut hits = Vec::new();
        for (number, stretches) in self.stretches(text, &seen) {
            let pattern = self.patterns.get(number);
            if !wanted(pattern.entry) {
                continue;
            }
            let bytes: usize = stretches.iter().map(Range::len).sum();
            let Some(regex) = pattern.regex(bytes >= MUCH) else { continue };
            let (mut matches, mut done_until) = (0, 0);
            for stretch in stretches {
                // What was matched already would be found again.
                let mut at = stretch.start.max(done_until);
                while at < stretch.end && matches < MAX_MATCHES {
                    let mut groups = regex.create_captures();
                    // Of the whole text, so that borders of lines and words are those of the text.
                    regex.captures(Input::new(text).range(at..stretch.end), &mut groups);
                    let Some(span) = groups.get_match().map(|whole| whole.range()) else { break };
                    let value = |index| groups.get_group(index).map(|span| captured(&text.as_bytes()[span.range()]));
                    let captures =
                        group_names(regex).filter_map(|(index, name)| Some((name.to_owned(), value(index)?))).collect();
                    matches += 1;
                    at = span.end.max(at + 1);
                    done_until = at;
                    hits.push(PatternHit {
                        entry: pattern.entry,
                        pattern: pattern.source.to_string(),
                        generic: pattern.generic,
                        span,
                        captures,
                    });
                }
            }
        }
        in_order(&mut hits);
        hits
    }

    /// For each pattern of which all that is required stands together somewhere: where to search for it, in order.
    fn stretches(&self, text: &str, seen: &[(usize, u32)]) -> BTreeMap<u32, Vec<Range<usize>>> {
        let mut all: BTreeMap<u32, Vec<Range<usize>>> = BTreeMap::new();
        let places = Places::new(seen, self.prefilter.words());
        let mut windows = Windows::new(text);
        for &(offset, word) in seen {
            let mut around = None;
            for &wait in self.prefilter.listeners(word) {
                if !self.prefilter.phrase_stands(wait, text, offset) {
                    continue;
                }
                let window = around.get_or_insert_with(|| windows.around(offset));
                if !self.prefilter.companions(wait).iter().all(|other| places.within(*other, window)) {
                    continue;
                }
                let stretches = all.entry(self.prefilter.pattern_of(wait)).or_default();
                match stretches.last_mut() {
                    Some(last) if window.start <= last.end && window.end - last.start <= MAX_STRETCH => {
                        last.end = last.end.max(window.end);
                    }
                    _ => stretches.push(window.clone()),
                }
            }
        }
        all
    }
}

/// Where each word was seen, word by word.
struct Places {
    starts: Vec<u32>,
    offsets: Vec<usize>,
}

impl Places {
    fn new(seen: &[(usize, u32)], words: usize) -> Self {
        let mut starts = vec![0; words + 2];
        seen.iter().for_each(|(_, word)| starts[*word as usize + 2] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut offsets = vec![0; seen.len()];
        for (offset, word) in seen {
            let next = &mut starts[*word as usize + 1];
            offsets[*next as usize] = *offset;
            *next += 1;
        }
        Self { starts, offsets }
    }

    /// Whether a word begins within a range.
    fn within(&self, word: u32, range: &Range<usize>) -> bool {
        let own = &self.offsets[self.starts[word as usize] as usize..self.starts[word as usize + 1] as usize];
        own.get(own.partition_point(|offset| *offset < range.start)).is_some_and(|offset| *offset < range.end)
    }
}

/// Some lines around places of a text, which are asked for in order.
struct Windows<'a> {
    text: &'a str,
    /// Where lines end, up to the last that was needed.
    ends: Vec<usize>,
    /// How many lines end before the place that was asked for last.
    before: usize,
}

impl<'a> Windows<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, ends: Vec::new(), before: 0 }
    }

    fn end_of_line(&mut self, line: usize) -> Option<usize> {
        while self.ends.len() <= line {
            let from = self.ends.last().map_or(0, |end| end + 1);
            self.ends.push(from + self.text.get(from..)?.find('\n')?);
        }
        Some(self.ends[line])
    }

    /// [`WINDOW_LINES`] lines on each side, and no more than [`WINDOW`] bytes; cut at borders of characters.
    fn around(&mut self, offset: usize) -> Range<usize> {
        while self.end_of_line(self.before).is_some_and(|end| end < offset) {
            self.before += 1;
        }
        let first = self.before.checked_sub(WINDOW_LINES + 1).map_or(0, |line| self.ends[line] + 1);
        let last = self.end_of_line(self.before + WINDOW_LINES).unwrap_or(self.text.len());
        let from = self.text.floor_char_boundary(offset.saturating_sub(WINDOW));
        let to = self.text.ceil_char_boundary((offset + WINDOW).min(self.text.len()));
        first.max(from)..last.min(to)
    }
}

/// By position; the same match once.
pub(super) fn in_order(hits: &mut Vec<PatternHit>) {
    hits.sort_by(|a, b| (a.span.start, a.entry, &a.pattern).cmp(&(b.span.start, b.entry, &b.pattern)));
    hits.dedup();
}

fn captured(value: &[u8]) -> String {
    screen::clean(&String::from_utf8_lossy(value)).chars().take(MAX_CAPTURE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(sources: &[&str], text: &str) -> Vec<(usize, String)> {
        let patterns = sources.iter().enumerate().map(|(i, s)| Pattern::new(i, s, false).unwrap()).collect();
        let found = Matcher::new(patterns).find(text, &|_| true);
        found.into_iter().map(|h| (h.entry, text[h.span].to_owned())).collect()
    }

    #[test]
    fn finds_every_occurrence_with_its_place() {
        let text = "x\nvolume a is locked\n\nVOLUME b\nvolume b is\nlocked";
        assert_eq!(
            find(&["volume (?P<v>[a-z]) is locked", "absent words here"], text),
            [(0, "volume a is locked".into()), (0, "volume b is\nlocked".into())]
        );
    }

    /// The referee counts lines from the place.
    #[test]
    fn windows_are_lines_around_a_place() {
        let text: String = (0..60).map(|line| format!("{}\n", "é".repeat(line * 37 % 300))).collect();
        let mut windows = Windows::new(&text);
        for offset in (0..text.len()).filter(|at| text.is_char_boundary(*at)).step_by(7) {
            let from = text.floor_char_boundary(offset.saturating_sub(WINDOW));
            let to = text.ceil_char_boundary((offset + WINDOW).min(text.len()));
            let start = text[from..offset].rmatch_indices('\n').nth(WINDOW_LINES).map_or(from, |(at, _)| from + at + 1);
            let end = text[offset..to].match_indices('\n').nth(WINDOW_LINES).map_or(to, |(at, _)| offset + at);
            assert_eq!(windows.around(offset), start..end, "{offset}");
        }
    }

    #[test]
    fn a_giant_line_and_a_giant_log_stay_quick_and_bounded() {
        let line = format!("{}volume a is locked{}", "y".repeat(1 << 20), " volume".repeat(100_000));
        assert_eq!(find(&["volume (?P<v>[a-z]) is locked"], &line).len(), 1);
        let log = "volume a is locked\n".repeat(50_000);
        assert_eq!(find(&["volume (?P<v>[a-z]) is locked"], &log).len(), MAX_MATCHES);
    }
}
