//! Cuts a turn into the sentences that a person wrote, with their lines.
//!
//! Left out is what was pasted rather than said: fenced code, quotes, tables, headings, tags, lines of a log. Lines
//! that follow each other are one paragraph; a bullet is a paragraph of its own. A sentence longer than
//! [`MAX_SENTENCE_BYTES`] is none.

use std::sync::LazyLock;

use regex::Regex;

use super::Turn;
use crate::text::pattern;

/// Nobody says a longer sentence; what is longer is data.
const MAX_SENTENCE_BYTES: usize = 600;

/// What is looked at of a turn. Nobody says more at once; what is longer was pasted.
const MAX_TURN_BYTES: usize = 64 << 10;

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// The sentence without markup around it, on one line.
    pub(super) text: String,
    /// First and last line, from 1.
    pub(super) lines: (usize, usize),
    /// Whether it opens a bullet of a list.
    pub(super) is_bullet: bool,
}

/// What machines begin or fill lines with.
static LOGGED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        concat!(
            r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[[^\]]{1,30}\][^(\w]|(?:TRACE|DEBUG|INFO|WARN|",
            r"WARNING|ERROR|FATAL)\b",
        ),
        concat!(
            r"|\w+(?:Error|Exception): |error(?:\[\w+\])?: |warning(?:\[\w+\])?: |npm (?:ERR|WARN)|at \S+ ?\(|",
            r"\$ |>>> |\+\+\+|---|@@ |\S+:\d+:\d+:|//|/\*|\*/|;;|%)",
        ),
    ))
});

/// A bullet or a number of a list, with its box.
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?"));

/// The sentences of a turn, in order.
pub(super) fn sentences(turn: &Turn) -> Vec<Sentence> {
    let (mut out, mut paragraph) = (Vec::new(), Paragraph::default());
    let mut in_code = false;
    for (at, line) in head(&turn.text, MAX_TURN_BYTES).lines().enumerate() {
        let number = (turn.line_start + at).min(turn.line_end);
        let trimmed = line.trim();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        in_code ^= is_fence;
        let is_pasted = in_code
            || is_fence
            || trimmed.is_empty()
            || trimmed.starts_with(['>', '|', '<', '#', '{', '}'])
            || line.starts_with("\t")
            || LOGGED.is_match(head(line, 200));
        let bullet = BULLET.find(line).map_or(0, |found| found.end());
        if is_pasted || bullet > 0 {
            paragraph.cut(&mut out);
        }
        if !is_pasted {
            paragraph.is_bullet |= bullet > 0;
            paragraph.lines.push((line[bullet..].trim().to_owned(), number));
        }
    }
    paragraph.cut(&mut out);
    out
}

/// The first bytes of a text, cut between characters.
pub(super) fn head(text: &str, bytes: usize) -> &str {
    let end = (0..=text.len().min(bytes)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

#[derive(Default)]
struct Paragraph {
    lines: Vec<(String, usize)>,
    is_bullet: bool,
}

impl Paragraph {
    /// Appends the sentences, and starts anew.
    fn cut(&mut self, out: &mut Vec<Sentence>) {
        let lines = std::mem::take(&mut self.lines);
        let mut is_bullet = std::mem::take(&mut self.is_bullet);
        let (mut text, mut starts) = (String::new(), Vec::new());
        for (line, number) in &lines {
            if !text.is_empty() {
                text.push(' ');
            }
            starts.push((text.len(), *number));
            text.push_str(line);
        }
        let line_at = |at: usize| starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, number)| *number);
        // The lines are asked for in order, but a paragraph of very many lines is data.
        if lines.len() > 200 {
            return;
        }
        for (start, end) in cuts(&text) {
            let said = plain(&text[start..end]);
            if said.len() <= MAX_SENTENCE_BYTES && said.chars().any(char::is_alphanumeric) {
                out.push(Sentence { text: said, lines: (line_at(start), line_at(end - 1)), is_bullet });
                is_bullet = false;
            }
        }
    }
}

/// Where the sentences of a paragraph start and end.
fn cuts(text: &str) -> Vec<(usize, usize)> {
    let (mut out, mut start) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let is_end = matches!(c, '.' | '!' | '?' | '…') && next.is_none_or(char::is_whitespace);
        if is_end && !is_abbreviated(&text[start..at]) {
            let end = at + c.len_utf8();
            out.push((start, end));
            start = end + text[end..].len() - text[end..].trim_start().len();
        }
    }
    if start < text.len() {
        out.push((start, text.len()));
    }
    out.into_iter().filter(|(start, end)| start < end).collect()
}

/// Whether a text ends with a word whose dot ends no sentence.
fn is_abbreviated(text: &str) -> bool {
    const SHORT: [&str; 16] =
        ["e.g", "i.e", "eg", "ie", "vs", "cf", "approx", "mr", "mrs", "ms", "dr", "st", "no", "fig", "incl", "resp"];
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    // "No." opens a sentence as often as it abbreviates "number": there it stands first.
    SHORT.iter().any(|short| word.eq_ignore_ascii_case(short)) && word.len() < text.len()
}

/// A sentence without what Markdown puts around words.
fn plain(text: &str) -> String {
    let text = text.replace("**", "").replace("__", "");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_start_matches("_ ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn cut(text: &str) -> Vec<(String, usize, usize)> {
        let turn = Turn { role: Role::User, text: text.into(), line_start: 10, line_end: 10 + text.lines().count() };
        sentences(&turn).into_iter().map(|s| (s.text, s.lines.0, s.lines.1)).collect()
    }

    #[test]
    fn sentences_have_their_lines() {
        let text =
            "No. Use\npnpm here, e.g. for **CI**! ok?\n\n- one\n- two. Three\n```\ncode. Code\n```\n> quoted\nlast";
        let wanted = [
            ("No.", 10, 10),
            ("Use pnpm here, e.g. for CI!", 10, 11),
            ("ok?", 11, 11),
            ("one", 13, 13),
            ("two.", 14, 14),
            ("Three", 14, 14),
            ("last", 19, 19),
        ];
        assert_eq!(cut(text), wanted.map(|(text, first, last)| (text.to_owned(), first, last)));
    }

    #[test]
    fn what_was_pasted_is_left_out() {
        for text in [
            "2026-01-02 10:00:00 please remember",
            "[INFO] remember it",
            "ERROR no",
            "| a | b |",
            "# Remember",
            "<p>never",
            "ValueError: always",
            "$ always run",
            "src/a.rs:1:2: never",
            &"word ".repeat(200),
        ] {
            assert_eq!(cut(text), [], "{text}");
        }
        assert_eq!(head("aé", 2), "a");
    }
}
