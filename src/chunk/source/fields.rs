//! Declarations whose fields are their documentation: records, enums, groups of constants.
//!
//! Decides which bodies are short enough to be shown whole; `words` knows what a documented field of a longer one is
//! called.

use super::code::{Code, Stops};
use super::outline::{Declaration, Shape, label_of};

/// A record with a short body is shown whole.
pub(super) fn record_or(code: &Code, from: usize, mut found: Declaration) -> Declaration {
    if found.shape == Shape::Record
        && let Some(end) = found.body.and_then(|body| code.whole(from, body))
    {
        found.end = end;
    }
    found
}

/// The end of a short statement with its braces; of its first line if it is long.
pub(super) fn statement_end(code: &Code, from: usize) -> usize {
    let mut at = from;
    loop {
        let extent = code.extent(at, Stops { newline: true, ..Stops::default() });
        let Some(body) = extent.body else { return extent.end };
        match code.whole(from, body) {
            Some(end) => at = end,
            None => return extent.end,
        }
    }
}

/// `const ( … )` and its like: whole if short, else a scope whose entries stand for themselves.
pub(super) fn group(code: &Code, keyword: &str, open: usize) -> Option<Declaration> {
    let end = code.whole(open, open).unwrap_or(open + 1);
    let first = code.skip(open + 1);
    let name = code.word(first);
    (!name.is_empty()).then(|| Declaration {
        label: label_of(keyword, name),
        shape: Shape::Record,
        public: false,
        end,
        body: Some(open),
    })
}
