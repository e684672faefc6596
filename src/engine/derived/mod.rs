//! Files that are derived from the database: the vectors of the items and their words. What has changed since they were
//! made is laid over them, and once that is much they are due.
//!
//! They are derived: whoever finds none that can be used reads the database. Whoever writes has the vectors made again
//! later by a process of its own, if there is a way to start one, and makes them at once where there is no file to use
//! meanwhile; the words are merged at once, which is quick. Nobody waits for either: a search has the old file or the
//! new one.
//!
//! Two never make one at once. Files are begun under the writer's lock alone, and whoever begins removes what others
//! have begun: a process that works without the lock finds its own gone, and stops. So what was forgotten meanwhile
//! never comes back either: whoever forgets removes the files and all that are to become them, after the texts.

mod terms;
mod vectors;

pub(super) use terms::{Headed, terms};
pub(super) use vectors::{VectorChanges, Vectors, file as vector_file, vectors};

use super::{Engine, EngineError, Progress, Session, limit};
use crate::ann::{GraphOptions, Grown, grow};
use crate::lock::{self, LockError};
use crate::map::{Aside, Room};
use crate::screen::shown;
use crate::store::{Database, IndexModel, LogChanges, ReadChanges, ReadVectors, WriterLock};
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// When derived files are made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// When they cannot be used, or are due.
    Usable,
    /// When anything has changed since they were made.
    Current,
    /// In any case.
    Anew,
}

/// How an attempt ended to build the files, or the index of a shared store, again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewed {
    /// The files, or the index of a shared store, have been built again.
    Done,
    /// Nothing had to be built.
    NotDue,
    /// Another process builds the files or the index now, or does other background work.
    Busy,
    /// Another process built the files or the index first, or something was forgotten during the build.
    Overtaken,
}

/// Changed items that no file is made again for.
const MIN_DUE: usize = 4_096;
/// A file is due when more than one in so many of its items has changed since, and not used when more than one in so
/// many has: then reading all of the database is quicker.
const DUE: usize = 10;
const STALE: usize = 2;

/// Whether a file with so many items is due.
fn is_due(changed: usize, items: usize) -> bool {
    changed > MIN_DUE.max(items / DUE)
}

/// Changes that may lie over a file with so many items.
fn most_changes(items: usize) -> usize {
    MIN_DUE.max(items / STALE)
}

/// What makes only one process at a time make the file without the writer's lock.
pub(super) fn renewal_lock(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".lock");
    PathBuf::from(name)
}

/// An empty file that is to become the one at `path`; whatever else is to become it goes.
fn begin(path: PathBuf, _lock: &WriterLock) -> Result<Aside, EngineError> {
    Aside::remove_all(&path).and_then(|()| Aside::new(&path)).map_err(|source| EngineError::Io { path, source })
}

/// Makes the file of words of what the database holds now, and puts it in its place; merged from the old one if that is
/// wanted and can be.
fn write_terms(database: &Database, lock: &WriterLock, merge: bool) -> Result<(), EngineError> {
    let path = database.terms_file();
    let aside = begin(path.clone(), lock)?;
    let moment = database.snapshot()?;
    let image = terms::image(database, Room::Aside(aside), merge)?;
    drop(moment);
    image.persist().map_err(|source| EngineError::Io { path, source })
}

/// The write is committed already. So if the upkeep of a shared store fails, this is only a note.
fn committed(kept: Result<(), EngineError>, session: &Session<'_>) -> Result<(), EngineError> {
    match kept {
        Err(EngineError::Store(error)) => {
            session
                .note(format!("it is stored, but searches may not find all of it yet: {error}; `ken gc` repairs that"));
            Ok(())
        }
        other => other,
    }
}

/// Files that are being made.
struct Begun {
    vectors: Aside,
    terms: Aside,
}

impl Engine {
    /// Sees to it that the derived files beside the database can be used, after something was written. What cannot be
    /// written to the disk costs time only. With a lent right to write nothing is done: whoever lent it does it at the
    /// end.
    pub(super) fn keep_derived(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        keep: Keep,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        if lock.is_lent() {
            return Ok(());
        }
        self.keep_files(database, lock, keep, session)?;
        // The noise is measured on all scopes, so the limit is lifted.
        let kept = limit::lifted_on(database, |database| self.keep_noise(database, lock, session));
        if database.shared().is_some() { committed(kept, session) } else { kept }
    }

    /// The same for the files alone: where what was written is too little to say anything of the index's noise.
    pub(super) fn keep_files(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        keep: Keep,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        if lock.is_lent() {
            return Ok(());
        }
        let renewal = renewal_lock(&database.vector_file());
        // The indexes of a shared store cover all scopes, so the limit is lifted.
        let kept = limit::lifted_on(database, |database| {
            database.shared_mut().map(|shared| self.keep_stored(shared, keep, &renewal, session))
        });
        if let Some(kept) = kept {
            return committed(kept, session);
        }
        let kept =
            self.keep_terms(database, lock, keep).and_then(|()| self.keep_vectors(database, lock, keep, session));
        let files = [database.vector_file(), database.terms_file()];
        match kept {
            Err(EngineError::Io { path, source }) if files.contains(&path) => {
                session.note(format!("{} cannot be written, so searches will be slower: {source}", shown(&path)));
            }
            other => other?,
        }
        Ok(())
    }

    fn keep_terms(&self, database: &Database, lock: &WriterLock, keep: Keep) -> Result<(), EngineError> {
        let wanted = match keep {
            Keep::Anew => true,
            Keep::Usable => terms::changes(database)?.is_none_or(|change| is_due(change.items, change.of)),
            Keep::Current => terms::changes(database)?.is_none_or(|change| change.items > 0),
        };
        if !wanted {
            return Ok(());
        }
        write_terms(database, lock, keep != Keep::Anew)
    }

    fn keep_vectors(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        keep: Keep,
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let Some(model) = database.index_model()? else {
            drop(std::fs::remove_file(database.vector_file()));
            return self.shorten_log(database, lock);
        };
        if let Some(file) = vectors::Dated::find(database, &model)? {
            let wanted = match keep {
                Keep::Usable => file.is_due(),
                Keep::Current => file.has_changes(),
                Keep::Anew => true,
            };
            let later = || keep == Keep::Usable && self.settings.later.is_some_and(|later| later());
            if !wanted || later() {
                return Ok(());
            }
        }
        let begun = Begun { vectors: begin(database.vector_file(), lock)?, terms: begin(database.terms_file(), lock)? };
        match self.make(database, &model, begun, &|| false, session)? {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(EngineError::Stopped),
        }
    }

    /// Where there are no vectors, only the file of words asks what has changed: once that is much, it is made again,
    /// and what was before it is not asked for any more.
    fn shorten_log(&self, database: &mut Database, lock: &WriterLock) -> Result<(), EngineError> {
        if database.logged_changes()? <= MIN_DUE {
            return Ok(());
        }
        let generation = database.begin_generation()?;
        write_terms(database, lock, true)?;
        Ok(database.forget_changes_before(generation)?)
    }

    /// Builds the derived files again if they are due. For a shared store, builds the index of vectors and measures the
    /// noise of the texts, each if it is due. Other processes can write at the same time. If one of them builds the
    /// files or forgets something, this gives up.
    ///
    /// # Errors
    /// [`EngineError`] when somebody is writing now, the disk or the database refuses, or it was stopped.
    pub fn renew_vectors(&self, session: &Session<'_>) -> Result<Renewed, EngineError> {
        let due = |database: &Database| -> Result<Option<IndexModel>, EngineError> {
            let Some(model) = database.index_model()? else { return Ok(None) };
            let file = vectors::Dated::find(database, &model)?;
            Ok(file.is_none_or(|file| file.is_due()).then_some(model))
        };
        let path = match self.read_database()? {
            Some(database) if database.shared().is_some() => {
                drop(database);
                return self.renew_stored(session);
            }
            Some(database) if due(&database)?.is_some() => renewal_lock(&database.vector_file()),
            _ => return Ok(Renewed::NotDue),
        };
        let alone = match lock::take(&path, Duration::ZERO, &mut || {}) {
            Ok(lock) => lock,
            Err(LockError::Held(_)) => return Ok(Renewed::Busy),
            Err(LockError::Open(source) | LockError::Unsupported(source)) => {
                return Err(EngineError::Io { path, source });
            }
        };
        // For a moment only, and without taking traces away: nobody has asked for this, so nobody is to wait for it.
        let writing = self.writer("ken gc --auto")?;
        let mut database = self.open_to_write(&writing)?;
        let Some(model) = due(&database)? else { return Ok(Renewed::NotDue) };
        let begun =
            Begun { vectors: begin(database.vector_file(), &writing)?, terms: begin(database.terms_file(), &writing)? };
        let names = [begun.vectors.path().to_owned(), begun.terms.path().to_owned()];
        drop(writing);
        let overtaken = || names.iter().any(|name| !name.exists());
        let made = self.make(&mut database, &model, begun, &overtaken, session);
        drop(alone);
        match made {
            Ok(ControlFlow::Continue(())) => Ok(Renewed::Done),
            Ok(ControlFlow::Break(())) | Err(_) if overtaken() => Ok(Renewed::Overtaken),
            Ok(ControlFlow::Break(())) => Err(EngineError::Stopped),
            Err(error) => Err(error),
        }
    }

    /// Makes the derived files of what the database holds now, and puts them in their places; ends early when the user,
    /// or `overtaken`, says so. Both are of one generation, so that what was before it is not asked for any more.
    fn make(
        &self,
        database: &mut Database,
        model: &IndexModel,
        begun: Begun,
        overtaken: &dyn Fn() -> bool,
        session: &Session<'_>,
    ) -> Result<ControlFlow<()>, EngineError> {
        let (vectors_path, terms_path) = (database.vector_file(), database.terms_file());
        let vectors_failed = |source| EngineError::Io { path: vectors_path.clone(), source };
        let terms_failed = |source: io::Error| EngineError::Io { path: terms_path.clone(), source };
        database.begin_generation()?;
        let moment = database.snapshot()?;
        let (image, origin) = vectors::image(database, model, Room::Aside(begun.vectors), &vectors_failed)?;
        let terms = terms::image(database, Room::Aside(begun.terms), true)?;
        drop(moment);
        let total = image.len();
        let options = GraphOptions { target: self.settings.recall_target, ..GraphOptions::default() };
        let (image, grown) = grow(image, &origin, options, &mut |done| {
            session.tell(Progress::Linking { done, total });
            if session.is_stopped() || overtaken() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(vectors_failed)?;
        match grown {
            Grown::Stopped => return Ok(ControlFlow::Break(())),
            Grown::Missed(recall) => session.note(format!(
                "the index of vectors finds {recall:.3} of the nearest and not {}, so searches compare all vectors",
                options.target
            )),
            Grown::Exact(_) | Grown::Graph(_) => {}
        }
        // The words first: with them alone in place, an older file of vectors still knows what has changed.
        terms.persist().map_err(terms_failed)?;
        image.persist().map_err(vectors_failed)?;
        database.forget_changes_before(origin.generation)?;
        Ok(ControlFlow::Continue(()))
    }
}
