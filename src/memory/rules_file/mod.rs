//! What a file of rules for agents states: `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/*.mdc` and the like.
//!
//! Each bullet is one statement, each other paragraph one for every sentence. Headings, tables, code blocks, HTML and
//! front matter are none. A bullet below another is a statement of its own; so is what follows a paragraph that ends in
//! a colon, and both have what ends in the colon as their context. Whether a statement is a rule or a description is
//! told by its words (`strength`). Code spans keep their marks, links and emphasis only their text. Linear in the
//! file, and no text makes it fail.

mod sentence;
mod strength;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::{Range, RangeInclusive};

/// A longer statement is no rule but a text, and is left out, in bytes.
pub const MAX_STATEMENT_BYTES: usize = 4 << 10;

/// A statement of a file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What it says, on one line.
    pub text: String,
    /// What leads to it and ends in a colon: "Before each commit:"; may be empty. The text may mean the opposite
    /// without it.
    pub context: String,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// Its first line, from 1.
    pub line_start: usize,
    /// Its last line.
    pub line_end: usize,
    /// Whether it tells what to do. If not, it describes something, or only leads to what follows.
    pub is_rule: bool,
}

impl Rule {
    /// The statement with its context.
    pub fn whole(&self) -> String {
        if self.context.is_empty() { self.text.clone() } else { format!("{} {}", self.context, self.text) }
    }
}

/// Whether agents read the file of this name as rules. The path is relative to its repository, with slashes.
pub fn is_rules_file(path: &str) -> bool {
    const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".clinerules"];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_in = |wanted: &str| folder == wanted || folder.ends_with(&format!("/{wanted}"));
    let is_below = |wanted: &str| is_in(wanted) || format!("/{folder}/").contains(&format!("/{wanted}/"));
    NAMES.contains(&name)
        || is_below(".cursor/rules") && name.ends_with(".mdc")
        || is_in(".github") && name == "copilot-instructions.md"
        || is_below(".github/instructions") && name.ends_with(".instructions.md")
}

/// The statements of a file of rules in their order.
pub fn rules(text: &str) -> Vec<Rule> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut reader = Reader::new(text);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.hear(event, range);
    }
    reader.out
}

/// Text that is being gathered.
#[derive(Debug, Default)]
struct Gathered {
    /// Its lines as they stand in the file.
    lines: Vec<String>,
    /// Its first and its last byte, half open.
    range: Option<Range<usize>>,
}

impl Gathered {
    fn push(&mut self, part: &str, range: Range<usize>) {
        match self.lines.last_mut() {
            Some(line) => line.push_str(part),
            None => self.lines.push(part.to_owned()),
        }
        self.range = Some(match self.range.take() {
            Some(before) => before.start.min(range.start)..before.end.max(range.end),
            None => range,
        });
    }

    fn text(&self) -> String {
        one_line(&self.lines.join(" "))
    }
}

/// A bullet that has begun.
#[derive(Debug, Default)]
struct Item {
    /// Its own text, taken when it is stated.
    own: Gathered,
    /// What it leads to has this context.
    leads: String,
}

struct Reader {
    out: Vec<Rule>,
    /// Where each line begins.
    starts: Vec<usize>,
    headings: Vec<(HeadingLevel, String)>,
    heading: Option<(HeadingLevel, Gathered)>,
    items: Vec<Item>,
    paragraph: Option<Gathered>,
    /// The text of the paragraph before, if it ends in a colon and nothing but a list followed yet.
    leads: String,
    /// How many of the open elements hold no statements.
    ignored: usize,
}

impl Reader {
    fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self {
            out: Vec::new(),
            starts,
            headings: Vec::new(),
            heading: None,
            items: Vec::new(),
            paragraph: None,
            leads: String::new(),
            ignored: 0,
        }
    }

    fn hear(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) if holds_none(&tag) => {
                self.state();
                self.ignored += 1;
            }
            Event::End(tag) if ends_none(tag) => self.ignored = self.ignored.saturating_sub(1),
            _ if self.ignored > 0 => {}
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(part) => self.push(&part, range),
            Event::Code(part) => self.push(&format!("`{part}`"), range),
            Event::SoftBreak | Event::HardBreak => {
                if let Some(gathered) = self.open() {
                    gathered.lines.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.state();
                self.leads.clear();
                self.heading = Some((*level, Gathered::default()));
            }
            Tag::Paragraph if self.items.is_empty() => {
                self.leads.clear();
                self.paragraph = Some(Gathered::default());
            }
            // A further paragraph of a bullet.
            Tag::Paragraph => {
                if let Some(item) = self.items.last_mut().filter(|item| item.own.range.is_some()) {
                    item.own.lines.push(String::new());
                }
            }
            Tag::List(_) => self.state(),
            Tag::Item => self.items.push(Item::default()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some((level, gathered)) = self.heading.take() {
                    self.headings.retain(|(above, _)| *above < level);
                    self.headings.push((level, gathered.text()));
                }
            }
            TagEnd::Paragraph if self.items.is_empty() => self.state(),
            TagEnd::Item => {
                self.state();
                self.items.pop();
            }
            TagEnd::List(_) if self.items.is_empty() => self.leads.clear(),
            _ => {}
        }
    }

    fn open(&mut self) -> Option<&mut Gathered> {
        match (&mut self.heading, self.items.last_mut(), &mut self.paragraph) {
            (Some((_, heading)), _, _) => Some(heading),
            (_, Some(item), _) => Some(&mut item.own),
            (_, _, paragraph) => paragraph.as_mut(),
        }
    }

    fn push(&mut self, part: &str, range: Range<usize>) {
        if let Some(gathered) = self.open() {
            gathered.push(part, range);
        }
    }

    /// What was gathered becomes a statement, or several.
    fn state(&mut self) {
        if let Some(paragraph) = self.paragraph.take() {
            let Some(range) = paragraph.range.clone() else { return };
            self.sentences(&paragraph, range);
            let text = paragraph.text();
            if text.ends_with(':') {
                self.leads = sentence::sentences(&text).last().map(|last| (*last).to_owned()).unwrap_or_default();
            }
            return;
        }
        let above = self.items.len().checked_sub(2).and_then(|at| self.items.get(at));
        let context = above.map_or_else(|| self.leads.clone(), |above| above.leads.clone());
        let Some(item) = self.items.last_mut() else { return };
        let own = std::mem::take(&mut item.own);
        let text = own.text();
        if text.ends_with(':') {
            // What leads to a list within a list leads to all of it.
            let whole = one_line(&format!("{context} {text}"));
            item.leads = if whole.len() <= MAX_STATEMENT_BYTES { whole } else { text.clone() };
        }
        if let Some(range) = own.range {
            let lines = self.line(range.start)..=self.line(range.end.saturating_sub(1).max(range.start));
            self.add(text, context, lines);
        }
    }

    /// Adds a paragraph: a statement a line if each line is one, else a statement a sentence.
    fn sentences(&mut self, paragraph: &Gathered, range: Range<usize>) {
        let lines: Vec<String> = paragraph.lines.iter().map(|line| one_line(line)).collect();
        if sentence::is_one_a_line(&lines) {
            for (line, at) in lines.into_iter().zip(self.line(range.start)..) {
                self.add(line, String::new(), at..=at);
            }
            return;
        }
        // A sentence ends in the line that its last letter stands in.
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        let ends: Vec<usize> = (lines.iter())
            .scan(0, |sum, line| {
                *sum += letters(line);
                Some(*sum)
            })
            .collect();
        let first_line = self.line(range.start);
        let line_of = |letter: usize| first_line + ends.partition_point(|end| *end <= letter);
        let mut before = 0;
        for sentence in sentence::sentences(&paragraph.text()) {
            let after = before + letters(sentence);
            self.add(sentence.to_owned(), String::new(), line_of(before)..=line_of(after.saturating_sub(1)));
            before = after;
        }
    }

    /// The line that a byte stands in, from 1.
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    fn add(&mut self, text: String, context: String, lines: RangeInclusive<usize>) {
        if !text.chars().any(char::is_alphabetic) || text.len() + context.len() > MAX_STATEMENT_BYTES {
            return;
        }
        let is_rule = strength::is_rule(&text, &context);
        let headings = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
        let (line_start, line_end) = lines.into_inner();
        self.out.push(Rule { text, context, headings, line_start, line_end, is_rule });
    }
}

fn holds_none(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::CodeBlock(_)
            | Tag::Table(_)
            | Tag::HtmlBlock
            | Tag::MetadataBlock(_)
            | Tag::FootnoteDefinition(_)
            | Tag::Image { .. }
    )
}

fn ends_none(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::CodeBlock
            | TagEnd::Table
            | TagEnd::HtmlBlock
            | TagEnd::MetadataBlock(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::Image
    )
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
