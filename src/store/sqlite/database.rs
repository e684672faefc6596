//! The database: opened, kept private, read by many and written by one.
//!
//! SQLite in WAL mode: readers never wait for the writer and see what was committed when they began. Everything that
//! belongs together is written in one immediate transaction ([`Batch`]), which only the holder of the writer's lock can
//! begin. `synchronous = FULL`: what was committed survives a power cut too.

use super::StoreError;
use super::change::read_generation;
use super::header::{Found, inspect, unreadable};
use super::migrate::{APPLICATION_ID, MIGRATIONS, Migration, latest, migrate, schema};
use super::value::OddValue;
use super::vector::{ACTIVE, SWITCHED_FROM, SWITCHED_TO};
use crate::store::error::is_damage;
use crate::store::folder::{DATABASE, TERMS, VECTORS, beside, keep_private, make_private};
use crate::store::lock::{WRITER_WAIT, WriterLock, current_writer};
use crate::store::{ReadEvents, ReadStore, Snapshot, Stamp, WriteBatch, WriteEvents, WriteStore};
use crate::types::Generation;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Transaction, TransactionBehavior};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a statement waits for another process, which holds a lock for milliseconds only.
const BUSY: Duration = Duration::from_secs(5);

/// Counts in `meta` the changes of where items stand and count, which leave no other mark.
const PLACES: &str = "places";

/// How often a database is opened again that is replaced in the moment of opening.
const OPENING_ATTEMPTS: usize = 10;

/// Vectors fill a page of this size well: five of 384 components.
const PAGE_BYTES: i64 = 8192;

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
    places_change: Cell<bool>,
}

/// Device and number of a file; zeros where that is not known.
fn identity(path: &Path) -> (u64, u64) {
    #[cfg(unix)]
    if let Ok(meta) = fs::metadata(path) {
        use std::os::unix::fs::MetadataExt;
        return (meta.dev(), meta.ino());
    }
    (0, 0)
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

    /// Opens the database to write, making it if there is none.
    ///
    /// # Errors
    /// As [`Database::open`], and when it cannot be made.
    pub fn open_to_write(lock: &WriterLock) -> Result<Self, StoreError> {
        Self::open_with(lock, MIGRATIONS)
    }

    /// As [`Database::open_to_write`], with other migrations: to prove that an upgrade survives anything.
    ///
    /// # Errors
    /// As [`Database::open_to_write`].
    pub fn open_with(lock: &WriterLock, migrations: &[Migration]) -> Result<Self, StoreError> {
        let path = lock.folder().join(DATABASE);
        if inspect(&path)? == Found::Nothing {
            make_private(lock.folder())?;
            let mut options = fs::File::options();
            options.create(true).append(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
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

    /// A number that rises when another connection commits, and never when this one does.
    pub(crate) fn data_version(&self) -> Result<i64, StoreError> {
        let read = |row: &Row<'_>| row.get(0);
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

    /// A value of `meta`.
    pub(super) fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        let get = || -> rusqlite::Result<Option<String>> {
            let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
            let mut rows = statement.query([key])?;
            rows.next()?.map(|row| row.get(0)).transpose()
        };
        self.sql(get())
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
            let sql = "INSERT INTO meta VALUES (?1, '1')
                ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1";
            self.execute(sql, [PLACES])?;
        }
        self.transaction.commit().map_err(StoreError::sqlite(self.path))
    }

    pub(super) fn sql<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(StoreError::sqlite(self.path))
    }

    pub(super) fn execute(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize, StoreError> {
        self.sql(self.transaction.prepare_cached(sql).and_then(|mut statement| statement.execute(params)))
    }

    pub(super) fn set_meta(&self, key: &str, value: Option<&str>) -> Result<(), StoreError> {
        match value {
            Some(value) => self.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", [key, value])?,
            None => self.execute("DELETE FROM meta WHERE key = ?1", [key])?,
        };
        Ok(())
    }

    /// What is changed in this batch says where items stand or count.
    pub(super) fn places_change(&self) {
        self.places_change.set(true);
    }
}

impl ReadEvents for Database {
    fn changes(&self) -> Result<i64, StoreError> {
        self.sql(self.connection.query_row("SELECT coalesce(max(id), 0) FROM event", [], |row| row.get(0)))
    }

    fn stamp(&self) -> Result<Stamp, StoreError> {
        let sql = "SELECT number, mark,
                (SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?1),
                (SELECT value FROM meta WHERE key = ?2),
                (SELECT group_concat(value, char(10)) FROM meta WHERE key IN (?3, ?4))
             FROM (SELECT max(number) AS number FROM vector_change) LEFT JOIN vector_change USING (number)";
        let read = |row: &Row<'_>| {
            let generation = match row.get::<_, Option<i64>>(0)? {
                Some(_) => read_generation(row)?,
                None => Generation::default(),
            };
            let places = row.get::<_, Option<i64>>(2)?.unwrap_or(0);
            Ok(Stamp { file: self.file, generation, places, model: row.get(3)?, switch: row.get(4)? })
        };
        let keys = (PLACES, ACTIVE, SWITCHED_FROM, SWITCHED_TO);
        self.sql(self.connection.prepare_cached(sql).and_then(|mut statement| statement.query_row(keys, read)))
    }
}

impl WriteEvents for Batch<'_> {
    fn log(&self, at_ms: i64, name: &str, data: &serde_json::Value) -> Result<(), StoreError> {
        self.execute("INSERT INTO event (at, name, data) VALUES (?1, ?2, ?3)", (at_ms, name, data.to_string()))?;
        Ok(())
    }
}

impl ReadStore for Database {
    fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Self::snapshot(self)
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

impl StoreError {
    /// What SQLite said of the database at `path`.
    pub(super) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> Self + '_ {
        move |source| {
            // SQLite says of a page that the disk does not give that it is damaged; whether it is nobody knows.
            if let Some(source) = is_damage(&source).then(|| unreadable(path)).flatten() {
                return Self::Io { path: path.to_owned(), source };
            }
            match source {
                rusqlite::Error::FromSqlConversionFailure(_, _, odd) if odd.is::<OddValue>() => {
                    Self::Damaged { path: path.to_owned(), what: odd.to_string() }
                }
                source => Self::Sqlite { path: path.to_owned(), source },
            }
        }
    }
}

/// Opens for reading and writing where that is possible, else for reading; gives the schema with it.
fn connect(path: &Path) -> Result<(Connection, i64), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let attempts = [
        (OpenFlags::SQLITE_OPEN_READ_WRITE, ""),
        (OpenFlags::SQLITE_OPEN_READ_ONLY, "?mode=ro"),
        // Where nothing can be written nobody writes, so the file may be taken as it is, without a log.
        (OpenFlags::SQLITE_OPEN_READ_ONLY, "?immutable=1"),
    ];
    let mut first = None;
    for (access, query) in attempts {
        if query == "?immutable=1" && !is_still(path, first.as_ref()) {
            break;
        }
        let address = format!("file:{}{query}", escaped(path));
        let opened = match Connection::open_with_flags(address, flags | access) {
            Ok(connection) => prepare(&connection, path, access).map(|schema| (connection, schema)),
            Err(error) => Err(StoreError::sqlite(path)(error)),
        };
        match opened {
            Err(StoreError::Sqlite { source, .. })
                if matches!(
                    source.sqlite_error_code(),
                    Some(
                        ErrorCode::CannotOpen
                            | ErrorCode::ReadOnly
                            | ErrorCode::PermissionDenied
                            | ErrorCode::SystemIoFailure
                            | ErrorCode::DiskFull
                    )
                ) =>
            {
                first.get_or_insert(source);
            }
            other => return other,
        }
    }
    Err(StoreError::sqlite(path)(first.unwrap_or(rusqlite::Error::InvalidQuery)))
}

/// Whether nobody can be writing: the folder takes no files or the disk is full, no log waits, no writer is at work.
fn is_still(path: &Path, error: Option<&rusqlite::Error>) -> bool {
    let full = error.is_some_and(|error| {
        matches!(error.sqlite_error_code(), Some(ErrorCode::SystemIoFailure | ErrorCode::DiskFull))
    });
    let folder = path.parent().unwrap_or(Path::new("."));
    let log = fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    (full || !folder_is_writable(folder)) && !log && current_writer(folder).is_none()
}

/// Sets a connection up and gives the schema. A file that is not ours is not touched.
fn prepare(connection: &Connection, path: &Path, access: OpenFlags) -> Result<i64, StoreError> {
    let sqlite = StoreError::sqlite(path);
    let set = || -> rusqlite::Result<()> {
        connection.busy_timeout(BUSY)?;
        connection.execute_batch(
            "PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -32768;
             PRAGMA foreign_keys = ON;
             PRAGMA secure_delete = ON;",
        )
    };
    set().map_err(&sqlite)?;
    let found = is_ours(connection, path)?;
    if access == OpenFlags::SQLITE_OPEN_READ_ONLY {
        return Ok(found);
    }
    let log = || -> rusqlite::Result<String> {
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 8388608;")?;
        Ok(mode)
    };
    match log().map_err(&sqlite)? {
        mode if mode.eq_ignore_ascii_case("wal") => Ok(found),
        // Opened for writing, given for reading: the disk is mounted read-only.
        _ if connection.is_readonly("main").map_err(&sqlite)? => Ok(found),
        _ => Err(StoreError::NoSharedMemory { path: path.to_owned() }),
    }
}

/// The schema, if the database is ours or empty.
fn is_ours(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let ask = || -> rusqlite::Result<(i64, i64, i64)> {
        let id = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let tables = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        Ok((id, tables, schema(connection)?))
    };
    match ask().map_err(StoreError::sqlite(path))? {
        (APPLICATION_ID, _, schema @ 1..) => Ok(schema),
        (APPLICATION_ID, 0, 0) | (0, 0, 0) => Ok(0),
        (APPLICATION_ID, _, schema) => {
            Err(StoreError::Damaged { path: path.to_owned(), what: format!("it says that its schema is {schema}") })
        }
        _ => Err(StoreError::Foreign { path: path.to_owned() }),
    }
}

/// A path in a `file:` address. One that is not UTF-8 keeps its bytes.
fn escaped(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-~".contains(&b);
    bytes.iter().map(|&b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

fn folder_is_writable(folder: &Path) -> bool {
    // Without a name where the system can: nothing of it is left, whatever happens.
    tempfile::tempfile_in(folder).is_ok()
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
