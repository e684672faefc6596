//! What a turn does to what was said before it: corrects it, adds to it, or neither.
//!
//! A small linear model over the rows of `signs`, each of which looks at the turn and at what the other side said
//! just before: "7 pm" answers "When?", and corrects "A table at 6 pm, is that right?". The act with the highest
//! score is taken; neither has the score 0. Only the beginning of a turn and the end of what was before are looked at.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::sentences::head;
use super::signs::{BIAS, NAMED, SIGNS};
use crate::text::pattern;

/// What a turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    /// It gives another value to something that was said, offered or done.
    Correction,
    /// It states something that was not said yet.
    New,
    /// It states nothing: thanks, questions, agreement, tasks.
    None,
}

/// Bytes of the turn's beginning and of the end of what was before that are looked at. A correction comes first.
const LOOKED_AT_BYTES: usize = 600;

struct Patterns {
    said: Said,
    before: Option<Regex>,
}

enum Said {
    Anything,
    Found(Regex),
    /// A value of the turn also stands before it.
    Repeats,
    /// A value of the turn does not stand before it.
    Brings,
    /// Both.
    Both,
}

static PATTERNS: LazyLock<Vec<Patterns>> = LazyLock::new(|| {
    let compiled = |source: &str| (!source.is_empty()).then(|| pattern(&format!("(?is){}", expanded(source))));
    let said = |source: &str| match source {
        "=repeats" => Said::Repeats,
        "=brings" => Said::Brings,
        "=both" => Said::Both,
        source => compiled(source).map_or(Said::Anything, Said::Found),
    };
    SIGNS.iter().map(|sign| Patterns { said: said(sign.said), before: compiled(sign.before) }).collect()
});

static VALUE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("(?is){}", expanded("{value}"))));

/// A pattern with the named ones in place of their names.
fn expanded(source: &str) -> String {
    // Later names use earlier ones, so they are put in from the last to the first.
    NAMED.iter().rev().fold(source.to_owned(), |text, (name, named)| text.replace(&format!("{{{name}}}"), named))
}

/// Tells what a person's turn does, given what the other side said just before it.
#[must_use]
pub fn act_of(text: &str, before: Option<&str>) -> Act {
    let said = flat(head(text.trim(), LOOKED_AT_BYTES));
    let before = before.unwrap_or_default().trim();
    let start = (before.len().saturating_sub(LOOKED_AT_BYTES)..=before.len()).find(|at| before.is_char_boundary(*at));
    let before = flat(&before[start.unwrap_or(0)..]);
    let (values, earlier) = (values(&said), values(&before));
    let (repeats, brings) = (values.iter().any(|v| earlier.contains(v)), values.iter().any(|v| !earlier.contains(v)));
    let mut scores = BIAS;
    for (sign, patterns) in SIGNS.iter().zip(PATTERNS.iter()) {
        let holds = match &patterns.said {
            Said::Anything => true,
            Said::Found(pattern) => pattern.is_match(&said),
            Said::Repeats => repeats,
            Said::Brings => brings,
            Said::Both => repeats && brings,
        };
        if holds && patterns.before.as_ref().is_none_or(|pattern| pattern.is_match(&before)) {
            scores[0] += sign.weights[0];
            scores[1] += sign.weights[1];
        }
    }
    match scores {
        [correction, new] if correction > 0.0 && correction >= new => Act::Correction,
        [_, new] if new > 0.0 => Act::New,
        _ => Act::None,
    }
}

/// One line with plain apostrophes.
fn flat(text: &str) -> String {
    text.replace('\u{2019}', "'").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The values of a text in lower case.
fn values(text: &str) -> BTreeSet<String> {
    let bare =
        |found: regex::Match<'_>| unled(found.as_str()).to_lowercase().trim_matches([' ', ',', '.', '\'']).to_owned();
    VALUE.find_iter(text).map(bare).collect()
}

/// A name without the letter before it, by which it is told from the first word of a sentence.
fn unled(found: &str) -> &str {
    let rest = found.strip_prefix(|c: char| c.is_ascii_lowercase() || ",'".contains(c)).unwrap_or(found);
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    if rest.starts_with(|c: char| c.is_ascii_uppercase()) { rest } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name in braces that is not known would be searched for as it stands.
    #[test]
    fn signs_have_names_of_their_own_and_known_patterns() {
        let names: BTreeSet<&str> = SIGNS.iter().map(|sign| sign.name).collect();
        assert_eq!(names.len(), SIGNS.len());
        let unknown = Regex::new(r"\{[a-z]+\}").expect("a constant pattern");
        for sign in SIGNS {
            for source in [sign.said, sign.before] {
                assert!(!unknown.is_match(&expanded(source)), "{}", sign.name);
            }
        }
    }

    #[test]
    fn values_are_told_from_words() {
        let of = |text: &str| values(text).into_iter().collect::<Vec<_>>();
        assert_eq!(of("At 7 pm on Friday in Berlin"), ["7 pm", "berlin", "friday"]);
        assert_eq!(of("it works"), Vec::<String>::new());
    }
}
