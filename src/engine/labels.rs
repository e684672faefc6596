//! Which hits people said answer their questions: `ken search --good N`.
//!
//! They are kept only on request, in a file that only its owner can read. Only `ken bench from-index` reads them. It
//! makes labelled questions, and `ken bench calibrate` can fit a gate to those.

use super::{Engine, EngineError, Session};
use crate::map::open::{Links, read_text};
use crate::map::write_aside;
use crate::render::json_line;
use crate::store::WriterLock;
use crate::types::limits::LABELS;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
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
        let Some(data) = &self.settings.data else { return Ok(Vec::new()) };
        let path = data.join(FILE);
        match read_text(&path, Links::Follow, LABELS) {
            Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(EngineError::Io { path, source }),
        }
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
        self.data()?;
        let lock = self.writer("ken search --good")?;
        let mut all = self.labels()?;
        all.retain(|label| label.question != question || label.id != id);
        let (question, id, path) = (question.to_owned(), id.to_owned(), path.map(str::to_owned));
        all.push(Label { question, id, path, at: session.now() });
        write(&lock, &all)
    }

    /// Removes the labels of these items and of all items from these files and folders.
    pub(super) fn forget_labels(
        &self,
        lock: &WriterLock,
        ids: &[String],
        paths: &[PathBuf],
    ) -> Result<(), EngineError> {
        let all = self.labels()?;
        let is_under = |found: &str| paths.iter().any(|path| Path::new(found).starts_with(path));
        let stays = |label: &Label| !ids.contains(&label.id) && !label.path.as_deref().is_some_and(is_under);
        let kept: Vec<Label> = all.iter().filter(|label| stays(label)).cloned().collect();
        if kept.len() < all.len() { write(lock, &kept) } else { Ok(()) }
    }
}

fn write(lock: &WriterLock, labels: &[Label]) -> Result<(), EngineError> {
    let path = lock.folder().join(FILE);
    let text: String = labels.iter().map(json_line).collect();
    let written = match labels.is_empty() {
        true => std::fs::remove_file(&path),
        false => write_aside(&path, text.as_bytes()),
    };
    written.map_err(|source| EngineError::Io { path, source })
}
