//! From text to token ids, cut at the model's limit.
//!
//! The rules come from the model's `tokenizer.json`; truncation and padding in that file are overruled, because the
//! manifest decides the length and nothing is padded. A text far beyond the limit is cut before it is tokenised, at a
//! length that real text cannot undercut, so that a log of 100 MB costs no more than a page.

use super::EmbedError;
use std::path::{Path, PathBuf};
use tokenizers::{Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

/// Bytes per token at which a text is certainly too long: many times what any language needs.
const BYTES_PER_TOKEN: usize = 256;

/// The ids of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub ids: Vec<u32>,
    pub truncated: bool,
}

/// A tokenizer with the model's limit.
pub(crate) struct TextTokenizer {
    path: PathBuf,
    cutting: Tokenizer,
    counting: Tokenizer,
    max_tokens: usize,
    special_tokens: usize,
}

impl TextTokenizer {
    /// Reads `tokenizer.json`; ids at or above `vocab` have no row in the model and are refused here.
    pub(crate) fn read(path: &Path, max_tokens: usize, vocab: usize) -> Result<Self, EmbedError> {
        let bytes = std::fs::read(path).map_err(EmbedError::io(path))?;
        let bad = |what: String| EmbedError::Tokenizer { path: path.into(), what };
        let mut counting = Tokenizer::from_bytes(&bytes).map_err(|e| bad(e.to_string()))?;
        counting.with_padding(None).with_truncation(None).map_err(|e| bad(e.to_string()))?;
        let highest = counting.get_vocab(true).into_values().max().unwrap_or(0) as usize;
        if highest >= vocab {
            return Err(bad(format!("it knows the token {highest}, the model only {vocab} tokens")));
        }
        let special_tokens = counting.encode_fast("", true).map_err(|e| bad(e.to_string()))?.len();
        if special_tokens + 1 > max_tokens {
            return Err(bad(format!("{special_tokens} special tokens leave no room in {max_tokens}")));
        }
        let mut cutting = counting.clone();
        cutting
            .with_truncation(Some(TruncationParams {
                max_length: max_tokens,
                strategy: TruncationStrategy::LongestFirst,
                stride: 0,
                direction: TruncationDirection::Right,
            }))
            .map_err(|e| bad(e.to_string()))?;
        Ok(Self { path: path.into(), cutting, counting, max_tokens, special_tokens })
    }

    pub(crate) fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    pub(crate) fn special_tokens(&self) -> usize {
        self.special_tokens
    }

    /// The ids of `prefix` and `text` together, special tokens included, at most [`Self::max_tokens`].
    pub(crate) fn encode(&self, prefix: &str, text: &str) -> Result<Tokens, EmbedError> {
        let most = self.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let cut = &text[..text.floor_char_boundary(most)];
        let joined;
        let input = if prefix.is_empty() {
            cut
        } else {
            joined = format!("{prefix}{cut}");
            &joined
        };
        let encoding = self.cutting.encode_fast(input, true).map_err(|e| self.error(&e))?;
        let truncated = cut.len() < text.len() || !encoding.get_overflowing().is_empty();
        Ok(Tokens { ids: encoding.get_ids().to_vec(), truncated })
    }

    /// Tokens of the text alone.
    pub(crate) fn count(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(self.counting.encode_fast(text, false).map_err(|e| self.error(&e))?.len())
    }

    fn error(&self, error: &tokenizers::Error) -> EmbedError {
        EmbedError::Tokenizer { path: self.path.clone(), what: error.to_string() }
    }
}
