//! Walks a text whose scopes are brackets: Rust, C, Java, JavaScript, Go and their relatives.
//!
//! Decides where a declaration may begin (at the first code of a line, directly inside braces or outside all) and what
//! scope it stands in; what it is, the recogniser of the language says. Brackets that never close cost at most
//! `MAX_OPEN` entries; a stray closing one is ignored; the branches of `#if` and `#else` count once.

use crate::chunk::block::Block;

use super::Recognise;
use super::code::{Code, LineKind, Stops};
use super::lexis::{Lexis, Raw};
use super::mask::STRING;
use super::outline::{Declaration, Outline, Place, Shape};
use super::words::{self, Words};

/// Brackets deeper than this are not told apart.
const MAX_OPEN: usize = 4096;

#[derive(Debug, Clone, Copy)]
struct Open {
    bracket: u8,
    /// Whether declarations may stand directly inside.
    holds: bool,
    place: Place,
    /// How many braces are open, this one included.
    braces: usize,
}

/// The blocks of a text.
pub(super) fn walk(code: &Code, words: &Words, recognise: Recognise) -> Vec<Block> {
    let mut walker = Walker { code, open: Vec::new(), branches: Vec::new(), pending: None, code_before: b';' };
    let mut outline = Outline::new(code);
    let mut next = 0;
    for line in 0..code.lines() {
        match code.kind(line) {
            LineKind::Inner if line >= outline.free() => walker.inner_docs(&mut outline, line),
            LineKind::Directive => walker.directive(line),
            LineKind::Code if line >= next => next = walker.line(&mut outline, line, words, recognise).unwrap_or(next),
            _ => {}
        }
        walker.brackets(line);
    }
    outline.finish()
}

struct Walker<'c, 'a> {
    code: &'c Code<'a>,
    open: Vec<Open>,
    /// How many brackets were open at each `#if`.
    branches: Vec<usize>,
    /// The bracket that opens the scope of the last declaration.
    pending: Option<(usize, Open)>,
    /// The last byte of code.
    code_before: u8,
}

impl Walker<'_, '_> {
    /// Looks for a declaration at the start of a line; the line to go on at if there is one.
    fn line(&mut self, outline: &mut Outline, line: usize, words: &Words, recognise: Recognise) -> Option<usize> {
        let code = self.code;
        let top = self.open.last().copied();
        if top.is_some_and(|open| !open.holds) {
            return None;
        }
        // A type on a line of its own opens the declaration, not the name after it.
        if words.type_first && !b";{}:,)]".contains(&self.code_before) {
            return None;
        }
        let place = top.map(|open| open.place).unwrap_or_default();
        let first = code.skip(code.line(line).start);
        let at = after_attributes(code, first);
        let found = recognise(code, at, outline.name(place.scope), place, words);
        let found = match found {
            Some(found) => found,
            None if place.in_record => {
                let mut entry = words::entry(code, at, words)?;
                let behind = code.comment_behind(entry.end).filter(|_| entry.body.is_none());
                entry.end = behind.unwrap_or(entry.end);
                (behind.is_some() || outline.documented(line)).then_some(entry)?
            }
            // What follows the attributes is no declaration with fewer of them either.
            None => return Some(code.line_of(at)),
        };
        outline.consider(line, &found, place, place.in_record && code.comment_behind(found.end).is_some());
        if let Some(body) = found.body {
            let label = if found.shape == Shape::Value { "" } else { &found.label };
            let inside = Place {
                scope: outline.scope(label, place.scope),
                in_body: place.in_body || matches!(found.shape, Shape::Callable | Shape::Value),
                in_record: found.shape == Shape::Record,
            };
            self.pending = Some((body, Open { bracket: code.byte(body), holds: true, place: inside, braces: 0 }));
        }
        Some((code.line_of(found.end.saturating_sub(1)) + 1).max(outline.free()))
    }

    fn inner_docs(&self, outline: &mut Outline, line: usize) {
        let mut last = line;
        while last + 1 < self.code.lines() && self.code.kind(last + 1) == LineKind::Inner {
            last += 1;
        }
        let scope = self.open.last().and_then(|open| open.place.scope);
        outline.push(line, last, scope, "");
    }

    fn directive(&mut self, line: usize) {
        let text = self.code.text[self.code.line(line)].trim_start().trim_start_matches('#').trim_start();
        if text.starts_with("if") {
            if self.branches.len() < MAX_OPEN {
                self.branches.push(self.open.len());
            }
        } else if text.starts_with("el") {
            self.open.truncate(self.branches.last().copied().unwrap_or(usize::MAX));
        } else if text.starts_with("endif") {
            self.branches.pop();
        }
        self.code_before = b';';
    }

    fn brackets(&mut self, line: usize) {
        for at in self.code.line(line) {
            let byte = self.code.mask[at];
            match byte {
                b'(' | b'[' | b'{' if self.open.len() < MAX_OPEN => self.opening(at, byte),
                b'}' if self.open.last().is_some_and(|open| open.braces > 0) => {
                    if let Some(n) = self.open.iter().rposition(|open| open.bracket == b'{') {
                        self.open.truncate(n);
                    }
                }
                b')' | b']' => {
                    let bracket = if byte == b')' { b'(' } else { b'[' };
                    if self.open.last().is_some_and(|open| open.bracket == bracket) {
                        self.open.pop();
                    }
                }
                _ => {}
            }
            if byte == STRING || byte > b' ' {
                self.code_before = byte;
            }
        }
        // `BEGIN_DECLS` on a line of its own is a statement.
        let text = self.code.text[self.code.line(line)].trim();
        if text.len() > 3 && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
            self.code_before = b';';
        }
    }

    fn opening(&mut self, at: usize, bracket: u8) {
        let mut place = self.open.last().map(|open| open.place).unwrap_or_default();
        place.in_record = false;
        // Outside functions, Rust's braces without a name are those of a macro such as `cfg_if!`.
        place.in_body |= bracket == b'{' && self.code.lexis.raw != Raw::Rust;
        let braces = self.open.last().map_or(0, |open| open.braces) + usize::from(bracket == b'{');
        let open = match self.pending.take_if(|(body, _)| *body <= at) {
            Some((body, open)) if body == at => Open { braces, ..open },
            _ => Open { bracket, holds: bracket == b'{', place, braces },
        };
        self.open.push(open);
    }
}

/// The position after all attributes and annotations at `at`.
fn after_attributes(code: &Code, at: usize) -> usize {
    let (mut at, reach) = (at, code.reach(at));
    while at < reach
        && let Some(end) = attribute_end(code, at, code.lexis)
    {
        at = code.skip(end);
    }
    at
}

fn attribute_end(code: &Code, at: usize, lexis: &Lexis) -> Option<usize> {
    let open = lexis.attributes.iter().find(|open| code.starts_with(at, open))?;
    if *open != "@" {
        return code.closing(at + open.len() - 1 - usize::from(*open == "[["));
    }
    let mut end = words::name_end(code, at + 1);
    if end == at + 1 || code.word(at + 1) == "interface" {
        return None;
    }
    if code.byte(end) == b'<' {
        end = code.closing(end)?;
    }
    if code.byte(end) == b'(' { code.closing(end) } else { Some(end) }
}

/// The recogniser of the languages in which a keyword opens every declaration.
pub(super) fn by_keyword(code: &Code, at: usize, scope: &str, place: Place, words: &Words) -> Option<Declaration> {
    let mut found = words::recognise(code, at, words).or_else(|| property(code, at, words))?;
    found.public |= ["trait ", "interface ", "protocol "].iter().any(|s| scope.starts_with(s)) && !place.in_body;
    Some(found)
}

/// PHP's `public ?string $name`.
fn property(code: &Code, at: usize, words: &Words) -> Option<Declaration> {
    let lead = words::modifiers(code, at, words);
    let extent = code.extent(lead.at, Stops { equals: true, ..Stops::default() });
    let name = (lead.at..extent.end).find(|n| code.byte(*n) == b'$')?;
    let end = words::name_end(code, name);
    let label = code.text.get(name..end).filter(|_| code.lexis.php && lead.at > at)?.to_owned();
    Some(Declaration { label, shape: Shape::Value, public: lead.public, end: extent.end, body: None })
}
