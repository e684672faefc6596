//! What a text is made of, whatever it is written in: the common ground of the readers of formats and of what cuts.

use std::ops::Range;

/// Whole lines that belong together. Blocks are in order and do not overlap; what lies between two (empty lines, code
/// that is left out) belongs to none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its bytes, without the last line's ending.
    pub range: Range<usize>,
    /// What it is.
    pub role: BlockRole,
}

/// What a block is to the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockRole {
    /// A heading of this level, from 1, with its plain text.
    Heading {
        /// From 1, which is the outermost.
        level: usize,
        /// Without marks.
        title: String,
    },
    /// A paragraph, or anything else that may be cut at a line end when it is too long.
    Text,
    /// What hangs together and is cut only if it alone is too long: a listing, a table, a list.
    Whole,
    /// A term with its description, as in lists of options and settings: a small section of the one that it stands in.
    Entry {
        /// Without marks; not empty.
        term: String,
        /// Where the lines of the term end and those of the description begin, from the beginning of the text.
        lead: usize,
    },
    /// A thing that a source file declares, with its documentation: found by itself, never joined to another.
    Declaration {
        /// Its names from outside in, such as `impl Retry` and `fn backoff`.
        path: Vec<String>,
        /// Where it is cut if it is too long, in order: beginnings of lines, and how deep in its syntax each lies.
        borders: Vec<(usize, u16)>,
    },
}
