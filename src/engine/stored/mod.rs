//! A store that several machines use finds items itself, by vectors and by words: nothing is derived from it on this
//! machine. What it finds with is kept in order by whoever writes.

mod finder;
mod keep;

pub(super) use finder::{StoredFinder, StoredItems};

use crate::lexical::{TermText, text_terms};
use crate::store::{ItemText, ItemWords, WordsOf};

/// The words that items of a shared store are found by: those of a file of words.
pub(super) const WORDS: WordsOf = WordsOf(words);

fn words(item: &ItemText) -> ItemWords {
    let (length, terms) = text_terms(&super::derived::Headed::new(item));
    ItemWords { length, terms }
}
