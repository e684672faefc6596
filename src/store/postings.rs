//! The words of items inside the store, where it keeps them itself: what each item counts, and which items hold a term.
//!
//! Terms are numbers that whoever opens the store cuts texts into. Everything that is found is of items that are active
//! now; totals and document frequencies are exact at any time.

use super::{ItemFilter, ItemText, MemoryView, StoreError};
use crate::types::Scope;
use std::fmt;

/// What an item counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemWords {
    /// How many tokens its text has.
    pub length: u32,
    /// Its terms with their counts, ascending, each once.
    pub terms: Vec<(u64, u32)>,
}

/// Cuts the text of an item into terms.
#[derive(Clone, Copy)]
pub struct WordsOf(pub fn(&ItemText) -> ItemWords);

impl WordsOf {
    /// What an item counts.
    pub fn words(self, text: &ItemText) -> ItemWords {
        (self.0)(text)
    }
}

impl fmt::Debug for WordsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WordsOf")
    }
}

impl PartialEq for WordsOf {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for WordsOf {}

/// An item, and the segment that it was written to: an item that has changed since is another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemVersion {
    /// Row id.
    pub item: i64,
    /// Number of the segment.
    pub born: i64,
}

/// An item that holds a term, or did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// The item as it was then.
    pub version: ItemVersion,
    /// How often it holds the term.
    pub count: u32,
    /// How many tokens its text has.
    pub length: u32,
}

/// What ranking needs to know of all items that have words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordTotals {
    /// How many there are.
    pub documents: usize,
    /// Tokens of all of them.
    pub tokens: u64,
    /// How many hold each of the terms that were asked for, in their order.
    pub frequencies: Vec<usize>,
}

/// What an item counts of some terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TermCounts {
    /// How many tokens its text has.
    pub length: u32,
    /// How often it holds each term, in the order asked.
    pub counts: Vec<u32>,
}

/// Finds items by words. What several calls read is of one moment in a snapshot alone.
pub trait FindWords {
    /// How many items there are, and how many of them hold each term.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn word_totals(&self, terms: &[u64]) -> Result<WordTotals, StoreError>;

    /// The postings of each term, in the order asked. Some may be of versions that are gone: [`Self::admits`] tells.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds what nobody wrote.
    fn postings(&self, terms: &[u64]) -> Result<Vec<Vec<Posting>>, StoreError>;

    /// As [`Self::postings`], but `most` of each term at most: those of the newest segments, of these scopes, or of all
    /// if none is named. If a term has no more than that, they are all.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn newest_postings(&self, terms: &[u64], scopes: &[Scope], most: usize) -> Result<Vec<Vec<Posting>>, StoreError>;

    /// What items count of terms, in the order of the items; `None` for one that has no words.
    ///
    /// # Errors
    /// As [`Self::postings`].
    fn counts_of(&self, items: &[i64], terms: &[u64]) -> Result<Vec<Option<TermCounts>>, StoreError>;

    /// Those of these versions that are not gone and pass, in any order.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn admits(
        &self,
        filter: &ItemFilter,
        view: Option<&MemoryView>,
        versions: &[ItemVersion],
    ) -> Result<Vec<ItemVersion>, StoreError>;

    /// How many active items have no words yet: they were copied here, or are older than the words.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn lacking_words(&self) -> Result<usize, StoreError>;
}

/// Keeps the words of items in order. Words of an item that is written are kept with it, in the same batch.
pub trait KeepWords {
    /// Gives words to up to so many items that have none; gives to how many. 0 when none is left.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses or somebody else writes for long.
    fn index_words(&mut self, words: WordsOf, at_most: usize) -> Result<usize, StoreError>;

    /// Merges some segments into one of at most so many postings (an item has one for each of its terms), or removes
    /// some postings of items that are gone, if those are many; gives whether there was anything to do. What another
    /// process merges at the same time is left to it. Changes nothing that can be found.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn merge_words(&mut self, at_most: usize) -> Result<bool, StoreError>;

    /// Removes all postings of items that are gone.
    ///
    /// # Errors
    /// As [`Self::index_words`].
    fn purge_words(&mut self) -> Result<(), StoreError>;
}
