//! Vectors by text hash and model, which model the index is made with, and which items' vectors have changed.

use super::StoreError;
use crate::text::TextHash;
use crate::types::{Fingerprint, Generation};
use std::ops::ControlFlow;

/// A model that vectors were made with.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexModel {
    /// Row id.
    pub id: i64,
    /// What identifies it.
    pub fingerprint: Fingerprint,
    /// Components of a vector.
    pub dims: usize,
}

impl IndexModel {
    /// The model's name: the fingerprint without its digest.
    pub fn name(&self) -> &str {
        self.fingerprint.name()
    }
}

/// Vectors of a model, row by row.
#[derive(Debug, Default)]
pub struct VectorRows {
    /// Which text each row is of.
    pub hashes: Vec<TextHash>,
    /// `dims` components a row.
    pub data: Vec<f32>,
}

/// What is stored of some items' vectors.
#[derive(Debug, Default)]
pub struct ItemVectors {
    /// Which texts each item has: row id, part, hash. Part 0 is the whole, the others are stretches of a long one.
    pub embeddings: Vec<(i64, u32, TextHash)>,
    /// The vectors of those texts, as far as there are any.
    pub rows: VectorRows,
}

/// Reads vectors, and which model they are of.
pub trait ReadVectors {
    /// The model that the index is made with; none while it holds no vectors.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn index_model(&self) -> Result<Option<IndexModel>, StoreError>;

    /// The model that the index was made with before this one; none if it was never changed. Its vectors stay until the
    /// store is cleaned up.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn former_model(&self) -> Result<Option<IndexModel>, StoreError>;

    /// What is known of a model.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn model(&self, fingerprint: &Fingerprint) -> Result<Option<IndexModel>, StoreError>;

    /// A change of the model that is complete here and not yet in the configuration: from which name to which.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn pending_switch(&self) -> Result<Option<(String, String)>, StoreError>;

    /// The texts that have a vector of a model, each once. One of the wrong length, which only damage leaves, is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn vector_texts(&self, model: &IndexModel) -> Result<Vec<TextHash>, StoreError>;

    /// Gives every vector of a model to `visit` until that breaks off; one of the wrong length is left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn visit_vectors(
        &self,
        model: &IndexModel,
        visit: &mut dyn FnMut(&TextHash, &[f32]) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;

    /// Gives every vector of a model, one after another; one of the wrong length is left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or what `each` fails with.
    fn each_vector<E: From<StoreError>>(
        &self,
        model: &IndexModel,
        mut each: impl FnMut(&TextHash, &[f32]) -> Result<(), E>,
    ) -> Result<(), E>
    where
        Self: Sized,
    {
        let mut failed = Ok(());
        self.visit_vectors(model, &mut |hash, vector| super::until_error(&mut failed, each(hash, vector)))?;
        failed
    }

    /// Which texts each active item has: row id, part, hash; see [`ItemVectors::embeddings`].
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn embeddings(&self) -> Result<Vec<(i64, u32, TextHash)>, StoreError>;

    /// How many texts the items have.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn embedded_texts(&self) -> Result<usize, StoreError>;

    /// Whether a text has a vector of a model.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn has_vector(&self, model: &IndexModel, text: &TextHash) -> Result<bool, StoreError>;

    /// How many texts have no vector of a model (`None`: of no model).
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn texts_without_vector(&self, model: Option<&IndexModel>) -> Result<usize, StoreError>;

    /// Up to `most` texts that have no vector of a model.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds values that nobody wrote.
    fn unembedded(&self, model: Option<&IndexModel>, most: usize) -> Result<Vec<(TextHash, String)>, StoreError>;

    /// What is stored of the vectors of some items.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn vectors_of(&self, model: &IndexModel, items: &[i64]) -> Result<ItemVectors, StoreError>;
}

/// Reads which items' texts and vectors have changed.
pub trait ReadChanges {
    /// The last change.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn generation(&self) -> Result<Generation, StoreError>;

    /// Items that have changed since a generation, each once, by row id; `None` if they are more than `most`, or the
    /// generation is none of this store's, or too old to be known.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn changed_since(&self, since: Generation, most: usize) -> Result<Option<Vec<i64>>, StoreError>;

    /// How many changes are kept for a derived file that might ask for them.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn logged_changes(&self) -> Result<usize, StoreError>;
}

/// Keeps the log of changes for files that are derived from the store. It is no knowledge: whoever makes such a file
/// need not hold the right to write.
pub trait LogChanges: ReadChanges {
    /// A generation of its own for a file that is about to be made from what is read after this.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn begin_generation(&mut self) -> Result<Generation, StoreError>;

    /// Changes before a generation are not asked for any more: the file that is in place has them.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn forget_changes_before(&mut self, generation: Generation) -> Result<(), StoreError>;
}

/// Changes vectors and models. What it does becomes true with its batch.
pub trait WriteVectors {
    /// The model's row, made if it is new.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_model(&self, fingerprint: &Fingerprint, dims: usize) -> Result<IndexModel, StoreError>;

    /// Makes this the model of the index. `from` is the name that the configuration still has, if it is another.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn use_model(&self, fingerprint: &Fingerprint, from: Option<&str>) -> Result<(), StoreError>;

    /// The configuration has followed the index.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn end_switch(&self) -> Result<(), StoreError>;

    /// Adds vectors; one that is there stays.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_vectors<'v>(
        &self,
        model: &IndexModel,
        vectors: impl IntoIterator<Item = (TextHash, &'v [f32])>,
    ) -> Result<(), StoreError>;

    /// The texts that these items have. They are asked for before the items go or change: see
    /// [`Self::drop_vectors_of`].
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn texts_of_items(&self, items: &[i64]) -> Result<Vec<TextHash>, StoreError>;

    /// Removes the vectors of those of these texts that no item has; gives how many. It reads nothing else of the
    /// store.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn drop_vectors_of(&self, texts: &[TextHash]) -> Result<usize, StoreError>;

    /// Removes the vectors of all texts that no item has; gives how many. It compares all vectors with all items, so it
    /// is for cleaning up.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn drop_unused_vectors(&self) -> Result<usize, StoreError>;
}
