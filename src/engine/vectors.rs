//! The vectors of the index: a file beside the database, what has changed since it was made, and when it is made again.
//!
//! The file is derived: whoever finds none that can be used reads the database. What has changed since is laid over it, and once
//! that is much the file is due. Whoever writes then has it made again later by a process of its own, if there is a way to start one,
//! and makes it at once where there is none to use meanwhile. Nobody waits for either: a search has the old file or the new one.
//!
//! Two never make it at once. Files are begun under the writer's lock alone, and whoever begins removes what others have begun: a process
//! that works without the lock finds its own gone, and stops. So what was forgotten meanwhile never comes back either: whoever
//! forgets removes the file and all that are to become it, after the texts.

use super::{Engine, EngineError, OnProgress, Progress};
use crate::ann::{Draft, GraphOptions, Grown, Image, Index, Origin, grow};
use crate::lock::{self, LockError};
use crate::map::{Aside, Room};
use crate::screen::shown;
use crate::store::{Database, IndexModel, LogChanges, ReadChanges, ReadVectors, WriterLock};
use crate::types::Generation;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// The vectors of the index as they were at one moment.
pub(super) struct Loaded {
    model: IndexModel,
    generation: Generation,
    vectors: Rc<Index>,
}

/// When the file of vectors is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// When it cannot be used, or is due.
    Usable,
    /// When anything has changed since it was made.
    Current,
    /// In any case.
    Anew,
}

/// What became of a file of vectors that may have been due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewed {
    /// It is made again.
    Done,
    /// It need not be.
    NotDue,
    /// Somebody else is making it.
    Busy,
    /// Somebody else has made it meanwhile, or something was forgotten.
    Overtaken,
}

/// Changed items that are few for any file.
const FEW: usize = 4_096;
/// A file is due when more than one in so many of its rows has changed since, and not used when more than one in so many has:
/// then reading all of the database is quicker.
const DUE: usize = 10;
const STALE: usize = 2;

/// A file of vectors, and the items that have changed since it was made.
struct Dated {
    image: Image,
    changed: Vec<i64>,
}

impl Dated {
    /// The one beside the database; `None` if there is none, or it is stale.
    fn find(database: &Database, model: &IndexModel) -> Result<Option<Self>, EngineError> {
        let origin = document_origin(model, Generation::default());
        let Some(image) = Image::open(&database.vector_file(), &origin) else { return Ok(None) };
        let most = FEW.max(image.len() / STALE);
        let changed = database.changed_since(image.generation(), most)?;
        Ok(changed.map(|changed| Self { image, changed }))
    }

    fn is_due(&self) -> bool {
        self.changed.len() > FEW.max(self.image.len() / DUE)
    }

    /// With what has changed laid over it.
    fn index(self, database: &Database, model: &IndexModel) -> Result<Index, EngineError> {
        let Self { image, changed } = self;
        if changed.is_empty() {
            return Ok(Index::new(image));
        }
        let now = database.vectors_of(model, &changed)?;
        let rows = now.rows.hashes.iter().copied().zip(now.rows.data.chunks_exact(model.dims.max(1)));
        let links = now.embeddings.into_iter().map(|(item, hash)| (item as u64, 0, hash));
        Ok(Index::with_changes(image, changed.into_iter().map(|item| item as u64).collect(), links, rows))
    }
}

/// What the file of vectors belongs to: an index with this model, at this moment.
fn document_origin(model: &IndexModel, generation: Generation) -> Origin {
    Origin { model: model.fingerprint.as_str().to_owned(), state: "index".to_owned(), generation }
}

/// The vectors of all items at this moment, from the database.
fn document_image(
    database: &Database,
    model: &IndexModel,
    room: Room,
    failed: &dyn Fn(io::Error) -> EngineError,
) -> Result<(Image, Origin), EngineError> {
    let _moment = database.snapshot()?;
    let origin = document_origin(model, database.generation()?);
    let texts = database.vector_texts(model)?;
    let links = database.embeddings()?.into_iter().map(|(item, hash)| (item as u64, 0, hash)).collect();
    let mut draft = Draft::new(room, model.dims, texts, links).map_err(failed)?;
    database.each_vector(model, |hash, vector| draft.put(hash, vector).map_err(failed))?;
    Ok((draft.finish(&origin).map_err(failed)?, origin))
}

/// What makes only one process at a time make the file without the writer's lock.
fn renewal_lock(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".lock");
    PathBuf::from(name)
}

impl Engine {
    /// Vectors of the index under its model: from the file beside the database with what has changed since, else read from
    /// the database; kept until something changes.
    pub(super) fn document_vectors(&self, database: &Database, model: &IndexModel) -> Result<Rc<Index>, EngineError> {
        let moment = database.snapshot()?;
        let generation = database.generation()?;
        let mut loaded = self.loaded.borrow_mut();
        let mut damaged = false;
        if let Some(found) = loaded.as_ref().filter(|found| (&found.model, found.generation) == (model, generation)) {
            damaged = found.vectors.is_damaged();
            if !damaged {
                return Ok(Rc::clone(&found.vectors));
            }
        }
        let kept = if damaged { None } else { Dated::find(database, model)? };
        let (vectors, generation) = match kept {
            Some(file) => (file.index(database, model)?, generation),
            None => {
                drop(moment);
                let failed = |source| EngineError::Io { path: database.path().to_owned(), source };
                let (image, origin) = document_image(database, model, Room::memory(), &failed)?;
                (Index::new(image), origin.generation)
            }
        };
        let vectors = Rc::new(vectors);
        *loaded = Some(Loaded { model: model.clone(), generation, vectors: Rc::clone(&vectors) });
        Ok(vectors)
    }

    /// The file of vectors beside the database with what has changed since, if it can be used.
    pub(super) fn document_file(&self, database: &Database, model: &IndexModel) -> Result<Option<Index>, EngineError> {
        let _moment = database.snapshot()?;
        Dated::find(database, model)?.map(|file| file.index(database, model)).transpose()
    }

    /// Sees to it that the file of vectors beside the database can be used, after something was written. What cannot be written to
    /// the disk costs time only.
    pub(super) fn keep_vectors(
        &self,
        database: &mut Database,
        lock: &WriterLock,
        keep: Keep,
        progress: OnProgress<'_>,
    ) -> Result<(), EngineError> {
        let Some(model) = database.index_model()? else {
            drop(std::fs::remove_file(database.vector_file()));
            // No file will ever ask what has changed before it was made.
            if database.logged_changes()? > FEW {
                let generation = database.begin_generation()?;
                database.forget_changes_before(generation)?;
            }
            return Ok(());
        };
        if let Some(file) = Dated::find(database, &model)? {
            let wanted = match keep {
                Keep::Usable => file.is_due(),
                Keep::Current => !file.changed.is_empty(),
                Keep::Anew => true,
            };
            let later = || keep == Keep::Usable && self.settings.later.is_some_and(|later| later());
            if !wanted || later() {
                return Ok(());
            }
        }
        let path = database.vector_file();
        let made = Self::begin_vectors(database, lock)
            .and_then(|aside| self.make_vectors(database, &model, aside, &|| false, progress));
        match made {
            Ok(ControlFlow::Continue(())) => Ok(()),
            Ok(ControlFlow::Break(())) => Err(EngineError::Stopped),
            Err(EngineError::Io { path: failed, source }) if failed == path => {
                self.note(format!("{} cannot be written, so searches will be slower: {source}", shown(&path)));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Makes the file of vectors again if it is due. Others can write meanwhile; whoever makes the file themselves, or forgets
    /// something, overtakes this.
    ///
    /// # Errors
    /// [`EngineError`] when somebody is writing now, the disk or the database refuses, or it was stopped.
    pub fn renew_vectors(&self, progress: OnProgress<'_>) -> Result<Renewed, EngineError> {
        let due = |database: &Database| -> Result<Option<IndexModel>, EngineError> {
            let Some(model) = database.index_model()? else { return Ok(None) };
            let file = Dated::find(database, &model)?;
            Ok(file.is_none_or(|file| file.is_due()).then_some(model))
        };
        let path = match self.read_database()? {
            Some(database) if due(&database)?.is_some() => renewal_lock(&database.vector_file()),
            _ => return Ok(Renewed::NotDue),
        };
        let alone = match lock::take(&path, Duration::ZERO, &mut || {}) {
            Ok(file) => file,
            Err(LockError::Held(_)) => return Ok(Renewed::Busy),
            Err(LockError::Open(source) | LockError::Unsupported(source)) => {
                return Err(EngineError::Io { path, source });
            }
        };
        // For a moment only, and without taking traces away: nobody has asked for this, so nobody is to wait for it.
        let writing = self.writer("ken gc --auto")?;
        let mut database = Database::open_to_write(&writing)?;
        let Some(model) = due(&database)? else { return Ok(Renewed::NotDue) };
        let aside = Self::begin_vectors(&database, &writing)?;
        let name = aside.path().to_owned();
        drop(writing);
        let overtaken = || !name.exists();
        let made = self.make_vectors(&mut database, &model, aside, &overtaken, progress);
        drop(alone);
        match made {
            Ok(ControlFlow::Continue(())) => Ok(Renewed::Done),
            Ok(ControlFlow::Break(())) | Err(_) if overtaken() => Ok(Renewed::Overtaken),
            Ok(ControlFlow::Break(())) => Err(EngineError::Stopped),
            Err(error) => Err(error),
        }
    }

    /// An empty file that is to become the file of vectors; whatever else is to become it goes.
    fn begin_vectors(database: &Database, _lock: &WriterLock) -> Result<Aside, EngineError> {
        let path = database.vector_file();
        Aside::remove_all(&path).and_then(|()| Aside::new(&path)).map_err(|source| EngineError::Io { path, source })
    }

    /// Makes the file of vectors of what the database holds now, and puts it in its place; ends early when the user, or
    /// `overtaken`, says so.
    fn make_vectors(
        &self,
        database: &mut Database,
        model: &IndexModel,
        aside: Aside,
        overtaken: &dyn Fn() -> bool,
        progress: OnProgress<'_>,
    ) -> Result<ControlFlow<()>, EngineError> {
        let path = database.vector_file();
        let failed = |source| EngineError::Io { path: path.clone(), source };
        database.begin_generation()?;
        let (image, origin) = document_image(database, model, Room::Aside(aside), &failed)?;
        let total = image.len();
        let options = GraphOptions { target: self.settings.recall_target, ..GraphOptions::default() };
        let (image, grown) = grow(image, &origin, options, &mut |done| {
            progress(Progress::Linking { done, total });
            if (self.settings.stopped)() || overtaken() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .map_err(failed)?;
        match grown {
            Grown::Stopped => return Ok(ControlFlow::Break(())),
            Grown::Missed(recall) => self.note(format!(
                "a graph of the vectors finds {recall:.3} of what it should, and {} is wanted: searches compare everything",
                options.target
            )),
            Grown::Exact(_) | Grown::Graph(_) => {}
        }
        image.persist().map_err(failed)?;
        database.forget_changes_before(origin.generation)?;
        Ok(ControlFlow::Continue(()))
    }
}
