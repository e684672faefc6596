//! Lines of a text for whoever reads a hit.

use serde::Serialize;
use std::ops::Range;

/// Lines of a text as they stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Excerpt {
    /// The line of the file that the first of them is in, from 1; none for what lies in no file.
    pub line_start: Option<usize>,
    /// The lines.
    pub lines: Vec<ExcerptLine>,
    /// Whether the sentence of the first line begins before it. Programs get the lines as they stand.
    #[serde(skip)]
    pub cut_before: bool,
    /// Whether the sentence of the last line goes on behind it.
    #[serde(skip)]
    pub cut_behind: bool,
}

/// A line of a text as it stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExcerptLine {
    /// Without its end; what is left out of a very long one is `…`.
    pub text: String,
    /// Where words of the question are in it, in bytes, in order.
    pub marks: Vec<Range<usize>>,
    /// Whether its form means something, as in code and tables: it is never wrapped.
    pub keeps_form: bool,
}

impl Serialize for ExcerptLine {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
