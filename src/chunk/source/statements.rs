//! SQL, shell and HCL: languages whose declarations are told by how a statement or line begins, with no scopes worth
//! naming.
//!
//! Decides what each creates; SQL tables and HCL variables are whole if they are short, for their columns and
//! descriptions are what is searched.

use crate::chunk::block::Block;

use super::Recognise;
use super::code::{Code, LineKind, MAX_LINES, Stops};
use super::mask::{STRING, is_word};
use super::outline::{Declaration, Outline, Place, Shape, label};
use super::words::{self, Words};

/// Asks at every line that begins a statement.
pub(super) fn walk(code: &Code, words: &Words, recognise: Recognise) -> Vec<Block> {
    let mut outline = Outline::new(code);
    let mut next = 0;
    for line in 0..code.lines() {
        if line < next || code.kind(line) != LineKind::Code {
            continue;
        }
        let at = code.skip(code.line(line).start);
        if let Some(found) = recognise(code, at, "", Place::default(), words) {
            outline.consider(line, &found, Place::default(), false);
            next = outline.free().max(line + 1);
        }
    }
    outline.finish()
}

/// `name() {` and `function name {`.
pub(super) fn shell(code: &Code, at: usize, _: &str, _: Place, _: &Words) -> Option<Declaration> {
    let keyword = code.word(at) == "function";
    let name = if keyword { code.skip(at + "function".len()) } else { at };
    let line = code.line(code.line_of(at)).end;
    let end = (name..line).find(|n| !is_word(code.byte(*n)) && !b"-.:".contains(&code.byte(*n))).unwrap_or(line);
    let text = code.text.get(name..end).filter(|text| !text.is_empty())?;
    let after = code.skip(end);
    let called = code.byte(after) == b'(' && code.byte(code.skip(after + 1)) == b')';
    (called || keyword && after > end).then(|| Declaration {
        label: label(&format!("function {text}")),
        shape: Shape::Callable,
        public: !text.starts_with('_'),
        end: line,
        body: None,
    })
}

pub(super) fn sql(code: &Code, at: usize, _: &str, _: Place, words: &Words) -> Option<Declaration> {
    let mut next = at;
    let mut word = code.word(next).to_ascii_lowercase();
    if word == "comment" {
        let extent = code.extent(at, Stops::default());
        let text = code.text.get(at..extent.end)?.split(['\'', '$']).next()?;
        return Some(Declaration {
            label: label(text),
            shape: Shape::Value,
            public: true,
            end: extent.end,
            body: None,
        });
    }
    if word != "create" {
        return None;
    }
    // CREATE [OR REPLACE] [UNIQUE | TEMP | MATERIALIZED …] kind.
    let mut kind = None;
    for _ in 0..6 {
        next = code.skip(next + word.len());
        word = code.word(next).to_ascii_lowercase();
        kind = words.shape(&word);
        if kind.is_some() || word.is_empty() {
            break;
        }
    }
    let (kind, shape) = (word, kind?);
    next = code.skip(next + kind.len());
    while ["if", "not", "exists", "concurrently", "body"].contains(&code.word(next).to_ascii_lowercase().as_str()) {
        next = code.skip(code.word_end(next));
    }
    let name = next..sql_name_end(code, next);
    let name = label(&format!("{kind} {}", code.text.get(name)?));
    let end = match shape {
        Shape::Callable => sql_head_end(code, next),
        _ => short_statement(code, at, next),
    };
    Some(Declaration { label: name, shape, public: true, end, body: None })
}

fn sql_name_end(code: &Code, at: usize) -> usize {
    let inside = |b: &&u8| is_word(**b) || matches!(**b, STRING | b'.' | b'[' | b']');
    at + code.mask[at..].iter().take(200).take_while(inside).count()
}

/// The end of a statement if it is short, else of its first line.
fn short_statement(code: &Code, at: usize, from: usize) -> usize {
    let mut depth = 0_usize;
    for n in from..code.reach(at) {
        match code.byte(n) {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return n + 1,
            _ => {}
        }
    }
    code.line(code.line_of(from)).end
}

/// The end of a function's or view's head: before its body, at `AS`, `BEGIN` or `;`.
fn sql_head_end(code: &Code, from: usize) -> usize {
    let mut at = from;
    let mut depth = 0_usize;
    let reach = code.reach(from);
    while at < reach {
        let word = code.word(at);
        if depth == 0 && ["as", "begin"].contains(&word.to_ascii_lowercase().as_str()) {
            return at + word.len();
        }
        match code.byte(at) {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' => return at + 1,
            _ => {}
        }
        at += word.len().max(1);
    }
    reach
}

/// `resource "a" "b" {` and every other block at the margin.
pub(super) fn hcl(code: &Code, at: usize, _: &str, _: Place, _: &Words) -> Option<Declaration> {
    let line = code.line_of(at);
    let end = code.line(line).end;
    let open = (at..end).find(|n| code.byte(*n) == b'{')?;
    let head = at..open;
    let plain = code.mask[head.clone()].iter().all(|b| is_word(*b) || matches!(*b, STRING | b' ' | b'-'));
    let kind = code.word(at);
    if at != code.line(line).start || !plain || kind.is_empty() {
        return None;
    }
    let whole = matches!(kind, "variable" | "output" | "locals" | "module");
    let end = if whole { code.whole(at, open).unwrap_or(open + 1) } else { open + 1 };
    let lines = code.line_of(end - 1) - line;
    let shape = if whole && lines < MAX_LINES { Shape::Record } else { Shape::Callable };
    Some(Declaration { label: label(code.text.get(head)?), shape, public: true, end, body: None })
}

/// The words of languages that have none.
pub(super) const NO_WORDS: Words = Words {
    modifiers: "",
    kinds: &[],
    public: words::Public::Always,
    stops: Stops { newline: true, equals: false, colon: false, comma: false },
    type_first: false,
};
