//! Patterns against a text of any length, in time linear in the text.
//!
//! One pass finds the required words of all patterns. Where all words of a pattern stand within a window
//! of some lines, and only there, its regex runs, on that window alone. A pattern that has matched often enough in one
//! text, or was tried too often in vain, is let go: one log holds thousands of equal lines.

use super::compiled::{compiled_patterns, prefilter};
use super::literal::Required;
use super::pattern::{Pattern, group_names};
use super::prefilter::Prefilter;
use crate::text::strip_controls;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// Bytes looked at on each side of a required word.
const WINDOW: usize = 3_000;
/// Lines looked at on each side.
const WINDOW_LINES: usize = 10;
/// Matches of one pattern after which it is let go.
const MAX_MATCHES: usize = 32;
/// Windows tried in vain after which a pattern is let go.
const MAX_MISSES: usize = 2_000;
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
        let mut tried: HashMap<u32, Tried> = HashMap::new();
        let mut hits = Vec::new();
        for (index, &(offset, word)) in seen.iter().enumerate() {
            for &at in self.prefilter.listeners(word) {
                let state = tried.entry(at).or_default();
                if offset < state.done_until || state.matches >= MAX_MATCHES || state.misses >= MAX_MISSES {
                    continue;
                }
                if !self.prefilter.companions(at).iter().all(|&other| stands_near(&seen, index, other)) {
                    continue;
                }
                let pattern = self.patterns.get(at);
                if !wanted(pattern.entry) {
                    continue;
                }
                let mut window = window(text, offset);
                // What was matched already would be found again.
                window.start = window.start.max(state.done_until.min(window.end));
                let Some(regex) = pattern.regex(state.matches + state.misses) else { continue };
                let haystack = &text.as_bytes()[window.clone()];
                let mut groups = regex.create_captures();
                regex.captures(haystack, &mut groups);
                match groups.get_match() {
                    Some(whole) => {
                        let span = window.start + whole.start()..window.start + whole.end();
                        state.matches += 1;
                        state.done_until = span.end.max(offset + 1);
                        let value = |index| groups.get_group(index).map(|span| captured(&haystack[span.range()]));
                        let captures = group_names(regex)
                            .filter_map(|(index, name)| Some((name.to_owned(), value(index)?)))
                            .collect();
                        hits.push(PatternHit {
                            entry: pattern.entry,
                            pattern: pattern.source.to_string(),
                            generic: pattern.generic,
                            span,
                            captures,
                        });
                    }
                    None => state.misses += 1,
                }
            }
        }
        in_order(&mut hits);
        hits
    }
}

/// By position; the same match once.
pub(super) fn in_order(hits: &mut Vec<PatternHit>) {
    hits.sort_by(|a, b| (a.span.start, a.entry, &a.pattern).cmp(&(b.span.start, b.entry, &b.pattern)));
    hits.dedup();
}

#[derive(Debug, Default)]
struct Tried {
    matches: usize,
    misses: usize,
    done_until: usize,
}

fn captured(value: &[u8]) -> String {
    strip_controls(&String::from_utf8_lossy(value)).chars().take(MAX_CAPTURE).collect()
}

/// Whether `word` was seen within a window of the sighting at `index`.
fn stands_near(seen: &[(usize, u32)], index: usize, word: u32) -> bool {
    let offset = seen[index].0;
    let after = seen[index..].iter().take_while(|s| s.0 <= offset + WINDOW);
    let before = seen[..index].iter().rev().take_while(|s| s.0 + WINDOW >= offset);
    after.chain(before).any(|s| s.1 == word)
}

/// Some lines around `offset`, cut at character borders.
fn window(text: &str, offset: usize) -> Range<usize> {
    let from = text.floor_char_boundary(offset.saturating_sub(WINDOW));
    let to = text.ceil_char_boundary((offset + WINDOW).min(text.len()));
    let start = text[from..offset].rmatch_indices('\n').nth(WINDOW_LINES).map_or(from, |(at, _)| from + at + 1);
    let end = text[offset..to].match_indices('\n').nth(WINDOW_LINES).map_or(to, |(at, _)| offset + at);
    start..end
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

    #[test]
    fn a_giant_line_and_a_giant_log_stay_quick_and_bounded() {
        let line = format!("{}volume a is locked{}", "y".repeat(1 << 20), " volume".repeat(100_000));
        assert_eq!(find(&["volume (?P<v>[a-z]) is locked"], &line).len(), 1);
        let log = "volume a is locked\n".repeat(50_000);
        assert_eq!(find(&["volume (?P<v>[a-z]) is locked"], &log).len(), MAX_MATCHES);
    }
}
