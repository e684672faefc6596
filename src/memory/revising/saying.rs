//! A saying in the form in which it is compared: its values, the words beside each value, and its other words.
//!
//! `benches/memory/fit_revising.py` reads sayings in the same way, and a test compares the two.

use super::hints::Hints;
use super::signs::{CALLS, CHANGE, EMPTY, KINDS, MONTH, NO_NAMES, PREPOSITIONS};
use crate::text::pattern;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

/// Bytes of a saying that are read. A correction stands near the beginning.
const LOOKED_AT_BYTES: usize = 600;
/// A name at the very beginning is a value if the saying has no more words than this.
const CALL_WORDS: usize = 4;
/// A longer saying counts as having this many words.
const MOST_WORDS: usize = 80;
/// Replaces what an earlier kind has found. No text that is read contains it.
const TAKEN: &str = "\0";

/// One for each kind, compiled when a text may have such a value.
static PATTERNS: [OnceLock<Regex>; KINDS.len()] = [const { OnceLock::new() }; KINDS.len()];

static CHANGES: LazyLock<Regex> = LazyLock::new(|| pattern(CHANGE));

/// A value that is stated.
#[derive(Debug, PartialEq)]
pub(super) struct Value {
    /// Its place among the kinds.
    pub(super) kind: usize,
    /// In lower case.
    pub(super) text: String,
    /// The word before it, past an article; empty if there is none.
    pub(super) before: String,
    /// The stem of the word behind it; empty if there is none.
    pub(super) behind: String,
}

impl Value {
    /// Whether it stands behind the same preposition as another.
    pub(super) fn stands_as(&self, other: &Self) -> bool {
        self.before == other.before && PREPOSITIONS.contains(&self.before.as_str())
    }
}

/// What is read of a saying.
#[derive(Debug)]
pub(super) struct Saying {
    pub(super) values: Vec<Value>,
    /// Stems of the words that tell something.
    pub(super) words: BTreeSet<String>,
    /// Whether a word of it tells of a change.
    pub(super) changes: bool,
    /// Its words in tens.
    pub(super) length: f32,
}

impl Saying {
    pub(super) fn new(text: &str) -> Self {
        let text = flat(text);
        let count = text.split_whitespace().count();
        Self {
            values: values(&text, count <= CALL_WORDS),
            words: words(&text),
            changes: Hints::new(&text).may_change() && CHANGES.is_match(&text),
            length: count.min(MOST_WORDS) as f32 / 10.0,
        }
    }
}

/// The beginning as one line, with plain apostrophes.
fn flat(text: &str) -> String {
    let end = (0..=text.len().min(LOOKED_AT_BYTES)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = text[..end].replace('\u{2019}', "'").replace(TAKEN, " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What finds the values of a kind.
fn pattern_of(kind: usize) -> &'static Regex {
    PATTERNS[kind].get_or_init(|| pattern(&KINDS[kind].pattern.replace("{month}", MONTH)))
}

fn values(text: &str, is_short: bool) -> Vec<Value> {
    let (mut out, mut rest) = (Vec::new(), text.to_owned());
    for kind in 0..KINDS.len() {
        if !Hints::new(&rest).may_have(kind) {
            continue;
        }
        let is_name = kind + 1 == KINDS.len();
        let mut masked = rest.clone();
        for found in pattern_of(kind).find_iter(&rest) {
            let lower = found.as_str().to_ascii_lowercase();
            let value = lower.trim_matches([' ', '.', ',']);
            let value = value.strip_prefix("the ").unwrap_or(value);
            let (before, behind) = (&rest[..found.start()], &rest[found.end()..]);
            let is_none = is_name && NO_NAMES.contains(&value);
            if is_name && !is_none && !stands_as_name(before, is_short) {
                continue;
            }
            masked.replace_range(found.range(), &TAKEN.repeat(found.len()));
            if is_none {
                continue;
            }
            let before = letters(before).rev().take(2).find(|word| word != "the" && word != "a").unwrap_or_default();
            let behind = letters(behind).next().map_or_else(String::new, |word| stem(&word).to_owned());
            out.push(Value { kind, text: value.to_owned(), before, behind });
        }
        rest = masked;
    }
    out
}

/// Whether a capitalised word is a name that counts as a value. It is one after a word in lower case, or at the
/// beginning of a saying that is little more than that name. The name of whoever is addressed is no value.
fn stands_as_name(before: &str, is_short: bool) -> bool {
    let Some(led) = before.strip_suffix(' ').filter(|led| led.ends_with(|c: char| c.is_ascii_lowercase() || c == '\''))
    else {
        return is_short && before.trim().is_empty();
    };
    let start = led
        .rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(0, |at| at + led[at..].chars().next().map_or(1, char::len_utf8));
    !CALLS.contains(&led[start..].to_ascii_lowercase().as_str())
}

/// Runs of letters and apostrophes in lower case.
fn letters(text: &str) -> impl DoubleEndedIterator<Item = String> {
    let words = text.split(|c: char| !(c.is_ascii_alphabetic() || c == '\''));
    words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase)
}

fn words(text: &str) -> BTreeSet<String> {
    let runs = text.split(|c: char| !(c.is_ascii_alphabetic() || c == '\'' || c == '-'));
    let words = runs.map(|run| run.trim_matches(['\'', '-']).to_ascii_lowercase());
    words
        .filter(|word| !word.is_empty() && EMPTY.binary_search(&word.as_str()).is_err())
        .map(|word| stem(&word).to_owned())
        .collect()
}

/// A word without its commonest endings.
fn stem(word: &str) -> &str {
    let long = |word: &&str| word.len() > 4;
    let cut = ["ing", "ed", "es", "s"].iter().find_map(|end| word.strip_suffix(end));
    Some(word).filter(long).and(cut).unwrap_or(word)
}

#[cfg(test)]
pub(super) fn finds(kind: usize, text: &str) -> bool {
    pattern_of(kind).is_match(text)
}

#[cfg(test)]
pub(super) fn announces_change(text: &str) -> bool {
    CHANGES.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(text: &str) -> Vec<(usize, String)> {
        Saying::new(text).values.into_iter().map(|value| (value.kind, value.text)).collect()
    }

    #[test]
    fn values_are_found_by_their_kind() {
        let of = |all: &[(usize, &str)]| all.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect::<Vec<_>>();
        assert_eq!(
            stated("Pay $400 at 3 pm on the 7th of March."),
            of(&[(0, "$400"), (1, "3 pm"), (2, "7th of march")])
        );
        assert_eq!(stated("two seats in New York next Friday"), of(&[(2, "next friday"), (3, "two"), (4, "new york")]));
        assert_eq!(stated("Lisbon, please"), of(&[(4, "lisbon")]));
        // Names of whoever is addressed, first words of sentences, and "I".
        assert_eq!(stated("Hey Tom, how are you today? I think I'd go. Great idea"), of(&[(2, "today")]));
        assert_eq!(stated(""), of(&[]));
        let place = Saying::new("from the Old Town to Bergen").values;
        assert_eq!((place[0].before.as_str(), place[0].behind.as_str()), ("from", "to"));
        assert_eq!((place[1].before.as_str(), place[1].behind.as_str()), ("to", ""));
    }

    #[test]
    fn whatever_is_said_can_be_read() {
        for text in ["é A", "\0 Xx Bb", "' A", "a\u{2019}s Bé Cc", "$", &"Aé ".repeat(500), "no\u{301} Tom _ Bob"] {
            Saying::new(text);
        }
    }

    #[test]
    fn lists_are_sorted_where_they_are_searched() {
        assert!(EMPTY.is_sorted());
    }
}
