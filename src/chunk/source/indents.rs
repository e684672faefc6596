//! Ruby, Lua, Elixir and Haskell, whose scopes are told by indentation here: their `end` has too many partners.
//!
//! Decides scopes (`Levels`, which Python uses too) and what the four declare; everything between is code.

use crate::chunk::block::Block;

use super::Recognise;
use super::code::{Code, Extent, LineKind, MAX_LINES, Stops};
use super::mask::{STRING, is_word, listed};
use super::outline::{Declaration, Outline, Place, Shape, label};
use super::words::{self, Words};

/// The open scopes with their indentation, from outside in.
#[derive(Default)]
pub(super) struct Levels(Vec<(usize, Place)>);

impl Levels {
    /// Where a line of this indentation stands.
    pub(super) fn place(&mut self, indent: usize) -> Place {
        while self.0.last().is_some_and(|(outer, _)| *outer >= indent) {
            self.0.pop();
        }
        self.0.last().map(|(_, place)| *place).unwrap_or_default()
    }

    /// Opens the scope of what was found.
    pub(super) fn enter(&mut self, outline: &mut Outline, indent: usize, found: &Declaration, place: Place) {
        if found.body.is_some() {
            let scope = outline.scope(&found.label, place.scope);
            let in_body = place.in_body || found.shape == Shape::Callable;
            self.0.push((indent, Place { scope, in_body, in_record: false }));
        }
    }
}

/// The column of the first byte of code; a tab counts up to the next eighth.
pub(super) fn indent(code: &Code, line: usize) -> usize {
    let bytes = &code.text.as_bytes()[code.line(line)];
    let blank = bytes.iter().take_while(|b| matches!(b, b' ' | b'\t'));
    blank.fold(0, |column, b| if *b == b'\t' { column / 8 * 8 + 8 } else { column + 1 })
}

/// The line of the declaration after the attributes that begin at `line`; `line` itself if there are none.
pub(super) fn attribute_lines(code: &Code, line: usize, open: &str) -> usize {
    let end = code.lines().min(line + MAX_LINES);
    let mut at = line;
    while at < end && code.starts_with(code.skip(code.line(at).start), open) {
        let start = code.skip(code.line(at).start);
        let last = code.extent(start, Stops { newline: true, ..Stops::default() }).end;
        let next = code.line_of(code.skip(last.max(start + 1)));
        if next <= at {
            break;
        }
        at = next;
    }
    at
}

pub(super) fn walk(code: &Code, words: &Words, recognise: Recognise) -> Vec<Block> {
    let mut outline = Outline::new(code);
    let mut levels = Levels::default();
    let mut next = 0;
    for line in 0..code.lines() {
        if line < next || code.kind(line) != LineKind::Code {
            continue;
        }
        let at = code.skip(code.line(line).start);
        let column = indent(code, line);
        let place = levels.place(column);
        let found = recognise(code, at, outline.name(place.scope), place, words);
        if let Some(found) = found {
            let documented = code.text[at..].starts_with('@');
            outline.consider(line, &found, place, documented);
            levels.enter(&mut outline, column, &found, place);
            next = outline.free().max(code.line_of(found.end.saturating_sub(1)) + 1).max(line + 1);
        }
    }
    outline.finish()
}

/// A head that ends with its line.
fn found(code: &Code, text: &str, shape: Shape, public: bool, at: usize) -> Declaration {
    let Extent { end, .. } = code.extent(at, Stops { newline: true, ..Stops::default() });
    let body = (shape != Shape::Value).then_some(end);
    Declaration { label: label(text), shape, public, end, body }
}

pub(super) fn ruby(code: &Code, at: usize, _: &str, _: Place, words: &Words) -> Option<Declaration> {
    let lead = words::modifiers(code, at, words);
    let keyword = code.word(lead.at);
    let shape = words.shape(keyword)?;
    let name = code.skip(lead.at + keyword.len());
    let line = code.line(code.line_of(at)).end;
    let text = code.text.get(name..line.max(name))?;
    let end = text.find(|c: char| c.is_whitespace() || "(;<".contains(c)).unwrap_or(text.len());
    (end > 0).then(|| found(code, &format!("{keyword} {}", &text[..end]), shape, lead.public, name))
}

pub(super) fn lua(code: &Code, at: usize, _: &str, _: Place, _: &Words) -> Option<Declaration> {
    let local = code.word(at) == "local";
    let first = if local { code.skip(at + "local".len()) } else { at };
    if code.word(first) == "function" {
        let name = code.skip(first + "function".len());
        let text = code.text.get(name..words::name_end(code, name))?;
        return (!text.is_empty()).then(|| found(code, &format!("function {text}"), Shape::Callable, !local, name));
    }
    let end = words::name_end(code, first);
    let value = code.skip(end);
    let text = code.text.get(first..end).filter(|text| !text.is_empty() && code.byte(value) == b'=')?;
    let function = code.byte(value + 1) != b'=' && code.word(code.skip(value + 1)) == "function";
    if function {
        return Some(found(code, &format!("function {text}"), Shape::Callable, !local, value + 1));
    }
    let end = code.line(code.line_of(value)).end;
    local.then(|| Declaration { label: label(text), shape: Shape::Value, public: false, end, body: None })
}

pub(super) fn elixir(code: &Code, at: usize, _: &str, _: Place, words: &Words) -> Option<Declaration> {
    const VALUES: &str = "type typep opaque callback macrocallback";
    // What `@doc` and `@spec` say belongs to what they stand before.
    let mut start = at;
    let end = code.reach(at);
    while code.byte(start) == b'@' {
        let word = code.word(start + 1);
        let next = code.skip(start + 1 + word.len());
        if listed(VALUES, word) {
            let name = code.word(next);
            return Some(found(code, &format!("@{word} {name}"), Shape::Value, word != "typep", next));
        }
        // `@doc """…"""` and `@doc ~S"""…"""` may be longer than a signature.
        let prefix = usize::from(code.byte(next) == b'~') * 2;
        let string =
            if code.byte(next + prefix) == STRING { Some(words::string_end(code, next + prefix)) } else { None };
        if word == "moduledoc" {
            return string.map(|end| Declaration {
                label: String::new(),
                shape: Shape::Value,
                public: true,
                end,
                body: None,
            });
        }
        if !["doc", "spec", "impl", "typedoc", "deprecated", "since", "dialyzer"].contains(&word) || start > end {
            return None;
        }
        start = code.skip(string.unwrap_or_else(|| code.extent(next, Stops { newline: true, ..Stops::default() }).end));
    }
    let keyword = code.word(start);
    let shape = words.shape(keyword)?;
    let name = code.skip(start + keyword.len());
    let text = code.text.get(name..words::name_end(code, name))?;
    (!text.is_empty() || keyword == "defstruct")
        .then(|| found(code, &format!("{keyword} {text}"), shape, !keyword.ends_with('p'), name))
}

/// Haskell: type signatures and types at the margin, with the lines indented below them.
pub(super) fn haskell(code: &Code, at: usize, _: &str, _: Place, words: &Words) -> Option<Declaration> {
    let line = code.line_of(at);
    let keyword = code.word(at);
    let known = words.shape(keyword);
    if indent(code, line) > 2 || (indent(code, line) > 0 && known.is_some()) {
        return None;
    }
    let reach = code.reach(at);
    let mut last = line;
    while last + 1 < code.lines() && code.line(last + 1).start < reach {
        match code.kind(last + 1) {
            LineKind::Blank => break,
            LineKind::Code | LineKind::Comment | LineKind::Doc if indent(code, last + 1) <= indent(code, line) => break,
            _ => last += 1,
        }
    }
    let end = code.line(last).end;
    let Some(shape) = known else {
        let mark = (at..reach.min(end))
            .take(200)
            .find(|n| !is_word(code.byte(*n)) && !b"', ()\r\n".contains(&code.byte(*n)))?;
        let name = label(code.text.get(at..mark)?);
        let signature = code.starts_with(mark, "::") && !name.is_empty();
        return signature.then_some(Declaration { label: name, shape: Shape::Value, public: true, end, body: None });
    };
    let head = code.text.get(at..code.line(line).end)?;
    let name = head.split(['=', '(']).next()?.split(" where").next()?;
    // A class's signatures stand for themselves, an instance's body is code.
    let body = matches!(keyword, "class" | "instance").then_some(end);
    let end = if body.is_some() || keyword == "module" { code.line(line).end } else { end };
    Some(Declaration { label: label(name), shape, public: keyword != "instance", end, body })
}
