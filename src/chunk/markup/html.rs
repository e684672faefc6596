//! HTML to what a person reads of it, and the blocks of that.
//!
//! Tags are noise to whoever searches, so a page is not cut as it stands: its text is written down anew, with marks as
//! Markdown has them, and that is what is cut, stored, embedded and compared with the file later. It is a function of
//! the file's text alone. Each line knows the line of the file that it begins in. Programs, navigation, and what the
//! head holds beside the title are left out; where a page says what its main part is, only that is read.
//!
//! The tokenizer is our own: a conforming parser makes a tree, with rules for broken pages that matter to browsers and
//! not to readers, and the smaller crates have no place of a token in the file. Linear in the text; elements that are
//! nested deeper than [`DEPTH`] are not told apart.

mod element;
mod entity;
#[cfg(test)]
mod tests;
mod token;
mod writer;

use self::element::{Effect, ends, is_of_head, is_void};
use self::entity::Entities;
use self::token::{Tag, Token, Tokens};
pub(in crate::chunk) use self::writer::Page;
use self::writer::{Gap, Open, Writer};
use crate::chunk::block::BlockRole;

/// Deepest nesting that is followed.
const DEPTH: usize = 256;
/// What a link to a heading itself is called.
const PERMALINKS: &[&str] = &["¶", "§", "#", "🔗", "[source]", "[edit]"];

/// Reads a page.
#[must_use]
pub(in crate::chunk) fn html(text: &str) -> Page {
    let page = Reader::new(text, false).read();
    // A page whose main part is empty, or that never ends its navigation: whatever there is.
    if page.blocks.is_empty() { Reader::new(text, true).read() } else { page }
}

/// An element that is open.
struct Element {
    name: String,
    effect: Effect,
    /// Whether the block that is open began with it.
    owns: bool,
    /// Columns that it sets its text in.
    indent: usize,
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    entities: Entities,
    out: Writer<'a>,
    /// Whether all that could be seen counts.
    whole: bool,
    stack: Vec<Element>,
    /// How many items each open list has.
    numbers: Vec<usize>,
    /// Cells of the present row.
    cells: usize,
    /// Whether the main part of the page was met, and whether it is over.
    main_seen: bool,
    main_over: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, whole: bool) -> Self {
        Self {
            tokens: Tokens::new(text),
            entities: Entities::default(),
            out: Writer::new(text),
            whole,
            stack: Vec::new(),
            numbers: Vec::new(),
            cells: 0,
            main_seen: false,
            main_over: false,
        }
    }

    fn read(mut self) -> Page {
        while let Some((at, token)) = self.tokens.next() {
            self.out.at = at;
            match token {
                Token::Text(text) => self.text(text),
                Token::Open(tag) => self.begin(&tag),
                Token::Close(name) => self.end(&name),
            }
        }
        self.pop_to(0);
        self.out.close_block();
        self.out.page
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        let mut effect = Effect::of(tag, self.whole);
        if self.out.is_in(&[Effect::Listing]) && !matches!(effect, Effect::Skipped | Effect::Break) {
            // In a listing everything else is colour.
            effect = Effect::Inline;
        }
        if self.stack.last().is_some_and(|last| last.effect == Effect::Head) && !is_of_head(&tag.name) {
            self.pop_to(self.stack.len() - 1);
        }
        self.imply(&tag.name, effect);
        if effect == Effect::Break {
            return self.out.break_off();
        }
        if is_void(&tag.name) || tag.is_empty {
            return if effect == Effect::Paragraph {
                self.out.paragraph()
            };
        }
        if self.stack.len() >= DEPTH {
            return;
        }
        let mut element = Element { name: tag.name.clone(), effect, owns: false, indent: 0 };
        if !self.out.is_left_out() {
            self.enter(&mut element, tag);
        }
        self.out.indent += element.indent;
        self.out.inside[effect.kind()] += 1;
        self.stack.push(element);
    }

    /// Ends the elements that this one does not stand in, though their ends are not said.
    fn imply(&mut self, name: &str, effect: Effect) {
        let (ended, beyond) = ends(name);
        let mut found = None;
        for (place, element) in self.stack.iter().enumerate().rev() {
            let paragraph =
                element.name == "p" && !effect.is_inline() && !matches!(effect, Effect::Break | Effect::Skipped);
            if paragraph || ended.contains(&element.name.as_str()) {
                found = Some(place);
            }
            let goes_on = element.effect.is_inline() || paragraph || !ended.is_empty();
            if !goes_on || beyond.contains(&element.name.as_str()) {
                break;
            }
        }
        if let Some(place) = found {
            self.pop_to(place);
        }
    }

    fn end(&mut self, name: &str) {
        if matches!(name, "body" | "html") {
            return;
        }
        let is_table = |name: &str| matches!(name, "table" | "tr" | "td" | "th" | "tbody" | "thead" | "tfoot");
        for (place, element) in self.stack.iter().enumerate().rev() {
            if element.name == name {
                return self.pop_to(place);
            }
            // What is in a cell does not end what the table stands in.
            if matches!(element.name.as_str(), "td" | "th") && !is_table(name) || element.name == "table" {
                return;
            }
        }
    }

    fn pop_to(&mut self, depth: usize) {
        while self.stack.len() > depth
            && let Some(element) = self.stack.pop()
        {
            self.out.indent -= element.indent;
            self.out.inside[element.effect.kind()] -= 1;
            if !self.out.is_left_out() {
                self.leave(&element);
            }
        }
    }

    fn enter(&mut self, element: &mut Element, tag: &Tag<'_>) {
        match element.effect {
            Effect::Main if !self.whole => {
                if !std::mem::replace(&mut self.main_seen, true) {
                    self.out.close_block();
                    let title = self.out.page.title.take();
                    self.out.page = Page { title, ..Page::default() };
                    self.out.mark.clear();
                }
                self.main_over = false;
            }
            Effect::Paragraph | Effect::Main => self.out.paragraph(),
            Effect::Heading(level) => self.out.open_block(BlockRole::Heading { level, title: String::new() }),
            Effect::List(_) | Effect::Table => {
                element.owns = self.out.open_whole();
                if matches!(element.effect, Effect::List(_)) {
                    self.numbers.push(0);
                }
            }
            Effect::Item => {
                self.out.end_line();
                let numbered = self.stack.iter().rev().find_map(|one| match one.effect {
                    Effect::List(numbered) => Some(numbered),
                    _ => None,
                });
                if let (Some(true), Some(number)) = (numbered, self.numbers.last_mut()) {
                    *number += 1;
                    self.out.mark = format!("{number}. ");
                } else {
                    "- ".clone_into(&mut self.out.mark);
                }
                element.indent = self.out.mark.len();
            }
            Effect::Row => {
                self.out.end_line();
                self.cells = 0;
            }
            Effect::Cell => {
                self.out.gap = Gap::None;
                // An empty cell has its place.
                self.out.mark.push_str(if self.out.fresh && self.out.mark.is_empty() { "| " } else { " | " });
                self.cells += 1;
            }
            Effect::Listing => {
                element.owns = self.out.open_whole();
                self.out.mark = format!("```{}", language(tag));
                self.out.fenced = false;
            }
            Effect::Code => self.out.tick = !self.out.is_on_one_line() && !self.out.is_in(&[Effect::Listing]),
            Effect::Term => self.out.open_term(tag.attribute("id").is_some()),
            Effect::Description => {
                self.out.end_line();
                element.indent = 2;
            }
            Effect::Inline | Effect::Skipped | Effect::Head | Effect::Title | Effect::Definitions | Effect::Break => {}
        }
    }

    fn leave(&mut self, element: &Element) {
        match element.effect {
            Effect::Main => {
                self.out.paragraph();
                self.main_over = self.main_seen;
            }
            Effect::Paragraph => self.out.paragraph(),
            Effect::Heading(_) => self.out.close_block(),
            Effect::List(_) | Effect::Table => {
                if matches!(element.effect, Effect::List(_)) {
                    self.numbers.pop();
                }
                self.out.end_line();
                if element.owns {
                    self.out.close_block();
                }
            }
            Effect::Item | Effect::Description => {
                self.out.end_line();
                self.out.mark.clear();
            }
            Effect::Row => {
                if self.cells > 0 && !self.out.fresh {
                    self.out.mark.clear();
                    self.out.page.text.push_str(" |");
                }
                self.out.end_line();
                self.out.mark.clear();
                self.cells = 0;
            }
            Effect::Cell => self.out.gap = Gap::None,
            Effect::Listing => {
                self.out.end_line();
                if std::mem::take(&mut self.out.fenced) {
                    self.out.put("```");
                    self.out.end_line();
                }
                self.out.mark.clear();
                if element.owns {
                    self.out.close_block();
                }
            }
            Effect::Code => {
                if std::mem::take(&mut self.out.ticked) && !self.out.fresh {
                    self.out.page.text.push('`');
                }
                self.out.tick = false;
            }
            Effect::Term => self.out.close_term(),
            Effect::Definitions => {
                // The entries of this list end with it; a list that had none of its own goes on in its entry.
                let depth = self.out.inside[Effect::Definitions.kind()];
                if self.out.terms.len() > depth
                    && matches!(&self.out.open, Some(Open { role: BlockRole::Entry { .. }, .. }))
                {
                    self.out.close_block();
                }
                self.out.terms.truncate(depth);
            }
            Effect::Inline | Effect::Skipped | Effect::Head | Effect::Title | Effect::Break => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.stack.last().is_some_and(|last| last.effect == Effect::Title) {
            let title = self.entities.decode(text);
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_head = !self.out.is_in(&[Effect::Skipped]);
            if is_head && self.out.page.title.is_none() && !title.is_empty() {
                self.out.page.title = Some(title);
            }
            return;
        }
        if self.main_over || self.out.is_left_out() {
            return;
        }
        if self.out.is_in(&[Effect::Listing]) {
            return self.listing(text);
        }
        let titled = self.out.is_in(&[Effect::Heading(1), Effect::Term]);
        if titled && PERMALINKS.contains(&text.trim()) {
            return;
        }
        let most = if self.out.is_on_one_line() { Gap::Space } else { Gap::Line };
        let start = self.out.at;
        let mut rest = text;
        while !rest.is_empty() {
            let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_whitespace()).len();
            if blank > 0 {
                let seen = if rest[..blank].contains('\n') { Gap::Line } else { Gap::Space };
                self.out.gap = self.out.gap.max(seen.min(most));
                rest = &rest[blank..];
                continue;
            }
            let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
            self.out.at = start + (text.len() - rest.len());
            let word = self.entities.decode(&rest[..end]);
            self.out.word(&word);
            rest = &rest[end..];
        }
    }

    /// A listing keeps its lines and spaces.
    fn listing(&mut self, text: &str) {
        let start = self.out.at;
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            self.out.at = start + offset;
            offset += line.len();
            let body = line.trim_end_matches(['\n', '\r']);
            let body = self.entities.decode(body).into_owned();
            if !self.out.fenced && !body.trim().is_empty() {
                if self.out.open.is_none() {
                    self.out.open_block(BlockRole::Whole);
                }
                self.out.put("");
                self.out.end_line();
                self.out.fenced = true;
            }
            if !self.out.fenced {
                continue;
            }
            if !body.is_empty() {
                self.out.put(&body);
            }
            if line.len() > line.trim_end_matches('\n').len() {
                if self.out.fresh { self.out.empty_line() } else { self.out.break_line() }
            }
        }
    }
}

/// The language of a listing, as its class says.
fn language(tag: &Tag<'_>) -> String {
    let classes = tag.attribute("class").unwrap_or_default().split_ascii_whitespace();
    let named = |class: &str| {
        let name = ["language-", "lang-", "src-"].iter().find_map(|mark| class.strip_prefix(mark))?;
        (name.chars().all(|c| c.is_ascii_alphanumeric() || "+-_".contains(c))).then(|| name.to_owned())
    };
    classes.filter_map(named).next().unwrap_or_default()
}
