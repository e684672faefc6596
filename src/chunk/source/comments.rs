//! What a comment is worth: whether it says something, and what of a file's first comments is a licence.

use super::rows::Rows;
use std::ops::Range;

/// Whether a text says something: at least so many words of three letters, or some in a script without spaces.
pub(super) fn has_words(text: &str, least: usize) -> bool {
    let long = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).take(3).count() == 3;
    text.split(|c: char| !c.is_alphabetic()).filter(long).take(least).count() == least
        || text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).take(2 * least).count() == 2 * least
}

/// What begins a line of the preprocessor that only says which lines count.
const CONDITIONS: &[&str] = &["#if", "#else", "#elif", "#endif", "# if", "# ifdef", "# ifndef", "# endif"];

/// Whether rows between declarations are worth a block: they have words that are no conditions of the preprocessor,
/// and do not only open something.
pub(super) fn says_something(rows: &Rows, piece: Range<usize>) -> bool {
    let is_condition = |said: &str| CONDITIONS.iter().any(|mark| said.starts_with(mark));
    let said: Vec<&str> = piece.map(|row| rows.said(row..row + 1).trim_start_matches('\u{feff}').trim()).collect();
    let kept: Vec<&str> = said.into_iter().filter(|said| !is_condition(said)).collect();
    let opens = matches!(kept[..], [one] if one.ends_with([':', '{', '(']));
    !opens && has_words(&kept.join("\n"), 2)
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
const WEAK: &[&str] = &["license", "licence", "public domain", "(c) ", "is part of"];
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
