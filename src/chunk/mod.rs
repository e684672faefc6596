//! Texts to pieces that can be found: where each stands, and under which headings.
//!
//! Decides the borders only; what becomes of a piece is for others. Pieces are in order, never overlap, begin and end on
//! character borders, and together hold every word of the text but its headings.

mod markdown;
mod paragraph;

pub use paragraph::{Piece, paragraphs};

/// How a text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown: headings and fenced code mean something.
    Markdown,
    /// Paragraphs between empty lines.
    Plain,
}
