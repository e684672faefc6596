//! The literals that need more than a table: raw strings, percent literals, characters beside lifetimes, regular
//! expressions beside divisions, heredoc tags.
//!
//! Decides where each ends, or that it is none; `mask` asks and marks it.

use super::lexis::{Apostrophe, Raw};
use super::mask::{Masker, is_word, listed};

/// The longest regular expression or percent literal, in bytes.
const MAX_LITERAL: usize = 1000;
const BEFORE_REGEX: &str = "return typeof case in of do else void delete throw new yield await if unless when and or \
    not elsif while until puts split match";

impl Masker<'_> {
    pub(super) fn raw_end(&self, at: usize, last: Option<usize>) -> Option<usize> {
        let rest = &self.bytes[at..];
        let fresh = at == 0 || !is_word(self.bytes[at - 1]);
        match self.lexis.raw {
            Raw::None => None,
            Raw::Rust | Raw::Swift => {
                let prefix = if self.lexis.raw == Raw::Swift {
                    0
                } else {
                    ["br", "cr", "r"]
                        .iter()
                        .find(|p| rest.starts_with(p.as_bytes()))
                        .map(|p| p.len())
                        .filter(|_| fresh)?
                };
                let hashes = rest[prefix..].iter().take_while(|b| **b == b'#').count();
                if rest.get(prefix + hashes) != Some(&b'"') || prefix + hashes == 0 {
                    return None;
                }
                let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
                Some(self.find(at + prefix + hashes + 1, &close))
            }
            Raw::Cpp => {
                let prefix =
                    ["R\"", "LR\"", "uR\"", "UR\"", "u8R\""].iter().find(|p| rest.starts_with(p.as_bytes()))?;
                let length = rest[prefix.len()..].iter().take(17).position(|b| *b == b'(').filter(|_| fresh)?;
                let tag = &rest[prefix.len()..prefix.len() + length];
                Some(self.find(at + prefix.len() + length, &[b")", tag, b"\""].concat()))
            }
            Raw::Dollar => {
                let length = rest.strip_prefix(b"$")?.iter().take(64).position(|b| *b == b'$').filter(|_| fresh)?;
                let tag = &rest[..length + 2];
                if tag[1..=length].iter().all(|b| is_word(*b)) { Some(self.find(at + tag.len(), tag)) } else { None }
            }
            Raw::Lua => self.lua_end(at),
            Raw::Percent | Raw::Sigil => {
                let (mark, spaced) = if self.lexis.raw == Raw::Percent { (b'%', true) } else { (b'~', false) };
                let operand = last.is_none_or(|l| at > l + 1 || b"([{,=".contains(&self.bytes[l]));
                if rest[0] == b'?' && fresh && matches!(rest.get(1), Some(b'"' | b'\'' | b'#' | b'`')) {
                    return Some(at + 2);
                }
                if rest[0] != mark || (spaced && !operand) || !rest.get(1)?.is_ascii_alphabetic() {
                    return None;
                }
                let open = *rest.get(2)?;
                if is_word(open) || open.is_ascii_whitespace() || rest[2..].starts_with(b"\"\"\"") {
                    return None;
                }
                self.delimited_end(at + 3, open)
            }
        }
    }

    /// The end of a literal after its opening delimiter, if it closes within reach.
    fn delimited_end(&self, from: usize, open: u8) -> Option<usize> {
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            other => other,
        };
        let mut depth = 1_usize;
        let mut escaped = false;
        for (n, byte) in self.bytes[from..].iter().take(MAX_LITERAL).enumerate() {
            if std::mem::take(&mut escaped) {
                continue;
            }
            escaped = *byte == b'\\';
            if *byte == close {
                depth -= 1;
                if depth == 0 {
                    return Some(from + n + 1);
                }
            } else if *byte == open {
                depth += 1;
            }
        }
        None
    }

    pub(super) fn lua_end(&self, at: usize) -> Option<usize> {
        let rest = self.bytes[at..].strip_prefix(b"[")?;
        let level = rest.iter().take_while(|b| **b == b'=').count();
        if rest.get(level) != Some(&b'[') {
            return None;
        }
        let close: Vec<u8> = [&b"]"[..], &rest[..level], b"]"].concat();
        Some(self.find(at + level + 2, &close))
    }

    pub(super) fn opens_character(&self, at: usize) -> bool {
        let next = |n: usize| self.bytes.get(at + n).copied().unwrap_or(0);
        match self.lexis.apostrophe {
            Apostrophe::Quote => true,
            Apostrophe::Digits => at == 0 || !self.bytes[at - 1].is_ascii_hexdigit() || !next(1).is_ascii_hexdigit(),
            Apostrophe::Lifetime | Apostrophe::Prime => {
                next(1) == b'\\' || (next(1) >= 0x80 && (2..6).any(|n| next(n) == b'\'')) || next(2) == b'\''
            }
        }
    }

    pub(super) fn regex_may_follow(&self, last: Option<usize>) -> bool {
        let Some(last) = last else { return true };
        let byte = self.bytes[last];
        if !is_word(byte) {
            return !matches!(byte, b')' | b']' | b'<' | b'"' | b'\'' | b'`' | b'.' | b'$');
        }
        let length = self.bytes[..=last].iter().rev().take(12).take_while(|b| is_word(**b)).count();
        let word = &self.bytes[last + 1 - length..=last];
        listed(BEFORE_REGEX, &String::from_utf8_lossy(word))
    }

    pub(super) fn regex_end(&self, at: usize) -> Option<usize> {
        let (mut class, mut escaped) = (false, false);
        for (n, byte) in self.bytes[at + 1..].iter().take(MAX_LITERAL).enumerate() {
            if std::mem::take(&mut escaped) {
                continue;
            }
            match byte {
                b'\n' => return None,
                b'\\' => escaped = true,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class => return Some(at + n + 2),
                _ => {}
            }
        }
        None
    }
}
