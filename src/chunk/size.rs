//! How long a stretch is, and how long it may be.

use crate::text::CountTokens;

/// How long chunks are, in tokens of the model that embeds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest chunk.
    pub most: usize,
    /// Below this a chunk is joined to a neighbour.
    pub least: usize,
    /// How much of the text before it a chunk gets as context, where a section was cut.
    pub overlap: usize,
    /// What the model reads at once, without its special tokens: headings, context and chunk have room in it.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { most: 500, least: 50, overlap: 50, window: 510 }
    }
}

impl Limits {
    /// Room for a chunk under headings of so many tokens.
    pub(super) fn room(&self, headings: usize) -> usize {
        let left = self.window.saturating_sub(headings + self.overlap());
        // A model that reads little at once reads at least that of the chunk.
        self.most.min(left.max(self.window / 2)).max(1)
    }

    /// The overlap, smaller where the model reads little at once.
    pub(super) fn overlap(&self) -> usize {
        self.overlap.min(self.window / 8)
    }
}

/// Counts tokens, but never fewer than a text of this length can have: to a model a word of a megabyte may be one
/// unknown token, to people it is a megabyte.
pub(super) struct Sizer<'a> {
    pub counter: &'a dyn CountTokens,
}

impl Sizer<'_> {
    /// More bytes than a token of real text has, on average over a chunk.
    pub const BYTES_PER_TOKEN: usize = 8;

    pub fn tokens(&self, text: &str) -> usize {
        self.counter.count(text).max(text.len() / Self::BYTES_PER_TOKEN)
    }
}
