//! Where each memory of a file begins and ends.
//!
//! A file begins with front matter. Further front matter begins at a line of three dashes, outside of code blocks, if
//! the next line is a key and a key of memories stands before the next line of three dashes. Any other line of dashes
//! is part of a text. Linear in the file.

use super::error::MarkdownError;
use super::format::{KEYS, MAX_FRONT_MATTER_BYTES};

/// A memory as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part<'a> {
    /// Its front matter without the lines of dashes.
    pub(super) yaml: &'a str,
    /// The text below, without empty lines around it.
    pub(super) body: &'a str,
    /// The first line of the text, from 1.
    pub(super) body_line: usize,
    /// The opening line of dashes, from 1.
    pub(super) line_start: usize,
    /// The last line that is not empty.
    pub(super) line_end: usize,
}

/// A text by its lines.
struct Lines<'a> {
    text: &'a str,
    /// Where each line begins, and the end of the text.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < text.len()));
        if !text.is_empty() {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The lines `from..to`, counted from 0.
    fn stretch(&self, from: usize, to: usize) -> &'a str {
        let place = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        self.text.get(place(from)..place(to)).unwrap_or_default()
    }

    fn get(&self, at: usize) -> &'a str {
        self.stretch(at, at + 1).trim_end()
    }

    fn is_dashes(&self, at: usize) -> bool {
        self.get(at) == "---"
    }

    /// The next line of dashes from `at` on.
    fn dashes(&self, at: usize) -> Option<usize> {
        (at..self.len()).find(|at| self.is_dashes(*at))
    }

    /// Whether further front matter begins at this line.
    fn begins(&self, at: usize) -> bool {
        self.is_dashes(at)
            && key(self.get(at + 1)).is_some()
            && self
                .dashes(at + 1)
                .is_some_and(|end| (at + 1..end).any(|line| key(self.get(line)).is_some_and(|key| KEYS.contains(&key))))
    }
}

/// The key that a line of front matter begins with.
pub(super) fn key(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(key)
}

/// A code block that has begun: its mark, and how often it stands there.
#[derive(Clone, Copy)]
struct Fence(char, usize);

impl Fence {
    /// The fence that a line is; what follows it on the line too.
    fn of(line: &str) -> Option<(Self, &str)> {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let count = line.len() - rest.len();
        (count >= 3 && !(mark == '`' && rest.contains('`'))).then_some((Self(mark, count), rest.trim()))
    }

    fn is_ended_by(self, line: &str) -> bool {
        Self::of(line).is_some_and(|(end, rest)| end.0 == self.0 && end.1 >= self.1 && rest.is_empty())
    }
}

/// Where the text that begins at a line ends: at the next front matter, or with the file.
fn end_of_body(lines: &Lines<'_>, from: usize) -> Result<usize, MarkdownError> {
    let mut fence: Option<(Fence, usize)> = None;
    let mut hidden = None;
    for at in from..lines.len() {
        match fence {
            Some((open, _)) => {
                if open.is_ended_by(lines.get(at)) {
                    (fence, hidden) = (None, None);
                } else if hidden.is_none() && lines.begins(at) {
                    hidden = Some(at);
                }
            }
            None if lines.begins(at) => return Ok(at),
            None => fence = Fence::of(lines.get(at)).map(|(open, _)| (open, at)),
        }
    }
    match fence.zip(hidden) {
        Some(((_, open), hidden)) => {
            let what = format!("a code block begins and does not end before the memory in line {}", hidden + 1);
            Err(MarkdownError::new(open + 1, what))
        }
        None => Ok(lines.len()),
    }
}

/// Whether a text can stand below front matter, whatever follows it.
pub(super) fn stands_alone(text: &str) -> bool {
    let lines = Lines::new(text);
    let mut fence: Option<Fence> = None;
    for at in 0..lines.len() {
        let line = lines.get(at);
        // What follows might make front matter of any line of dashes before a key, and of a last one.
        let might_begin = lines.is_dashes(at) && (at + 1 == lines.len() || key(lines.get(at + 1)).is_some());
        match fence {
            _ if might_begin => return false,
            Some(open) if open.is_ended_by(line) => fence = None,
            Some(_) => {}
            None => fence = Fence::of(line).map(|(open, _)| open),
        }
    }
    fence.is_none() && without_empty_lines(text) == text
}

/// A text without empty lines before it and without white space after it.
fn without_empty_lines(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.find(|c: char| !c.is_whitespace()).unwrap_or(0);
    &text[text[..first].rfind('\n').map_or(0, |at| at + 1)..]
}

/// The memories of a file without carriage returns at its line ends.
///
/// # Errors
/// If it does not begin with front matter, or front matter or a code block does not end.
pub(super) fn split(text: &str) -> Result<Vec<Part<'_>>, MarkdownError> {
    let lines = Lines::new(text);
    let mut out = Vec::new();
    let Some(mut at) = (0..lines.len()).find(|at| !lines.get(*at).is_empty()) else { return Ok(out) };
    if !lines.is_dashes(at) {
        return Err(MarkdownError::new(at + 1, "a memory begins with front matter")
            .with_hint("put `---`, `kind: preference` and `---` above the text, each on its own line"));
    }
    while at < lines.len() {
        let end = lines.dashes(at + 1);
        let end = end.ok_or_else(|| MarkdownError::new(at + 1, "the front matter does not end with `---`"))?;
        let yaml = lines.stretch(at + 1, end);
        if yaml.len() > MAX_FRONT_MATTER_BYTES {
            let what = format!("front matter has at most {MAX_FRONT_MATTER_BYTES} bytes");
            return Err(MarkdownError::new(at + 1, what));
        }
        let next = end_of_body(&lines, end + 1)?;
        let is_full = |line: &usize| !lines.get(*line).is_empty();
        let first = (end + 1..next).find(is_full).unwrap_or(next);
        let last = (end..next).rfind(is_full).unwrap_or(end);
        let body = lines.stretch(first, next).trim_end();
        out.push(Part { yaml, body, body_line: first + 1, line_start: at + 1, line_end: last + 1 });
        at = next;
    }
    Ok(out)
}
