//! The store that is used: the file of a data directory, or a database in PostgreSQL that several machines share.
//!
//! Both give what statements are run on, so all traits of a store hold for either (`store::sql`), and rows are checked,
//! mended, exported and imported alike. What is done with pages of a file (salvage, giving space back) is done with the
//! file alone: a server keeps its own. Files that are derived from either lie in the data directory of this machine.

mod either;

use super::folder::{DATABASE, TERMS, VECTORS, beside};
use super::postgres::name_of;
use super::sql::{
    ANYWHERE, Cleaned, Faults, Imported, LEFT, ReadSql, Record, RunSql, TRACED_PATHS, WriteSql, clean_rows, has_traces,
    is_traced, rebuild, row_faults,
};
use super::sqlite::{Migration, Salvaged};
use super::{
    KeepWords, PostgresAccess, SharedBatch, SharedDatabase, Snapshot, StoreError, Turn, WordsOf, WriteBatch,
    WriteStore, WriterLock, make_private, sqlite,
};
use crate::types::Scope;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the store is that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The data directory: it holds the store, or what is derived from one elsewhere.
    pub folder: PathBuf,
    /// The database in PostgreSQL that is used in place of the file.
    pub shared: Option<SharedStore>,
}

impl Place {
    /// The right to write there. For a shared store nothing is locked here: its server gives the right
    /// ([`Database::take_turn`]).
    ///
    /// # Errors
    /// As [`WriterLock::take`].
    pub fn writer(&self, purpose: &str, patience: Duration) -> Result<WriterLock, StoreError> {
        match &self.shared {
            Some(_) => Ok(WriterLock::of_shared(&self.folder, purpose)),
            None => WriterLock::take(&self.folder, purpose, patience),
        }
    }
}

/// A database in PostgreSQL that several machines use.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedStore {
    /// Its address: `postgres://USER@HOST/DATABASE`.
    pub url: String,
    /// The address of a replica of that database. Searches read from the replica, and changes go to `url`.
    /// [`SharedDatabase::open_replica`] says which counters are left out.
    pub read_url: Option<String>,
    /// How both are reached.
    pub access: PostgresAccess,
    /// What words items have: a database in PostgreSQL keeps them itself, if it is told.
    pub words: Option<WordsOf>,
}

impl SharedStore {
    /// How people know it: its address without a password.
    ///
    /// # Errors
    /// [`StoreError::Address`] for what is no address.
    pub fn name(&self) -> Result<String, StoreError> {
        name_of(&self.url)
    }

    /// The same for the replica that searches read from.
    ///
    /// # Errors
    /// As [`SharedStore::name`].
    pub fn read_name(&self) -> Result<Option<String>, StoreError> {
        self.read_url.as_deref().map(name_of).transpose()
    }

    /// The database of an address, reached as is usual. Its items are found by no words.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: url.into(), read_url: None, access: PostgresAccess::default(), words: None }
    }
}

impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("SharedStore").field("access", &self.access).finish_non_exhaustive()
    }
}

impl Place {
    /// The file of a data directory.
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), shared: None }
    }

    /// A database in PostgreSQL, with the data directory of this machine.
    pub fn shared(folder: impl Into<PathBuf>, store: SharedStore) -> Self {
        Self { folder: folder.into(), shared: Some(store) }
    }
}

/// An open store.
#[derive(Debug)]
pub enum Database {
    /// The file of a data directory.
    File(sqlite::Database),
    /// A database in PostgreSQL.
    Shared(Box<Shared>),
}

/// A database in PostgreSQL, with what is derived from it here.
#[derive(Debug)]
pub struct Shared {
    database: SharedDatabase,
    /// The path that names of derived files begin with. There is no file of this name.
    path: PathBuf,
}

/// Changes that become true together, or not at all when it is dropped.
#[derive(Debug)]
pub enum Batch<'a> {
    /// In the file of a data directory.
    File(sqlite::Batch<'a>),
    /// In a database in PostgreSQL.
    Shared(SharedBatch<'a>),
}

impl Database {
    /// Opens the store of a place to read, `None` if there is none. An older schema is brought up to date first; that
    /// of a replica is refused.
    ///
    /// # Errors
    /// [`StoreError`] for what is no store of ours, is damaged, newer, or cannot be opened or reached.
    pub fn open_at(place: &Place) -> Result<Option<Self>, StoreError> {
        let Some(at) = &place.shared else { return Self::open(&place.folder) };
        let opened = match &at.read_url {
            None => SharedDatabase::open(&at.url, &at.access)?,
            Some(replica) => SharedDatabase::open_replica(replica, &at.url, &at.access)?,
        };
        Ok(opened.map(|database| Self::over(database, place)))
    }

    /// Opens the store of a place quickly, to add one or two rows.
    ///
    /// # Errors
    /// As [`Database::open_at`].
    pub fn open_to_record_at(place: &Place) -> Result<Option<Self>, StoreError> {
        match &place.shared {
            None => Self::open_to_record(&place.folder),
            Some(at) => {
                let shared = Some(SharedStore { read_url: None, ..at.clone() });
                Self::open_at(&Place { folder: place.folder.clone(), shared })
            }
        }
    }

    /// Opens the store of a place to write, making it if there is none. The lock is that of the place's folder.
    ///
    /// # Errors
    /// As [`Database::open_at`], and when it cannot be made.
    pub fn open_to_write_at(place: &Place, lock: &WriterLock) -> Result<Self, StoreError> {
        match &place.shared {
            None => Self::open_to_write(lock),
            Some(at) => {
                make_private(&place.folder)?;
                Ok(Self::over(SharedDatabase::open_to_write(&at.url, &at.access)?, place))
            }
        }
    }

    fn over(mut database: SharedDatabase, place: &Place) -> Self {
        database.set_words(place.shared.as_ref().and_then(|shared| shared.words));
        Self::Shared(Box::new(Shared { database, path: beside(&place.folder.join(DATABASE), ".shared") }))
    }

    /// Opens the file of a data directory to read, `None` if there is none. An older schema is brought up to date
    /// first.
    ///
    /// # Errors
    /// [`StoreError`] for what is no database of ours, is damaged, newer, or cannot be opened.
    pub fn open(folder: &Path) -> Result<Option<Self>, StoreError> {
        Ok(sqlite::Database::open(folder)?.map(Self::File))
    }

    /// Opens the file of a data directory quickly, to add one or two rows. A commit does not wait for the disk.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_to_record(folder: &Path) -> Result<Option<Self>, StoreError> {
        Ok(sqlite::Database::open_to_record(folder)?.map(Self::File))
    }

    /// Opens the file of the lock's data directory to write, making it if there is none.
    ///
    /// # Errors
    /// As [`Database::open`], and when it cannot be made.
    pub fn open_to_write(lock: &WriterLock) -> Result<Self, StoreError> {
        sqlite::Database::open_to_write(lock).map(Self::File)
    }

    /// As [`Database::open_to_write`], with other migrations. Tests of upgrades use it.
    ///
    /// # Errors
    /// As [`Database::open_to_write`].
    pub fn open_with(lock: &WriterLock, migrations: &[Migration]) -> Result<Self, StoreError> {
        sqlite::Database::open_with(lock, migrations).map(Self::File)
    }

    /// Carries what can be read of a damaged file into a new one, which takes its place.
    ///
    /// # Errors
    /// [`StoreError`] when the new one cannot be written; the damaged one is where it was then.
    pub fn salvage(lock: &WriterLock) -> Result<Salvaged, StoreError> {
        sqlite::Database::salvage(lock)
    }

    /// Empties the log after a row was recorded, if it has grown. Nobody is waited for.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses; the row is in the log then.
    pub fn end_recording(&self) -> Result<(), StoreError> {
        if let Self::File(file) = self { file.end_recording() } else { Ok(()) }
    }

    /// Empties the log earlier than [`Database::end_recording`] does, in the background.
    ///
    /// # Errors
    /// As [`Database::end_recording`].
    pub fn end_in_background(&self) -> Result<(), StoreError> {
        if let Self::File(file) = self { file.end_in_background() } else { Ok(()) }
    }

    /// Whether the file that is open still is the one of its name. A database in PostgreSQL says itself which it is
    /// ([`Stamp`](super::Stamp)).
    pub fn is_in_place(&self) -> bool {
        if let Self::File(file) = self { file.is_in_place() } else { true }
    }

    /// Refuses one that no longer answers, and a database in PostgreSQL whose schema another `ken` has changed since it
    /// was opened.
    pub(crate) fn check_usable(&self) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.check_usable(),
            Self::Shared(shared) => shared.database.check_schema(),
        }
    }

    /// Whether no snapshot or batch was left open.
    pub(crate) fn is_idle(&self) -> bool {
        match self {
            Self::File(file) => file.is_idle(),
            Self::Shared(shared) => shared.database.is_idle(),
        }
    }

    /// Where the file lies. For a database in PostgreSQL, the path that names of derived files begin with.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(file) => file.path(),
            Self::Shared(shared) => &shared.path,
        }
    }

    /// Where vectors lie ready to be searched: derived from the store, and only ever written by who may write here.
    pub fn vector_file(&self) -> PathBuf {
        beside(self.path(), VECTORS)
    }

    /// Where the items' words lie ready to be searched, likewise.
    pub fn terms_file(&self) -> PathBuf {
        beside(self.path(), TERMS)
    }

    /// The same as [`Database::vector_file`] for the file of a data directory, which need not be there.
    pub fn vector_file_of(folder: &Path) -> PathBuf {
        beside(&folder.join(DATABASE), VECTORS)
    }

    /// The database in PostgreSQL that finds its items itself; none for a file.
    pub fn shared(&self) -> Option<&SharedDatabase> {
        match self {
            Self::File(_) => None,
            Self::Shared(shared) => Some(&shared.database),
        }
    }

    /// The same, to keep in order what it finds them with.
    pub fn shared_mut(&mut self) -> Option<&mut SharedDatabase> {
        match self {
            Self::File(_) => None,
            Self::Shared(shared) => Some(&mut shared.database),
        }
    }

    /// Limits what is read and written to these scopes, or to all that the user may see. The server of a shared store
    /// then withholds the rows of other scopes, unless the user owns the tables. A file is not limited.
    pub fn limit_to(&mut self, scopes: Option<&[Scope]>) {
        if let Self::Shared(shared) = self {
            shared.database.limit_to(scopes);
        }
    }

    /// Does something that concerns all scopes without the limit, which comes back after it.
    pub fn unlimited<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.shared_mut().and_then(|shared| shared.set_limit(None));
        let done = work(self);
        if let Some(shared) = self.shared_mut() {
            shared.set_limit(before);
        }
        done
    }

    /// Takes the right to write to a shared store for a use case. For a file, the writer's lock is this right already.
    ///
    /// # Errors
    /// [`StoreError::SharedBusy`] when another process keeps the right for too long. Other [`StoreError`]s when the
    /// server refuses.
    pub fn take_turn(&self, turn: Turn, lock: &WriterLock, patience: Option<Duration>) -> Result<(), StoreError> {
        match self {
            Self::File(_) => Ok(()),
            Self::Shared(shared) => shared.database.take_turn(turn, lock.purpose(), patience),
        }
    }

    /// Begins changes that become true together.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn begin(&mut self, lock: &WriterLock) -> Result<Batch<'_>, StoreError> {
        Ok(match self {
            Self::File(file) => Batch::File(file.begin(lock)?),
            Self::Shared(shared) => Batch::Shared(shared.database.begin(lock)?),
        })
    }

    /// Everything that is read until the snapshot is dropped is of one moment.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.hold_moment()
    }

    /// Looks at everything, so it takes a while on a large store. Of a file all pages are read; a server answers for
    /// its own, so of a database in PostgreSQL all rows are.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read for a reason that is no damage.
    pub fn check(&self) -> Result<Faults, StoreError> {
        match self {
            Self::File(file) => file.check(),
            Self::Shared(shared) => {
                shared.database.need_all()?;
                let mut faults = Faults::new();
                row_faults(&shared.database, &mut faults)?;
                shared.database.word_faults(&mut faults)?;
                Ok(faults)
            }
        }
    }

    /// Hands every record to `write`, the state of one moment.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or what `write` fails with.
    pub fn export<E: From<StoreError>>(
        &self,
        now_ms: i64,
        write: impl FnMut(&Record) -> Result<(), E>,
    ) -> Result<usize, E> {
        if let Self::Shared(shared) = self {
            shared.database.need_all()?;
        }
        super::sql::export(self, now_ms, write)
    }

    /// Makes again what can be derived from items, and drops damaged vectors and texts.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses. Then nothing has changed.
    pub fn rebuild(&mut self, lock: &WriterLock) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.rebuild(lock),
            Self::Shared(shared) => {
                let batch = shared.database.begin(lock)?;
                batch.unhurried()?;
                rebuild(&batch)?;
                batch.forget_derived()?;
                batch.commit()
            }
        }
    }

    /// Removes what nothing uses and gives the space back. A server of PostgreSQL gives its own back by itself, in its
    /// own time (autovacuum): there as many bytes may be on disk afterwards as before.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses. Then nothing that is in use was removed.
    pub fn clean(&mut self, lock: &WriterLock) -> Result<Cleaned, StoreError> {
        match self {
            Self::File(file) => file.clean(lock),
            Self::Shared(shared) => {
                let bytes_before = shared.database.bytes_on_disk()?;
                let batch = shared.database.begin(lock)?;
                batch.unhurried()?;
                let cleaned = clean_rows(&batch)?;
                batch.commit()?;
                shared.database.purge_words()?;
                Ok(Cleaned { bytes_before, bytes_after: shared.database.bytes_on_disk()?, ..cleaned })
            }
        }
    }

    /// Whether something was forgotten and its traces may still be there.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn has_traces(&self) -> Result<bool, StoreError> {
        // A user cannot erase traces of scopes that they do not see. The mark stays until a user who sees all erases
        // them.
        let is_own =
            self.shared().map_or(Ok(true), |shared| Ok(shared.sees_all_scopes() || shared.has_dead_words()?))?;
        Ok(is_own && has_traces(self, false)?)
    }

    /// Whether traces are left in the log alone: erasing them is a matter of a moment then.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn has_traces_in_log(&self) -> Result<bool, StoreError> {
        has_traces(self, true)
    }

    /// Whether this path was forgotten, and by a process that was stopped before the last trace was gone.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn is_traced(&self, path: &Path) -> Result<bool, StoreError> {
        is_traced(self, path)
    }

    /// Takes the last traces of what was forgotten off the disk; gives whether all are gone. Of a database in
    /// PostgreSQL the words of all items that are gone leave its lists, and the server takes its own traces when it
    /// cleans up.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses or a file cannot be removed.
    pub fn erase_traces(&mut self, lock: &WriterLock, patience: Duration) -> Result<bool, StoreError> {
        let shared = match self {
            Self::File(file) => return file.erase_traces(lock, patience),
            Self::Shared(shared) => shared,
        };
        // Others may have forgotten what this user does not see.
        let sees_all = shared.database.sees_all_scopes();
        loop {
            let batch = shared.database.begin(lock)?;
            // The batch that finds no words left removes the mark. If another machine forgets something between two
            // batches, its mark therefore stays until those words are gone too.
            let had_words = batch.meta(LEFT)?.is_some_and(|left| left == ANYWHERE) && batch.purge_some()?;
            if !had_words && sees_all {
                batch.set_meta(LEFT, None)?;
                batch.set_meta(TRACED_PATHS, None)?;
            }
            batch.commit()?;
            if !had_words {
                return Ok(true);
            }
        }
    }
}

impl Batch<'_> {
    /// Makes the changes true.
    ///
    /// # Errors
    /// [`StoreError`] when they cannot be written; none of them is true then.
    pub fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::File(file) => file.commit(),
            Self::Shared(shared) => shared.commit(),
        }
    }

    /// Remembers until the last trace is gone that these paths were forgotten.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn trace_paths(&self, paths: &[PathBuf]) -> Result<(), StoreError> {
        super::sql::trace_paths(self, paths)
    }

    /// Takes records in. What is there stays: a file that was indexed here since, an item that was forgotten here.
    /// `here` says whether a file of this path and hash lies on this machine.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses.
    pub fn import(
        &self,
        records: impl IntoIterator<Item = Record>,
        here: &dyn Fn(&str, &[u8; 32]) -> bool,
    ) -> Result<Imported, StoreError> {
        super::sql::import(self, records, here)
    }
}

impl WriteStore for Database {
    type Batch<'a> = Batch<'a>;

    fn begin(&mut self, lock: &WriterLock) -> Result<Batch<'_>, StoreError> {
        Self::begin(self, lock)
    }

    fn with_lock_released(&mut self, others: &mut dyn FnMut()) -> Result<(), StoreError> {
        match self {
            Self::File(_) => others(),
            Self::Shared(shared) => shared.database.with_lock_released(others)?,
        }
        Ok(())
    }
}

impl WriteBatch for Batch<'_> {
    fn commit(self) -> Result<(), StoreError> {
        Batch::commit(self)
    }
}
