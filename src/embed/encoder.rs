//! The seam between what needs vectors and what makes them.
//!
//! Everything above `embed` holds a `Box<dyn Encoder>`. `candle` is the first implementation; a fused CPU path takes
//! the same place, with the same fingerprint when it computes at the same precision.

use super::EmbedError;
use crate::types::{Fingerprint, Role};

/// Turns texts into unit vectors.
pub trait Encoder: Send {
    /// Identifies everything that decides a passage vector of this encoder.
    fn fingerprint(&self) -> &Fingerprint;

    /// Length of a vector.
    fn dims(&self) -> usize;

    /// Most tokens of one text, special tokens and prefix included; what lies beyond is cut off.
    fn max_tokens(&self) -> usize;

    /// Tokens that every text of this role costs besides its own: the special tokens and the prefix.
    fn overhead_tokens(&self, role: Role) -> usize;

    /// Unit vectors in the order of `texts`. The role's prefix is put before each text; a text beyond
    /// [`Self::max_tokens`] is cut and reported as such. An empty text is allowed. `progress` hears how many texts are
    /// done, after each batch.
    ///
    /// # Errors
    /// When the tokenizer or the tensor library fails, or a vector is zero or not finite.
    fn encode(&self, texts: &[&str], role: Role, progress: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError>;

    /// Tokens of the text alone, however long: no special tokens, no prefix, no cut.
    ///
    /// # Errors
    /// When the tokenizer fails.
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError>;
}

/// One text's vector and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    /// Of length 1, [`Encoder::dims`] long.
    pub vector: Vec<f32>,
    /// Tokens that went through the model, special tokens and prefix included.
    pub tokens: usize,
    /// Whether the text was longer than the model takes.
    pub truncated: bool,
}
