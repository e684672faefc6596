//! From text to token ids, cut at the model's limit.
//!
//! The rules come from the model's `tokenizer.json`; truncation and padding in that file are overruled, because the
//! manifest decides the length and nothing is padded. The special tokens that the file puts around a text are learnt
//! once and put there by us, so that one pass gives both the ids and whether something was cut. A text far beyond the
//! limit is cut before it is tokenised, at a length that real text cannot undercut, so that a log of 100 MB costs no
//! more than a page.

use super::EmbedError;
use std::path::{Path, PathBuf};
use tokenizers::Tokenizer;

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
    tokenizer: Tokenizer,
    max_tokens: usize,
    before: Vec<u32>,
    after: Vec<u32>,
}

impl TextTokenizer {
    /// Reads `tokenizer.json`; ids at or above `vocab` have no row in the model and are refused here.
    pub(crate) fn read(path: &Path, max_tokens: usize, vocab: usize) -> Result<Self, EmbedError> {
        let bytes = std::fs::read(path).map_err(EmbedError::io(path))?;
        let bad = |what: String| EmbedError::Tokenizer { path: path.into(), what };
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(|e| bad(e.to_string()))?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|e| bad(e.to_string()))?;
        let highest = tokenizer.get_vocab(true).into_values().max().unwrap_or(0) as usize;
        if highest >= vocab {
            return Err(bad(format!("it knows the token {highest}, the model only {vocab} tokens")));
        }
        let encode = |text: &str, special| {
            Ok(tokenizer.encode_fast(text, special).map_err(|e| bad(e.to_string()))?.get_ids().to_vec())
        };
        let (before, after) = special_tokens(&encode)?
            .ok_or_else(|| bad("it does more with a text than to put special tokens around it".into()))?;
        if before.len() + after.len() + 1 > max_tokens {
            return Err(bad(format!("its special tokens leave no room in {max_tokens}")));
        }
        Ok(Self { path: path.into(), tokenizer, max_tokens, before, after })
    }

    pub(crate) fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    pub(crate) fn special_tokens(&self) -> usize {
        self.before.len() + self.after.len()
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
        let encoding = self.tokenizer.encode_fast(input, false).map_err(|e| self.error(&e))?;
        let plain = encoding.get_ids();
        let room = self.max_tokens - self.special_tokens();
        let kept = &plain[..plain.len().min(room)];
        let truncated = cut.len() < text.len() || kept.len() < plain.len();
        Ok(Tokens { ids: [&self.before, kept, &self.after].concat(), truncated })
    }

    /// Tokens of the text alone.
    pub(crate) fn count(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(self.tokenizer.encode_fast(text, false).map_err(|e| self.error(&e))?.len())
    }

    fn error(&self, error: &tokenizers::Error) -> EmbedError {
        EmbedError::Tokenizer { path: self.path.clone(), what: error.to_string() }
    }
}

/// Ids before and after a text.
type Around = (Vec<u32>, Vec<u32>);
type Encode<'a> = &'a dyn Fn(&str, bool) -> Result<Vec<u32>, EmbedError>;

/// Special tokens before and after a text, or nothing when the file does something else with it.
fn special_tokens(encode: Encode<'_>) -> Result<Option<Around>, EmbedError> {
    let around = encode("", true)?;
    let probes = ["a", "hello world", "x = 1"];
    let mut pairs = Vec::new();
    for probe in probes {
        pairs.push((encode(probe, false)?, encode(probe, true)?));
    }
    Ok((0..=around.len()).find_map(|split| {
        let (before, after) = around.split_at(split);
        let fits = |(plain, full): &(Vec<u32>, Vec<u32>)| *full == [before, plain, after].concat();
        pairs.iter().all(fits).then(|| (before.to_vec(), after.to_vec()))
    }))
}
