//! Blocks to drafts of chunks: sections, cut where they are too long, joined where they are too short.

use super::block::{Block, BlockRole};
use super::cut::trimmed;
use super::size::{Limits, Sizer};
use super::statement::statements;
use std::ops::Range;
use std::rc::Rc;

/// Headings of a path, bytes of one heading, and tokens of them all that are kept.
const MAX_HEADINGS: usize = 6;
const MAX_HEADING_BYTES: usize = 120;
const MAX_PATH_TOKENS: usize = 64;

/// A chunk whose borders are known.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    /// Where what is its own begins.
    pub start: usize,
    /// Its own heading; empty where it has none.
    pub lead: Range<usize>,
    /// What stands below that.
    pub body: Range<usize>,
    /// Headings, outermost first.
    pub path: Rc<[String]>,
    /// Whether it goes on in the section of the draft before it.
    pub continues: bool,
    /// Tokens of the body.
    tokens: usize,
    /// Room under its headings.
    room: usize,
    /// Whether it only announces what comes next.
    announces: bool,
    /// Whether it is found by itself, however short.
    alone: bool,
    /// Whether it stands before the first heading.
    is_preface: bool,
}

/// Cuts and joins. `root` stands above all headings.
pub(super) fn drafts(
    text: &str,
    blocks: Vec<Block>,
    root: Option<String>,
    sizer: &Sizer<'_>,
    limits: &Limits,
) -> Vec<Draft> {
    let mut sections = Sections { text, sizer, limits, headings: Vec::new(), root, open: None, out: Vec::new() };
    for block in blocks {
        sections.add(block);
    }
    sections.close();
    Joiner { text, sizer, limits }.join(sections.out)
}

/// A section as it is read: its heading, its path and its blocks with their tokens.
struct Section {
    lead: Range<usize>,
    path: Rc<[String]>,
    room: usize,
    blocks: Vec<(Range<usize>, usize)>,
    /// Where its block is best cut; for declarations.
    borders: Vec<(usize, u16)>,
}

struct Sections<'a, 's> {
    text: &'a str,
    sizer: &'a Sizer<'s>,
    limits: &'a Limits,
    headings: Vec<(usize, String)>,
    root: Option<String>,
    open: Option<Section>,
    out: Vec<Draft>,
}

impl Sections<'_, '_> {
    fn add(&mut self, block: Block) {
        match block.role {
            // A paragraph over a row of dashes is a heading to Markdown, and to nobody else when it is long.
            BlockRole::Heading { level, title } if self.is_short(&block.range) => {
                self.close();
                self.headings.retain(|(above, _)| *above < level);
                if !title.is_empty() && self.headings.len() < MAX_HEADINGS {
                    self.headings.push((level, title));
                }
                self.open = Some(self.section(block.range, self.names().collect()));
            }
            BlockRole::Declaration { path, borders } => {
                self.close();
                let start = block.range.start;
                let mut section = self.section(start..start, path);
                section.borders = borders;
                section.blocks.push(self.sized(block.range));
                let first = self.out.len();
                self.split(section);
                for draft in &mut self.out[first..] {
                    draft.alone = true;
                }
            }
            BlockRole::Entry { term, lead } => {
                self.close();
                let names = self.names().chain(std::iter::once(term)).collect();
                let mut section = self.section(block.range.start..lead, names);
                section.blocks.push(self.sized(lead..block.range.end));
                self.split(section);
            }
            BlockRole::Heading { .. } | BlockRole::Text | BlockRole::Whole => {
                let sized = self.sized(block.range);
                let start = sized.0.start;
                let mut section = match self.open.take() {
                    Some(section) => section,
                    None => self.section(start..start, self.names().collect()),
                };
                section.blocks.push(sized);
                self.open = Some(section);
            }
        }
    }

    /// The headings above what comes next.
    fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.headings.iter().map(|(_, title)| title.clone())
    }

    fn is_short(&self, heading: &Range<usize>) -> bool {
        self.sizer.tokens(&self.text[heading.clone()]) <= MAX_PATH_TOKENS.min(self.limits.most)
    }

    fn sized(&self, range: Range<usize>) -> (Range<usize>, usize) {
        let tokens = self.sizer.tokens(&self.text[range.clone()]);
        (range, tokens)
    }

    /// A section under these headings: each cut short, the outermost left out where all are too long, and one that
    /// says what the one above it says left out: pages often have their title as their first heading too.
    fn section(&self, lead: Range<usize>, names: Vec<String>) -> Section {
        let mut path: Vec<String> = self.root.iter().cloned().chain(names).collect();
        path.dedup_by(|name, above| says_the_same(name, above));
        for name in &mut path {
            name.truncate(name.floor_char_boundary(MAX_HEADING_BYTES));
        }
        let mut tokens: Vec<usize> = path.iter().map(|name| self.sizer.tokens(name) + 1).collect();
        while tokens.iter().sum::<usize>() > MAX_PATH_TOKENS && path.len() > 1 {
            path.remove(0);
            tokens.remove(0);
        }
        let room = self.limits.room(tokens.iter().sum());
        Section { lead, path: path.into(), room, blocks: Vec::new(), borders: Vec::new() }
    }

    fn close(&mut self) {
        if let Some(section) = self.open.take() {
            self.split(section);
        }
    }

    /// One draft of a section that has room in one chunk, else a draft for each block, else parts of blocks.
    fn split(&mut self, section: Section) {
        let Section { lead, path, room, blocks, borders } = section;
        let is_preface = self.out.is_empty() && self.headings.is_empty();
        let draft = |lead: Range<usize>, body: Range<usize>, tokens, continues| Draft {
            start: lead.start,
            announces: self.text[body.clone()].trim_end().ends_with(':'),
            lead,
            body,
            path: Rc::clone(&path),
            continues,
            tokens,
            room,
            alone: false,
            is_preface,
        };
        // What lies between blocks is in the chunk too: rows of dashes, definitions of links.
        let between = |pair: &[(Range<usize>, usize)]| self.sizer.tokens(&self.text[pair[0].0.end..pair[1].0.start]);
        let total: usize =
            blocks.iter().map(|(_, tokens)| tokens).sum::<usize>() + blocks.windows(2).map(between).sum::<usize>();
        let (Some((first, _)), Some((last, _))) = (blocks.first(), blocks.last()) else {
            self.out.push(draft(lead.clone(), lead.end..lead.end, 0, false));
            return;
        };
        if total <= room {
            self.out.push(draft(lead, first.start..last.end, total, false));
            return;
        }
        let mut lead = Some(lead);
        for (block, tokens) in blocks {
            let parts =
                if tokens <= room { vec![block] } else { statements(self.text, block, &borders, room, self.sizer) };
            for part in parts {
                let tokens = self.sizer.tokens(&self.text[part.clone()]);
                let continues = lead.is_none();
                let lead = lead.take().unwrap_or(part.start..part.start);
                self.out.push(draft(lead, part, tokens, continues));
            }
        }
    }
}

/// Joins what is too short, or only announces what comes, to a neighbour; drops what says nothing.
struct Joiner<'a, 's> {
    text: &'a str,
    sizer: &'a Sizer<'s>,
    limits: &'a Limits,
}

impl Joiner<'_, '_> {
    fn join(&self, drafts: Vec<Draft>) -> Vec<Draft> {
        let mut out: Vec<Draft> = Vec::with_capacity(drafts.len());
        for mut draft in drafts {
            while let Some(last) = out.pop_if(|last| is_open(last, self.limits)) {
                let onward = self.joined(&last, &draft);
                let backward = out.last().and_then(|before| Some((self.joined(before, &last)?, before)));
                match (backward, onward) {
                    (Some((both, _)), None) => {
                        out.pop();
                        out.push(both);
                    }
                    (Some((both, before)), Some(_)) if prefers(&last, before, &draft) => {
                        out.pop();
                        out.push(both);
                    }
                    (_, Some(both)) => draft = both,
                    _ => {
                        out.push(last);
                        break;
                    }
                }
            }
            out.push(draft);
        }
        if let Some(last) = out.pop_if(|last| last.tokens < self.limits.least) {
            match out.last().and_then(|before| self.joined(before, &last)) {
                Some(both) => {
                    out.pop();
                    out.push(both);
                }
                None => out.push(last),
            }
        }
        out.into_iter().filter_map(|draft| finished(self.text, draft)).collect()
    }

    /// Two drafts as one, under the headings that they have in common; other headings become a part of the text. `None`
    /// if that is too long, or one of them is to stand alone.
    fn joined(&self, a: &Draft, b: &Draft) -> Option<Draft> {
        let room = a.room.min(b.room);
        if a.alone || b.alone || a.tokens + b.tokens > room {
            return None;
        }
        let shared = common(&a.path, &b.path);
        // A few words before the title are a part of what it heads.
        let is_below = a.is_preface && a.path.is_empty() && a.tokens < self.limits.least;
        let leads_on = shared == a.path.len();
        if leads_on && a.body.is_empty() {
            // Nothing but a heading, which stands above the other one's.
            return Some(Draft { start: a.start, continues: a.continues, is_preface: false, ..b.clone() });
        }
        let start = if leads_on { a.body.start } else { a.lead.start };
        let body = start..b.body.end.max(b.lead.end);
        let tokens = self.sizer.tokens(&self.text[body.clone()]);
        let path = match leads_on {
            true if is_below => Rc::clone(&b.path),
            true => Rc::clone(&a.path),
            false => a.path[..shared].into(),
        };
        (tokens <= room).then(|| Draft {
            start: a.start,
            lead: if leads_on { a.lead.clone() } else { start..start },
            body,
            path,
            continues: a.continues,
            tokens,
            room,
            announces: b.announces,
            alone: false,
            is_preface: false,
        })
    }
}

/// Whether a short draft goes rather to the one before it than to the one after it: to that with which it has more
/// headings in common, then to the shorter one. What announces something, or is nothing but a heading, looks onward.
fn prefers(last: &Draft, before: &Draft, after: &Draft) -> bool {
    let near = |other: &Draft| (common(&last.path, &other.path), usize::MAX - other.tokens);
    !last.announces && !last.body.is_empty() && near(before) > near(after)
}

/// Whether a draft waits for a neighbour.
fn is_open(draft: &Draft, limits: &Limits) -> bool {
    !draft.alone && (draft.tokens < limits.least || draft.announces)
}

/// Whether two headings have the same letters and digits.
fn says_the_same(a: &str, b: &str) -> bool {
    let said =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect() };
    let a = said(a);
    !a.is_empty() && a == said(b)
}

fn common(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// A draft as it will stand: without white space around it, a heading that nothing follows as its own text. `None` if
/// there is no letter or digit in it.
fn finished(text: &str, mut draft: Draft) -> Option<Draft> {
    let mut body = trimmed(text, draft.body.clone());
    if body.is_empty() {
        body = trimmed(text, draft.lead.clone());
    }
    draft.body = body.clone();
    text[body].contains(char::is_alphanumeric).then_some(draft)
}
