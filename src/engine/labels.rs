//! Which hits people said answer their questions: `ken search --good N`.
//!
//! They are kept only on request, in a file that only its owner can read. Only `ken bench from-index` reads them. It
//! makes labelled questions, and `ken bench calibrate` can fit a gate to those.

use super::{Engine, EngineError, Session, kept_lines};
use crate::store::WriterLock;
use crate::types::limits::LABELS;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file in the data directory: a JSON object a line.
pub(super) const FILE: &str = "labels.jsonl";

/// A text that somebody said answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// What was asked.
    pub question: String,
    /// Public id of what answers it.
    pub id: String,
    /// The file it is from; none for what is from no file.
    pub path: Option<String>,
    /// When it was stored, milliseconds since 1970.
    pub at: i64,
}

impl Engine {
    /// All labels, oldest first. Lines that are no label are skipped.
    ///
    /// # Errors
    /// [`EngineError::Io`] when the file is there and cannot be read.
    pub fn labels(&self) -> Result<Vec<Label>, EngineError> {
        kept_lines::read(self.settings.data.as_deref(), FILE, LABELS)
    }

    /// Stores that `id` answers `question`. A repeated label is stored once.
    ///
    /// # Errors
    /// [`EngineError`] when there is no data directory, another process writes, or the disk refuses.
    pub fn keep_label(
        &self,
        question: &str,
        id: &str,
        path: Option<&str>,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let lock = self.data_writer("ken search --good")?;
        let mut all = self.labels()?;
        all.retain(|label| label.question != question || label.id != id);
        let (question, id, path) = (question.to_owned(), id.to_owned(), path.map(str::to_owned));
        all.push(Label { question, id, path, at: session.now() });
        kept_lines::write(&lock, FILE, &all)
    }

    /// Removes the labels of these items and of all items from these files and folders.
    pub(super) fn forget_labels(
        &self,
        lock: &WriterLock,
        ids: &[String],
        paths: &[PathBuf],
    ) -> Result<(), EngineError> {
        if self.labels()?.is_empty() {
            return Ok(());
        }
        // The right to write to a shared store does not protect this file, which lies in the data directory.
        let of_folder = self.is_shared().then(|| self.data_writer("ken forget")).transpose()?;
        let lock = of_folder.as_ref().unwrap_or(lock);
        let all = self.labels()?;
        let is_under = |found: &str| paths.iter().any(|path| Path::new(found).starts_with(path));
        let stays = |label: &Label| !ids.contains(&label.id) && !label.path.as_deref().is_some_and(is_under);
        let kept: Vec<Label> = all.iter().filter(|label| stays(label)).cloned().collect();
        if kept.len() < all.len() { kept_lines::write(lock, FILE, &kept) } else { Ok(()) }
    }
}
