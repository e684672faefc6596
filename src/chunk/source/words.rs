//! Declarations that a keyword opens: modifiers, keyword, name. What Rust, Go, Kotlin, Swift, PHP and most of the rest
//! share; the words come from `grammars`.
//!
//! Decides what is declared, its label and whether it is public; leaves declarations without a keyword (a Java method,
//! a C function, a JavaScript property) to `type_first` and `script`.

use super::code::{Code, Stops};
use super::fields::{group, record_or, statement_end};
use super::mask::{STRING, is_word, listed};
use super::outline::{Declaration, Shape, label, label_of};

/// How a language tells what is public.
#[derive(Debug, Clone, Copy)]
pub(super) enum Public {
    Always,
    /// With one of these modifiers.
    Marked(&'static str),
    /// Without any of these modifiers.
    Unless(&'static str),
    /// With a capital (Go).
    Capital,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Words {
    /// Separated by spaces, as all lists of words.
    pub modifiers: &'static str,
    pub kinds: &'static [(Shape, &'static str)],
    pub public: Public,
    pub stops: Stops,
    /// Whether a name stands after its type, in fields too.
    pub type_first: bool,
}

impl Words {
    /// What a keyword declares.
    pub(super) fn shape(&self, keyword: &str) -> Option<Shape> {
        self.kinds.iter().find(|(_, kinds)| listed(kinds, keyword)).map(|(shape, _)| *shape)
    }
}

/// Keywords whose label is the whole head, not a name.
const HEADS: &str = "impl extension given";
/// Keywords that name themselves.
const NAMELESS: &str = "init deinit subscript constructor";

/// What was read before the name, and the position after it.
pub(super) struct Lead {
    pub at: usize,
    pub public: bool,
}

/// Reads modifiers with their arguments: `pub(crate)`, `extern "C"`.
pub(super) fn modifiers(code: &Code, at: usize, words: &Words) -> Lead {
    let mut at = at;
    let mut marked = false;
    let mut hidden = false;
    let mut inline = false;
    loop {
        let word = code.word(at);
        if !listed(words.modifiers, word) {
            break;
        }
        let mut next = code.skip(at + word.len());
        let mut narrowed = false;
        if code.byte(next) == b'(' && matches!(word, "pub" | "private" | "internal" | "package") {
            narrowed = !code.text[next..].starts_with("(in ");
            next = code.closing(next).map_or(next, |end| code.skip(end));
        } else if code.byte(next) == STRING && word == "extern" {
            next = code.skip(string_end(code, next));
        } else if matches!(code.byte(next), b'<' | b'[') && matches!(word, "template" | "private" | "protected") {
            next = code.closing(next).map_or(next, |end| code.skip(end));
        }
        // A modifier alone is a name: `type` in `let type = 1` or `open()`.
        if !is_word(code.byte(next)) && !b"<#*&~[{@:?$\\".contains(&code.byte(next)) {
            break;
        }
        // `const fn` and `class func`, but `const X`.
        let follower = code.word(next);
        if words.shape(word).is_some() && words.shape(follower).is_none() && !listed(words.modifiers, follower) {
            break;
        }
        inline |= word == "inline" && words.type_first;
        match words.public {
            Public::Marked(marks) => marked |= listed(marks, word) && !narrowed,
            Public::Unless(marks) => hidden |= listed(marks, word),
            _ => {}
        }
        at = next;
    }
    let public = match words.public {
        Public::Marked(_) => marked,
        // A header's `static inline` is there for all who include it.
        _ => !hidden || inline,
    };
    Lead { at, public }
}

/// `extern "C" {`, a scope without a name.
pub(super) fn linkage(code: &Code, start: usize, at: usize) -> Option<Declaration> {
    (code.byte(at) == b'{' && code.text[start..at].contains("extern")).then(|| Declaration {
        label: String::new(),
        shape: Shape::Container,
        public: false,
        end: at + 1,
        body: Some(at),
    })
}

pub(super) fn string_end(code: &Code, at: usize) -> usize {
    at + code.mask[at..].iter().take_while(|b| **b == STRING).count()
}

/// The declaration that a keyword opens at `at`.
pub(super) fn recognise(code: &Code, at: usize, words: &Words) -> Option<Declaration> {
    let lead = modifiers(code, at, words);
    if let Some(scope) = linkage(code, at, lead.at) {
        return Some(scope);
    }
    let keyword = code.word(lead.at);
    let shape = words.shape(keyword)?;
    let mut name = code.skip(lead.at + keyword.len());
    if code.byte(name) == b'!' && keyword == "macro_rules" {
        name = code.skip(name + 1);
    }
    if listed(HEADS, keyword) {
        return Some(head(code, keyword, name, shape, lead.public, words.stops));
    }
    if listed(NAMELESS, keyword) {
        let extent = code.extent(name, words.stops);
        return b"(?!{<[".contains(&code.byte(name)).then(|| Declaration {
            label: keyword.to_owned(),
            shape,
            public: lead.public,
            end: extent.end,
            body: extent.body,
        });
    }
    if keyword == "enum" && words.type_first && code.byte(name) == b'{' {
        let found = Declaration { label: "enum".to_owned(), shape, public: false, end: name + 1, body: Some(name) };
        return Some(record_or(code, at, found));
    }
    // `enum class X`, `function* x`, `fun <T> x`, `const ( … )`.
    if matches!((keyword, code.word(name)), ("enum", "class" | "struct") | ("companion", "object") | ("static", "mut"))
    {
        name = code.skip(code.word_end(name));
    }
    while matches!(code.byte(name), b'*' | b'&') {
        name = code.skip(name + 1);
    }
    if code.byte(name) == b'<' {
        name = code.skip(code.closing(name)?);
    }
    let mut receiver = String::new();
    if code.byte(name) == b'(' {
        if matches!(keyword, "const" | "var" | "type") {
            return group(code, keyword, name);
        }
        if keyword != "func" {
            return None;
        }
        let end = code.closing(name)?;
        receiver = label(code.text.get(name..end)?.rsplit([' ', '*', '(']).next()?.trim_end_matches(')'));
        name = code.skip(end);
    }
    let end = name_end(code, name);
    let name_text = code.text.get(name..end)?;
    if name_text.is_empty() || name_text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // What only names the surroundings is kept for its comment.
    let mut public = lead.public && !matches!(keyword, "package" | "namespace");
    if matches!(words.public, Public::Capital) {
        public = [name_text, &receiver].iter().all(|n| n.is_empty() || n.starts_with(char::is_uppercase));
    }
    let full = if receiver.is_empty() { name_text.to_owned() } else { format!("{receiver}.{name_text}") };
    let mut stops = words.stops;
    stops.equals |= shape == Shape::Value;
    stops.newline |= keyword == "package";
    let mut shape = shape;
    let extent = code.extent(end, stops);
    if keyword == "type" {
        // Go's `type X struct {`, TypeScript's `type X = {…}`.
        shape = Shape::Record;
        let next = code.skip(end);
        let next = if matches!(code.byte(next), b'<' | b'[') { code.skip(code.closing(next)?) } else { next };
        if code.byte(next) == b'=' || code.byte(next) == b';' {
            return Some(Declaration {
                label: label_of(keyword, &full),
                shape,
                public,
                end: statement_end(code, end),
                body: None,
            });
        }
        if words.type_first || !is_word(code.byte(next)) && !b"*[(:{".contains(&code.byte(next)) {
            return None;
        }
    }
    Some(record_or(
        code,
        at,
        Declaration { label: label_of(keyword, &full), shape, public, end: extent.end, body: extent.body },
    ))
}

fn head(code: &Code, keyword: &str, at: usize, shape: Shape, public: bool, stops: Stops) -> Declaration {
    let at = if code.byte(at) == b'<' { code.closing(at).map_or(at, |end| code.skip(end)) } else { at };
    let extent = code.extent(at, stops);
    let text = code.text.get(at..extent.body.unwrap_or(extent.end)).unwrap_or_default();
    let text = text.split(" where").next().unwrap_or_default().split('\n').next().unwrap_or_default();
    Declaration { label: label(&format!("{keyword} {text}")), shape, public, end: extent.end, body: extent.body }
}

/// The end of a name with what may stand inside one: `a.b`, `A::b`, `a:b`, `$a`, `#a`, `a?`.
pub(super) fn name_end(code: &Code, at: usize) -> usize {
    let mut end = at;
    if code.byte(at) == STRING || code.byte(at) == b'`' {
        return string_end(code, at).max(at + 1);
    }
    while matches!(code.byte(end), b'$' | b'#' | b'@') {
        end += 1;
    }
    end = code.word_end(end);
    loop {
        let next = match (code.byte(end), code.byte(end + 1)) {
            (b'.' | b'\\' | b'$' | b':', next) if is_word(next) => end + 1,
            (b':', b':') if is_word(code.byte(end + 2)) => end + 2,
            _ => return end,
        };
        end = code.word_end(next);
    }
}

/// A documented field or variant: the name before its type or value.
pub(super) fn entry(code: &Code, at: usize, words: &Words) -> Option<Declaration> {
    let lead = modifiers(code, at, words);
    let extent = code.extent(lead.at, Stops { comma: true, ..words.stops });
    let text = code.mask.get(lead.at..extent.body.unwrap_or(extent.end))?;
    let stop = text.iter().position(|b| b"=:(,;[{?!\n\r".contains(b)).unwrap_or(text.len());
    let names: Vec<&[u8]> = text[..stop].split(|b| !is_word(*b)).filter(|w| !w.is_empty()).take(16).collect();
    let name = if words.type_first { names.last() } else { names.first() }?;
    let name = String::from_utf8_lossy(name).into_owned();
    let shape = if extent.body.is_some() { Shape::Record } else { Shape::Value };
    Some(record_or(
        code,
        at,
        Declaration { label: label(&name), shape, public: false, end: extent.end, body: extent.body },
    ))
}
