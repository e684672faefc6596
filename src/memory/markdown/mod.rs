//! Memories as Markdown with front matter, out and in: what a repository keeps below `.ken/memory` and reviews like
//! code, and what an export writes.
//!
//! ```text
//! ---
//! kind: preference
//! authority: team
//! category: naming
//! ---
//! Names of tables are in the singular.
//! ```
//!
//! A file may hold several, each with its front matter (`split` says where the next begins). A key that is not known
//! is an error and no guess: a memory whose `until` was misspelt would be served for ever. What [`write()`] writes,
//! [`read()`] reads back to the letter; where a text cannot stand below the front matter, it stands in it as `text`.

mod error;
mod format;
mod matter;
mod split;
mod write;

pub use error::MarkdownError;
pub use format::{
    AUTHORITIES, KINDS, MAX_FIELD_BYTES, MAX_FILE_BYTES, MAX_FRONT_MATTER_BYTES, MAX_LONG_FIELD_BYTES, MAX_MEMORIES,
    MAX_TAGS, MAX_TEXT_BYTES, MarkdownMemory, PlacedMemory,
};
pub use write::{write, write_all};

use std::borrow::Cow;

/// Reads a file of one memory.
///
/// # Errors
/// What is wrong with it, and in which line; also if it holds none or several.
pub fn read(text: &str) -> Result<MarkdownMemory, MarkdownError> {
    let mut all = read_all(text)?.into_iter();
    let first = all.next().ok_or_else(|| MarkdownError::new(1, "there is no memory in it"))?;
    match all.next() {
        Some(second) => Err(MarkdownError::new(second.line_start, "a second memory begins here")),
        None => Ok(first.memory),
    }
}

/// Reads a file of any number of memories, in their order; of an empty file none.
///
/// # Errors
/// What is wrong with it, and in which line.
pub fn read_all(text: &str) -> Result<Vec<PlacedMemory>, MarkdownError> {
    if text.len() > MAX_FILE_BYTES {
        return Err(MarkdownError::new(1, format!("a file of memories has at most {MAX_FILE_BYTES} bytes")));
    }
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    // As an editor on Windows writes it.
    let text = if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
    let parts = split::split(&text)?;
    if let Some(part) = parts.get(MAX_MEMORIES) {
        return Err(MarkdownError::new(part.line_start, format!("a file has at most {MAX_MEMORIES} memories")));
    }
    let placed = |part: &split::Part<'_>| {
        let memory = matter::memory(part)?;
        Ok(PlacedMemory { memory, line_start: part.line_start, line_end: part.line_end })
    };
    parts.iter().map(placed).collect()
}

#[cfg(test)]
mod tests;
