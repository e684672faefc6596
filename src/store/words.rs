//! The words of items: their texts for a term index, and how much text there is.

use super::StoreError;
use crate::text::TextHash;
use std::ops::ControlFlow;

/// How much text there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Corpus {
    /// Active items.
    pub items: usize,
    /// Keyword tokens of all of them.
    pub words: usize,
}

/// The text of an active item, as it is cut into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemText {
    /// Row id.
    pub id: i64,
    /// Its title; may be empty.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Hash of title and body as they were stored.
    pub text_hash: TextHash,
}

/// Reads what a term index is made of.
pub trait ReadWords {
    /// How much text there is.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds values that nobody wrote.
    fn corpus(&self) -> Result<Corpus, StoreError>;

    /// The texts of active items by row id, in the order asked; others are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn texts_of(&self, ids: &[i64]) -> Result<Vec<ItemText>, StoreError>;

    /// Gives the text of every active item to `visit` in the order of row ids, until that breaks off.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn visit_texts(&self, visit: &mut dyn FnMut(ItemText) -> ControlFlow<()>) -> Result<(), StoreError>;

    /// Gives the text of every active item, in the order of row ids.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or what `each` fails with.
    fn each_text<E: From<StoreError>>(&self, mut each: impl FnMut(ItemText) -> Result<(), E>) -> Result<(), E>
    where
        Self: Sized,
    {
        let mut failed = Ok(());
        self.visit_texts(&mut |text| super::until_error(&mut failed, each(text)))?;
        failed
    }
}
