//! What can be found: an item, where it belongs and where it stands.

use super::Kind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where an item counts: `global`, or a repository's id (its root commit, else `path:` and its path).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scope(String);

impl Scope {
    /// Counts everywhere.
    pub fn global() -> Self {
        Self("global".to_owned())
    }

    /// Counts in one repository.
    pub fn repository(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// As it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who stands behind an item, from one to all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// One person.
    Personal,
    /// A team.
    Team,
    /// An organisation.
    Org,
}

impl Authority {
    /// The name in JSON and in files of memories.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Team => "team",
            Self::Org => "org",
        }
    }
}

/// Whether an item may be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It may.
    Active,
    /// Somebody says it is wrong.
    Disputed,
    /// It was forgotten: nothing but its id and the hash of its text is left.
    Retired,
}

/// A stretch of a text. Bytes from 0, half open; lines from 1, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// First byte.
    pub byte_start: usize,
    /// The byte after the last.
    pub byte_end: usize,
    /// First line.
    pub line_start: usize,
    /// Last line.
    pub line_end: usize,
}

/// One thing that can be found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Public id, stable as long as the text stays.
    pub uid: String,
    /// What it is.
    pub kind: Kind,
    /// Where it counts.
    pub scope: Scope,
    /// Who stands behind it.
    pub authority: Authority,
    /// Whether it may be served.
    pub state: State,
    /// For a chunk its heading path, joined by ` > `; may be empty.
    pub title: String,
    /// Its text.
    pub body: String,
    /// What else is known: `tags` and `provider` are what filters look at, [`CONTEXT`] is what stood before it.
    pub attributes: serde_json::Value,
    /// The file it stands in.
    pub path: Option<String>,
    /// Where in the file.
    pub span: Option<Span>,
    /// When it was first seen, milliseconds since 1970.
    pub created_at: i64,
    /// When its text came to be as it is, milliseconds since 1970.
    pub updated_at: i64,
}

/// The attribute that holds the end of the text before a chunk, where a section was cut.
pub const CONTEXT: &str = "context";

impl Item {
    /// The text that it is known by and searched by keywords: title and body.
    pub fn text(&self) -> String {
        titled(&self.title, &self.body)
    }

    /// The text that is embedded: title, what stood before, and body.
    pub fn passage(&self) -> String {
        passage(&self.title, &self.body, &self.attributes)
    }
}

/// A text below its title.
pub fn titled(title: &str, body: &str) -> String {
    if title.is_empty() { body.to_owned() } else { format!("{title}\n{body}") }
}

/// What stands between the headings of a title.
pub const BELOW: &str = " > ";

/// The innermost heading of a title: what its text itself is about.
pub fn heading(title: &str) -> &str {
    title.rsplit(BELOW).next().unwrap_or(title)
}

/// The text of an item with these attributes that is embedded.
pub fn passage(title: &str, body: &str, attributes: &serde_json::Value) -> String {
    match attributes.get(CONTEXT).and_then(serde_json::Value::as_str) {
        Some(context) => titled(title, &format!("{context}\n{body}")),
        None => titled(title, body),
    }
}
