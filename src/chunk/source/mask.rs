//! Tells code from comments, strings and preprocessor lines: each byte that is not code is replaced by a mark of its
//! kind, so that whoever reads the mask meets brackets and words of code only.
//!
//! Decides by the table in `lexis`; knows no declarations. The mask is as long as the text; a line's end inside a block
//! comment or string is marked too, all others stay. One pass: what never closes runs to the end of the line or of the
//! text, and nothing is read twice but a bounded piece (a regular expression, a heredoc whose end is missing).

use super::lexis::{Apostrophe, Lexis, Raw};

pub(super) const COMMENT: u8 = 1;
pub(super) const STRING: u8 = 2;
pub(super) const DIRECTIVE: u8 = 3;
/// A comment that documents what follows.
pub(super) const DOC: u8 = 4;
/// A comment that documents what it stands in.
pub(super) const INNER: u8 = 5;

/// After so many heredocs without an end, `<<` is an operator.
const MAX_LOST_HEREDOCS: usize = 16;
const DIRECTIVES: &str = "if ifdef ifndef elif elseif else endif define undef include include_next import pragma \
    region endregion error warning line nullable";

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a word is in a list separated by spaces.
pub(super) fn listed(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|known| known == word)
}

/// The mask of `text`.
pub(super) fn mask(text: &str, lexis: &Lexis) -> Vec<u8> {
    let mut masker =
        Masker { bytes: text.as_bytes(), out: text.as_bytes().to_vec(), lexis, heredocs: Vec::new(), lost: 0 };
    if text.starts_with('\u{feff}') {
        masker.out[..3].fill(b' ');
    }
    masker.run();
    masker.out
}

pub(super) struct Masker<'a> {
    pub bytes: &'a [u8],
    out: Vec<u8>,
    pub lexis: &'a Lexis,
    /// The heredocs opened on this line: their tags.
    heredocs: Vec<&'a [u8]>,
    lost: usize,
}

impl Masker<'_> {
    fn run(&mut self) {
        let mut at = if self.lexis.php { self.fill(0, self.php_end(0), STRING) } else { 0 };
        if at == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            at = 3;
        }
        let mut last = None;
        let mut line_start = true;
        while at < self.bytes.len() {
            let byte = self.bytes[at];
            if byte == b'\n' {
                at = self.take_heredocs(at + 1);
                line_start = true;
                continue;
            }
            if byte == b' ' || byte == b'\t' || byte == b'\r' {
                at += 1;
                continue;
            }
            if byte == b'\\' && self.lexis.shell {
                at = (at + 2).min(self.bytes.len());
                continue;
            }
            let first = std::mem::take(&mut line_start);
            if let Some((end, mark)) = self.literal(at, first, last) {
                if mark == STRING {
                    last = Some(end - 1);
                }
                at = self.fill(at, end, mark);
                continue;
            }
            last = Some(at);
            at += 1;
            if is_word(byte) {
                while at < self.bytes.len() && is_word(self.bytes[at]) {
                    last = Some(at);
                    at += 1;
                }
                while self.lexis.apostrophe == Apostrophe::Prime && self.bytes.get(at) == Some(&b'\'') {
                    at += 1;
                }
            }
        }
    }

    /// Where what opens at `at` ends and what it is, if it is not code.
    fn literal(&mut self, at: usize, first: bool, last: Option<usize>) -> Option<(usize, u8)> {
        let (rest, lexis) = (&self.bytes[at..], self.lexis);
        if is_word(rest[0]) && !matches!(rest[0], b'r' | b'b' | b'c' | b'R' | b'L' | b'u' | b'U' | b'_') {
            return None;
        }
        if lexis.directives && first && rest[0] == b'#' {
            let word = rest[1..].trim_ascii_start();
            let length = word.iter().take(16).take_while(|b| is_word(**b)).count();
            if listed(DIRECTIVES, &String::from_utf8_lossy(&word[..length])) {
                return Some((self.directive_end(at), DIRECTIVE));
            }
        }
        if lexis.raw == Raw::Lua
            && rest.starts_with(b"--[")
            && let Some(end) = self.lua_end(at + 2)
        {
            return Some((end, COMMENT));
        }
        for (open, close) in lexis.block {
            // Ruby's =begin counts at the start of a line only.
            if rest.starts_with(open.as_bytes()) && (open != &"=begin" || first) {
                return Some((self.block_end(at, open, close), self.comment_kind(at)));
            }
        }
        for open in lexis.line {
            let inside = at > 0 && is_word(self.bytes[at - 1]);
            if rest.starts_with(open.as_bytes())
                && !(lexis.shell && at > 0 && (inside || b"${".contains(&self.bytes[at - 1])))
            {
                if lexis.php && rest.starts_with(b"#[") {
                    break;
                }
                return Some((self.line_end(at), self.comment_kind(at)));
            }
        }
        if lexis.php && rest.starts_with(b"?>") {
            return Some((self.php_end(at), STRING));
        }
        if let Some(end) = self.raw_end(at, last) {
            return Some((end, STRING));
        }
        if rest[0] == b'\'' && !self.opens_character(at) {
            return None;
        }
        if let Some(tag) = lexis.heredoc.and_then(|open| heredoc_tag(rest, open)) {
            self.heredocs.push(tag);
            return None;
        }
        if lexis.regex && rest[0] == b'/' && self.regex_may_follow(last) {
            return self.regex_end(at).map(|end| (end, STRING));
        }
        let quote = lexis.quotes.iter().find(|quote| rest.starts_with(quote.open.as_bytes()))?;
        Some((self.quote_end(at, quote, 0), STRING))
    }

    fn fill(&mut self, from: usize, to: usize, mark: u8) -> usize {
        self.out[from..to].fill(mark);
        to
    }

    fn line_end(&self, at: usize) -> usize {
        let end = self.bytes[at..].iter().position(|b| *b == b'\n').map_or(self.bytes.len(), |n| at + n);
        if self.lexis.php {
            return self.bytes[at..end].windows(2).position(|w| w == b"?>").map_or(end, |n| at + n);
        }
        end
    }

    pub(super) fn find(&self, from: usize, what: &[u8]) -> usize {
        let from = from.min(self.bytes.len());
        self.bytes[from..]
            .windows(what.len().max(1))
            .position(|w| w == what)
            .map_or(self.bytes.len(), |n| from + n + what.len())
    }

    fn php_end(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.bytes.len() {
            at = self.find(at, b"<?");
            let rest = &self.bytes[at..];
            if rest.starts_with(b"php") {
                return at + 3;
            }
            if rest.starts_with(b"=") {
                return at + 1;
            }
        }
        self.bytes.len()
    }

    fn comment_kind(&self, at: usize) -> u8 {
        let rest = &self.bytes[at..];
        let opens = |marks: &[&str]| {
            marks.iter().any(|m| {
                let next = rest.get(m.len());
                rest.starts_with(m.as_bytes()) && next != Some(&b'/') && !(*m == "/**" && next == Some(&b'*'))
            })
        };
        if opens(self.lexis.inner) {
            INNER
        } else if opens(self.lexis.doc) {
            DOC
        } else {
            COMMENT
        }
    }

    /// The end of a preprocessor line, with the lines it continues on, before any comment on it.
    fn directive_end(&self, at: usize) -> usize {
        let mut end = at;
        while end < self.bytes.len() {
            let rest = &self.bytes[end..];
            if rest[0] == b'\n' || rest.starts_with(b"/*") || rest.starts_with(b"//") {
                break;
            }
            let continued = if rest.starts_with(b"\\\r\n") { 3 } else { 2 * usize::from(rest.starts_with(b"\\\n")) };
            end += continued.max(1);
        }
        end
    }

    fn block_end(&self, at: usize, open: &str, close: &str) -> usize {
        let mut depth = 1_usize;
        let mut end = at + open.len();
        while end < self.bytes.len() {
            let rest = &self.bytes[end..];
            if rest.starts_with(close.as_bytes()) {
                end += close.len();
                depth -= 1;
                if depth == 0 {
                    return end;
                }
            } else if self.lexis.nested && rest.starts_with(open.as_bytes()) {
                end += open.len();
                depth += 1;
            } else {
                end += 1;
            }
        }
        self.bytes.len()
    }

    /// Masks the heredocs that begin at this line; the position after them.
    fn take_heredocs(&mut self, from: usize) -> usize {
        let mut at = from;
        for tag in std::mem::take(&mut self.heredocs) {
            if self.lost > MAX_LOST_HEREDOCS {
                break;
            }
            let mut end = at;
            let mut found = None;
            for line in self.bytes[at..].split_inclusive(|b| *b == b'\n') {
                let word = line.trim_ascii().strip_prefix(tag);
                // PHP lets `;` or `,` follow the tag.
                if word.is_some_and(|after| after.first().is_none_or(|b| !is_word(*b))) {
                    found = Some(end + line.trim_ascii_end().len());
                    break;
                }
                end += line.len();
            }
            match found {
                Some(end) => at = self.fill(at, end, STRING),
                None => self.lost += 1,
            }
        }
        at
    }
}

/// The tag of the heredoc that opens here.
fn heredoc_tag<'a>(rest: &'a [u8], open: &str) -> Option<&'a [u8]> {
    let rest = rest.strip_prefix(open.as_bytes())?;
    let marked = matches!(rest.first(), Some(b'~' | b'-' | b'\'' | b'"'));
    let rest = rest.strip_prefix(b"~").or_else(|| rest.strip_prefix(b"-")).unwrap_or(rest);
    let rest = if open == "<<<" || !marked { rest.trim_ascii_start() } else { rest };
    let rest = rest.strip_prefix(b"'").or_else(|| rest.strip_prefix(b"\"")).unwrap_or(rest);
    let length = rest.iter().take(64).take_while(|b| is_word(**b)).count();
    let tag = &rest[..length];
    (tag.first()?.is_ascii_uppercase() || tag[0] == b'_' || (marked && !tag[0].is_ascii_digit())).then_some(tag)
}
