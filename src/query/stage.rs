//! Parts of a search that can be measured one by one.
//!
//! A search says which part begins and knows no clock: whoever listens has one. Nobody else pays more than a call.

/// A part of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The question's vectors.
    Embed,
    /// The nearest rows, and how near each candidate is.
    Vectors,
    /// The texts that share words with the question, and how many.
    Words,
    /// Both together: the second round, relevance, order.
    Fuse,
    /// Everything else: opening, filters, reading what was named, counters, what is shown.
    Rest,
}

impl Stage {
    /// All of them, in the order of a search.
    pub const ALL: [Self; 5] = [Self::Embed, Self::Vectors, Self::Words, Self::Fuse, Self::Rest];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Embed => "embed",
            Self::Vectors => "vectors",
            Self::Words => "words",
            Self::Fuse => "fuse",
            Self::Rest => "rest",
        }
    }
}

/// Hears which part of a search begins; before the first one, and after the last, it is [`Stage::Rest`].
pub type OnStage<'a> = &'a dyn Fn(Stage);
