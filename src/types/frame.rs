//! A frame: what a language model is given for a task, under a budget of tokens.

use super::Kind;
use serde::Serialize;

/// How a stretch of text stands to the file that it was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The file holds it where it was found.
    Fresh,
    /// The file holds it elsewhere, and that is what is cited.
    Moved,
    /// The file no longer holds it.
    Changed,
    /// The file is gone.
    Gone,
    /// There is no file here to compare it with: an entry of a pack, or what an import brought.
    Unfiled,
}

/// A part of a frame, in the order of the frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// `task`, `knowledge`, `learnings`, `state` or `instructions`.
    pub name: &'static str,
    /// What it may have cost.
    pub share: usize,
    /// What it costs, its heading included.
    pub tokens: usize,
    /// Whether it was too long and had to be cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What it is made of, where that is recalled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Piece>,
}

/// A recalled stretch of text: one item, or neighbours as one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Piece {
    /// Id of the item that scored best.
    pub id: String,
    /// Ids of the neighbours that were joined to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<String>,
    /// What kind of item it is.
    pub kind: Kind,
    /// Heading path, or the title of an entry.
    pub title: String,
    /// The file it stands in.
    pub path: Option<String>,
    /// First line in the file now, from 1.
    pub line_start: Option<usize>,
    /// Last line in the file now, inclusive.
    pub line_end: Option<usize>,
    /// What it costs with its heading.
    pub tokens: usize,
    /// Score of the best of it, in \[0, 1\].
    pub score: f32,
    /// Probability that it is of use, in \[0, 1\].
    pub relevance: f32,
    /// What speaks for it: `meaning`, `words`, or `both`; `always` of a preference that counts whatever the task is.
    pub reason: &'static str,
    /// How it stands to its file.
    pub state: Standing,
    /// The text, as it stands in the file.
    pub text: String,
}

/// Why something is not in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is not relevant enough.
    Gate,
    /// What is in the frame says the same.
    Duplicate,
    /// Its file has its share of the frame.
    File,
    /// It does not fit into what was left of the budget.
    Budget,
    /// Its file no longer holds it.
    Changed,
    /// Its file is gone.
    Gone,
}

/// What was considered and left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// Its id.
    pub id: String,
    /// Where it stands, or its title.
    pub place: String,
    /// Probability that it is of use, in \[0, 1\].
    pub relevance: f32,
    /// Why.
    pub why: Reason,
}

/// What `ken pack` gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Frame {
    /// Tokens that it may cost.
    pub budget: usize,
    /// Tokens that it costs, all of it.
    pub tokens: usize,
    /// Whose tokens.
    pub tokenizer: String,
    /// The moment that ages are counted from, milliseconds since 1970.
    pub as_of: i64,
    /// Whether the model took part.
    pub semantic: bool,
    /// Its parts, in order.
    pub sections: Vec<Section>,
    /// What was left out; present when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOut>>,
    /// The frame itself: Markdown with front matter.
    pub text: String,
}

impl Frame {
    /// The recalled pieces.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.sections.iter().flat_map(|section| &section.items)
    }
}
