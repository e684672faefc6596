//! The text of files that other tools write: UTF-8, with or without a byte order mark, line by line. What is wrong is
//! said with its place and with what helps.

use super::BenchError;
use crate::map::open::{self, Links};
use crate::types::limits::TEST_SET;
use std::path::Path;

/// What a set is made of.
pub(super) const LAYOUT: &str =
    "a set holds corpus.jsonl, queries.jsonl and qrels/test.tsv; --split NAME takes qrels/NAME.tsv";

const UTF8: &str = "only UTF-8 is read; iconv -t UTF-8 converts other encodings";

/// The lines of a file that hold something, with their numbers.
pub(in crate::eval) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim().is_empty())
}

/// The text of a file. `hint` is for whoever gave a file that is not there.
pub(in crate::eval) fn read(path: &Path, hint: &'static str) -> Result<String, BenchError> {
    let bytes = open::read(path, Links::Follow, TEST_SET).map_err(|source| BenchError::Unread {
        path: path.to_owned(),
        source,
        hint,
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let sound = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes().iter().take(sound).filter(|byte| **byte == b'\n').count();
        bad(path, line, UTF8)("it is not UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Makes the error of a line.
pub(in crate::eval) fn bad<'a>(
    path: &'a Path,
    line: usize,
    hint: &'static str,
) -> impl Fn(&str) -> BenchError + use<'a> {
    move |what| BenchError::Line { path: path.to_owned(), line, what: what.to_owned(), hint }
}
