//! The blocks of a reStructuredText (docutils, Sphinx): titles, literal blocks, directives, tables and lists.
//!
//! What a line opens is decided in `line`; here, where that ends. What is indented under a directive, a comment or an
//! item belongs to it and is not looked into, so a title in there is none. Comments, link targets and footnotes are
//! text. Leaves out rows of punctuation that are no title's. Malformed markup is read as what it resembles instead of
//! being reported.

mod line;

use self::line::{Opening, adornment, described, is_row_for, is_simple_border, kind};
use crate::chunk::block::{Block, BlockRole};
use crate::chunk::markup::inline;
use crate::chunk::markup::line::{Extent, Line, indented, run};

/// The blocks of a reStructuredText.
///
/// A title's level is its style's place by first appearance, where a style is the character of its row and whether
/// one stands above as well.
#[must_use]
pub fn restructured_text(text: &str) -> Vec<Block> {
    let mut reader = Reader { text, blocks: Vec::new(), styles: Vec::new(), literal: None };
    let mut at = 0;
    while let Some(line) = Line::at(text, at) {
        at = if line.is_blank() { line.next } else { reader.block(line) };
    }
    reader.blocks
}

struct Reader<'a> {
    text: &'a str,
    blocks: Vec<Block>,
    /// The styles of titles in order of appearance: the row's character, and whether there is one above.
    styles: Vec<(char, bool)>,
    /// The indentation of the paragraph just read, if it ended with `::`.
    literal: Option<usize>,
}

impl<'a> Reader<'a> {
    /// Reads the block that starts with this line and returns where the next starts.
    fn block(&mut self, line: Line<'a>) -> usize {
        let base = line.indent();
        let below = self.line(line.next);
        let opens = kind(&line, below.as_ref());
        if let Some(introduced) = self.literal.take() {
            if base > introduced {
                let extent = indented(self.text, line, introduced);
                return self.push(line, extent, BlockRole::Whole);
            }
            // A literal block may be quoted instead; only the usual marks, the others open something else.
            if let Some(mark) = line.text.trim_start().chars().next().filter(|c| ">$#%".contains(*c)) {
                let extent = run(self.text, line, |line| line.text.trim_start().starts_with(mark));
                return self.push(line, extent, BlockRole::Whole);
            }
        }
        match opens {
            Opening::Adornment(mark) => self.overlined(line, mark).unwrap_or(line.next),
            Opening::Directive => match described(line.text) {
                Some(name) => self.described(line, base, name),
                None => self.push(line, indented(self.text, line, base), BlockRole::Whole),
            },
            Opening::Term => self.entry(line, indented(self.text, line, base), line.text),
            Opening::Remark => self.remarks(line, base),
            Opening::LineBlock => self.push(line, self.list(line, base, opens), BlockRole::Text),
            Opening::Bullet(_) | Opening::Enumerated | Opening::Field | Opening::Option => {
                self.push(line, self.list(line, base, opens), BlockRole::Whole)
            }
            Opening::Doctest => self.push(line, run(self.text, line, |_| true), BlockRole::Whole),
            Opening::GridTable => {
                let extent = run(self.text, line, |line| line.text.trim_start().starts_with(['|', '+']));
                self.push(line, extent, BlockRole::Whole)
            }
            Opening::SimpleTable => self.push(line, self.simple_table(line), BlockRole::Whole),
            Opening::Paragraph => self.underlined(line, base).unwrap_or_else(|| self.paragraph(line, base)),
        }
    }

    fn line(&self, start: usize) -> Option<Line<'a>> {
        Line::at(self.text, start)
    }

    fn push(&mut self, first: Line, extent: Extent, role: BlockRole) -> usize {
        self.blocks.push(Block { range: first.start..extent.end, role });
        extent.next
    }

    /// A directive that describes a thing of this name, up to the next one that does, inside it or not.
    fn described(&mut self, line: Line<'a>, base: usize, name: &'a str) -> usize {
        let mut extent = indented(self.text, line, base);
        let mut at = line.next;
        let mut end = line.end;
        while let Some(inner) = self.line(at).filter(|inner| inner.start < extent.end) {
            if described(inner.text).is_some() {
                extent = Extent { end, next: inner.start };
                break;
            }
            at = inner.next;
            if !inner.is_blank() {
                end = inner.end;
            }
        }
        self.entry(line, extent, name)
    }

    /// A term, or what stands for one, with what describes it.
    fn entry(&mut self, line: Line<'a>, extent: Extent, term: &str) -> usize {
        let term = inline::restructured_text(term.trim());
        let role = match term.trim().is_empty() || extent.end <= line.next {
            true => BlockRole::Whole,
            false => BlockRole::Entry { term: term.trim().to_owned(), lead: line.next },
        };
        self.push(line, extent, role)
    }

    /// A title with a row above and below it.
    fn overlined(&mut self, above: Line<'a>, mark: char) -> Option<usize> {
        let title =
            self.line(above.next).filter(|title| !title.is_blank() && adornment(title.text.trim()).is_none())?;
        let below = self.line(title.next).filter(|below| adornment(below.text) == Some(mark))?;
        let flush = above.indent() == 0 && is_row_for(above.text, title.text);
        flush.then(|| self.title(above, title, below, (mark, true)))
    }

    /// A title with a row below it.
    fn underlined(&mut self, title: Line<'a>, base: usize) -> Option<usize> {
        let below = self.line(title.next).filter(|below| base == 0 && is_row_for(below.text, title.text))?;
        let mark = adornment(below.text)?;
        Some(self.title(title, title, below, (mark, false)))
    }

    fn title(&mut self, first: Line, title: Line, last: Line, style: (char, bool)) -> usize {
        let known = self.styles.iter().position(|known| *known == style);
        let level = known.unwrap_or(self.styles.len()) + 1;
        if known.is_none() {
            self.styles.push(style);
        }
        let role = BlockRole::Heading { level, title: inline::restructured_text(title.text.trim()) };
        self.push(first, Extent { end: last.end, next: last.next }, role)
    }

    fn paragraph(&mut self, line: Line<'a>, base: usize) -> usize {
        let extent = run(self.text, line, |line| line.indent() >= base);
        let content = &self.text[line.start..extent.end];
        if content.trim_end().ends_with("::") {
            self.literal = Some(base);
        }
        // `::` alone only introduces.
        if content.trim() == "::" { extent.next } else { self.push(line, extent, BlockRole::Text) }
    }

    /// Comments, targets and footnotes that stand directly below each other.
    fn remarks(&mut self, line: Line<'a>, base: usize) -> usize {
        let below = self.line(line.next);
        if line.text.trim() == ".." && below.is_none_or(|below| below.is_blank()) {
            // An empty comment takes nothing with it; writers use it to end a list.
            return line.next;
        }
        let mut extent = indented(self.text, line, base);
        while let Some(next) =
            self.line(extent.next).filter(|next| self.text[extent.end..next.start].matches('\n').count() == 1)
        {
            let below = self.line(next.next);
            let follows = next.indent() == base && kind(&next, below.as_ref()) == Opening::Remark;
            if !follows || next.text.trim() == ".." {
                break;
            }
            extent = indented(self.text, next, base);
        }
        self.push(line, extent, BlockRole::Text)
    }

    /// The items of one kind from here on, with what is indented under them.
    fn list(&self, first: Line<'a>, base: usize, opens: Opening) -> Extent {
        let mut extent = indented(self.text, first, base);
        while let Some(item) = self.line(extent.next).filter(|item| item.indent() == base) {
            if kind(&item, self.line(item.next).as_ref()) != opens {
                break;
            }
            extent = indented(self.text, item, base);
        }
        extent
    }

    /// A simple table: up to its third border, or its second if nothing stands below it.
    ///
    /// Without a border of the top's length it ends at an empty line. Only borders are looked at, and the search ends
    /// at the first of another length, where the next table is: no line is searched more than twice.
    fn simple_table(&self, top: Line<'a>) -> Extent {
        let width = top.text.trim().len();
        let mut borders = 0;
        let mut closed = None;
        let mut at = top.next;
        while let Some(line) = self.line(at).filter(|_| borders < 2) {
            at = line.next;
            let text = line.text.trim();
            if !is_simple_border(text) {
                continue;
            }
            if text.len() != width {
                break;
            }
            borders += 1;
            closed = Some(Extent { end: line.end, next: line.next });
            if self.line(line.next).is_none_or(|below| below.is_blank()) {
                break;
            }
        }
        closed.unwrap_or_else(|| run(self.text, top, |_| true))
    }
}

#[cfg(test)]
mod tests;
