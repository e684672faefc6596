//! How the constant patterns of this module are compiled, and how much of a text one of them sees at once.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// Compiles a constant pattern with ASCII classes: what they look for is ASCII, and Unicode tables cost a cold process
/// milliseconds.
pub(crate) fn pattern(source: &str) -> Regex {
    Regex::new(&ascii_classes(source)).expect("a constant pattern compiles")
}

/// Bytes of the states that a set of patterns keeps while it searches; with the usual 2 MB a set of hundreds of words
/// forgets states that it needs again.
const SET_STATES_BYTES: usize = 16 << 20;

/// Compiles constant patterns that are looked for together, in one pass over a text; classes are as in [`pattern`].
pub(crate) fn pattern_set<'a>(sources: impl IntoIterator<Item = &'a str>) -> RegexSet {
    let sources: Vec<String> = sources.into_iter().map(ascii_classes).collect();
    RegexSetBuilder::new(sources).dfa_size_limit(SET_STATES_BYTES).build().expect("constant patterns compile")
}

/// Bytes without white space that a pattern sees as one. A URL with a long query is shorter.
const LONGEST_WORD: usize = 2048;

/// A text in pieces, cut nowhere but within words of more than [`LONGEST_WORD`] bytes. A pattern that begins with a run
/// of letters goes on to the end of the word before it gives up, from every start anew: without a bound that is
/// quadratic.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let (mut out, mut first, mut word) = (Vec::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_whitespace() {
            word = at + 1;
        } else if at - word >= LONGEST_WORD && text.is_char_boundary(at) {
            out.push(&text[first..at]);
            (first, word) = (at, at);
        }
    }
    out.push(&text[first..]);
    out
}

fn ascii_classes(source: &str) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    let mut in_class = false;
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '[' if !in_class => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let escaped = chars.next().unwrap_or('\\');
                match (escaped, in_class) {
                    ('w', true) => out.push_str("0-9A-Za-z_"),
                    ('w', false) => out.push_str("[0-9A-Za-z_]"),
                    ('d', true) => out.push_str("0-9"),
                    ('d', false) => out.push_str("[0-9]"),
                    ('s', true) => out.push_str(r"\t\n\r\ "),
                    ('s', false) => out.push_str(r"[\t\n\r\ ]"),
                    ('S', false) => out.push_str(r"[^\t\n\r\ ]"),
                    ('W', false) => out.push_str("[^0-9A-Za-z_]"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('b', false) => out.push_str(r"(?-u:\b)"),
                    ('B', false) => out.push_str(r"(?-u:\B)"),
                    (other, _) => out.extend(['\\', other]),
                }
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_words_are_cut() {
        let text = "some words and a path/".repeat(1000);
        assert_eq!(pieces(&text), [text.as_str()]);
        assert_eq!(pieces(""), [""]);
        let long = format!("a b{} c", "\u{20ac}".repeat(2000));
        let cut = pieces(&long);
        assert_eq!((cut.len(), cut.concat()), (3, long.clone()));
        assert!(cut.iter().flat_map(|piece| piece.split(' ')).all(|word| word.len() <= LONGEST_WORD + 3));
    }
}
