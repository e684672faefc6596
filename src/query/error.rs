//! Why a question has no answer.

use crate::embed::EmbedError;
use crate::store::StoreError;

/// A search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The model failed on the question.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// What is stored could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
