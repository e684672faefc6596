//! What `&name;` and `&#number;` stand for. The names are those of HTML, which CommonMark has as well: its parser is
//! asked for the rarer ones, so that there is one table of them in the program.

use pulldown_cmark::{Event, Parser};
use std::borrow::Cow;
use std::collections::HashMap;

/// Longest name that is looked at, in bytes.
const LONGEST: usize = 32;

/// The entities of one text.
#[derive(Debug, Default)]
pub(super) struct Entities {
    asked: HashMap<String, Option<String>>,
}

impl Entities {
    /// A text with its entities replaced; what is none stays. Line breaks that they stand for are spaces.
    pub fn decode<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let Some(mut at) = text.find('&') else { return Cow::Borrowed(text) };
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        loop {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            match self.entity(rest) {
                Some((length, meant)) => {
                    out.push_str(&meant);
                    rest = &rest[length..];
                }
                None => {
                    out.push('&');
                    rest = &rest[1..];
                }
            }
            match rest.find('&') {
                Some(next) => at = next,
                None => break,
            }
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// The entity that a text begins with: its length, and what it stands for.
    fn entity(&mut self, text: &str) -> Option<(usize, String)> {
        let inside = &text[1..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
        let length = inside.bytes().take(LONGEST).take_while(is_part).count();
        let name = &inside[..length];
        let ends = inside[length..].starts_with(';');
        let whole = 1 + length + usize::from(ends);
        if let Some(number) = name.strip_prefix('#') {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            return Some((whole, plain(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).to_string()));
        }
        let meant = match name {
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "nbsp" => " ",
            // Nothing that is seen.
            "shy" | "zwnj" | "zwj" | "ZeroWidthSpace" if ends => "",
            _ if ends && length > 0 => return Some((whole, self.named(name)?)),
            _ => return None,
        };
        Some((whole, meant.to_owned()))
    }

    fn named(&mut self, name: &str) -> Option<String> {
        if let Some(known) = self.asked.get(name) {
            return known.clone();
        }
        let asked = format!("&{name};");
        let text: String = Parser::new(&asked)
            .filter_map(|event| match event {
                Event::Text(text) => Some(text.into_string()),
                _ => None,
            })
            .collect();
        let meant = Some(text).filter(|text| *text != asked).map(|text| text.chars().map(plain).collect());
        self.asked.insert(name.to_owned(), meant);
        self.asked.get(name)?.clone()
    }
}

/// A space in place of what breaks a line or only looks like one.
fn plain(c: char) -> char {
    if c.is_whitespace() || c.is_control() { ' ' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_what_they_stand_for() {
        let mut entities = Entities::default();
        let text = "&lt;a&gt; &amp;amp; &#65;&#x42;&#10;c &hellip;&mdash;&nosuch; R&D & &nbsp;&#8217;&copy;&";
        let wanted = "<a> &amp; AB c …—&nosuch; R&D &  ’©&";
        assert_eq!(entities.decode(text), wanted);
        assert_eq!(entities.decode(text), wanted, "asked before");
        assert!(matches!(entities.decode("plain"), Cow::Borrowed(_)));
    }
}
