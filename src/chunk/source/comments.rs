//! Which comment belongs to which code, and what a comment is worth.
//!
//! Decides which lines above a declaration hang on it, whether they document it, what is a licence and what says
//! nothing (a ruler, an empty frame). Which comments count as documentation is the language's table.

use super::code::{Code, LineKind};
use super::mask::{COMMENT, DOC};

impl Code<'_> {
    /// The first line of the comment that hangs on the declaration at `line`, and whether it documents it.
    pub(super) fn documentation(&self, line: usize, floor: usize) -> (usize, bool) {
        let mut start = line;
        let mut doc = false;
        while start > floor && matches!(self.kind(start - 1), LineKind::Comment | LineKind::Doc) {
            start -= 1;
            doc |= self.kind(start) == LineKind::Doc || self.lexis.plain_documents;
        }
        // The rest of a comment that began behind code speaks of that code.
        if start > 0 && self.kind(start - 1) == LineKind::Code {
            while start < line && self.mask[self.line(start).start - 1] != b'\n' {
                start += 1;
            }
        }
        if start < line && start < 12 && is_licence(self, start..line) {
            return (line, false);
        }
        (start, doc && has_words(&self.text[self.line(start).start..self.line(line).start], 1))
    }

    /// The last of these lines that is not empty, or the first.
    pub(super) fn last_text(&self, first: usize, last: usize) -> usize {
        let empty = |line: &usize| self.text[self.line(*line)].trim().is_empty();
        (first..=last).rev().find(|line| !empty(line)).unwrap_or(first)
    }

    /// The end of the comment behind what ends at `at`, if there is one.
    pub(super) fn comment_behind(&self, at: usize) -> Option<usize> {
        let from = at + self.mask[at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b',' | b';')).count();
        let length = self.mask[from..].iter().take_while(|b| matches!(**b, COMMENT | DOC)).count();
        (length > 0).then_some(from + length)
    }
}

/// Whether a comment says something: at least so many words of three letters, or some in a script without spaces.
pub(super) fn has_words(comment: &str, least: usize) -> bool {
    let long = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).take(3).count() == 3;
    comment.split(|c: char| !c.is_alphabetic()).filter(long).take(least).count() == least
        || comment.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).take(2 * least).count() == 2 * least
}

/// What a licence says and a text that mentions one does not.
const LICENCE: &[&str] = &[
    "copyright",
    "spdx-",
    "licensed under",
    "licensed to the",
    "permission is hereby granted",
    "all rights reserved",
    "redistribution and use",
    "is free software",
    "©",
];

fn speaks(code: &Code, line: usize, marks: &[&str]) -> bool {
    let text = code.text[code.line(line)].to_lowercase();
    marks.iter().any(|mark| text.contains(mark))
}

fn is_licence(code: &Code, mut lines: std::ops::Range<usize>) -> bool {
    lines.any(|line| speaks(code, line, LICENCE))
}

/// The first of these lines that speaks of a licence.
pub(super) fn licence_line(code: &Code, mut lines: std::ops::Range<usize>) -> Option<usize> {
    const WEAK: &[&str] = &["license", "licence", "public domain", "(c) "];
    lines.find(|line| speaks(code, *line, LICENCE) || speaks(code, *line, WEAK))
}
