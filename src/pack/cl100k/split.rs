//! Cuts a text into the pieces that are encoded by themselves. The encoding defines them by a pattern:
//!
//! ```text
//! '(?i:[sdmt]|ll|ve|re) | [^\r\n\p{L}\p{N}]?+\p{L}++ | \p{N}{1,3}+ | ?[^\s\p{L}\p{N}]++[\r\n]*+ | \s++$ | \s*[\r\n] |
//! \s+(?!\S) | \s
//! ```
//!
//! The first alternative that matches counts. The code below tries them in this order.

use regex_syntax::hir::{Class, HirKind};
use std::sync::LazyLock;

/// What a character is to the pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Category {
    Letter,
    Number,
    Space,
    Other,
}

/// Ranges of the characters of a general category, in order.
fn ranges(class: &str) -> Vec<(char, char)> {
    let parsed = regex_syntax::parse(class).expect("a constant pattern is read");
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => class.iter().map(|range| (range.start(), range.end())).collect(),
        _ => unreachable!("a category is a class"),
    }
}

static LETTERS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| ranges(r"\p{L}"));
static NUMBERS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| ranges(r"\p{N}"));

fn is_in(ranges: &[(char, char)], c: char) -> bool {
    ranges.get(ranges.partition_point(|(_, last)| *last < c)).is_some_and(|(first, _)| *first <= c)
}

fn category(c: char) -> Category {
    match c {
        'a'..='z' | 'A'..='Z' => Category::Letter,
        '0'..='9' => Category::Number,
        _ if c.is_whitespace() => Category::Space,
        _ if c.is_ascii() => Category::Other,
        _ if is_in(&LETTERS, c) => Category::Letter,
        _ if is_in(&NUMBERS, c) => Category::Number,
        _ => Category::Other,
    }
}

/// The pieces of a text, one behind the other.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at(first_piece(rest));
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Bytes of the first characters of which this holds, `most` at most.
fn run(text: &str, most: usize, holds: impl Fn(char) -> bool) -> usize {
    text.char_indices()
        .take(most)
        .find(|(_, c)| !holds(*c))
        .map_or_else(|| text.char_indices().nth(most).map_or(text.len(), |(at, _)| at), |(at, _)| at)
}

/// Bytes of the first piece; 0 for an empty text.
fn first_piece(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let behind = &text[first.len_utf8()..];
    let short = if first == '\'' { shortened(behind) } else { 0 };
    if short > 0 {
        return 1 + short;
    }
    let is = |wanted: Category| move |c: char| category(c) == wanted;
    let next = chars.next().map(category);
    match category(first) {
        Category::Letter => run(text, usize::MAX, is(Category::Letter)),
        Category::Number => run(text, 3, is(Category::Number)),
        _ if next == Some(Category::Letter) && !is_line_end(first) => {
            first.len_utf8() + run(behind, usize::MAX, is(Category::Letter))
        }
        Category::Other => signs(text),
        Category::Space if first == ' ' && next == Some(Category::Other) => 1 + signs(behind),
        Category::Space => spaces(text),
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\n')
}

/// Bytes of the end of a shortened word, which stands behind an apostrophe.
fn shortened(text: &str) -> usize {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.next());
    match (first.map(|c| c.to_ascii_lowercase()), second.map(|c| c.to_ascii_lowercase())) {
        // The long s is an s in another case.
        (Some(c @ ('s' | 'd' | 'm' | 't' | '\u{17f}')), _) => c.len_utf8(),
        (Some('l'), Some('l')) | (Some('v' | 'r'), Some('e')) => 2,
        _ => 0,
    }
}

/// Bytes of a run of signs and the line ends behind it.
fn signs(text: &str) -> usize {
    let signs = run(text, usize::MAX, |c| category(c) == Category::Other);
    signs + run(&text[signs..], usize::MAX, is_line_end)
}

/// Bytes of a piece of white space. A space before a word belongs to the word.
fn spaces(text: &str) -> usize {
    let all = run(text, usize::MAX, char::is_whitespace);
    if all == text.len() {
        return all;
    }
    let white = &text[..all];
    if let Some(at) = white.rfind(is_line_end) {
        return at + 1;
    }
    let last = white.chars().next_back().map_or(0, char::len_utf8);
    if all > last { all - last } else { all }
}
