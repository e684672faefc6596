//! The blocks of an `AsciiDoc` text: titles, delimited blocks, lists, and paragraphs.
//!
//! What a line means is decided in `line`; here, where what it opens ends. Attribute lists, anchors and block titles
//! belong to the block that follows. A delimiter closes at the next line like it, whatever lies between, as in
//! Asciidoctor; one that is never closed is text, so that a slip does not swallow the titles below it. Leaves out
//! rules. Comments are text; includes and conditionals are not resolved.

mod line;

use std::collections::HashMap;

use self::line::{
    closing, description, is_attribute_entry, is_attribute_list, is_block_title, is_break, is_comment, is_item,
    is_listing_style, title, underlined,
};
use crate::chunk::block::{Block, BlockRole};
use crate::chunk::markup::inline;
use crate::chunk::markup::line::{Extent, Line, run};

/// The blocks of an `AsciiDoc` text; the document's title has level 1, its sections start at 2.
#[must_use]
pub fn asciidoc(text: &str) -> Vec<Block> {
    let reader = Reader::new(text);
    let mut blocks = Vec::new();
    // The attributes and titles seen so far of the block that follows.
    let mut above: Option<Above> = None;
    let mut at = 0;
    while let Some(line) = Line::at(text, at) {
        at = line.next;
        let is_above = is_attribute_list(line.text) || is_block_title(line.text);
        if line.is_blank() || is_break(line.text) {
            continue;
        }
        if is_above || (above.is_some() && is_comment(line.text)) {
            let above = above.get_or_insert(Above { start: line.start, end: line.end, is_listing: false });
            above.end = line.end;
            above.is_listing |= is_listing_style(line.text) && is_attribute_list(line.text);
            continue;
        }
        if above.is_none() && description(line.text) == Some(false) {
            at = reader.entries(line, &mut blocks);
            continue;
        }
        let (role, extent) = reader.block(line, above.as_ref().is_some_and(|above| above.is_listing));
        let start = above.take().map_or(line.start, |above| above.start);
        blocks.push(Block { range: start..extent.end, role });
        at = extent.next;
    }
    // Attributes of nothing.
    blocks.extend(above.map(|above| Block { range: above.start..above.end, role: BlockRole::Text }));
    blocks
}

/// The lines that belong to the block that follows them.
struct Above {
    start: usize,
    end: usize,
    /// They make a listing of a paragraph.
    is_listing: bool,
}

struct Reader<'a> {
    text: &'a str,
    /// Where each delimiter that occurs stands last: it tells whether one is closed without a search to the end.
    last: HashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let mut last = HashMap::new();
        let mut at = 0;
        while let Some(line) = Line::at(text, at) {
            at = line.next;
            if let Some(row) = closing(line.text).filter(|row| *row == line.text.trim_end()) {
                last.insert(row, line.start);
            }
        }
        Self { text, last }
    }

    /// The block that starts with this line, which is not empty.
    fn block(&self, line: Line<'a>, is_listing: bool) -> (BlockRole, Extent) {
        let below = Line::at(self.text, line.next);
        if let Some((level, title)) = title(line.text) {
            return (heading(level, title), Extent { end: line.end, next: line.next });
        }
        if let (Some(level), Some(row)) = (underlined(&line, below.as_ref()), below) {
            return (heading(level, line.text), Extent { end: row.end, next: row.next });
        }
        if let Some(extent) = self.delimited(line) {
            let role = if line.text.starts_with("//") { BlockRole::Text } else { BlockRole::Whole };
            return (role, extent);
        }
        match line.text {
            text if is_comment(text) => (BlockRole::Text, run(self.text, line, |line| is_comment(line.text))),
            text if is_item(text) => (BlockRole::Whole, self.list(line)),
            text if is_attribute_entry(text) => (BlockRole::Text, self.attribute_entries(line)),
            // What is indented is shown as it is.
            text if text.starts_with([' ', '\t']) => (BlockRole::Whole, self.paragraph(line)),
            _ if is_listing => (BlockRole::Whole, self.paragraph(line)),
            _ => (BlockRole::Text, self.paragraph(line)),
        }
    }

    /// The extent of the delimited block that this line opens, if it is closed.
    fn delimited(&self, first: Line<'a>) -> Option<Extent> {
        let row = closing(first.text).filter(|row| self.last.get(row).is_some_and(|last| *last > first.start))?;
        let mut at = first.next;
        while let Some(line) = Line::at(self.text, at) {
            at = line.next;
            if line.text.trim_end() == row {
                return Some(Extent { end: line.end, next: line.next });
            }
        }
        None
    }

    /// Whether a paragraph or an item ends above this line although it is not empty.
    fn interrupts(&self, line: &Line<'a>) -> bool {
        is_attribute_list(line.text)
            || closing(line.text).is_some_and(|row| self.last.get(row).is_some_and(|last| *last > line.start))
    }

    fn paragraph(&self, line: Line<'a>) -> Extent {
        run(self.text, line, |line| !self.interrupts(line))
    }

    /// Attribute entries below each other; a value goes on in the next line after a backslash.
    fn attribute_entries(&self, first: Line<'a>) -> Extent {
        let mut extent = Extent { end: first.end, next: first.next };
        let mut goes_on = first.text.trim_end().ends_with('\\');
        while let Some(line) = Line::at(self.text, extent.next).filter(|line| !line.is_blank()) {
            if !goes_on && !is_attribute_entry(line.text) {
                break;
            }
            goes_on = line.text.trim_end().ends_with('\\');
            extent = Extent { end: line.end, next: line.next };
        }
        extent
    }

    /// A list of terms, each with what describes it, up to where the list ends; gives what follows. Terms of another
    /// mark or depth belong to the description that they stand in.
    fn entries(&self, first: Line<'a>, blocks: &mut Vec<Block>) -> usize {
        let whole = self.list(first);
        let (mark, depth) = (term_mark(first.text), first.indent());
        // Terms below each other share a description.
        let mut terms: Vec<&str> = Vec::new();
        let (mut start, mut lead, mut end) = (first.start, first.next, first.end);
        let mut at = first.start;
        let close = |terms: &mut Vec<&str>, start: usize, lead: usize, end: usize, blocks: &mut Vec<Block>| {
            let term = terms.drain(..).map(|term| inline::asciidoc(term.trim())).collect::<Vec<_>>().join(", ");
            let role = match term.trim().is_empty() || lead >= end {
                true => BlockRole::Whole,
                false => BlockRole::Entry { term: term.trim().to_owned(), lead },
            };
            blocks.push(Block { range: start..end, role });
        };
        while let Some(line) = Line::at(self.text, at).filter(|line| line.start < whole.end) {
            at = line.next;
            if line.is_blank() {
                continue;
            }
            if line.indent() == depth && description(line.text) == Some(false) && term_mark(line.text) == mark {
                if end > lead {
                    close(&mut terms, start, lead, end, blocks);
                    start = line.start;
                }
                terms.push(line.text.trim().trim_end_matches([':', ';']));
                (lead, end) = (line.next, line.end);
            } else {
                let extent = self.delimited(line).filter(|extent| extent.end <= whole.end);
                let extent = extent.unwrap_or(Extent { end: line.end, next: line.next });
                (end, at) = (extent.end, extent.next);
            }
        }
        close(&mut terms, start, lead, end, blocks);
        whole.next
    }

    /// The items of all kinds and depths from here on, with what is joined to them by `+` or indented.
    fn list(&self, first: Line<'a>) -> Extent {
        let mut extent = Extent { end: first.end, next: first.next };
        // A term whose description is still to come, maybe below an empty line.
        let mut is_open = description(first.text) == Some(false);
        let mut is_joined = false;
        let mut is_apart = false;
        while let Some(line) = Line::at(self.text, extent.next) {
            let ends_here = Extent { end: line.end, next: line.next };
            if line.is_blank() {
                is_apart = true;
                extent.next = line.next;
                continue;
            }
            let below = Line::at(self.text, line.next);
            if title(line.text).is_some() || (is_apart && underlined(&line, below.as_ref()).is_some()) {
                break;
            }
            if line.text.trim() == "+" {
                is_joined = true;
                extent = ends_here;
            } else if is_joined && (is_attribute_list(line.text) || is_block_title(line.text) || is_comment(line.text))
            {
                extent = ends_here;
            } else if is_joined && !is_item(line.text) {
                extent = self.delimited(line).unwrap_or_else(|| self.paragraph(line));
                is_joined = false;
            } else if self.interrupts(&line) {
                break;
            } else if is_item(line.text) {
                is_open = description(line.text) == Some(false);
                is_joined = false;
                extent = ends_here;
            } else if !is_apart || line.text.starts_with([' ', '\t']) || (is_open && is_plain(line.text)) {
                is_open = false;
                extent = ends_here;
            } else {
                break;
            }
            is_apart = false;
        }
        extent
    }
}

/// Whether the line is nothing that stands for itself below an empty line.
fn is_plain(line: &str) -> bool {
    !is_block_title(line) && !is_comment(line) && !is_break(line)
}

/// The mark at the end of a term.
fn term_mark(line: &str) -> &str {
    let text = line.trim_end();
    &text[text.trim_end_matches([':', ';']).len()..]
}

fn heading(level: usize, title: &str) -> BlockRole {
    BlockRole::Heading { level, title: inline::asciidoc(title.trim()) }
}

#[cfg(test)]
mod tests;
