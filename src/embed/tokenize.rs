//! From text to token ids, cut at the model's limit.
//!
//! The rules come from the model's `tokenizer.json`; truncation and padding in that file are overruled, because the
//! manifest decides the length and nothing is padded. The special tokens that the file puts around a text are learnt
//! once and put there by us, so that one pass gives both the ids and whether something was cut. A text far beyond the
//! limit is cut before it is tokenised, at a length that real text cannot undercut, so that a log of 100 MB costs no
//! more than a page.

use super::EmbedError;
use super::wordpiece::{Facts, WordPiece};
use crate::map::open::{self, Links};
use crate::types::limits::TOKENIZER;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tokenizers::Tokenizer;

/// Bytes per token at which a text is certainly too long: many times what any language needs.
const BYTES_PER_TOKEN: usize = 256;

/// The ids of one text, or of a question and a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub ids: Vec<u32>,
    /// Where the second text begins; the end where there is none.
    pub second: usize,
    pub truncated: bool,
}

/// A tokenizer with the model's limit.
pub(crate) struct TextTokenizer {
    path: PathBuf,
    /// Read when the compact tokenizer cannot tokenise a text, or at once where there is no compact one.
    real: OnceLock<Tokenizer>,
    compact: Option<WordPiece>,
    facts: Facts,
    max_tokens: usize,
}

impl TextTokenizer {
    /// Reads `tokenizer.json`; ids at or above `vocab` have no row in the model and are refused here.
    pub(crate) fn read(path: &Path, max_tokens: usize, vocab: usize) -> Result<Self, EmbedError> {
        Self::with(path, max_tokens, vocab, |_, _, _| None)
    }

    /// Reads the compact form of the tokenizer from `cache`, or makes it from `tokenizer.json`, whose hash is `digest`,
    /// and writes it there.
    pub(crate) fn compact(
        path: &Path,
        digest: &str,
        cache: Option<&Path>,
        max_tokens: usize,
        vocab: usize,
    ) -> Result<Self, EmbedError> {
        if let Some(compact) = cache.and_then(|cache| WordPiece::open(cache, digest)) {
            let facts = compact.facts().clone();
            check(path, &facts, max_tokens, vocab)?;
            return Ok(Self { path: path.into(), real: OnceLock::new(), compact: Some(compact), facts, max_tokens });
        }
        Self::with(path, max_tokens, vocab, |json, real, facts| WordPiece::make(json, real, facts, digest, cache))
    }

    fn with(
        path: &Path,
        max_tokens: usize,
        vocab: usize,
        compact: impl FnOnce(&[u8], &Tokenizer, &Facts) -> Option<WordPiece>,
    ) -> Result<Self, EmbedError> {
        let bytes = open::read(path, Links::Follow, TOKENIZER).map_err(EmbedError::io(path))?;
        let bad = |what: String| EmbedError::Tokenizer { path: path.into(), what };
        let tokenizer = parse(&bytes).map_err(&bad)?;
        let highest = tokenizer.get_vocab(true).into_values().max().unwrap_or(0);
        let encode = |text: &str, special| ids_of(&tokenizer, text, special).map_err(&bad);
        let (before, after) = special_tokens(&encode)?
            .ok_or_else(|| bad("it does more with a text than to put special tokens around it".into()))?;
        let facts = Facts { highest, before, after };
        check(path, &facts, max_tokens, vocab)?;
        let compact = compact(&bytes, &tokenizer, &facts);
        Ok(Self { path: path.into(), real: tokenizer.into(), compact, facts, max_tokens })
    }

    pub(crate) fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    pub(crate) fn special_tokens(&self) -> usize {
        self.facts.before.len() + self.facts.after.len()
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
        let plain = self.ids(input)?;
        let room = self.max_tokens - self.special_tokens();
        let kept = &plain[..plain.len().min(room)];
        let truncated = cut.len() < text.len() || kept.len() < plain.len();
        let ids = [&self.facts.before, kept, &self.facts.after].concat();
        Ok(Tokens { second: ids.len(), ids, truncated })
    }

    /// The ids of a question that goes before texts, special tokens included: at most half of what there is room for,
    /// so that there is always a text beside it.
    pub(crate) fn question(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let most = self.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let plain = self.ids(&text[..text.floor_char_boundary(most)])?;
        let room = self.max_tokens.saturating_sub(self.special_tokens() + self.facts.after.len()) / 2;
        Ok([&self.facts.before, &plain[..plain.len().min(room)], &self.facts.after].concat())
    }

    /// The ids of a question and a text as BERT was trained with them, `[CLS] question [SEP] text [SEP]`, the text cut
    /// at [`Self::max_tokens`].
    pub(crate) fn pair(&self, question: &[u32], text: &str) -> Result<Tokens, EmbedError> {
        let most = self.max_tokens.saturating_mul(BYTES_PER_TOKEN);
        let cut = &text[..text.floor_char_boundary(most)];
        let plain = self.ids(cut)?;
        let room = self.max_tokens.saturating_sub(question.len() + self.facts.after.len());
        let kept = &plain[..plain.len().min(room)];
        let truncated = cut.len() < text.len() || kept.len() < plain.len();
        Ok(Tokens { ids: [question, kept, &self.facts.after].concat(), second: question.len(), truncated })
    }

    /// Tokens of the text alone.
    pub(crate) fn count(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(self.ids(text)?.len())
    }

    /// The ids of a text, nothing around them.
    fn ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        if let Some(ids) = self.compact.as_ref().and_then(|compact| compact.encode(text)) {
            return Ok(ids);
        }
        ids_of(self.real()?, text, false).map_err(|what| self.error(what))
    }

    fn real(&self) -> Result<&Tokenizer, EmbedError> {
        if let Some(real) = self.real.get() {
            return Ok(real);
        }
        let bytes = open::read(&self.path, Links::Follow, TOKENIZER).map_err(EmbedError::io(&self.path))?;
        let real = parse(&bytes).map_err(|what| self.error(what))?;
        Ok(self.real.get_or_init(|| real))
    }

    fn error(&self, what: String) -> EmbedError {
        EmbedError::Tokenizer { path: self.path.clone(), what }
    }
}

/// The ids of a text, with special tokens around it or without.
fn ids_of(tokenizer: &Tokenizer, text: &str, special: bool) -> Result<Vec<u32>, String> {
    guarded(|| Ok(tokenizer.encode_fast(text, special).map_err(|e| e.to_string())?.get_ids().to_vec()))
}

/// A tokenizer that neither cuts nor pads.
fn parse(json: &[u8]) -> Result<Tokenizer, String> {
    if let Some(id) = unknown_special(json) {
        return Err(format!("its post-processor puts {id} around a text, and does not say what that is"));
    }
    guarded(|| {
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|e| e.to_string())?;
        tokenizer.with_padding(None).with_truncation(None).map_err(|e| e.to_string())?;
        Ok(tokenizer)
    })
}

/// A special token of a template that the file does not describe: the library looks it up without asking.
fn unknown_special(json: &[u8]) -> Option<String> {
    let file: Value = serde_json::from_slice(json).ok()?;
    let mut open = vec![&file["post_processor"]];
    while let Some(processor) = open.pop() {
        open.extend(processor["processors"].as_array().into_iter().flatten());
        let sides = ["single", "pair"].into_iter().flat_map(|side| processor[side].as_array().into_iter().flatten());
        for id in sides.filter_map(|piece| piece["SpecialToken"]["id"].as_str()) {
            if processor["special_tokens"].get(id).is_none() {
                return Some(id.to_owned());
            }
        }
    }
    None
}

/// Work of the tokenizer library, which panics on some files that contradict themselves. A panic there can leave
/// nothing half done but its caches, and these are locked.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    outcome.unwrap_or_else(|_| Err("it contradicts itself, and cannot be used".to_owned()))
}

/// Checks that the tokenizer fits a model with a vocabulary of `vocab` and texts of `max_tokens`.
fn check(path: &Path, facts: &Facts, max_tokens: usize, vocab: usize) -> Result<(), EmbedError> {
    let bad = |what: String| Err(EmbedError::Tokenizer { path: path.into(), what });
    let highest = facts.highest as usize;
    if highest >= vocab {
        return bad(format!("it knows the token {highest}, the model only {vocab} tokens"));
    }
    if facts.before.len() + facts.after.len() + 1 > max_tokens {
        return bad(format!("its special tokens leave no room in {max_tokens}"));
    }
    Ok(())
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
