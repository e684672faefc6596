//! A question with a slip of the pen, as it was meant. A model reads "templte" as pieces that mean nothing, and no text
//! holds it as a word; so a question that nothing answers is asked again with the words that texts do hold.

use super::SearchError;
use super::search::SearchContext;
use crate::text::slips;
use std::collections::HashMap;

/// Longer questions say enough besides the word that is misspelt.
const MOST_WORDS: usize = 12;

/// Shorter words are one edit from too many others.
const LEAST_LETTERS: usize = 5;

/// The question with every misspelt word put right; `None` if no word is. A word is misspelt if no text that may answer
/// holds it, the model does not know it as a word, and one edit makes a word that texts hold. If several edits do, the
/// word that most texts hold is taken.
///
/// # Errors
/// [`SearchError`] when the tokenizer or the store fails.
pub fn respelled(context: &SearchContext<'_>, question: &str) -> Result<Option<String>, SearchError> {
    if question.split_whitespace().nth(MOST_WORDS).is_some() {
        return Ok(None);
    }
    let mut meant: HashMap<&str, String> = HashMap::new();
    for word in question.split(|c: char| !c.is_alphanumeric()).filter(|word| is_plain(word)) {
        let is_known = match context.semantics {
            Some(semantics) => semantics.encoder.count_tokens(&word.to_lowercase())? < 2,
            None => false,
        };
        if is_known || context.holders(&[word])?.iter().any(|holders| *holders > 0) {
            continue;
        }
        let slips = slips(&word.to_lowercase());
        let holders = context.holders(&slips.iter().map(String::as_str).collect::<Vec<_>>())?;
        let held = holders.into_iter().zip(slips);
        // Of equals the first of the alphabet.
        let best = held.filter(|(holders, _)| *holders > 0).max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        meant.extend(best.map(|(_, slip)| (word, slip)));
    }
    if meant.is_empty() {
        return Ok(None);
    }
    let mut out = String::with_capacity(question.len());
    for piece in question.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        out.push_str(meant.get(word).map_or(word, String::as_str));
        out.push_str(&piece[word.len()..]);
    }
    Ok(Some(out))
}

/// Whether a word is one of a language, not a name or a number.
fn is_plain(word: &str) -> bool {
    let rest = word.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(word);
    word.len() >= LEAST_LETTERS && rest.bytes().all(|byte| byte.is_ascii_lowercase())
}
