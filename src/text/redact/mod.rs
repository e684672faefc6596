//! Takes secrets out of a text, before anything of it is stored: private keys, credentials of a known form, passwords
//! at known places of URLs, headers and commands, and values of names that promise a secret.
//!
//! Decides what is a secret by its form and by the words around it, never by how random it is alone: digests, commits
//! and ids look as random. A stand-in (`$TOKEN`, `<password>`, `changeme`) is none. What is found is replaced by
//! `[redacted: KIND]`; a key of several lines leaves its line ends, so every line keeps its number.
//!
//! Invariants: what is redacted already is never looked into, so redacting again changes nothing; a text is gone
//! through a fixed number of times, and the lengths that patterns see are bounded.

mod assigned;
mod carried;
mod formats;
mod judge;
mod names;
mod private_key;
#[cfg(test)]
mod tests;
mod value;

use super::pattern;
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, with `[redacted: KIND]` in the place of each secret, and with as many lines as before.
    pub text: Cow<'a, str>,
    /// What was taken out, in the order of the text. What was redacted before is not among it.
    pub found: Vec<Secret>,
}

/// That a secret was found, and nothing of what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Secret {
    /// What it is called, as `AWS access key`; without brackets or line ends.
    pub kind: &'static str,
    /// The line on which it begins, from 1; the same in the text and in the redacted text.
    pub line: usize,
}

/// Where a secret stands: a range of bytes on borders of characters.
struct Span {
    range: Range<usize>,
    kind: &'static str,
}

/// What a secret is replaced by begins with this, and ends with a bracket.
const MARK: &str = "[redacted: ";

static MARKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[redacted: [^\]\[\n]{1,60}\]"));

/// How often a text is gone through. A secret may hide another from the patterns, so what was redacted is looked at
/// again; more than two rounds with a find need a text that is made for it.
const MAX_ROUNDS: usize = 8;

/// Bytes of a short text: whether a finder has anything to do in it is seen without a pattern, which takes milliseconds
/// to be made. Who takes in one small text is not to wait for that.
const SHORT: usize = 4 << 10;

/// Takes the secrets out of `text`.
#[must_use]
pub fn redact(text: &str) -> Redacted<'_> {
    let mut out = Cow::Borrowed(text);
    let mut found = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let spans = spans(&out, out.len() <= SHORT);
        if spans.is_empty() {
            break;
        }
        let next = replace(&out, &spans, &mut found);
        out = Cow::Owned(next);
    }
    found.sort_by_key(|secret: &Secret| secret.line);
    Redacted { text: out, found }
}

/// What is to be replaced, in order and apart from each other and from marks.
fn spans(text: &str, is_short: bool) -> Vec<Span> {
    let mut all = Vec::new();
    private_key::find(text, &mut all);
    formats::find(text, is_short, &mut all);
    carried::find(text, is_short, &mut all);
    assigned::find(text, is_short, &mut all);
    if all.is_empty() {
        return all;
    }
    if text.contains(MARK) {
        let marks: Vec<Range<usize>> = MARKS.find_iter(text).map(|mark| mark.range()).collect();
        all.retain(|span| {
            let next = marks.partition_point(|mark| mark.end <= span.range.start);
            marks.get(next).is_none_or(|mark| mark.start >= span.range.end)
        });
    }
    // Finders come from the surest to the least sure: where finds overlap, the surest names what is taken out.
    let mut all: Vec<(usize, Span)> = all.into_iter().enumerate().collect();
    all.sort_by_key(|(_, span)| span.range.start);
    let mut apart: Vec<(usize, Span)> = Vec::with_capacity(all.len());
    for (rank, span) in all {
        match apart.last_mut().filter(|(_, last)| span.range.start < last.range.end) {
            Some((last_rank, last)) => {
                last.range.end = last.range.end.max(span.range.end);
                if rank < *last_rank {
                    (*last_rank, last.kind) = (rank, span.kind);
                }
            }
            None => apart.push((rank, span)),
        }
    }
    apart.into_iter().map(|(_, span)| span).collect()
}

fn replace(text: &str, spans: &[Span], found: &mut Vec<Secret>) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut from, mut line) = (0, 1);
    let lines = |part: &str| part.bytes().filter(|&b| b == b'\n').count();
    for span in spans {
        let between = text.get(from..span.range.start).unwrap_or_default();
        let secret = text.get(span.range.clone()).unwrap_or_default();
        line += lines(between);
        found.push(Secret { kind: span.kind, line });
        out.push_str(between);
        out.push_str(MARK);
        out.push_str(span.kind);
        out.push(']');
        out.extend(std::iter::repeat_n('\n', lines(secret)));
        line += lines(secret);
        from = span.range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}
