//! A file's text as it is read: what is cut, stored, embedded and compared with the file later is one function of the
//! file's bytes. Most texts are read as they stand. A page of HTML is read as a person sees it, without its tags, and a
//! notebook without its JSON and its outputs.

use super::block::Block;
use super::{Format, markup};
use std::borrow::Cow;
use std::sync::Arc;

/// A text as it is read.
#[derive(Debug, Clone)]
pub struct Reading<'t> {
    /// What there is to read.
    pub text: Cow<'t, str>,
    /// Where its lines are in the file.
    pub lines: FileLines,
    /// How the file is laid out.
    pub(super) format: Format,
    /// What the file says that it is called, where that stands outside of the text.
    pub(super) title: Option<String>,
    /// Its blocks, where they were found on the way.
    pub(super) blocks: Option<Vec<Block>>,
}

impl<'t> Reading<'t> {
    /// Reads a text that is laid out so.
    pub fn new(text: &'t str, format: Format) -> Self {
        let page = match format {
            Format::Html => Some(markup::html(text)),
            Format::Notebook => markup::notebook(text),
            _ => None,
        };
        let Some(markup::Page { text, lines, blocks, title }) = page else {
            // What is called a notebook and is none is text.
            let format = if format == Format::Notebook { Format::Plain } else { format };
            let text = Cow::Borrowed(text);
            return Self { text, lines: FileLines::default(), format, title: None, blocks: None };
        };
        let lines = FileLines(Some(lines.into()));
        Self { text: Cow::Owned(text), lines, format, title, blocks: Some(blocks) }
    }
}

impl Reading<'_> {
    /// How the file is laid out.
    pub fn format(&self) -> Format {
        self.format
    }
}

/// The lines of a reading as lines of its file.
#[derive(Debug, Clone, Default)]
pub struct FileLines(Option<Arc<[u32]>>);

impl FileLines {
    /// The line of the file that this line of the reading begins in; both count from 1.
    pub fn of(&self, line: usize) -> usize {
        let Some(lines) = &self.0 else { return line };
        lines.get(line.saturating_sub(1)).or(lines.last()).map_or(1, |line| *line as usize)
    }
}
