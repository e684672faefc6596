//! What a comment is worth: whether it says something, and what of a file's first comments is a licence.

use super::rows::Rows;
use std::ops::Range;

/// Whether a text says something: at least so many words of three letters, or some in a script without spaces.
pub(super) fn has_words(text: &str, least: usize) -> bool {
    let long = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).take(3).count() == 3;
    text.split(|c: char| !c.is_alphabetic()).filter(long).take(least).count() == least
        || text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).take(2 * least).count() == 2 * least
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
/// What begins a licence where another line speaks of one.
const WEAK: &[&str] = &["license", "licence", "public domain", "(c) "];
/// Rows of a file in which its licence begins.
const HEAD_ROWS: usize = 12;

/// The rows of a run of comments that are a licence: from the first that speaks of one, if one certainly does.
pub(super) fn licence(rows: &Rows, run: Range<usize>) -> Option<Range<usize>> {
    let speaks = |row: &usize, marks: &[&str]| {
        let text = rows.said(*row..*row + 1).to_lowercase();
        marks.iter().any(|mark| text.contains(mark))
    };
    if run.start >= HEAD_ROWS || !run.clone().any(|row| speaks(&row, LICENCE)) {
        return None;
    }
    let first = run.clone().find(|row| speaks(row, LICENCE) || speaks(row, WEAK))?;
    Some(first..run.end)
}
