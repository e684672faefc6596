//! What an item is.

use serde::{Deserialize, Serialize};

/// What an item is. Canon lies in packs; the other kinds live in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Curated knowledge from a pack.
    Canon,
    /// A piece of a document.
    Chunk,
    /// A convention.
    Preference,
    /// An observed quirk, or a commitment for a time.
    Fact,
    /// An attempted fix, worked or failed.
    Tactic,
    /// Something that went wrong.
    Problem,
    /// What a tool does.
    Tool,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Canon, Self::Chunk, Self::Preference, Self::Fact, Self::Tactic, Self::Problem, Self::Tool];

    /// The name in JSON, on the command line and in the database.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canon => "canon",
            Self::Chunk => "chunk",
            Self::Preference => "preference",
            Self::Fact => "fact",
            Self::Tactic => "tactic",
            Self::Problem => "problem",
            Self::Tool => "tool",
        }
    }

    /// The kind of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
