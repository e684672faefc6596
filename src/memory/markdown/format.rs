//! What a memory is in a file: its keys, what they may hold, and how long that may be.

use crate::types::limits::{ITEM_TEXT_BYTES, ITEM_TITLE_BYTES};

/// All keys, in the order in which they are written.
pub(super) const KEYS: &[&str] = &[
    "id",
    "kind",
    "authority",
    "title",
    "category",
    "pattern",
    "service",
    "region",
    "subject",
    "until",
    "tags",
    "global",
    "worked",
    "error",
    "fingerprint",
    "because",
    "text",
];

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 4 << 20;
/// The most memories in one file.
pub const MAX_MEMORIES: usize = 10_000;
/// The longest front matter, in bytes.
pub const MAX_FRONT_MATTER_BYTES: usize = 128 << 10;
/// The longest text of a memory, in bytes.
pub const MAX_TEXT_BYTES: usize = ITEM_TEXT_BYTES;
/// The longest `error` and `because`, in bytes.
pub const MAX_LONG_FIELD_BYTES: usize = 16 << 10;
/// The longest of the other fields and of a tag, in bytes.
pub const MAX_FIELD_BYTES: usize = ITEM_TITLE_BYTES;
/// The most tags of a memory.
pub const MAX_TAGS: usize = 64;

/// What `kind` may be.
pub const KINDS: &[&str] = &["preference", "fact", "tactic"];
/// What `authority` may be. Whether a file may claim one is for the caller to decide.
pub const AUTHORITIES: &[&str] = &["personal", "team", "org"];

/// A memory as its file has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownMemory {
    /// Its id, if it has one already.
    pub id: Option<String>,
    /// One of [`KINDS`].
    pub kind: String,
    /// One of [`AUTHORITIES`], if the file says it.
    pub authority: Option<String>,
    /// A few words, where they are no part of the text.
    pub title: Option<String>,
    /// What a preference is about.
    pub category: Option<String>,
    /// Within the category, which convention it is.
    pub pattern: Option<String>,
    /// The service that a fact is about.
    pub service: Option<String>,
    /// The region that a fact is about.
    pub region: Option<String>,
    /// Which property of the service.
    pub subject: Option<String>,
    /// When it ceases to hold: `2026-11-22` or `2026-11-22T12:00Z`.
    pub until: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it counts in every repository.
    pub global: Option<bool>,
    /// An example of the error that a tactic is for.
    pub error: Option<String>,
    /// The fingerprint of an error that is masked already, as an export writes it.
    pub fingerprint: Option<String>,
    /// Whether a tactic worked.
    pub worked: Option<bool>,
    /// Why it is so.
    pub because: Option<String>,
    /// What it says, in Markdown; never empty.
    pub text: String,
}

impl MarkdownMemory {
    /// The first line of its text, if that is a heading.
    pub fn heading(&self) -> Option<&str> {
        let line = self.text.lines().next()?.trim_end();
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        let title = title.trim_start().trim_end_matches('#').trim_end();
        ((1..=6).contains(&level) && line[level..].starts_with(' ') && !title.is_empty()).then_some(title)
    }
}

/// A memory and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedMemory {
    /// The memory.
    pub memory: MarkdownMemory,
    /// Its first line, the one of dashes, from 1.
    pub line_start: usize,
    /// Its last line that is not empty.
    pub line_end: usize,
}
