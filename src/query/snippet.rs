//! The part of a text that says most about a question.

use crate::text::{for_each_token, single_line};
use std::collections::HashSet;

/// Lines that are looked at together.
const WINDOW_LINES: usize = 3;

/// The lines of `body` that hold most of the question's words, on one line of at most `width` characters.
pub fn snippet(body: &str, words: &HashSet<&str>, width: usize) -> String {
    let lines: Vec<&str> = body.lines().filter(|line| line.chars().any(char::is_alphanumeric)).collect();
    let worth: Vec<usize> = lines
        .iter()
        .map(|line| {
            let mut found: HashSet<String> = HashSet::new();
            for_each_token(line, |token| {
                if words.contains(token) {
                    found.insert(token.to_owned());
                }
            });
            found.len()
        })
        .collect();
    let sum = |start: usize| worth[start..(start + WINDOW_LINES).min(worth.len())].iter().sum::<usize>();
    // The first of equals: a text says at its beginning what it is about.
    let best = (0..lines.len()).max_by_key(|&start| (sum(start), worth[start], std::cmp::Reverse(start))).unwrap_or(0);
    let text = lines.get(best..).unwrap_or_default().join(" ");
    let shown = single_line(&text, width);
    if best == 0 { shown } else { single_line(&format!("… {shown}"), width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_where_the_words_are() {
        let words = HashSet::from(["retry", "timeout"]);
        let body = "Intro line.\nAnother one.\n\nThe retry has a timeout.\nIt doubles.\n";
        assert_eq!(snippet(body, &words, 80), "… The retry has a timeout. It doubles.");
        assert_eq!(snippet("one\ntwo", &words, 80), "one two");
        assert_eq!(snippet("", &words, 80), "");
    }
}
