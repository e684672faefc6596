//! Takes politeness, quotes and punctuation off what a phrase is about. Its own case and words stay.
//!
//! Each end is looked at a fixed number of times, so that a hostile phrase costs no more than its length.

/// What comes off the end of a task or question.
const TAILS: [&str; 14] = [
    "please",
    "pls",
    "thanks",
    "thank you",
    "for me",
    "now",
    "today",
    "ok",
    "okay",
    "cheers",
    "if you can",
    "if possible",
    "will you",
    "can you",
];
/// What comes off the end of what is kept: "today" may be part of it.
const POLITE: [&str; 4] = ["please", "pls", "thanks", "thank you"];
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»'), ('„', '“')];

/// The object of a search or a task.
pub(super) fn of(text: &str) -> &str {
    stripped(text, &TAILS)
}

/// The object of what is to be kept.
pub(super) fn kept(text: &str) -> &str {
    stripped(text, &POLITE)
}

/// An error as it was given, without quotes around all of it.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    QUOTES.iter().find_map(|(open, close)| inside(text, *open, *close)).unwrap_or(text).trim()
}

/// Whether the object only points at something that was said before.
pub(super) fn is_pointer(object: &str) -> bool {
    [
        "",
        "it",
        "this",
        "that",
        "them",
        "these",
        "those",
        "here",
        "there",
        "so",
        "this one",
        "that one",
        "something",
        "again",
    ]
    .iter()
    .any(|word| object.eq_ignore_ascii_case(word))
}

fn stripped<'a>(text: &'a str, tails: &[&str]) -> &'a str {
    let mut rest = text;
    for _ in 0..8 {
        let before = rest.len();
        rest = unquoted(rest.trim_start_matches([',', ':', ';', ' ']));
        rest = rest.trim_end_matches(|c: char| c.is_whitespace() || ".,;:!?…".contains(c));
        rest = tails.iter().find_map(|tail| without_tail(rest, tail)).unwrap_or(rest);
        if rest.len() == before {
            break;
        }
    }
    rest.trim()
}

/// The text without these words at its end, if it ends with them and something is before.
fn without_tail<'a>(text: &'a str, tail: &str) -> Option<&'a str> {
    let at = text.len().checked_sub(tail.len())?;
    let (rest, end) = (text.get(..at)?, text.get(at..)?);
    (end.eq_ignore_ascii_case(tail) && rest.ends_with([' ', '\t', '\n', ','])).then(|| rest.trim_end())
}

/// What is between these quotes, if they stand around the whole and nowhere inside.
fn inside(text: &str, open: char, close: char) -> Option<&str> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    (!inner.contains([open, close])).then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lose_what_is_around_them() {
        let cases = [
            ("the Retry logic, please.", "the Retry logic"),
            ("\"the cache\"?", "the cache"),
            ("'a' and 'b'", "'a' and 'b'"),
            ("`foo()` now, thanks!", "foo()"),
            ("“C++”", "C++"),
            ("please", "please"),
            ("", ""),
        ];
        for (text, wanted) in cases {
            assert_eq!(of(text), wanted, "{text:?}");
        }
        assert_eq!(kept("we ship today, please"), "we ship today");
        assert_eq!(unquoted(" \"error: a.\" "), "error: a.");
        assert!(is_pointer("It") && !is_pointer("iterators"));
    }
}
