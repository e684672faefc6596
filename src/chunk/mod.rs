//! Texts to chunks: where each stands, under which headings, and what stood before it.
//!
//! Decides the borders only; what becomes of a chunk is for others. A text is cut at its headings. A section within the
//! limit is one chunk; a longer one is cut into its blocks (paragraphs, listings, tables, lists), and a block only if
//! it alone is too long. What is too short to be found by itself is joined to a neighbour. The cores of the chunks tile
//! the text; context is kept apart.

mod block;
mod cut;
mod draft;
mod file_type;
mod front_matter;
mod markup;
mod part;
mod reading;
mod size;
mod sniff;
mod source;
mod statement;

pub use file_type::endings;
pub use front_matter::{FrontMatter, front_matter, yaml};
pub use part::parts;
pub use reading::{FileLines, Reading};
pub use size::Limits;
pub use source::Language;

use crate::text::CountTokens;
use crate::types::Span;
use crate::types::limits::MARKDOWN_BYTES;
use block::{Block, BlockRole};
use size::Sizer;
use std::ops::Range;
use std::path::Path;

/// How a text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown, MDX among it.
    Markdown,
    /// reStructuredText.
    RestructuredText,
    /// AsciiDoc.
    AsciiDoc,
    /// HTML, XHTML among it: read without its tags.
    Html,
    /// A Jupyter notebook: read as Markdown, without its outputs.
    Notebook,
    /// Paragraphs between empty lines.
    Plain,
    /// A program: what it declares, and what lies between.
    Source(Language),
}

/// Endings of Markdown, and of other text that people write for people.
const MARKDOWN: &[&str] = &["md", "markdown", "mdx", "mkd"];
const PLAIN: &[&str] = &["txt", "text", "org"];
const RESTRUCTURED_TEXT: &[&str] = &["rst", "rest"];
const ASCIIDOC: &[&str] = &["adoc", "asciidoc", "asc"];
const HTML: &[&str] = &["html", "htm", "xhtml"];
const NOTEBOOK: &[&str] = &["ipynb"];
/// Endings of what a text is made from, or taken in from: what it is stands before them.
const MADE_FROM: &[&str] = &["inc", "in", "tmpl", "tpl", "j2", "template", "example", "sample", "dist"];
/// Names without an ending that such files have.
const NAMES: &[&str] =
    &["readme", "changelog", "changes", "news", "todo", "contributing", "install", "notes", "faq", "history"];

impl Format {
    /// How this text is laid out, in a file whose name says so much: one that is only called text may be marked up.
    pub fn told_by(self, text: &str) -> Self {
        if self == Self::Plain { sniff::sniff(text) } else { self }
    }

    /// How a file of this name is laid out; `None` if the name does not say that it is text.
    pub fn of_path(path: &Path) -> Option<Self> {
        let lower = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().to_ascii_lowercase());
        match lower(path.extension()) {
            Some(ending) if MARKDOWN.contains(&ending.as_str()) => Some(Self::Markdown),
            Some(ending) if PLAIN.contains(&ending.as_str()) => Some(Self::Plain),
            Some(ending) if RESTRUCTURED_TEXT.contains(&ending.as_str()) => Some(Self::RestructuredText),
            Some(ending) if ASCIIDOC.contains(&ending.as_str()) => Some(Self::AsciiDoc),
            Some(ending) if HTML.contains(&ending.as_str()) => Some(Self::Html),
            Some(ending) if NOTEBOOK.contains(&ending.as_str()) => Some(Self::Notebook),
            Some(ending) if MADE_FROM.contains(&ending.as_str()) => {
                let inner = path.with_extension("");
                inner.extension().and_then(|_| Self::of_path(&inner))
            }
            Some(ending) => Language::of_extension(&ending).map(Self::Source),
            None => lower(path.file_name()).filter(|name| NAMES.contains(&name.as_str())).map(|_| Self::Plain),
        }
    }
}

/// A stretch of a text that is found and shown as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// Where it stands: whole lines without empty ones and without its own heading, or part of a long line.
    pub span: Span,
    /// The part of the text that is this chunk's: from the end of the last one's to the beginning of the next one's,
    /// its heading included.
    pub core: Range<usize>,
    /// What stands before it in a section that was cut; may be empty.
    pub context: Range<usize>,
}

/// Cuts what there is to read of a text. The cores of the chunks are together the whole reading, unless nothing of it
/// is to be found (no letter or digit, no declaration): then there is no chunk. `name` stands above all where the text
/// has no title of its own.
pub fn chunks(reading: &Reading<'_>, name: Option<&str>, counter: &dyn CountTokens, limits: &Limits) -> Vec<Chunk> {
    let (text, format) = (reading.text.as_ref(), reading.format);
    let blocks = reading.blocks.clone().unwrap_or_else(|| blocks(text, format));
    let sizer = Sizer { counter };
    let titled = |block: &Block| matches!(block.role, BlockRole::Heading { level: 1, .. });
    let root = match format {
        Format::Source(_) => None,
        _ if blocks.iter().any(titled) => None,
        Format::Markdown => front_matter(text).title.or_else(|| name.map(str::to_owned)),
        Format::Html => reading.title.clone().or_else(|| name.map(str::to_owned)),
        _ => name.map(str::to_owned),
    };
    let drafts = draft::drafts(text, blocks, root, &sizer, limits);
    place(text, drafts, &sizer, limits)
}

/// The blocks of a text, or of a part of one; pages of HTML and notebooks have marks of Markdown when they are read.
fn blocks(text: &str, format: Format) -> Vec<Block> {
    match format {
        Format::Markdown | Format::Html | Format::Notebook if text.len() > MARKDOWN_BYTES => markup::plain(text),
        Format::Markdown | Format::Html | Format::Notebook => markup::markdown(text),
        Format::RestructuredText => markup::restructured_text(text),
        Format::AsciiDoc => markup::asciidoc(text),
        Format::Plain => markup::plain(text),
        Format::Source(language) => source::declarations(text, language),
    }
}

/// Drafts to chunks: cores, context and lines.
fn place(text: &str, drafts: Vec<draft::Draft>, sizer: &Sizer<'_>, limits: &Limits) -> Vec<Chunk> {
    let mut lines = Lines::new(text, 1);
    let mut out: Vec<Chunk> = Vec::with_capacity(drafts.len());
    let starts: Vec<usize> = drafts.iter().map(|draft| draft.start).collect();
    for (index, draft) in drafts.into_iter().enumerate() {
        let core = if index == 0 { 0 } else { starts[index] }..starts.get(index + 1).copied().unwrap_or(text.len());
        let context = match out.last() {
            Some(before) if draft.continues => tail(text, before.span.byte_start..before.span.byte_end, sizer, limits),
            _ => draft.body.start..draft.body.start,
        };
        let Range { start, end } = draft.body;
        let span = Span { byte_start: start, byte_end: end, line_start: lines.of(start), line_end: lines.of(end) };
        out.push(Chunk { headings: draft.path.to_vec(), span, core, context });
    }
    out
}

/// The last whole words of a stretch, as many as the overlap has room for.
fn tail(text: &str, range: Range<usize>, sizer: &Sizer<'_>, limits: &Limits) -> Range<usize> {
    let body = &text[range.clone()];
    let (mut start, mut tokens) = (body.len(), 0);
    let mut end = body.len();
    while end > 0 {
        let word = body[..end].trim_end();
        let from =
            word.rfind(char::is_whitespace).map_or(0, |at| at + word[at..].chars().next().map_or(1, char::len_utf8));
        tokens += sizer.tokens(&word[from..]);
        if tokens > limits.overlap() {
            break;
        }
        (start, end) = (from, from);
    }
    range.start + start..range.end
}

/// Numbers of lines, asked in ascending order.
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    /// Those of a text whose first line has this number.
    pub fn new(text: &'a str, first: usize) -> Self {
        Self { text, at: 0, number: first }
    }

    /// The number of the line that holds the byte at `at`.
    pub fn of(&mut self, at: usize) -> usize {
        self.number += self.text.as_bytes()[self.at..at].iter().filter(|byte| **byte == b'\n').count();
        self.at = at;
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A token for each word and each other character.
    struct Words;

    impl CountTokens for Words {
        fn name(&self) -> &str {
            "words"
        }

        fn count(&self, text: &str) -> usize {
            let mut inside = false;
            let starts = text.chars().filter(|c| {
                let word = c.is_alphanumeric();
                let counts = (word && !inside) || (!word && !c.is_whitespace());
                inside = word;
                counts
            });
            starts.count()
        }
    }

    fn cut(text: &str, limits: &Limits) -> Vec<(String, String)> {
        let show = |chunk: Chunk| {
            let body = &text[chunk.span.byte_start..chunk.span.byte_end];
            (chunk.headings.join(" > "), format!("{}|{body}", &text[chunk.context]))
        };
        chunks(&Reading::new(text, Format::Markdown), None, &Words, limits).into_iter().map(show).collect()
    }

    fn shown(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(path, body)| ((*path).to_owned(), (*body).to_owned())).collect()
    }

    #[test]
    fn sections_are_chunks_and_long_ones_are_cut_into_blocks() {
        let text = "---\ntitle: x\n---\n# Top\n\nAn intro of six words here.\n\n## Long\n\n\
            one two three four five.\n\n```\nsix seven\n\neight nine\n```\n\n## Short\n\nten\n";
        let limits = Limits { most: 12, least: 3, overlap: 2, window: 100 };
        let expected = [
            ("Top", "|An intro of six words here."),
            ("Top > Long", "|one two three four five."),
            // Context is what stood before in the same section.
            ("Top > Long", "five.|```\nsix seven\n\neight nine\n```"),
            ("Top > Short", "|ten"),
        ];
        assert_eq!(cut(text, &limits), shown(&expected));
    }

    #[test]
    fn what_is_short_or_announces_is_joined() {
        let text = "# A\n\n## B\n\nb b b b b b\n\n## C\n\nc\n\n## D\n\nd d d d d:\n\n* e\n";
        let limits = Limits { most: 30, least: 3, overlap: 2, window: 100 };
        let expected = [("A", "|## B\n\nb b b b b b\n\n## C\n\nc"), ("A > D", "|d d d d d:\n\n* e")];
        let found = cut(text, &limits);
        // A heading alone stands above what follows; what is short goes to the shorter neighbour.
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), expected.map(|(path, _)| path));
        assert_eq!(found, shown(&expected));
    }

    #[test]
    fn a_few_words_before_the_title_stand_under_it() {
        let limits = Limits { most: 30, least: 3, overlap: 2, window: 100 };
        let text = "badges\n\n# A\n\na a a a a\n\n## B\n\nb b b b b\n";
        let expected = [("A", "|badges\n\n# A\n\na a a a a"), ("A > B", "|b b b b b")];
        assert_eq!(cut(text, &limits), shown(&expected));
        let long = "one two three four five\n\n# A\n\na a a a a\n";
        assert_eq!(cut(long, &limits), shown(&[("", "|one two three four five"), ("A", "|a a a a a")]));
    }

    #[test]
    fn titles_of_front_matter_stand_above_headings() {
        let limits = Limits { most: 12, least: 1, overlap: 2, window: 100 };
        assert_eq!(cut("---\ntitle: Whole\n---\n## Part\n\na b c\n", &limits), shown(&[("Whole > Part", "|a b c")]));
        let named = chunks(&Reading::new("a b\n", Format::Plain), Some("notes"), &Words, &limits);
        assert_eq!(named[0].headings, ["notes"], "the name of what has no title");
        let twice = cut("# The Whole\n\n## The whole.\n\na b c\n\n### Part\n\nd e f\n", &limits);
        assert_eq!(twice, shown(&[("The Whole", "|a b c"), ("The Whole > Part", "|d e f")]), "said once");
        assert_eq!(cut("## Only\n", &limits), shown(&[("Only", "|## Only")]));
        assert_eq!(cut("---\n\n***\n\n\n", &limits), []);
    }

    proptest! {
        #[test]
        fn cores_tile_and_nothing_is_too_long(
            text in "(([a-zäß#=`~|*> -]{0,12}|#{1,3} [a-z]{1,5}|```|---|===|\\| a \\||[a-z .,]{60,200}|\\* [a-z ]{1,40})\r?\n){0,60}[a-zß ]{0,900}",
            format in prop::sample::select(vec![
                Format::Markdown,
                Format::RestructuredText,
                Format::AsciiDoc,
                Format::Html,
                Format::Notebook,
                Format::Plain,
                Format::Source(Language::Rust),
            ]),
            least in 0usize..12,
            overlap in 0usize..6,
            most in 8usize..40,
        ) {
            let limits = Limits { most, least, overlap, window: 100 };
            let reading = Reading::new(&text, format);
            let text = reading.text.as_ref();
            let found = chunks(&reading, None, &Words, &limits);
            let mut end = 0;
            for (at, chunk) in found.iter().enumerate() {
                prop_assert_eq!(chunk.core.start, end, "cores tile");
                end = chunk.core.end;
                let Span { byte_start, byte_end, line_start, line_end } = chunk.span;
                prop_assert!(chunk.core.start <= byte_start && byte_start < byte_end && byte_end <= end);
                let body = &text[byte_start..byte_end];
                prop_assert!(Words.count(body) <= most, "{} tokens: {body:?}", Words.count(body));
                prop_assert!(Words.count(&text[chunk.context.clone()]) <= overlap);
                if !chunk.context.is_empty() {
                    prop_assert_eq!(chunk.context.end, found[at - 1].span.byte_end, "context is what stood before");
                }
                let first = text[..byte_start].matches('\n').count() + 1;
                prop_assert_eq!((line_start, line_end), (first, first + body.matches('\n').count()));
            }
            prop_assert!(found.is_empty() || end == text.len());
            // Every word of the text is in a body or a heading.
            if format == Format::Plain {
                let words = |t: &str| t.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::len).sum::<usize>();
                let kept: usize = found.iter().map(|c| words(&text[c.span.byte_start..c.span.byte_end])).sum();
                prop_assert_eq!(kept, words(text));
            }
        }
    }
}
