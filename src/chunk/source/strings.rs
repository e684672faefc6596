//! Strings that a table describes, with the expressions in them: `"a ${b("}")} c"`.
//!
//! Decides where such a string ends; which strings a language has is in its table, raw ones are in `literals`.

use super::lexis::{Escape, Quote};
use super::mask::Masker;

/// How far strings in interpolations in strings are followed.
const MAX_HOLES: usize = 24;

impl Masker<'_> {
    pub(super) fn quote_end(&self, at: usize, quote: &Quote, holes: usize) -> usize {
        let mut end = at + quote.open.len();
        let close = quote.close.as_bytes();
        while end < self.bytes.len() {
            let rest = &self.bytes[end..];
            if rest[0] == b'\n' && !quote.multiline {
                return end;
            }
            match quote.hole {
                Some((open, close)) if holes < MAX_HOLES && rest.starts_with(open.as_bytes()) => {
                    let bracket = open.as_bytes()[open.len() - 1];
                    end = self.hole_end(end + open.len(), (bracket, close), quote.multiline, holes + 1);
                }
                _ if rest[0] == b'\\' && quote.escape == Escape::Backslash => end += 2,
                _ if rest.starts_with(close) => {
                    if quote.escape != Escape::Doubled || !rest[close.len()..].starts_with(close) {
                        return end + close.len();
                    }
                    end += 2 * close.len();
                }
                _ => end += 1,
            }
        }
        self.bytes.len()
    }

    /// The end of an interpolated expression, after its closing bracket.
    fn hole_end(&self, from: usize, (open, close): (u8, u8), multiline: bool, holes: usize) -> usize {
        let (mut at, mut depth) = (from, 1_usize);
        while at < self.bytes.len() {
            let rest = &self.bytes[at..];
            if rest[0] == b'\n' && !multiline {
                return at;
            }
            if let Some(quote) = self.lexis.quotes.iter().find(|quote| rest.starts_with(quote.open.as_bytes())) {
                at = self.quote_end(at, quote, holes);
                continue;
            }
            depth += usize::from(rest[0] == open);
            depth -= usize::from(rest[0] == close);
            at += if rest[0] == b'\\' { 2 } else { 1 };
            if depth == 0 {
                return at;
            }
        }
        self.bytes.len()
    }
}
