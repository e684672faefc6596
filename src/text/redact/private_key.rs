//! Private keys in armour: PEM, `OpenSSH`, PGP and `PuTTY`, on lines of their own, indented, behind the prefixes
//! of a log, with `\n` written out as in JSON, on one line, and cut off at either end.
//!
//! The armour alone is no secret: code that looks for `BEGIN PRIVATE KEY` stays as it is. A key is what follows it in
//! base64.

use super::Span;
use crate::text::pattern;
use regex::Regex;
use std::sync::LazyLock;

const KIND: &str = "private key";

/// Characters of base64 after the first line of the armour that make a key.
const LEAST_BODY: usize = 16;

/// Bytes of the longest key; RSA with 16,384 bits has 13,000.
const LONGEST_KEY: usize = 64 << 10;

static ARMOUR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) (?P<begin>-{4,5}\ ?BEGIN\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?\ ?-{4,5} | \bPrivate-Lines:\ \d{1,4})
        | (?P<end>-{4,5}\ ?END\ [A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?\ ?-{4,5})",
    )
});

/// A line of the armour that is no base64, as `DEK-Info: AES-128-CBC,...`.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:^|[\s\\n])(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Subject|X-[\w-]+): ")
});

/// Finds the keys of `text`, in order.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    // The pattern takes longer to be made than most texts are looked at.
    if !text.contains("PRIVATE KEY") && !text.contains("Private-Lines") {
        return;
    }
    let mut done = 0;
    for found in ARMOUR.captures_iter(text) {
        if let Some(begin) = found.name("begin").filter(|begin| begin.start() >= done) {
            let body = body_after(text, begin.end());
            if body.letters >= LEAST_BODY {
                spans.push(Span { range: begin.start()..body.end, kind: KIND });
                done = body.end;
            }
        } else if let Some(end) = found.name("end").filter(|end| end.start() >= done) {
            if let Some(start) = body_before(text, done, end.start()) {
                spans.push(Span { range: start..end.end(), kind: KIND });
            }
            done = end.end();
        }
    }
}

/// Where a body ends, and how many characters of base64 it has.
struct Body {
    end: usize,
    letters: usize,
}

fn body_after(text: &str, from: usize) -> Body {
    let mut body = Body { end: from, letters: 0 };
    let end = text.floor_char_boundary(from.saturating_add(LONGEST_KEY).min(text.len()));
    let rest = text.get(from..end).unwrap_or_default();
    let mut at = from;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        let (before_end, end) = match ARMOUR.captures(line) {
            Some(found) => {
                let marker = found.get(0).map_or(0..0, |all| all.range());
                (line.get(..marker.start).unwrap_or_default(), found.name("end").map(|end| at + end.end()))
            }
            None => (line, None),
        };
        let goes_on = if number == 0 {
            walk(before_end, at, end.is_some(), &mut body)
        } else {
            take_line(before_end, at, end.is_some(), &mut body)
        };
        if let Some(end) = end.filter(|_| goes_on) {
            body.end = end;
            return body;
        }
        if !goes_on || before_end.len() < line.len() {
            return body;
        }
        at += line.len();
    }
    body
}

/// Takes words of base64 from the left: the rest of the line on which the armour begins. Whether the body may go on
/// after it.
fn walk(line: &str, at: usize, closed: bool, body: &mut Body) -> bool {
    let header_after = |from: usize| {
        let found = line.get(from..).and_then(|rest| HEADER.find(rest))?;
        // A header ends with its line, which may be written as `\n`.
        let end = from + found.end();
        let rest = line.get(end..).unwrap_or_default();
        Some(from + found.start()..end + rest.find("\\n").unwrap_or(rest.len()))
    };
    let mut header = header_after(0);
    for (start, word) in words(line) {
        while let Some(passed) = header.as_ref().filter(|header| header.end <= start).map(|header| header.end) {
            header = header_after(passed);
        }
        if header.as_ref().is_some_and(|header| header.start <= start) {
            continue;
        }
        if word.len() < LEAST_BODY && !closed || !is_base64(word) {
            return false;
        }
        body.letters += word.len();
        body.end = at + start + word.len();
    }
    true
}

/// Takes the last word of a line, before which there may be what a log or a comment begins its lines with. The last
/// line of a body is short: it is taken if it looks drawn by chance, or if the armour ends after it.
fn take_line(line: &str, at: usize, closed: bool, body: &mut Body) -> bool {
    let Some((start, word)) = words(line).last() else { return true };
    if HEADER.is_match(line) {
        return true;
    }
    let long = word.len() >= LEAST_BODY;
    let alone = words(line).count() == 1 && body.letters >= LEAST_BODY;
    if !is_base64(word) || !long && !alone {
        // Only the prefix of the line, and then the end of the armour.
        return closed;
    }
    let has = |test: fn(&u8) -> bool| word.bytes().any(|b| test(&b));
    if long || word.ends_with('=') || has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) {
        body.letters += word.len();
        body.end = at + start + word.len();
    }
    true
}

/// Where a body that ends at `end` begins, of which the beginning is cut off.
fn body_before(text: &str, from: usize, end: usize) -> Option<usize> {
    let (mut start, mut letters) = (end, 0);
    let body = text.get(from..end)?;
    let mut at = end;
    for line in body.split_inclusive('\n').rev() {
        at -= line.len();
        let Some((first, _)) = words(line).next() else { continue };
        let base64 = words(line).all(|(_, word)| is_base64(word) && (word.len() >= 32 || letters == 0));
        if !base64 {
            break;
        }
        letters += words(line).map(|(_, word)| word.len()).sum::<usize>();
        start = at + first;
    }
    (letters >= LEAST_BODY * 2).then_some(start)
}

/// The words of a line and where they start, without quotes and line ends written out.
fn words(line: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    let bytes = line.as_bytes();
    let splits = move |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
        match bytes.get(at).copied() {
            Some(b'n' | b'r' | b't') => before == Some(b'\\'),
            Some(b) => b.is_ascii_whitespace() || b"\"'`,;|>\\()[]{}".contains(&b),
            None => true,
        }
    };
    let mut found = Vec::new();
    let mut start = None;
    for at in 0..=bytes.len() {
        match (splits(at), start) {
            (true, Some(from)) => {
                found.extend(
                    line.get(from..at)
                        .filter(|word| !matches!(*word, "+" | "." | "//" | "*" | "#"))
                        .map(|word| (from, word)),
                );
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    found.into_iter()
}

fn is_base64(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=-_".contains(&b))
}
