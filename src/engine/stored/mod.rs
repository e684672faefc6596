//! A store that several machines use finds items itself, by vectors and by words: nothing is derived from it on this
//! machine. What it finds with is kept in order by whoever writes.

mod finder;
mod keep;

pub(super) use finder::{StoredFinder, StoredItems};

use super::derived::Headed;
use crate::lexical::DocumentTerms;
use crate::store::{ItemText, ItemWords, WordsOf};

/// The words that items of a shared store are found by: those of a file of words.
pub(super) const WORDS: WordsOf = WordsOf(words);

fn words(item: &ItemText) -> ItemWords {
    let DocumentTerms { length, terms } = DocumentTerms::of(&Headed::new(item));
    ItemWords { length, terms }
}
