//! What people say of answers: `ken lookup --worked` and `--wrong`.
//!
//! It is kept only on request, in a file that only its owner can read: ids of entries and fingerprints of errors, no
//! text. So that the last answer need not be named, its ids are kept for each terminal.

use super::{Engine, EngineError, Session, kept_lines};
use crate::map::open::{Links, read_text};
use crate::map::write_aside;
use crate::render::json_line;
use crate::store::make_private;
use crate::types::limits::{FEEDBACK, LAST_ANSWER};
use crate::types::{Answer, Feedback, FeedbackLog};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// The file in the data directory: a JSON object a line.
pub(super) const FILE: &str = "feedback.jsonl";

/// The folder in the data directory with a file for each terminal.
pub(super) const LAST: &str = "last";

/// How long the last answer of a terminal is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An entry that was answered, and the fingerprint of the error that it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// `pack/slug`.
    pub entry: String,
    /// Fingerprint of the error.
    pub fingerprint: String,
}

impl Engine {
    /// Everything that was said of answers. Lines that are no feedback are skipped.
    ///
    /// # Errors
    /// [`EngineError::Io`] when the file is there and cannot be read.
    pub fn feedback(&self) -> Result<FeedbackLog, EngineError> {
        Ok(FeedbackLog(kept_lines::read(self.settings.data.as_deref(), FILE, FEEDBACK)?))
    }

    /// The same for [`LookupOptions::feedback`](crate::query::LookupOptions::feedback): a file that cannot be read is a
    /// note. Measurements go without it.
    pub fn usable_feedback(&self, session: &Session<'_>) -> Arc<FeedbackLog> {
        let feedback = self.feedback().unwrap_or_else(|error| {
            session.note(format!("what you said of answers could not be read: {error}"));
            FeedbackLog::default()
        });
        Arc::new(feedback)
    }

    /// Stores that an answer worked, or that it was wrong. Without `entry` it is the first answer that this terminal
    /// was shown last; an entry that it was not shown counts for no error in particular.
    ///
    /// # Errors
    /// [`EngineError::NoLastAnswer`] when no answer of this terminal is known, [`EngineError::NoEntry`] for an id that
    /// no entry has; [`EngineError`] when there is no data directory, another process writes, or the disk refuses.
    pub fn keep_feedback(
        &self,
        entry: Option<&str>,
        worked: bool,
        terminal: Option<&str>,
        session: &Session<'_>,
    ) -> Result<Feedback, EngineError> {
        let last = terminal.map(|terminal| self.last_answers(terminal)).unwrap_or_default();
        let (entry, fingerprint) = match entry {
            None => {
                let first = last.into_iter().next().ok_or(EngineError::NoLastAnswer)?;
                (first.entry, Some(first.fingerprint))
            }
            Some(id) => {
                let id = self.packs(session).entry(id)?.id().to_owned();
                let shown = last.into_iter().find(|answered| answered.entry == id);
                (id, shown.map(|answered| answered.fingerprint))
            }
        };
        let lock = self.data_writer("ken lookup --worked")?;
        let mut all = self.feedback()?.0;
        let said = Feedback { entry, fingerprint, worked, at: session.now() };
        all.push(said.clone());
        kept_lines::write(&lock, FILE, &all)?;
        Ok(said)
    }

    /// Keeps which entries a terminal was shown, for [`Engine::keep_feedback`]. Best effort: a lookup does not fail for
    /// it.
    pub fn keep_last_answer(&self, answer: &Answer, terminal: &str, session: &Session<'_>) {
        let answered: Vec<Answered> = answer
            .results
            .iter()
            .flat_map(|finding| finding.hits.iter().map(|hit| (hit.id.clone(), finding.error.fingerprint.clone())))
            .map(|(entry, fingerprint)| Answered { entry, fingerprint })
            .collect();
        let Some(path) = self.last_path(terminal).filter(|_| !answered.is_empty()) else { return };
        let Some(folder) = path.parent() else { return };
        if self.data().is_ok() && make_private(folder).is_ok() {
            remove_old(folder, session.now());
            drop(write_aside(&path, json_line(&answered).as_bytes()));
        }
    }

    /// What this terminal was shown last, best first.
    fn last_answers(&self, terminal: &str) -> Vec<Answered> {
        let text = self.last_path(terminal).and_then(|path| read_text(&path, Links::Follow, LAST_ANSWER).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn last_path(&self, terminal: &str) -> Option<PathBuf> {
        let name: String = Sha256::digest(terminal).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Some(self.settings.data.as_ref()?.join(LAST).join(format!("{name}.json")))
    }
}

/// Removes the answers of terminals that nobody uses any more; `now_ms` is milliseconds since 1970.
fn remove_old(folder: &Path, now_ms: i64) {
    let now = UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms).unwrap_or(0));
    let is_old = |path: &PathBuf| {
        let changed = std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
        changed.and_then(|changed| now.duration_since(changed).ok()).is_some_and(|age| age > KEPT)
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    files.filter(is_old).for_each(|path| drop(std::fs::remove_file(path)));
}
