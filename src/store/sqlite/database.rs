//! The database: opened, kept private, read by many and written by one.
//!
//! SQLite in WAL mode: readers never wait for the writer and see what was committed when they began. Everything that
//! belongs together is written in one immediate transaction ([`Batch`]), which only the holder of the writer's lock can
//! begin. `synchronous = FULL`: what was committed survives a power cut too.

use super::StoreError;
use super::connect::{BUSY, connect};
use super::header::{Found, inspect};
use super::migrate::{MIGRATIONS, Migration, latest, migrate};
use crate::platform;
use crate::store::folder::{DATABASE, TERMS, VECTORS, beside, keep_private, make_private};
use crate::store::lock::{WRITER_WAIT, WriterLock};
use crate::store::{Snapshot, WriteBatch, WriteStore};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Row, Transaction, TransactionBehavior};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a database is opened again that is replaced in the moment of opening.
const OPENING_ATTEMPTS: usize = 10;

/// How long the log may be, in bytes, before whoever records a row empties it. The first to open a log reads all of it,
/// which takes two milliseconds at this length. The analysis in the background empties it much earlier
/// ([`FOLDED_LOG_BYTES`]), so that hardly any row waits for the disk.
const RECORDED_LOG_BYTES: u64 = 4 << 20;
/// How long the log may be, in bytes, before a process in the background empties it.
const FOLDED_LOG_BYTES: u64 = 256 << 10;

/// How long whoever records a row waits for other writers.
const RECORDER_WAIT: Duration = Duration::from_secs(2);

/// Waits for other writers, a little longer each time; whether to go on.
fn wait_shortly(attempt: i32) -> bool {
    let pause = |attempt: i32| Duration::from_millis(u64::from(attempt.clamp(0, 36).unsigned_abs() / 4 + 1));
    let waited: Duration = (0..attempt.min(1_000)).map(pause).sum();
    if waited >= RECORDER_WAIT {
        return false;
    }
    std::thread::sleep(pause(attempt));
    true
}

/// An open database.
#[derive(Debug)]
pub struct Database {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Device and number of the open file.
    file: (u64, u64),
}

/// Changes that become true together, or not at all when it is dropped.
#[derive(Debug)]
pub struct Batch<'a> {
    pub(super) transaction: Transaction<'a>,
    pub(super) path: &'a Path,
    /// Whether items stand or count elsewhere when it is committed.
    pub(super) places_change: Cell<bool>,
}

/// Device and number of a file; zeros where that is not known.
fn identity(path: &Path) -> (u64, u64) {
    fs::metadata(path).map_or((0, 0), |meta| platform::file_number(&meta))
}

impl Database {
    /// Opens the database of a data directory to read, `None` if there is none. An older schema is brought up to date
    /// first.
    ///
    /// # Errors
    /// [`StoreError`] for what is no database of ours, is damaged, newer, or cannot be opened.
    pub fn open(folder: &Path) -> Result<Option<Self>, StoreError> {
        let mut opened = Self::open_once(folder)?;
        for _ in 1..OPENING_ATTEMPTS {
            match &opened {
                // A repair put another file in its place just now.
                Some(database) if database.was_replaced() => opened = Self::open_once(folder)?,
                _ => break,
            }
        }
        Ok(opened)
    }

    fn open_once(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join(DATABASE);
        // Of the file that is looked at, not of one that takes its place before it is opened.
        let file = identity(&path);
        if inspect(&path)? == Found::Nothing {
            return Ok(None);
        }
        let (mut connection, found) = connect(&path)?;
        let known = latest(MIGRATIONS);
        if found > known {
            return Err(StoreError::Newer { path, found, known });
        }
        if found == 0 {
            // Made by a process that ended before it wrote anything.
            return Ok(None);
        }
        if found < known {
            if connection.is_readonly("main").map_err(StoreError::sqlite(&path))? {
                return Err(StoreError::ReadOnlyUpgrade { path, found });
            }
            let _lock = WriterLock::take(folder, "ken, bringing the database up to date", WRITER_WAIT)?;
            migrate(&mut connection, &path, MIGRATIONS)?;
        }
        Ok(Some(Self { connection, path, file }))
    }

    /// Opens the database for a row or two and no more, as fast as that goes: what is committed is not waited for on
    /// the disk (a crash of the machine may lose it, one of ours cannot), and the log is folded into the file only when
    /// it has grown. Other writers are waited for in short steps, two seconds at most.
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn open_to_record(folder: &Path) -> Result<Option<Self>, StoreError> {
        let Some(mut database) = Self::open(folder)? else { return Ok(None) };
        let mut prepare = || -> rusqlite::Result<()> {
            let connection = &mut database.connection;
            connection.busy_handler(Some(wait_shortly))?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "wal_autocheckpoint", 0)
        };
        let prepared = prepare();
        database.sql(prepared)?;
        Ok(Some(database))
    }

    /// Empties the log after a row was recorded, if it has grown. Nobody is waited for: where somebody reads, a later
    /// row does it. SQLite's own way would copy the log into the file without emptying it, and a process that opens it
    /// next would read all of it again.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses; the row is in the log then.
    pub fn end_recording(&self) -> Result<(), StoreError> {
        self.fold_longer_log(RECORDED_LOG_BYTES)
    }

    /// Empties the log earlier than [`Database::end_recording`] does. A process in the background calls it, so that
    /// those who record rows find a short log and need not empty it themselves.
    ///
    /// # Errors
    /// As [`Database::end_recording`].
    pub fn end_in_background(&self) -> Result<(), StoreError> {
        if self.log_bytes() > FOLDED_LOG_BYTES {
            // A passive checkpoint writes to the disk without keeping anybody out. Little is left for the one below,
            // which does keep them out.
            let passive = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            self.sql(passive)?;
        }
        self.fold_longer_log(FOLDED_LOG_BYTES)
    }

    fn log_bytes(&self) -> u64 {
        fs::metadata(beside(&self.path, "-wal")).map_or(0, |meta| meta.len())
    }

    fn fold_longer_log(&self, most: u64) -> Result<(), StoreError> {
        if self.log_bytes() > most {
            self.wait_for_others(Duration::ZERO)?;
            self.fold_log()?;
        }
        Ok(())
    }

    /// Opens the database to write, making it if there is none.
    ///
    /// # Errors
    /// As [`Database::open`], and when it cannot be made.
    pub fn open_to_write(lock: &WriterLock) -> Result<Self, StoreError> {
        Self::open_with(lock, MIGRATIONS)
    }

    /// As [`Database::open_to_write`], with other migrations. Tests of upgrades use it.
    ///
    /// # Errors
    /// As [`Database::open_to_write`].
    pub fn open_with(lock: &WriterLock, migrations: &[Migration]) -> Result<Self, StoreError> {
        let path = lock.folder().join(DATABASE);
        if inspect(&path)? == Found::Nothing {
            make_private(lock.folder())?;
            let mut options = fs::File::options();
            options.create(true).append(true);
            platform::create_for_owner(&mut options);
            options.open(&path).map_err(StoreError::io(&path))?;
            // An empty file that somebody else made has their mode.
            keep_private(lock.folder())?;
        }
        let (mut connection, _) = connect(&path)?;
        if connection.is_readonly("main").map_err(StoreError::sqlite(&path))? {
            return Err(StoreError::Io { path, source: std::io::ErrorKind::PermissionDenied.into() });
        }
        migrate(&mut connection, &path, migrations)?;
        let file = identity(&path);
        Ok(Self { connection, path, file })
    }

    /// Whether the file that is open still is the one of its name: a repair puts another in its place.
    pub fn is_in_place(&self) -> bool {
        let now = identity(&self.path);
        now != (0, 0) && now == self.file
    }

    /// Whether another file has the name now.
    fn was_replaced(&self) -> bool {
        let now = identity(&self.path);
        now != (0, 0) && now != self.file
    }

    /// Device and number of the open file.
    pub(super) fn file(&self) -> (u64, u64) {
        self.file
    }

    /// Refuses one that no longer answers.
    pub(crate) fn check_usable(&self) -> Result<(), StoreError> {
        let read = |row: &Row<'_>| row.get::<_, i64>(0).map(drop);
        self.sql(self.connection.prepare_cached("PRAGMA data_version").and_then(|mut s| s.query_row([], read)))
    }

    /// Whether no snapshot or batch was left open.
    pub(crate) fn is_idle(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins changes that become true together.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn begin(&mut self, _lock: &WriterLock) -> Result<Batch<'_>, StoreError> {
        self.begin_unlocked()
    }

    /// Begins without the writer's lock: for counters, which may be lost.
    pub(super) fn begin_unlocked(&mut self) -> Result<Batch<'_>, StoreError> {
        let Self { connection, path, .. } = self;
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(StoreError::sqlite(path))?;
        Ok(Batch { transaction, path, places_change: Cell::new(false) })
    }

    pub(super) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(StoreError::sqlite(&self.path))
    }

    /// Where vectors lie ready to be searched: derived from the database, and only ever written by who may write here.
    pub fn vector_file(&self) -> PathBuf {
        beside(&self.path, VECTORS)
    }

    /// Where the items' words lie ready to be searched, likewise.
    pub fn terms_file(&self) -> PathBuf {
        beside(&self.path, TERMS)
    }

    /// The same as [`Database::vector_file`] for the database of a data directory, which need not be there.
    pub fn vector_file_of(folder: &Path) -> PathBuf {
        beside(&folder.join(DATABASE), VECTORS)
    }

    /// Everything that is read until the snapshot is dropped is of one moment.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::new(self.sql(self.connection.unchecked_transaction())?))
    }

    /// How long a statement waits for other processes from now on.
    pub(super) fn wait_for_others(&self, patience: Duration) -> Result<(), StoreError> {
        self.sql(self.connection.busy_timeout(patience))
    }

    /// The same as it was when the database was opened.
    pub(super) fn wait_as_ever(&self) -> Result<(), StoreError> {
        self.wait_for_others(BUSY)
    }

    /// Moves the log into the file and empties it, so that nothing of what was removed stays in it; whether it could,
    /// for a reader in the way leaves it for later.
    ///
    /// # Errors
    /// [`StoreError`] when the disk refuses.
    pub fn fold_log(&self) -> Result<bool, StoreError> {
        let busy = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match busy {
            Err(error)
                if matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) =>
            {
                Ok(false)
            }
            other => Ok(self.sql(other)? == 0),
        }
    }
}

impl Batch<'_> {
    /// Makes the changes true.
    ///
    /// # Errors
    /// [`StoreError`] when they cannot be written; none of them is true then.
    pub fn commit(self) -> Result<(), StoreError> {
        if self.places_change.get() {
            self.count_places()?;
        }
        self.transaction.commit().map_err(StoreError::sqlite(self.path))
    }

    pub(super) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(StoreError::sqlite(self.path))
    }

    pub(super) fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize, StoreError> {
        self.sql(self.transaction.prepare_cached(sql).and_then(|mut statement| statement.execute(params)))
    }
}

impl WriteStore for Database {
    type Batch<'a> = Batch<'a>;

    fn begin(&mut self, lock: &WriterLock) -> Result<Batch<'_>, StoreError> {
        Self::begin(self, lock)
    }
}

impl WriteBatch for Batch<'_> {
    fn commit(self) -> Result<(), StoreError> {
        Batch::commit(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let lock = WriterLock::take(dir.path(), "test", Duration::ZERO).unwrap();
        drop(Database::open_to_write(&lock).unwrap());
        let path = dir.path().join(DATABASE);
        (dir, path)
    }

    #[test]
    fn is_made_private_and_opens_again() {
        let (dir, path) = made();
        assert!(Database::open(dir.path()).unwrap().is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert!(!beside(&path, "-wal").exists(), "closing folds the log");
    }

    #[test]
    fn what_is_not_ours_is_told_apart() {
        let (dir, path) = made();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 100]).unwrap();
        assert!(matches!(Database::open(dir.path()), Err(StoreError::Damaged { .. })));
        fs::write(&path, "a letter").unwrap();
        assert!(matches!(Database::open(dir.path()), Err(StoreError::Foreign { .. })));
        fs::remove_file(&path).unwrap();
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
        assert!(matches!(Database::open(dir.path()), Err(StoreError::Foreign { .. })));
        fs::write(&path, &whole).unwrap();
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(Database::open(dir.path()), Err(StoreError::Newer { found: 99, .. })));
        fs::write(&path, b"").unwrap();
        assert!(Database::open(dir.path()).unwrap().is_none());
    }
}
