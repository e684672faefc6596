//! Python: classes and functions with their decorators and docstrings, and the module's docstring.
//!
//! Decides scopes by indentation. A block runs from the comment or first decorator to the end of the docstring; a class
//! whose fields are its documentation (a `TypedDict`, an enum, a dataclass) is whole if it is short.

use crate::chunk::block::Block;

use super::code::{Code, LineKind, MAX_LINES, Stops};
use super::indents::{Levels, attribute_lines, indent};
use super::mask::{STRING, listed};
use super::outline::{Declaration, Outline, Shape, label};
use super::words;

const RECORDS: &str =
    "TypedDict NamedTuple Enum IntEnum StrEnum Flag IntFlag BaseModel Protocol Struct Exception Error";

pub(super) fn walk(code: &Code) -> Vec<Block> {
    let mut outline = Outline::new(code);
    let mut levels = Levels::default();
    let mut next = 0;
    let mut seen_code = false;
    for line in 0..code.lines() {
        if line < next || code.kind(line) != LineKind::Code {
            continue;
        }
        let at = code.skip(code.line(line).start);
        if !std::mem::replace(&mut seen_code, true)
            && let Some(end) = docstring(code, at)
        {
            let last = code.line_of(end - 1);
            if super::comments::licence_line(code, line..last + 1).is_none_or(|found| found > line + 2) {
                outline.push(line, last, None, "");
            }
            next = last + 1;
            continue;
        }
        let first = attribute_lines(code, line, "@");
        let place = levels.place(indent(code, line));
        if let Some((found, shown)) = declaration(code, code.skip(code.line(first).start), code.line(line).start) {
            outline.consider(line, &found, place, shown);
            levels.enter(&mut outline, indent(code, line), &found, place);
            next = outline.free().max(code.line_of(found.end - 1) + 1);
        } else {
            next = first;
        }
    }
    outline.finish()
}

/// What is declared at `at`, its decorators beginning at `start`, and whether it has a docstring.
fn declaration(code: &Code, at: usize, start: usize) -> Option<(Declaration, bool)> {
    let keyword = code.word(at);
    let mut name = code.skip(at + keyword.len());
    let keyword = match (keyword, code.word(name)) {
        ("async", "def") => {
            name = code.skip(name + "def".len());
            "def"
        }
        ("def" | "class", _) => keyword,
        _ => return None,
    };
    let text = code.word(name);
    if text.is_empty() {
        return None;
    }
    let extent = code.extent(name, Stops { colon: true, ..Stops::default() });
    // A body on the line of its head is shown with it.
    let doc = docstring(code, code.skip(extent.end));
    let mut end = doc.unwrap_or(extent.end);
    let shape = if keyword == "class" { Shape::Container } else { Shape::Callable };
    if shape == Shape::Container && is_record(&code.text[start..extent.end]) {
        end = suite_end(code, at, end).unwrap_or(end);
    }
    let public = !text.starts_with('_');
    let found = Declaration { label: label(&format!("{keyword} {text}")), shape, public, end, body: Some(extent.end) };
    Some((found, doc.is_some()))
}

/// The end of the string that is the statement at `at`.
fn docstring(code: &Code, at: usize) -> Option<usize> {
    let prefix = code.word(at);
    let quote = at + prefix.len();
    if prefix.len() > 2 || code.byte(quote) != STRING {
        return None;
    }
    let end = words::string_end(code, quote);
    // What goes on after the string is an expression.
    let rest = code.line(code.line_of(end)).end;
    code.mask[end..rest.max(end)].iter().all(|b| !b".%+[,=)(:".contains(b)).then_some(end)
}

/// Whether the head, decorators and all, says that the fields are the documentation.
fn is_record(head: &str) -> bool {
    let (decorators, class) = head.split_once("class ").unwrap_or(("", head));
    let bases = class.split(['(', ',', ')', '.', '[', ':', ' ']).skip(1);
    decorators.contains("dataclass") || decorators.contains("attr") || bases.map(str::trim).any(|b| listed(RECORDS, b))
}

/// The end of the body of a class that begins at `at`, if it is short.
fn suite_end(code: &Code, at: usize, shown: usize) -> Option<usize> {
    let first = code.line_of(at);
    let outer = indent(code, first);
    let mut last = code.line_of(shown - 1);
    for line in last + 1..code.lines() {
        match code.kind(line) {
            LineKind::Blank => {}
            LineKind::Code | LineKind::Comment if indent(code, line) <= outer => break,
            _ => last = line,
        }
        if last - first >= MAX_LINES {
            return None;
        }
    }
    Some(code.line(last).end)
}
