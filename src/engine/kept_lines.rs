//! Small files in the data directory that hold a JSON object a line: labels and feedback.

use super::EngineError;
use crate::map::open::{Links, read_text};
use crate::map::write_aside;
use crate::render::json_line;
use crate::store::WriterLock;
use crate::types::limits::Limit;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::Path;

/// What the file holds, oldest first; nothing if it is not there. Lines that hold anything else are skipped.
///
/// # Errors
/// [`EngineError::Io`] when the file is there and cannot be read.
pub(super) fn read<T: DeserializeOwned>(data: Option<&Path>, file: &str, limit: Limit) -> Result<Vec<T>, EngineError> {
    let Some(path) = data.map(|data| data.join(file)) else { return Ok(Vec::new()) };
    match read_text(&path, Links::Follow, limit) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(EngineError::Io { path, source }),
    }
}

/// Replaces what the file holds. A file with nothing in it is removed.
///
/// # Errors
/// [`EngineError::Io`] when the disk refuses.
pub(super) fn write<T: Serialize>(lock: &WriterLock, file: &str, all: &[T]) -> Result<(), EngineError> {
    let path = lock.folder().join(file);
    let text: String = all.iter().map(json_line).collect();
    let written = match all.is_empty() {
        true => std::fs::remove_file(&path),
        false => write_aside(&path, text.as_bytes()),
    };
    written.map_err(|source| EngineError::Io { path, source })
}
