//! Declarations whose fields are their documentation: records, enums, groups of constants.
//!
//! Decides which bodies are short enough to be shown whole, and what a documented field of a longer one is called.

use super::code::{Code, Stops};
use super::mask::is_word;
use super::outline::{Found, Shape, label};
use super::words::{Words, label_of, modifiers};

/// A record with a short body is shown whole.
pub(super) fn record_or(code: &Code, from: usize, mut found: Found) -> Found {
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
pub(super) fn group(code: &Code, keyword: &str, open: usize) -> Option<Found> {
    let end = code.whole(open, open).unwrap_or(open + 1);
    let first = code.skip(open + 1);
    let name = code.word(first);
    (!name.is_empty()).then(|| Found {
        label: label_of(keyword, name),
        shape: Shape::Record,
        public: false,
        end,
        body: Some(open),
    })
}

/// A documented field or variant: the name before its type or value.
pub(super) fn entry(code: &Code, at: usize, words: &Words) -> Option<Found> {
    let lead = modifiers(code, at, words);
    let extent = code.extent(lead.at, Stops { comma: true, ..words.stops });
    let text = code.mask.get(lead.at..extent.body.unwrap_or(extent.end))?;
    let stop = text.iter().position(|b| b"=:(,;[{?!\n\r".contains(b)).unwrap_or(text.len());
    let names: Vec<&[u8]> = text[..stop].split(|b| !is_word(*b)).filter(|w| !w.is_empty()).take(16).collect();
    let name = if words.type_first { names.last() } else { names.first() }?;
    let name = String::from_utf8_lossy(name).into_owned();
    let shape = if extent.body.is_some() { Shape::Record } else { Shape::Value };
    Some(record_or(code, at, Found { label: label(&name), shape, public: false, end: extent.end, body: extent.body }))
}
