//! How much noise the stored texts answer with, kept beside them.

use super::StoreError;
use crate::types::CorpusNoise;

/// Reads what was measured.
pub trait ReadNoise {
    /// What was measured last; none where nothing was, or what is there cannot be read: it is measured again then.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn noise(&self) -> Result<Option<CorpusNoise>, StoreError>;
}

/// Keeps what was measured. What it does becomes true with its batch.
pub trait WriteNoise {
    /// Keeps it in place of what was there; none forgets that.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn put_noise(&self, noise: Option<&CorpusNoise>) -> Result<(), StoreError>;
}
