//! JSON as people keep it in settings: read with the place of each value, so that text can be put in and taken out
//! without touching the rest.
//!
//! Comments and commas behind the last value are taken as they are, since most clients allow them. Anything else that
//! is no JSON is an error that names its line. Nothing here writes; `edit` does.

use super::Why;
use serde_json::Value;

/// Levels within each other; what is deeper is no settings file.
const DEPTH: usize = 100;

/// A value and where it stands, in bytes of the text.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Plain(Value),
}

/// A value with its key.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub key: String,
    /// Where the key begins.
    pub start: usize,
    pub value: Node,
}

/// What stands between two values besides white space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// The comma, if there is one.
    pub comma: Option<usize>,
    /// Behind the last comma or comment; where the gap begins if there is neither.
    pub after: usize,
    /// Whether a comment that ends with its line is the last of them.
    pub ends_in_line_comment: bool,
    /// Whether there is a comment.
    pub has_comment: bool,
}

impl Node {
    /// Reads a whole text.
    pub fn read(text: &str) -> Result<Self, Why> {
        let mut reader = Reader { text, at: 0 };
        if text.starts_with('\u{feff}') {
            reader.at = '\u{feff}'.len_utf8();
        }
        reader.skip()?;
        if reader.at == text.len() {
            return Err(Why::Empty);
        }
        let node = reader.value(0)?;
        reader.skip()?;
        match reader.at == text.len() {
            true => Ok(node),
            false => Err(reader.wrong("something stands behind its end")),
        }
    }

    /// The value without its place.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Plain(value) => value.clone(),
            Kind::Array(all) => Value::Array(all.iter().map(Self::value).collect()),
            Kind::Object(all) => all.iter().map(|member| (member.key.clone(), member.value.value())).collect(),
        }
    }

    /// Where its children begin and end; a member begins with its key.
    pub fn children(&self) -> Vec<(usize, usize)> {
        match &self.kind {
            Kind::Plain(_) => Vec::new(),
            Kind::Array(all) => all.iter().map(|node| (node.start, node.end)).collect(),
            Kind::Object(all) => all.iter().map(|member| (member.start, member.value.end)).collect(),
        }
    }
}

/// What stands in this stretch of text between two values, or between a bracket and a value.
pub(super) fn gap(text: &str, from: usize, to: usize) -> Gap {
    let mut reader = Reader { text: &text[..to], at: from };
    let mut gap = Gap { comma: None, after: from, ends_in_line_comment: false, has_comment: false };
    while reader.at < to {
        let rest = &text[reader.at..to];
        if rest.starts_with(',') {
            gap.comma = gap.comma.or(Some(reader.at));
            reader.at += 1;
            (gap.after, gap.ends_in_line_comment) = (reader.at, false);
        } else if rest.starts_with('/') && matches!(reader.comment(), Ok(true)) {
            (gap.after, gap.has_comment) = (reader.at, true);
            gap.ends_in_line_comment = rest.starts_with("//");
        } else {
            reader.at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    gap
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &'static str) -> Why {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Why::NotJson { what, line, column }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes past white space and comments.
    fn skip(&mut self) -> Result<(), Why> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') if self.comment()? => {}
                _ => return Ok(()),
            }
        }
    }

    /// Goes past a comment; tells whether there was one. One that ends with its line ends before the line's end.
    fn comment(&mut self) -> Result<bool, Why> {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or(rest);
            self.at += line.strip_suffix('\r').unwrap_or(line).len();
            return Ok(true);
        }
        if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/").ok_or_else(|| self.wrong("a comment does not end"))?;
            self.at += end + 4;
            return Ok(true);
        }
        Ok(false)
    }

    fn value(&mut self, depth: usize) -> Result<Node, Why> {
        if depth > DEPTH {
            return Err(self.wrong("it is too deep"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.members(depth)?),
            Some(b'[') => Kind::Array(self.elements(depth)?),
            Some(b'"') => Kind::Plain(Value::String(self.string()?)),
            _ => Kind::Plain(self.word()?),
        };
        Ok(Node { start, end: self.at, kind })
    }

    /// The end of a container or the comma before its next child; a comma may stand behind the last one.
    fn goes_on(&mut self, close: u8) -> Result<bool, Why> {
        self.skip()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip()?;
                if self.peek() == Some(close) {
                    self.at += 1;
                    return Ok(false);
                }
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.wrong("a comma or a closing bracket is missing")),
        }
    }

    /// Goes into a container; tells whether there is anything in it.
    fn opens(&mut self, close: u8) -> Result<bool, Why> {
        self.at += 1;
        self.skip()?;
        let is_empty = self.peek() == Some(close);
        if is_empty {
            self.at += 1;
        }
        Ok(!is_empty)
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member>, Why> {
        let mut all = Vec::new();
        let mut more = self.opens(b'}')?;
        while more {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in double quotes is missing"));
            }
            let key = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            self.at += 1;
            self.skip()?;
            all.push(Member { key, start, value: self.value(depth + 1)? });
            more = self.goes_on(b'}')?;
        }
        Ok(all)
    }

    fn elements(&mut self, depth: usize) -> Result<Vec<Node>, Why> {
        let mut all = Vec::new();
        let mut more = self.opens(b']')?;
        while more {
            all.push(self.value(depth + 1)?);
            more = self.goes_on(b']')?;
        }
        Ok(all)
    }

    fn string(&mut self) -> Result<String, Why> {
        let rest = &self.text.as_bytes()[self.at..];
        let mut end = 1;
        while let Some(byte) = rest.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        let whole = self.text.get(self.at..=self.at + end).and_then(|token| serde_json::from_str(token).ok());
        let text = whole.ok_or_else(|| self.wrong("a text is not well formed"))?;
        self.at += end + 1;
        Ok(text)
    }

    /// A number, true, false or null.
    fn word(&mut self) -> Result<Value, Why> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(rest.len());
        let value =
            serde_json::from_str(&rest[..end]).map_err(|_| self.wrong("a value is missing or not well formed"))?;
        self.at += end;
        Ok(value)
    }
}
