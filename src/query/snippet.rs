//! The part of a text that says most about a question.

use super::excerpt::{AskedWords, most_telling};
use crate::text::single_line;

/// The lines of `body` that say most about the question, on one line of at most `width` characters.
pub fn snippet(body: &str, words: &AskedWords<'_>, width: usize) -> String {
    let lines: Vec<&str> = body.lines().filter(|line| line.chars().any(char::is_alphanumeric)).collect();
    let best = most_telling(&lines, words).unwrap_or(0);
    let text = lines.get(best..).unwrap_or_default().join(" ");
    let shown = single_line(&text, width);
    if best == 0 { shown } else { single_line(&format!("… {shown}"), width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_where_the_words_are() {
        let words: AskedWords<'_> = [("retry", 1.0), ("timeout", 1.0)].into();
        let body = "Intro line.\nAnother one.\n\nThe retry has a timeout.\nIt doubles.\n";
        assert_eq!(snippet(body, &words, 80), "… The retry has a timeout. It doubles.");
        assert_eq!(snippet("one\ntwo", &words, 80), "one two");
        assert_eq!(snippet("", &words, 80), "");
    }
}
