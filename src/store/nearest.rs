//! The nearest texts of a question, found where the vectors lie.
//!
//! Such a store keeps a copy of each vector in half precision ([`KeepNearest::index_vectors`] adds missing ones). From
//! some thousands on it also keeps an index of these copies. A search by that index may miss a near text. How many it
//! finds is measured on the store itself, as a certificate.

use super::{IndexModel, ItemFilter, MemoryView, StoreError};
use crate::text::TextHash;
use serde::{Deserialize, Serialize};

/// A text that is near to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct NearText {
    /// Row id of the item that has it.
    pub item: i64,
    /// Which of the item's texts it is: 0 is the whole, the others are stretches of a long one.
    pub part: u32,
    /// Its hash.
    pub hash: TextHash,
    /// Its vector as it is stored, with components of 32 bits.
    pub vector: Vec<f32>,
}

/// How the nearest texts are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearestSearch {
    /// Compares all vectors. Finds all that there is.
    Exact,
    /// By the index. Finds most of what there is.
    Approximate {
        /// How many times as many texts as are wanted are looked at; 1 or more.
        over_fetch: usize,
    },
}

/// What there is of an index for the vectors of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NearestIndex {
    /// It is there.
    Ready,
    /// There are too few vectors to need one; all of them are compared.
    Small,
    /// The vectors have more components than an index takes; all of them are compared.
    TooLong,
    /// Another process makes it now.
    BeingMade,
    /// There are enough vectors to need one, and nobody makes it.
    Missing,
    /// There are enough vectors to need one, but it is not there, and only whoever owns the table may make it.
    NotOwner,
}

/// How much a search by the index finds of what a comparison of all vectors finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearestCertificate {
    /// The share of the nearest texts that it found, between 0 and 1: the smaller one of the nearest 10 and 100.
    pub recall: f64,
    /// The share that was aimed at.
    pub target: f64,
    /// How many stored vectors were asked as questions.
    pub queries: usize,
    /// The `over_fetch` of [`NearestSearch::Approximate`] that this holds for.
    pub over_fetch: usize,
    /// How many vectors there were.
    pub vectors: usize,
}

impl NearestCertificate {
    /// The search that it holds for.
    pub fn search(&self) -> NearestSearch {
        NearestSearch::Approximate { over_fetch: self.over_fetch }
    }

    /// Whether to measure again: there are at least twice as many vectors as when it was measured.
    pub fn is_stale(&self, vectors: usize) -> bool {
        vectors >= self.vectors.saturating_mul(2)
    }
}

/// Finds the nearest texts.
pub trait ReadNearest {
    /// Texts of the `most` items that are nearest to a vector, nearest first by their inner product with it. Items must
    /// be active and pass `among`. Fewer items come back only if there are no more. An item comes with each of its
    /// texts that was looked at. Texts that [`KeepNearest::index_vectors`] has not seen yet are not found.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn nearest(
        &self,
        model: &IndexModel,
        vector: &[f32],
        most: usize,
        among: Option<(&ItemFilter, Option<&MemoryView>)>,
        how: NearestSearch,
    ) -> Result<Vec<NearText>, StoreError>;

    /// How many vectors of a model can be searched.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn searchable_vectors(&self, model: &IndexModel) -> Result<usize, StoreError>;

    /// How many vectors of all models can be searched, about, as the server knows without counting; `None` if it does
    /// not know yet.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn about_vectors(&self) -> Result<Option<usize>, StoreError>;

    /// What there is of the index of a model. One that a stopped process has left half made is none.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn nearest_index(&self, model: &IndexModel) -> Result<NearestIndex, StoreError>;

    /// The certificate of a model, if one was made.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn nearest_certificate(&self, model: &IndexModel) -> Result<Option<NearestCertificate>, StoreError>;
}

/// Keeps what nearest texts are found with. It is derived from the vectors.
pub trait KeepNearest: ReadNearest {
    /// Makes up to `at_most` vectors searchable that are not; gives how many. Call it until it gives 0.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn index_vectors(&self, model: &IndexModel, at_most: usize) -> Result<usize, StoreError>;

    /// Makes the index of a model if there are enough vectors and it is not there. Searches and changes go on
    /// meanwhile, but this may take many minutes. First make all vectors searchable: one that is added later takes
    /// longer. Indexes of models that are neither this one nor in use are dropped. Whoever has the right to write gives
    /// it away meanwhile: the server waits for statements that wait for that right.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn ensure_nearest_index(&self, model: &IndexModel) -> Result<NearestIndex, StoreError>;

    /// Measures how much a search by the index finds and looks at more texts until that is `target_recall`, between 0
    /// and 1, or no more can be looked at. The result is stored for all who use the store.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn certify(&self, model: &IndexModel, target_recall: f64) -> Result<NearestCertificate, StoreError>;
}
