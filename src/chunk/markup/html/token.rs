//! HTML to tags and the text between them. Nothing is an error: what is no tag is text.
//!
//! Linear whatever the text: a search that found nothing is not repeated. A tag whose quotes do not end would swallow
//! the rest of the file; from there on tags end at the next `>`, quoted or not.

/// A piece of an HTML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Characters, with their entities.
    Text(&'a str),
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag by its name in lower case.
    Close(String),
}

/// A start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// In lower case.
    pub name: String,
    /// What stands behind the name.
    attributes: &'a str,
    /// Whether it says that nothing is in it, as XHTML does.
    pub is_empty: bool,
}

impl<'a> Tag<'a> {
    /// The value of an attribute, with its entities; empty for one that is only named.
    pub fn attribute(&self, wanted: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '=' || c == '/').unwrap_or(rest.len());
            if rest.is_empty() {
                return None;
            }
            // A lone mark is a name of its own.
            let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
            let name = &rest[..end];
            rest = rest[end..].trim_start();
            let value = match rest.strip_prefix('=').map(str::trim_start) {
                Some(given) => {
                    let (value, after) = value(given);
                    rest = after;
                    value
                }
                None => "",
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(value);
            }
        }
    }
}

/// A value and what stands behind it.
fn value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    text.split_at(text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len()))
}

/// Elements whose content is text up to their end tag, whatever it looks like.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// Reads a text token by token.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// Where the next token starts.
    at: usize,
    /// The element that was opened last, if its content is text.
    raw: Option<String>,
    /// Whether quotes count in tags.
    quoted: bool,
    /// Elements and comments whose end was looked for and is not in the rest.
    endless: Vec<String>,
}

impl<'a> Tokens<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, raw: None, quoted: true, endless: Vec::new() }
    }

    /// The next token, and where it starts.
    pub fn next(&mut self) -> Option<(usize, Token<'a>)> {
        if let Some(name) = self.raw.take()
            && let Some(end) = self.end_of(&name)
        {
            let start = std::mem::replace(&mut self.at, end);
            return Some((start, Token::Text(&self.text[start..end])));
        }
        while self.at < self.text.len() {
            let start = self.at;
            let rest = &self.text[start..];
            let Some(marked) = rest.strip_prefix('<') else {
                self.at = start + rest.find('<').unwrap_or(rest.len());
                return Some((start, Token::Text(&self.text[start..self.at])));
            };
            match marked.bytes().next() {
                Some(byte) if byte.is_ascii_alphabetic() => {
                    if let Some(tag) = self.tag(start) {
                        return Some((start, Token::Open(tag)));
                    }
                }
                Some(b'/') if marked[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    if let Some(end) = marked.find('>') {
                        self.at = start + 1 + end + 1;
                        let name = marked[1..end].split(|c: char| c.is_ascii_whitespace() || c == '/').next();
                        return Some((start, Token::Close(name.unwrap_or_default().to_ascii_lowercase())));
                    }
                }
                Some(b'!' | b'?' | b'/') => match self.remark(start) {
                    Some(Some(text)) => return Some((start, Token::Text(text))),
                    Some(None) => continue,
                    None => {}
                },
                _ => {
                    self.at = start + 1 + marked.find('<').unwrap_or(marked.len());
                    return Some((start, Token::Text(&self.text[start..self.at])));
                }
            }
            // No tag ends in the rest.
            self.at = self.text.len();
            return Some((start, Token::Text(rest)));
        }
        None
    }

    /// The start tag at `start`; none if nothing ends it.
    fn tag(&mut self, start: usize) -> Option<Tag<'a>> {
        let inside = start + 1;
        let end = self.tag_end(inside)?;
        self.at = end + 1;
        let body = &self.text[inside..end];
        let name_end = body.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(body.len());
        let name = body[..name_end].to_ascii_lowercase();
        let is_empty = body.ends_with('/');
        if RAW.contains(&name.as_str()) && !is_empty {
            self.raw = Some(name.clone());
        }
        Some(Tag { name, attributes: &body[name_end..], is_empty })
    }

    fn tag_end(&mut self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let (mut at, mut before) = (from, b' ');
        while self.quoted && at < bytes.len() {
            match bytes[at] {
                b'>' => return Some(at),
                quote @ (b'"' | b'\'') if before == b'=' => {
                    match self.text[at + 1..].find(char::from(quote)) {
                        Some(length) => at += length + 1,
                        None => self.quoted = false,
                    }
                    before = quote;
                }
                byte if byte.is_ascii_whitespace() => {}
                byte => before = byte,
            }
            at += 1;
        }
        self.quoted = false;
        self.text[from..].find('>').map(|length| from + length)
    }

    /// Goes behind a comment or a declaration; gives the text of a CDATA section. None if nothing ends it.
    fn remark(&mut self, start: usize) -> Option<Option<&'a str>> {
        let rest = &self.text[start..];
        for (open, close, holds_text) in [("<!--", "-->", false), ("<![CDATA[", "]]>", true)] {
            if rest.starts_with(open) && !self.endless.iter().any(|known| known == close) {
                // `<!-->` is a whole comment.
                let from = if holds_text { open.len() } else { 2 };
                if let Some(end) = rest[from..].find(close) {
                    self.at = start + from + end + close.len();
                    return Some(holds_text.then(|| &rest[from..from + end]));
                }
                self.endless.push(close.to_owned());
            }
        }
        self.at = start + rest.find('>')? + 1;
        Some(None)
    }

    /// Where the end tag of a raw element starts; the end of the text for a program without one, none for a title.
    fn end_of(&mut self, name: &str) -> Option<usize> {
        if self.endless.iter().any(|known| known == name) {
            return None;
        }
        let mut at = self.at;
        while let Some(found) = self.text[at..].find("</") {
            let inside = at + found + 2;
            let is_it = self.text.get(inside..inside + name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name));
            if is_it {
                return Some(at + found);
            }
            at = inside;
        }
        self.endless.push(name.to_owned());
        matches!(name, "script" | "style").then_some(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut tokens = Tokens::new(text);
        let mut out = Vec::new();
        while let Some((start, token)) = tokens.next() {
            assert!(text.is_char_boundary(start));
            out.push(match token {
                Token::Text(text) => text.to_owned(),
                Token::Open(tag) => format!("+{}", tag.name),
                Token::Close(name) => format!("-{name}"),
            });
        }
        out
    }

    #[test]
    fn tags_are_told_from_text() {
        let cases: [(&str, &[&str]); 9] = [
            ("a<B class='x>y'>b</B >c", &["a", "+b", "b", "-b", "c"]),
            ("1 < 2 & 3<br/>4", &["1 ", "< 2 & 3", "+br", "4"]),
            ("a<!-- <p> -->b<!-->c<!DOCTYPE x>d<?php?>e", &["a", "b", "c", "d", "e"]),
            ("<script>if (a<b) '</p>'</SCRIPT>x", &["+script", "if (a<b) '</p>'", "-script", "x"]),
            ("<script>never <p>", &["+script", "never <p>"]),
            ("<title>a<p>b", &["+title", "a", "+p", "b"]),
            ("<a href=\"x>b</a>c", &["+a", "b", "-a", "c"]),
            ("a<![CDATA[<x>]]>b", &["a", "<x>", "b"]),
            ("a <b", &["a ", "<b"]),
        ];
        for (text, wanted) in cases {
            assert_eq!(read(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn attributes_have_values() {
        let mut tokens = Tokens::new("<a ID = 'x y' hidden data-k=v/ class=\"\">");
        let Some((_, Token::Open(tag))) = tokens.next() else { panic!("no tag") };
        let of = |name| tag.attribute(name);
        assert_eq!((of("id"), of("hidden"), of("class"), of("href")), (Some("x y"), Some(""), Some(""), None));
    }
}
