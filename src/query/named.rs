//! The entries that share words with a question. While a model has no vectors of the packs, these are embedded first.

use super::collections::CanonCollection;
use super::knowledge::Knowledge;
use super::options::SearchOptions;
use super::question::Question;
use std::collections::{HashMap, HashSet};

/// Most entries of one question.
pub(super) const BY_WORDS: usize = 64;

/// Places of the entries that share most words with a search's question, ascending.
pub fn named_entries(knowledge: &Knowledge, question: &str, options: &SearchOptions) -> Vec<usize> {
    let filters = options.canon_filters();
    let collection = CanonCollection {
        knowledge,
        vectors: None,
        filters: filters.as_ref(),
        rejected: HashSet::new(),
        generic: HashMap::new(),
        also: None,
        texts: 0,
        used: &|_| None,
    };
    let named = collection.named(&Question::new(question).terms, BY_WORDS);
    named.into_iter().map(|entry| entry as usize).collect()
}
