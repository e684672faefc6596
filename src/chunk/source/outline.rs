//! Collects what the readers of the languages find: decides whether a declaration is kept, what it is called from
//! outside in, and which lines are its block.
//!
//! Kept are documented and public things and the records that show their fields; inside a function's body documented
//! functions and types only. Blocks are made in the order of the text and never overlap.

use crate::chunk::block::{Block, BlockRole};

use super::code::{Code, LineKind};
use super::comments::{has_words, licence_line};

/// The longest path; what lies deeper is named by its innermost scopes.
const MAX_PATH: usize = 12;
/// The longest label, in bytes.
const MAX_LABEL: usize = 100;
/// A file's comment may stand after so many lines of code (a guard, a pragma, `package`).
const MAX_LINES_BEFORE_HEADER: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Has a body that is not shown.
    Callable,
    /// Holds declarations.
    Container,
    /// Its fields are its documentation.
    Record,
    Value,
}

/// A declaration that a reader has found.
#[derive(Debug)]
pub(super) struct Declaration {
    pub label: String,
    pub shape: Shape,
    pub public: bool,
    /// After its last byte that is shown.
    pub end: usize,
    /// The bracket that opens its scope.
    pub body: Option<usize>,
}

/// Where a declaration stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The scope's name in the outline.
    pub scope: Option<u32>,
    pub in_body: bool,
    pub in_record: bool,
}

pub(super) struct Outline<'c, 'a> {
    code: &'c Code<'a>,
    blocks: Vec<Block>,
    /// Name and outer scope of all scopes.
    names: Vec<(String, Option<u32>)>,
    /// The first line that no block holds.
    free: usize,
}

impl<'c, 'a> Outline<'c, 'a> {
    pub(super) fn new(code: &'c Code<'a>) -> Self {
        Self { code, blocks: Vec::new(), names: Vec::new(), free: 0 }
    }

    /// The first line that no block holds.
    pub(super) fn free(&self) -> usize {
        self.free
    }

    pub(super) fn name(&self, scope: Option<u32>) -> &str {
        scope.map_or("", |n| &self.names[n as usize].0)
    }

    /// Makes a scope for what is found; an empty label gives the outer one.
    pub(super) fn scope(&mut self, label: &str, outer: Option<u32>) -> Option<u32> {
        let Ok(id) = u32::try_from(self.names.len()) else { return outer };
        if label.is_empty() {
            return outer;
        }
        self.names.push((label.to_owned(), outer));
        Some(id)
    }

    /// The names from outside in.
    pub(super) fn path(&self, mut scope: Option<u32>, label: &str) -> Vec<String> {
        let mut path = if label.is_empty() { Vec::new() } else { vec![label.to_owned()] };
        let mut steps = 0;
        while let Some((name, outer)) = scope.and_then(|n| self.names.get(n as usize)) {
            steps += 1;
            if steps > MAX_PATH {
                break;
            }
            path.push(name.clone());
            scope = *outer;
        }
        path.reverse();
        path
    }

    /// Whether a comment above `line` documents it.
    pub(super) fn documented(&self, line: usize) -> bool {
        self.code.documentation(line, self.free.min(line)).1
    }

    /// Takes the declaration that begins at `line` if it is worth keeping. `documented` says so of docs inside it.
    pub(super) fn consider(&mut self, line: usize, found: &Declaration, place: Place, documented: bool) {
        let (start, above) = self.code.documentation(line, self.free.min(line));
        let last = self.code.line_of(found.end.saturating_sub(1)).max(line);
        let documented = documented || above;
        let keep = if place.in_body {
            documented && found.shape != Shape::Value
        } else {
            documented
                || (found.public && !(found.shape == Shape::Container && found.body.is_none()))
                || (found.shape == Shape::Record && last > line)
        };
        if keep {
            // A brace alone on its line says nothing.
            let alone = last > line && self.code.text[self.code.line(last)].trim() == "{";
            let last = last - usize::from(alone);
            self.push(start, last, place.scope, &found.label);
        }
    }

    /// Makes a block of whole lines, if they are still free.
    pub(super) fn push(&mut self, start: usize, last: usize, scope: Option<u32>, label: &str) {
        if start < self.free {
            return;
        }
        let last = self.code.last_text(start, last);
        let range = self.code.line(start).start..self.code.line(last).end;
        if range.is_empty() {
            return;
        }
        self.blocks.push(Block { range, role: BlockRole::Declaration { path: self.path(scope, label) } });
        self.free = last + 1;
    }

    /// The blocks, the file's own comment among them.
    pub(super) fn finish(mut self) -> Vec<Block> {
        if let Some(lines) = self.header() {
            let last = self.code.last_text(lines.start, lines.end - 1);
            let range = self.code.line(lines.start).start..self.code.line(last).end;
            let at = self.blocks.partition_point(|block| block.range.start < range.start);
            let free = at == 0 || self.blocks[at - 1].range.end < range.start;
            if free && self.blocks.get(at).is_none_or(|block| range.end < block.range.start) {
                self.blocks.insert(at, Block { range, role: BlockRole::Declaration { path: Vec::new() } });
            }
        }
        self.blocks
    }

    /// The file's first comment that is no licence, or what stands above the licence in it.
    fn header(&self) -> Option<std::ops::Range<usize>> {
        let code = self.code;
        let (mut line, mut passed) = (0, 0);
        while line < code.lines() && passed <= MAX_LINES_BEFORE_HEADER {
            let start = line;
            match code.kind(line) {
                LineKind::Comment | LineKind::Doc
                    if !code.text[code.line(line)].trim_start_matches('\u{feff}').starts_with("#!") =>
                {
                    while line < code.lines() && matches!(code.kind(line), LineKind::Comment | LineKind::Doc) {
                        line += 1;
                    }
                    let mut end = licence_line(code, start..line).unwrap_or(line);
                    while end > start && end < line && !has_words(&code.text[code.line(end - 1)], 1) {
                        end -= 1;
                    }
                    let attached = code.kind(line.min(code.lines() - 1)) == LineKind::Code;
                    // In Rust, only `//!` speaks of the file once code has begun.
                    if attached && (passed > 0 || !code.lexis.plain_documents) && end == line {
                        continue;
                    }
                    if end > start && has_words(&code.text[code.line(start).start..code.line(end - 1).end], 2) {
                        return Some(start..end);
                    }
                }
                kind => {
                    // Inside an opening <?php line lies no code.
                    passed += usize::from(!matches!(kind, LineKind::Blank | LineKind::Inside | LineKind::Comment));
                    line += 1;
                }
            }
        }
        None
    }
}

/// The label of a name behind its keyword.
pub(super) fn label_of(keyword: &str, name: &str) -> String {
    label(&format!("{keyword} {name}"))
}

/// A label: the text's words, cut at a length.
pub(super) fn label(text: &str) -> String {
    let mut label = String::new();
    for word in text.split_whitespace() {
        if label.len() + word.len() > MAX_LABEL {
            break;
        }
        if !label.is_empty() {
            label.push(' ');
        }
        label.push_str(word);
    }
    label
}
