//! The text of a page as it is written down: lines, what stands before them, and the blocks that they make.

use super::element::Effect;
use crate::chunk::Lines;
use crate::chunk::block::{Block, BlockRole};

/// Deepest indentation, in columns.
const INDENT: usize = 24;

/// Longest name of a term that stands above a term in its description, in bytes.
const OUTER_TERM: usize = 60;

/// A page as a person reads it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::chunk) struct Page {
    /// Its text.
    pub text: String,
    /// The line of the file that each line of the text begins in, from 1.
    pub lines: Vec<u32>,
    /// The blocks of the text.
    pub blocks: Vec<Block>,
    /// What it is called.
    pub title: Option<String>,
}

/// White space that was seen since the last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Space,
    Line,
}

/// The block that is being written.
pub(super) struct Open {
    pub start: usize,
    pub role: BlockRole,
}

/// Writes a page.
pub(super) struct Writer<'a> {
    pub page: Page,
    source: Lines<'a>,
    /// Where in the file the next word is from; never less than before.
    pub at: usize,
    /// How many elements of each kind of effect are open.
    pub inside: [usize; Effect::KINDS],
    pub open: Option<Open>,
    /// Whether nothing stands on the present line.
    pub fresh: bool,
    pub gap: Gap,
    /// What stands before the next word: the mark of an item, the fence of a listing, a cell's border.
    pub mark: String,
    /// Columns that lines are set in.
    pub indent: usize,
    /// Whether the next word begins a stretch of code, and whether one was begun on the present line.
    pub tick: bool,
    pub ticked: bool,
    /// Whether the listing that is open has its fence.
    pub fenced: bool,
    /// The terms that the present one stands under, the present one last.
    pub terms: Vec<String>,
}

impl<'a> Writer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            page: Page::default(),
            source: Lines::new(text, 1),
            at: 0,
            inside: [0; Effect::KINDS],
            open: None,
            fresh: true,
            gap: Gap::None,
            mark: String::new(),
            indent: 0,
            tick: false,
            ticked: false,
            fenced: false,
            terms: Vec::new(),
        }
    }

    /// Whether an element of any of these kinds is open.
    pub fn is_in(&self, wanted: &[Effect]) -> bool {
        wanted.iter().any(|effect| self.inside[effect.kind()] > 0)
    }

    /// Whether nobody reads what stands here.
    pub fn is_left_out(&self) -> bool {
        self.is_in(&[Effect::Skipped, Effect::Head])
    }

    /// Whether line breaks of the file mean nothing here.
    pub fn is_on_one_line(&self) -> bool {
        self.is_in(&[Effect::Heading(1), Effect::Term, Effect::Cell, Effect::Code])
    }

    /// Writes a word, whose entities are replaced; it may have spaces.
    pub fn word(&mut self, word: &str) {
        let said = word.trim();
        if said.is_empty() {
            self.gap = self.gap.max(Gap::Space);
            return;
        }
        if word.starts_with(' ') {
            self.gap = self.gap.max(Gap::Space);
        }
        if self.open.is_none() {
            let listed = self.is_in(&[Effect::List(true), Effect::Table]);
            self.open_block(if listed { BlockRole::Whole } else { BlockRole::Text });
        }
        match std::mem::replace(&mut self.gap, Gap::None) {
            Gap::Line if !self.fresh => self.end_line(),
            Gap::Space if !self.fresh && self.mark.is_empty() => self.page.text.push(' '),
            _ => {}
        }
        if let Some(Open { role: BlockRole::Heading { level, title }, start }) = &mut self.open {
            if *start == self.page.text.len() {
                self.mark = format!("{} ", "#".repeat(*level));
            } else if self.page.text.ends_with(' ') {
                title.push(' ');
            }
            title.push_str(said);
        }
        if std::mem::take(&mut self.tick) {
            self.put(&format!("`{said}"));
            self.ticked = true;
        } else {
            self.put(said);
        }
        if word.ends_with(' ') {
            self.gap = Gap::Space;
        }
    }

    /// Writes on the present line; with nothing on it, behind what is to stand before it.
    pub fn put(&mut self, text: &str) {
        if self.fresh {
            let line = self.source.of(self.at);
            self.page.lines.push(u32::try_from(line).unwrap_or(u32::MAX));
            let is_heading = matches!(&self.open, Some(Open { role: BlockRole::Heading { .. }, .. }));
            if !is_heading {
                let hangs = if self.is_marked() { self.mark.len() } else { 0 };
                let columns = self.indent.saturating_sub(hangs).min(INDENT);
                self.page.text.extend(std::iter::repeat_n(' ', columns));
            }
            self.fresh = false;
        }
        self.page.text.push_str(&std::mem::take(&mut self.mark));
        self.page.text.push_str(text);
    }

    /// Whether what is to stand before the next line is the mark of an item, which hangs.
    fn is_marked(&self) -> bool {
        self.mark.ends_with(' ') && !self.mark.contains('|')
    }

    /// What `<br>` means.
    pub fn break_off(&mut self) {
        if self.is_in(&[Effect::Listing]) {
            if self.fenced && !self.fresh {
                self.break_line();
            } else if self.fenced {
                self.empty_line();
            }
        } else if self.is_on_one_line() {
            self.gap = self.gap.max(Gap::Space);
        } else if !self.is_left_out() {
            self.end_line();
        }
    }

    /// Ends the present line as it is.
    pub fn break_line(&mut self) {
        self.page.text.push('\n');
        self.fresh = true;
        self.ticked = false;
    }

    /// Ends the present line, if anything stands on it.
    pub fn end_line(&mut self) {
        if !self.fresh {
            let end = self.page.text.trim_end_matches([' ', '\t']).len();
            self.page.text.truncate(end);
            self.break_line();
        }
        self.gap = Gap::None;
    }

    pub fn empty_line(&mut self) {
        let line = self.source.of(self.at);
        self.page.lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        self.page.text.push('\n');
    }

    /// A paragraph begins or ends.
    pub fn paragraph(&mut self) {
        if self.is_in(&[Effect::Listing]) {
            return;
        }
        match &self.open {
            Some(Open { role: BlockRole::Text, .. }) => self.close_block(),
            Some(Open { role: BlockRole::Heading { .. }, .. }) => self.gap = self.gap.max(Gap::Space),
            _ if self.is_in(&[Effect::Term]) => self.gap = self.gap.max(Gap::Space),
            // A cell that begins with a paragraph stays in its row.
            _ if self.mark.contains('|') => {}
            _ if self.is_in(&[Effect::Cell]) => self.gap = self.gap.max(Gap::Space),
            _ => self.end_line(),
        }
    }

    /// Opens a block that is kept whole, unless it belongs to one that is open.
    pub fn open_whole(&mut self) -> bool {
        match &self.open {
            Some(Open { role: BlockRole::Whole | BlockRole::Entry { .. }, .. }) => {
                self.end_line();
                false
            }
            _ => {
                self.open_block(BlockRole::Whole);
                true
            }
        }
    }

    /// Ends the block that is open and begins another.
    pub fn open_block(&mut self, role: BlockRole) {
        self.close_block();
        if !self.page.text.is_empty() {
            self.empty_line();
        }
        self.open = Some(Open { start: self.page.text.len(), role });
    }

    /// Ends the block that is open; one that says nothing is taken back.
    pub fn close_block(&mut self) {
        self.end_line();
        let Some(Open { start, role }) = self.open.take() else { return };
        let text = self.page.text[start..].trim_end();
        let (end, said) = (start + text.len(), text.contains(|c: char| !c.is_whitespace()));
        let role = match role {
            BlockRole::Heading { title, .. } if title.is_empty() => BlockRole::Text,
            BlockRole::Entry { term, lead } if term.is_empty() || lead >= end => BlockRole::Text,
            role => role,
        };
        if said {
            self.page.blocks.push(Block { range: start..end, role });
        } else {
            // Nothing but the empty line before it.
            let kept = self.page.text.trim_end_matches('\n').len();
            let kept = if kept == 0 { 0 } else { kept + 1 };
            let gone = self.page.text[kept..].matches('\n').count();
            self.page.text.truncate(kept);
            self.page.lines.truncate(self.page.lines.len() - gone);
        }
    }

    /// A term begins an entry, unless it stands in the description of another and nothing points to it: then it is a
    /// line of that. Terms one below the other are one entry's.
    pub fn open_term(&mut self, is_named: bool) {
        let depth = self.inside[Effect::Definitions.kind()].max(1);
        let follows = match &self.open {
            Some(Open { role: BlockRole::Entry { lead, .. }, .. }) => *lead == self.page.text.len(),
            _ => false,
        };
        if follows || (depth > 1 && !is_named && self.open.is_some()) {
            return self.end_line();
        }
        self.terms.truncate(depth - 1);
        self.open_block(BlockRole::Entry { term: String::new(), lead: 0 });
    }

    /// Ends a term: its lines are those above the description.
    pub fn close_term(&mut self) {
        self.end_line();
        let end = self.page.text.len();
        let Some(Open { start, role: BlockRole::Entry { term, lead } }) = &mut self.open else { return };
        // A line of an entry that has its term.
        if *lead != 0 && *lead != end && !term.is_empty() && self.page.text[*lead..end].starts_with("  ") {
            return;
        }
        *lead = end;
        if term.is_empty() {
            let first = self.page.text[*start..end].trim().replace('`', "");
            // A name and what it is of: more would be longer than the terms themselves.
            let outer = self
                .terms
                .iter()
                .skip(self.terms.len().saturating_sub(2))
                .map(|outer| outer.split('(').next().unwrap_or(outer).trim());
            let outer = outer.map(|outer| &outer[..outer.floor_char_boundary(OUTER_TERM)]);
            *term = outer.chain([first.as_str()]).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" > ");
            self.terms.push(first);
        }
    }
}
