//! Words of items that a batch has yet to write.

use crate::store::ItemWords;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Words that a batch has yet to write.
#[derive(Debug, Default)]
pub(super) struct Pending {
    items: RefCell<BTreeMap<i64, ItemWords>>,
    /// Terms of all of them.
    terms: Cell<usize>,
}

impl Pending {
    /// Holds those of an item.
    pub fn push(&self, item: i64, words: ItemWords) {
        self.terms.set(self.terms.get() + words.terms.len());
        self.items.borrow_mut().insert(item, words);
    }

    /// Holds them no more.
    pub fn take(&self) -> BTreeMap<i64, ItemWords> {
        self.terms.set(0);
        self.items.take()
    }

    /// Terms of all of them.
    pub fn terms(&self) -> usize {
        self.terms.get()
    }
}
