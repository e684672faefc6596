//! What a sentence asks for, one thing after another: the clauses between punctuation and conjunctions.

use super::pattern::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Words below which a text asks for one thing, and words below which a clause belongs to the one before it.
const LEAST_WORDS: usize = 9;
const LEAST_CLAUSE: usize = 3;
/// More clauses than this are a story, not a list of needs.
const MOST: usize = 12;

static BETWEEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)[.;:!?,]+\s+(?:(?:and|or|but)\s+)?|\s+(?:and|or|but|besides|also|plus|then)\s+"));

/// The clauses of one line of text, in order; none where it is short or is one clause.
pub fn clauses(text: &str) -> Vec<String> {
    let words = |clause: &str| clause.split_whitespace().count();
    let text = text.trim();
    if text.contains('\n') || words(text) < LEAST_WORDS {
        return Vec::new();
    }
    let mut out: Vec<String> = Vec::new();
    for clause in BETWEEN.split(text) {
        let clause = clause.trim_matches(|c: char| c.is_whitespace() || ".,;:!?".contains(c));
        match out.last_mut() {
            _ if clause.is_empty() => {}
            Some(last) if words(clause) < LEAST_CLAUSE || words(last) < LEAST_CLAUSE => {
                last.push(' ');
                last.push_str(clause);
            }
            _ => out.push(clause.to_owned()),
        }
    }
    if (2..=MOST).contains(&out.len()) { out } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_told_apart() {
        let text = "I need a plotter for time series, a way to read old tapes and a monitor for the fan.";
        let expected = ["I need a plotter for time series", "a way to read old tapes", "a monitor for the fan"];
        assert_eq!(clauses(text), expected);
        assert_eq!(clauses("A plotter, and a monitor"), Vec::<String>::new(), "too short");
        assert_eq!(clauses("how do I rotate the signing keys of the old release server"), Vec::<String>::new());
        assert_eq!(clauses("one two three, four five six\nseven, eight, nine ten eleven"), Vec::<String>::new());
    }

    #[test]
    fn what_is_short_stays_with_what_stands_before_it() {
        let text = "Book a room for Monday, please, and tell me what the weather is like";
        assert_eq!(clauses(text), ["Book a room for Monday please", "tell me what the weather is like"]);
    }
}
