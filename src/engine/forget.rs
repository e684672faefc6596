//! Forgetting: items by id, files by path, what was forgotten, and the traces that a reader keeps on the disk.

use super::derived::Keep;
use super::{Engine, EngineError, Session, limit};
use crate::lock::{self, LockError};
use crate::screen::shown;
use crate::store::{
    Database, Forgotten, ForgottenPassage, ReadForgotten, ReadItems, ReadSources, StoreError, WriteEvents,
    WriteForgotten, WriterLock,
};
use crate::types::{Access, MEMORY_PREFIX, Memory};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long readers are waited for by whoever forgets.
const ERASE_TIMEOUT: Duration = Duration::from_secs(3);

/// The same where somebody came for something else.
const READER_GLANCE: Duration = Duration::from_millis(100);

/// Pauses between two attempts to erase what is left grow from the first to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Whether this may be the beginning of a memory's id, as other verbs take it.
fn is_start(id: &str) -> bool {
    id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What became of the traces that were left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erased {
    /// There are none.
    Nothing,
    /// They are gone.
    Done,
    /// Another process reads or writes all the time.
    Left,
    /// Another process waits for that already.
    Busy,
}

impl Engine {
    /// Forgets items and memories by id. What was forgotten before is counted as such.
    ///
    /// # Errors
    /// [`EngineError::NoItem`] when there is no such item; nothing is forgotten then.
    pub fn forget(&self, ids: &[String], access: &Access, session: &Session<'_>) -> Result<Forgotten, EngineError> {
        let (lock, mut database) = self.write_database("ken forget", session)?;
        let mut out = Forgotten::default();
        let mut rows = Vec::new();
        let mut memories: Vec<Memory> = Vec::new();
        for id in ids {
            if id.starts_with(MEMORY_PREFIX) || !id.contains('/') && database.item_id(id)?.is_none() && is_start(id) {
                let found = Self::with_problem(&database, id, access)?;
                out.already += usize::from(found.is_empty());
                memories.extend(found);
                continue;
            }
            match database.item_id(id)? {
                Some(row) if database.has_text(row)? => rows.push(row),
                _ if database.is_forgotten(id)? => out.already += 1,
                Some(row) => rows.push(row),
                None => return Err(EngineError::NoItem { id: id.clone() }),
            }
        }
        // First, so that a second attempt finds what a stopped one has left.
        self.forget_labels(&lock, ids, &[])?;
        rows.sort_unstable();
        rows.dedup();
        memories.sort_by(|a, b| a.id.cmp(&b.id));
        memories.dedup_by(|a, b| a.id == b.id);
        out.items = rows.len() + memories.len();
        if out.items == 0 {
            out.traces_left = database.has_traces()?;
            return Ok(out);
        }
        let batch = database.begin(&lock)?;
        for row in &rows {
            batch.forget_item(*row, session.now())?;
        }
        Self::forget_memories(&batch, &memories, session)?;
        batch.log(session.now(), "forgot", &serde_json::json!({"items": out.items}))?;
        batch.commit()?;
        out.traces_left = self.erase(&mut database, &lock, session)?;
        Ok(out)
    }

    /// Forgets files and folders, whether they are still there or not.
    ///
    /// # Errors
    /// [`EngineError::NoItem`] when nothing was indexed from one of them; nothing is forgotten then.
    pub fn forget_paths(&self, paths: &[PathBuf], session: &Session<'_>) -> Result<Forgotten, EngineError> {
        let lock = self.writer("ken forget")?;
        let mut database = self.open_to_write(&lock)?;
        // Asked before the traces are erased: they tell what a process that was stopped has forgotten.
        let sources = database.sources()?;
        let listed = database.forgotten()?;
        let mut rows = Vec::new();
        let mut out = Forgotten::default();
        for path in paths {
            let is_under = |found: &str| Path::new(found).starts_with(path);
            let under: Vec<i64> = sources.iter().filter(|(_, s)| is_under(&s.path)).map(|(id, _)| *id).collect();
            let known = listed.iter().any(|passage| passage.path.as_deref().is_some_and(is_under));
            if under.is_empty() && !known {
                if !database.is_traced(path)? {
                    return Err(EngineError::NoItem { id: shown(path).into_owned() });
                }
                out.already += 1;
            }
            rows.extend(under);
        }
        self.forget_labels(&lock, &[], paths)?;
        rows.sort_unstable();
        rows.dedup();
        out.files = rows.len();
        let batch = database.begin(&lock)?;
        for row in rows {
            out.items += batch.forget_source(row)?;
        }
        for path in paths {
            batch.forget_places_under(path)?;
        }
        batch.trace_paths(paths)?;
        batch.log(session.now(), "forgot", &serde_json::json!({"files": out.files, "items": out.items}))?;
        batch.commit()?;
        out.traces_left = self.erase(&mut database, &lock, session)?;
        Ok(out)
    }

    /// What was forgotten by id, oldest first.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn forgotten(&self) -> Result<Vec<ForgottenPassage>, EngineError> {
        match self.read_database()? {
            Some(database) => Ok(database.forgotten()?),
            None => Ok(Vec::new()),
        }
    }

    /// Lets what was forgotten by these ids come back with the next indexing; gives how many files are read again then.
    ///
    /// # Errors
    /// [`EngineError::NotForgotten`] when one was not forgotten; nothing is changed then.
    pub fn undo_forget(&self, ids: &[String], session: &Session<'_>) -> Result<usize, EngineError> {
        let (lock, mut database) = self.write_database("ken forget --undo", session)?;
        let batch = database.begin(&lock)?;
        let mut files = 0;
        for id in ids {
            files += batch.undo_forget(id)?.ok_or_else(|| EngineError::NotForgotten { id: id.clone() })?;
        }
        batch.log(session.now(), "remembered", &serde_json::json!({"items": ids.len()}))?;
        batch.commit()?;
        Ok(files)
    }

    /// Takes the traces off the disk; gives whether some are left.
    pub(super) fn erase(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        session: &Session<'_>,
    ) -> Result<bool, EngineError> {
        let left = !limit::lifted_on(database, |database| database.erase_traces(lock, ERASE_TIMEOUT))?;
        if left {
            self.leave_traces(session);
        }
        // Indexes of measurements are made of sets, not of what is indexed here; somebody may have measured their own
        // notes.
        if let Some(folder) = self.settings.cache.as_ref().map(|cache| cache.join("bench")).filter(|f| f.is_dir()) {
            session.note(format!(
                "{} holds copies of the sets that `ken bench` measured; delete it if one of them holds the same text",
                shown(&folder)
            ));
        }
        // The gate is not fitted here, but when something is indexed: fitting it may wait for the vectors of the packs,
        // and every other writer would wait too.
        self.keep_files(database, lock, Keep::Usable, session)?;
        Ok(left)
    }

    /// Takes off the disk what a process that was stopped, or a reader, has left of what was forgotten.
    pub(super) fn erase_old_traces(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let erased = limit::lifted_on(database, |database| {
            Ok::<_, StoreError>(!database.has_traces()? || database.erase_traces(lock, READER_GLANCE)?)
        })?;
        if !erased {
            self.leave_traces(session);
        }
        Ok(())
    }

    /// Says that traces are left, and has a process of its own wait for the readers.
    fn leave_traces(&self, session: &Session<'_>) {
        let waits = self.settings.later.is_some_and(|later| later());
        let how = if waits { "a process in the background waits for it" } else { "`ken gc` takes them away" };
        session.note(format!("another process is reading, so traces of what was forgotten stay on the disk; {how}"));
    }

    /// Whether something was forgotten of which traces are left on the disk.
    ///
    /// # Errors
    /// [`EngineError`] when the database refuses.
    pub fn has_traces(&self) -> Result<bool, EngineError> {
        match self.read_database()? {
            Some(database) => Ok(database.has_traces()?),
            None => Ok(false),
        }
    }

    /// Takes the traces away that a reader has left in the log, trying again for so long while somebody reads. What a
    /// process that was stopped has left takes longer, and is for whoever writes next: nobody is to wait for what
    /// nobody has asked for.
    ///
    /// # Errors
    /// [`EngineError`] when the disk or the database refuses.
    pub fn erase_later(&self, patience: Duration, session: &Session<'_>) -> Result<Erased, EngineError> {
        let path = match self.read_database()? {
            Some(database) if database.has_traces_in_log()? => waiting_lock(database.path()),
            _ => return Ok(Erased::Nothing),
        };
        let alone = match lock::take(&path, Duration::ZERO, &mut || {}) {
            Ok(lock) => lock,
            Err(LockError::Held(_)) => return Ok(Erased::Busy),
            Err(LockError::Open(source) | LockError::Unsupported(source)) => {
                return Err(EngineError::Io { path, source });
            }
        };
        let (mut pause, mut waited) = (FIRST_PAUSE, Duration::ZERO);
        let erased = loop {
            match self.erase_now() {
                Ok(true) => break Erased::Done,
                Ok(false) | Err(EngineError::Store(StoreError::Busy { .. })) => {}
                Err(error) => return Err(error),
            }
            if waited >= patience || session.is_stopped() {
                break Erased::Left;
            }
            std::thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        };
        drop(alone);
        Ok(erased)
    }

    fn erase_now(&self) -> Result<bool, EngineError> {
        let lock = self.writer("ken gc --auto")?;
        let mut database = self.open_to_write(&lock)?;
        Ok(!database.has_traces_in_log()? || database.erase_traces(&lock, READER_GLANCE)?)
    }
}

/// What makes only one process at a time wait for readers.
fn waiting_lock(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(".traces.lock");
    PathBuf::from(name)
}
