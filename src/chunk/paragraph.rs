//! Paragraphs: what stands between empty lines, with the headings above it.
//!
//! A fenced block stays in one piece with the text that it follows without an empty line. A piece that only announces the
//! next one (it is short, or ends with a colon) is joined to it. What is longer than [`MAX_BYTES`] is cut at a line end,
//! else at a sentence, else at a space.

use super::Format;
use super::markdown::{closes, fence, heading, underline};
use crate::types::Span;

/// Longest piece in bytes: about what a model of 512 tokens reads.
pub const MAX_BYTES: usize = 1800;

/// A piece below this says too little to be found by itself.
const SHORT_BYTES: usize = 60;

/// Headings of a path, and bytes of one heading, that are kept.
const MAX_HEADINGS: usize = 6;
const MAX_HEADING_BYTES: usize = 120;

/// A stretch of a text under its headings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// One line with its place.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    number: usize,
}

/// A run of lines under the same headings.
struct Draft {
    headings: Vec<String>,
    span: Span,
}

/// Cuts a text into paragraphs.
pub fn paragraphs(text: &str, format: Format) -> Vec<Piece> {
    let drafts = match format {
        Format::Markdown => markdown(text),
        Format::Plain => plain(text),
    };
    let mut out = Vec::new();
    for draft in join(drafts, text) {
        for span in cut(text, draft.span) {
            if text[span.byte_start..span.byte_end].chars().any(char::is_alphanumeric) {
                out.push(Piece { headings: draft.headings.clone(), span });
            }
        }
    }
    out
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, whole)| {
        let text = whole.trim_end_matches(['\n', '\r']);
        let line = Line { text, start, end: start + text.len(), number: index + 1 };
        start += whole.len();
        line
    })
}

/// Collects lines into drafts.
#[derive(Default)]
struct Collector {
    headings: Vec<(usize, String)>,
    open: Option<Span>,
    drafts: Vec<Draft>,
}

impl Collector {
    fn add(&mut self, line: Line<'_>) {
        match &mut self.open {
            Some(span) => (span.byte_end, span.line_end) = (line.end, line.number),
            None => {
                self.open = Some(Span {
                    byte_start: line.start,
                    byte_end: line.end,
                    line_start: line.number,
                    line_end: line.number,
                });
            }
        }
    }

    fn close(&mut self) {
        if let Some(span) = self.open.take() {
            let headings = self.headings.iter().map(|(_, text)| text.clone()).collect();
            self.drafts.push(Draft { headings, span });
        }
    }

    fn enter(&mut self, level: usize, text: &str) {
        self.close();
        self.headings.retain(|(above, _)| *above < level);
        let text = &text[..text.floor_char_boundary(MAX_HEADING_BYTES)];
        if !text.is_empty() && self.headings.len() < MAX_HEADINGS {
            self.headings.push((level, text.to_owned()));
        }
    }
}

fn plain(text: &str) -> Vec<Draft> {
    let mut out = Collector::default();
    for line in lines(text) {
        if line.text.trim().is_empty() { out.close() } else { out.add(line) }
    }
    out.close();
    out.drafts
}

fn markdown(text: &str) -> Vec<Draft> {
    let mut out = Collector::default();
    let mut fenced = None;
    let mut front_matter = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    for line in lines(text) {
        if front_matter {
            // Ends with the next row of dashes; a text that never has one was no front matter.
            let ends = line.number > 1 && matches!(line.text.trim_end(), "---" | "...");
            if line.number == 1 && !text.lines().skip(1).any(|l| matches!(l.trim_end(), "---" | "...")) {
                front_matter = false;
            }
            if ends {
                front_matter = false;
                out.close();
            } else if line.number > 1 {
                out.add(line);
            }
            continue;
        }
        if let Some(mark) = fenced {
            out.add(line);
            if closes(line.text, mark) {
                fenced = None;
            }
            continue;
        }
        if let Some(mark) = fence(line.text) {
            out.add(line);
            fenced = Some(mark);
        } else if line.text.trim().is_empty() {
            out.close();
        } else if let Some((level, title)) = heading(line.text) {
            out.enter(level, title);
        } else if let (Some(level), Some(span)) = (underline(line.text), out.open)
            && span.line_start == span.line_end
        {
            let title = text[span.byte_start..span.byte_end].trim().to_owned();
            out.open = None;
            out.enter(level, &title);
        } else {
            out.add(line);
        }
    }
    out.close();
    out.drafts
}

/// Joins what only announces the next piece to it.
fn join(drafts: Vec<Draft>, text: &str) -> Vec<Draft> {
    let mut out: Vec<Draft> = Vec::new();
    for draft in drafts {
        if let Some(last) = out.last_mut().filter(|last| last.headings == draft.headings) {
            let body = text[last.span.byte_start..last.span.byte_end].trim_end();
            let announces = body.len() < SHORT_BYTES || body.ends_with(':');
            if announces && draft.span.byte_end - last.span.byte_start <= MAX_BYTES {
                (last.span.byte_end, last.span.line_end) = (draft.span.byte_end, draft.span.line_end);
                continue;
            }
        }
        out.push(draft);
    }
    out
}

/// Cuts a stretch that is too long.
fn cut(text: &str, span: Span) -> Vec<Span> {
    let mut out = Vec::new();
    let (mut start, mut line) = (span.byte_start, span.line_start);
    while span.byte_end - start > MAX_BYTES {
        let window = &text[start..start + text[start..].floor_char_boundary(MAX_BYTES)];
        let half = window.len() / 2;
        let after = |at: Option<usize>, width: usize| at.map(|at| at + width).filter(|at| *at > half);
        let length = after(window.rfind('\n'), 1)
            .or_else(|| after(window.rfind(". "), 2))
            .or_else(|| after(window.rfind(' '), 1))
            .unwrap_or(window.len());
        let piece = &text[start..start + length];
        let body = piece.trim_end();
        let line_end = line + body.matches('\n').count();
        out.push(Span { byte_start: start, byte_end: start + body.len(), line_start: line, line_end });
        line += piece.matches('\n').count();
        start += length;
    }
    if start < span.byte_end {
        out.push(Span { byte_start: start, byte_end: span.byte_end, line_start: line, line_end: span.line_end });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(text: &str, format: Format) -> Vec<(String, &str, usize)> {
        let show = |piece: Piece| {
            let body = &text[piece.span.byte_start..piece.span.byte_end];
            (piece.headings.join(" > "), body, piece.span.line_start)
        };
        paragraphs(text, format).into_iter().map(show).collect()
    }

    #[test]
    fn headings_lead_and_fences_hold_together() {
        let text = "---\ntitle: x marks the spot where the treasure of the island was buried\n---\n# Top\n\nA first paragraph that is long enough to stand by itself, surely.\n\n## Inner\n\nRun this:\n\n```sh\n# not a heading\n\nmake all\n```\n\nSecond\n======\nThe last paragraph comes under a heading that is underlined, right?\n";
        let found = seen(text, Format::Markdown);
        let expected = [
            ("", "title: x marks the spot where the treasure of the island was buried", 2),
            ("Top", "A first paragraph that is long enough to stand by itself, surely.", 6),
            ("Top > Inner", "Run this:\n\n```sh\n# not a heading\n\nmake all\n```", 10),
            ("Second", "The last paragraph comes under a heading that is underlined, right?", 20),
        ];
        assert_eq!(found, expected.map(|(h, b, l)| (h.to_owned(), b, l)));
    }

    #[test]
    fn long_ones_are_cut_where_it_hurts_least() {
        let text = "A sentence that says something. ".repeat(200);
        let found = paragraphs(&text, Format::Plain);
        assert!(found.len() >= 4);
        for piece in &found {
            let body = &text[piece.span.byte_start..piece.span.byte_end];
            assert!(body.len() <= MAX_BYTES && body.starts_with("A sentence") && body.trim_end().ends_with('.'));
        }
    }

    proptest! {
        #[test]
        fn pieces_are_in_order_and_lose_no_word(
            text in "(([a-zäß#=`~-]{0,9}|# [a-z]{1,5}|```|---|===|[a-z .]{60,90})\r?\n){0,40}[a-zß ]{0,5000}",
            markdown: bool,
        ) {
            let format = if markdown { Format::Markdown } else { Format::Plain };
            let pieces = paragraphs(&text, format);
            let mut end = 0;
            for piece in &pieces {
                prop_assert!(piece.span.byte_start >= end && piece.span.byte_start < piece.span.byte_end);
                end = piece.span.byte_end;
                let body = &text[piece.span.byte_start..end];
                prop_assert!(body.len() <= MAX_BYTES);
                let first = text[..piece.span.byte_start].matches('\n').count() + 1;
                prop_assert_eq!((piece.span.line_start, piece.span.line_end), (first, first + body.matches('\n').count()));
            }
            let words = |t: &str| t.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count();
            let kept: usize = pieces.iter().map(|p| words(&text[p.span.byte_start..p.span.byte_end])).sum();
            if format == Format::Plain {
                // A word longer than a piece is cut in two.
                prop_assert!(kept >= words(&text));
            }
        }
    }
}
