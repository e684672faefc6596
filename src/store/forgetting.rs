//! What was forgotten on request: what a store remembers of it, and how a batch forgets.

use super::StoreError;
use crate::text::Sketches;
use std::collections::HashMap;
use std::path::Path;

/// A passage that was forgotten by id. Its text is not kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ForgottenPassage {
    /// The id it had.
    pub id: String,
    /// When, milliseconds since 1970; unknown for what an earlier version forgot.
    pub forgotten_at: Option<i64>,
    /// The file it stood in, unless that was forgotten too.
    pub path: Option<String>,
    /// How many lines it had there.
    pub lines: Option<usize>,
    /// Files that it is kept out of now, beside the one it was forgotten from.
    pub kept_out_of: usize,
    /// Whether it stays away when its words change a little. What an earlier version forgot does not.
    pub by_words: bool,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Forgotten {
    /// Files.
    pub files: usize,
    /// Items, those of the files among them.
    pub items: usize,
    /// What was asked for and had been forgotten before: ids, or paths of which traces were left.
    pub already: usize,
    /// Whether traces are left on the disk, because another process is reading.
    pub traces_left: bool,
}

/// Reads what was forgotten by id.
pub trait ReadForgotten {
    /// What was forgotten by id, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds values that nobody wrote.
    fn forgotten(&self) -> Result<Vec<ForgottenPassage>, StoreError>;

    /// Whether this id was forgotten.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn is_forgotten(&self, uid: &str) -> Result<bool, StoreError>;

    /// What texts are compared with before they are taken in, and the ids by row.
    ///
    /// # Errors
    /// As [`ReadForgotten::forgotten`].
    fn sketches(&self) -> Result<(Sketches, HashMap<i64, String>), StoreError>;
}

/// Forgets, and undoes it. What it does becomes true with its batch.
pub trait WriteForgotten {
    /// Forgets an item. It leaves its id and hashes of its words, so that it does not come back when a file that holds
    /// it is read. The vectors of its texts go, unless another item has the same text.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn forget_item(&self, id: i64, at_ms: i64) -> Result<(), StoreError>;

    /// Forgets a file with its items; gives how many were served until now. The vectors of their texts go, unless
    /// another item has the same text. The file counts as new if it is indexed again.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn forget_source(&self, id: i64) -> Result<usize, StoreError>;

    /// No longer says that something stood in a file under this path; gives of how many passages it did.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn forget_places_under(&self, path: &Path) -> Result<usize, StoreError>;

    /// Says what a file was kept free of, by row.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn keep_out(&self, source: i64, forgotten: &[i64]) -> Result<(), StoreError>;

    /// What was forgotten by this id may come back: the files that hold it are read again at the next indexing. Gives
    /// how many files that are; `None` if the id was not forgotten.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    fn undo_forget(&self, uid: &str) -> Result<Option<usize>, StoreError>;
}
