//! The lines of a text by number, from 0.

use std::ops::Range;

/// Where the lines of a text begin.
pub(super) struct Rows<'t> {
    pub text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Rows<'t> {
    pub fn new(text: &'t str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(after).collect() }
    }

    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The row that holds the byte at `at`.
    pub fn of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The rows of a stretch of the text, without white space at its end.
    pub fn of_range(&self, range: Range<usize>) -> Range<usize> {
        let said = self.text.get(range.clone()).unwrap_or("").trim_end();
        let first = self.of(range.start);
        first..self.of(range.start + said.len().saturating_sub(1)).max(first) + 1
    }

    /// Where a row begins.
    pub fn start(&self, row: usize) -> usize {
        self.starts.get(row).copied().unwrap_or(self.text.len())
    }

    /// The bytes of some rows, without the ending of the last.
    pub fn bytes(&self, rows: Range<usize>) -> Range<usize> {
        let start = self.start(rows.start);
        let end = self.start(rows.end);
        let body = &self.text[start..end.max(start)];
        let body = body.strip_suffix('\n').map_or(body, |body| body.strip_suffix('\r').unwrap_or(body));
        start..start + body.len()
    }

    /// The text of some rows.
    pub fn said(&self, rows: Range<usize>) -> &'t str {
        &self.text[self.bytes(rows)]
    }

    pub fn is_blank(&self, row: usize) -> bool {
        self.said(row..row + 1).trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty()
    }

    /// Whether a row has no letter or digit: it is empty, or closes something.
    pub fn says_nothing(&self, row: usize) -> bool {
        !self.said(row..row + 1).contains(char::is_alphanumeric)
    }

    /// Whether nothing stands before the byte at `at` in its line.
    pub fn begins(&self, at: usize) -> bool {
        let start = self.start(self.of(at));
        self.text[start..at].trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty()
    }

    /// Without empty rows at both ends.
    pub fn trimmed(&self, rows: Range<usize>) -> Range<usize> {
        let start = rows.clone().find(|row| !self.is_blank(*row)).unwrap_or(rows.end);
        let end = (start..rows.end).rev().find(|row| !self.is_blank(*row)).map_or(start, |row| row + 1);
        start..end
    }
}
