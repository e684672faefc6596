//! What people write for people, to blocks: Markdown, reStructuredText, AsciiDoc, HTML, notebooks, and plain
//! paragraphs.
//!
//! None of the readers fails: what one does not understand is text. Every line with a letter or digit that is not front
//! matter, a comment or a definition lies in exactly one block.

mod asciidoc;
mod html;
mod inline;
mod line;
mod markdown;
mod notebook;
mod plain;
#[cfg(test)]
mod property;
mod restructured_text;

pub(in crate::chunk) use asciidoc::asciidoc;
pub(in crate::chunk) use html::{Page, html};
pub(in crate::chunk) use line::Line;
pub(in crate::chunk) use markdown::markdown;
pub(in crate::chunk) use notebook::notebook;
pub(in crate::chunk) use plain::plain;
pub(in crate::chunk) use restructured_text::restructured_text;
