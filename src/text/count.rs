//! How long a text is in tokens: the seam between what cuts texts and what reads them.

/// Counts the tokens of a text.
pub trait CountTokens {
    /// What it is called, for people: a model's or an encoding's name.
    fn name(&self) -> &str;

    /// Tokens of the text alone, however long.
    fn count(&self, text: &str) -> usize;
}

/// Characters of a token in English prose.
const CHARS_PER_TOKEN: usize = 4;

/// Four characters to a token, rounded up: what is near enough where no tokenizer is at hand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Characters;

impl CountTokens for Characters {
    fn name(&self) -> &'static str {
        "chars"
    }

    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(CHARS_PER_TOKEN)
    }
}
