//! Strings that a pattern matches: a bounded walk over its syntax.
//!
//! A pattern that no example shows is known to the exact tier alone; a string of it, embedded, lets the fuzzy tier find
//! what is worded nearly so. The walk takes the first way through every choice, each optional part once, names of
//! captures as their values, so that the string reads like the message. Every string is tried against the pattern; what
//! does not match is dropped.

use super::pattern::compile;
use super::said::{EntryPattern, Example};
use crate::text::clean;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Longest string, in characters.
const MOST_CHARS: usize = 240;
/// Shortest that says anything.
const LEAST_CHARS: usize = 12;

/// For each of the patterns that no example matches, a string that it matches.
pub(super) fn unexampled(patterns: &[EntryPattern], examples: &[Example]) -> Vec<String> {
    let examples: Vec<String> = examples.iter().map(|example| clean(&example.text).text).collect();
    let shown = |pattern: &str| {
        compile(pattern).is_ok_and(|regex| examples.iter().any(|example| regex.is_match(example.as_bytes())))
    };
    let silent = patterns.iter().map(|one| one.pattern.as_str()).filter(|pattern| !shown(pattern));
    silent.filter_map(string_of).collect()
}

/// A string that the pattern matches, if the walk finds one.
pub(super) fn string_of(pattern: &str) -> Option<String> {
    let tree = regex_syntax::ParserBuilder::new().multi_line(true).nest_limit(64).build().parse(pattern).ok()?;
    let mut out = String::new();
    walk(&tree, &mut out)?;
    let text = out.trim().to_owned();
    let fits = (LEAST_CHARS..=MOST_CHARS).contains(&text.chars().count());
    (fits && compile(pattern).ok()?.is_match(clean(&text).text.as_bytes())).then_some(text)
}

/// Appends one way through; `None` when it gets too long or is not text.
fn walk(tree: &Hir, out: &mut String) -> Option<()> {
    if out.len() > 4 * MOST_CHARS {
        return None;
    }
    match tree.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            out.push_str(std::str::from_utf8(&literal.0).ok()?);
            Some(())
        }
        HirKind::Class(class) => {
            out.push(member(class)?);
            Some(())
        }
        HirKind::Repetition(repetition) => {
            // What is as good as anything is left out where it may be; "x?" is there.
            let anything = matches!(repetition.sub.kind(), HirKind::Class(class) if is_wide(class));
            let times = match (repetition.min, anything) {
                (0, true) => 0,
                (0, false) => 1,
                (min, _) => min,
            };
            (0..times).try_for_each(|_| walk(&repetition.sub, out))
        }
        HirKind::Capture(capture) => {
            let before = out.len();
            walk(&capture.sub, out)?;
            // A name stands for a value where the value is free: one character of a wide class.
            if let Some(name) = capture.name.as_deref().filter(|_| is_free(&capture.sub)) {
                out.truncate(before);
                out.push_str(name);
            }
            Some(())
        }
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| walk(part, out)),
        HirKind::Alternation(parts) => walk(parts.first()?, out),
    }
}

/// Whether a tree is a repeated wide class, such as `[^']+` or `\S+`.
fn is_free(tree: &Hir) -> bool {
    match tree.kind() {
        HirKind::Repetition(repetition) => matches!(repetition.sub.kind(), HirKind::Class(class) if is_wide(class)),
        _ => false,
    }
}

/// Whether a class admits all lower-case letters.
fn is_wide(class: &Class) -> bool {
    ('a'..='z').all(|c| admits(class, c))
}

fn admits(class: &Class, c: char) -> bool {
    match class {
        Class::Unicode(class) => class.ranges().iter().any(|range| range.start() <= c && c <= range.end()),
        Class::Bytes(class) => {
            c.is_ascii() && class.ranges().iter().any(|range| range.start() <= c as u8 && c as u8 <= range.end())
        }
    }
}

/// The member that reads best: a letter, else a digit, a space, or the first there is.
fn member(class: &Class) -> Option<char> {
    let first = match class {
        Class::Unicode(class) => class.ranges().first().map(|range| range.start()),
        Class::Bytes(class) => class.ranges().first().map(|range| char::from(range.start())).filter(char::is_ascii),
    };
    "x1 ".chars().find(|c| admits(class, *c)).or(first)
}

#[cfg(test)]
mod tests {
    use super::super::{PackLayer, library};
    use super::*;

    #[test]
    fn reads_like_the_message() {
        for (pattern, string) in [
            (
                r"cannot remove (?P<path>[^:\n]+): (?:Directory|Folder) not empty",
                "cannot remove path: Directory not empty",
            ),
            (r"(?i)^error: \d+ of \w+ failed(?: again)?$", "ERROR: 1 of x FAILED AGAIN"),
            (r"timed out.*after [0-9]{2} seconds", "timed outafter 11 seconds"),
        ] {
            assert_eq!(string_of(pattern).map(|s| s.to_lowercase()), Some(string.to_lowercase()), "{pattern}");
        }
        assert_eq!(string_of(r"short"), None);
        assert_eq!(string_of(r"(?:nested (?:far{9}){90}){90}"), None);
    }

    #[test]
    fn patterns_with_an_example_are_left_alone() {
        let patterns = ["disk (?P<disk>\\w+) is full".into(), "no space left on (?P<disk>\\w+)".into()];
        assert_eq!(unexampled(&patterns, &["oh: disk sda is full".into()]), ["no space left on disk"]);
    }

    /// The walk finds its way through nearly every pattern that ships.
    #[test]
    fn strings_of_the_built_in_patterns_match_them() {
        let (canon, _) = library::Canon::load(&[]);
        let built_in = canon.entries().iter().filter(|stored| stored.layer == PackLayer::Builtin).step_by(7);
        let patterns: Vec<&EntryPattern> = built_in.flat_map(|stored| &stored.entry().error_patterns).collect();
        let found = patterns.iter().filter(|one| string_of(&one.pattern).is_some()).count();
        assert!(found * 10 > patterns.len() * 8, "{found} of {}", patterns.len());
    }
}
