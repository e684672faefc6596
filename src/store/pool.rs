//! Connections for many threads: each reader has one of its own and gives it back warm.
//!
//! A connection keeps its prepared statements and its page cache, so opening one for each request would cost more than
//! most requests. A connection whose file was replaced, by a repair or by hand, is not given out again.

use super::{Database, Place, StoreError};
use crate::types::Scope;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Connections that are kept while nobody uses them.
const MAX_IDLE: usize = 16;

/// Uses that fail at once after a server did not answer. A command uses the store several times, and would otherwise
/// wait for the server each time.
const LEFT_OUT: usize = 3;

/// Connections to the store of a place. Shared by all threads.
#[derive(Debug)]
pub struct Pool {
    place: Place,
    idle: Mutex<Vec<Database>>,
    /// The name of a server that did not answer, and how many uses still fail without asking it.
    silent: Mutex<Option<(String, usize)>>,
}

impl Pool {
    /// No connections yet, to the database of `folder`, which need not be there.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::at(Place::folder(folder))
    }

    /// No connections yet, to the store of a place, which need not be there.
    pub fn at(place: Place) -> Self {
        Self { place, idle: Mutex::new(Vec::new()), silent: Mutex::new(None) }
    }

    /// The data directory.
    pub fn folder(&self) -> &Path {
        &self.place.folder
    }

    /// A connection to read with, opened if none is idle; `None` if there is no database. It goes back when it is
    /// dropped.
    ///
    /// # Errors
    /// As [`Database::open_at`].
    pub fn reader(&self) -> Result<Option<PooledReader<'_>>, StoreError> {
        self.reader_of(None)
    }

    /// The same, limited to these scopes while it is used ([`Database::limit_to`]).
    ///
    /// # Errors
    /// As [`Database::open_at`].
    pub fn reader_of(&self, scopes: Option<&[Scope]>) -> Result<Option<PooledReader<'_>>, StoreError> {
        while let Some(mut database) = self.take() {
            if !database.is_in_place() {
                continue;
            }
            // In any case, because an earlier request may have had another limit.
            database.limit_to(scopes);
            if database.check_usable().is_ok() {
                return Ok(Some(self.given(database)));
            }
            // The others are no better, and where a server does not answer, each would take its time to find out.
            self.close_idle();
            break;
        }
        let Some(mut database) = self.open()? else { return Ok(None) };
        database.limit_to(scopes);
        Ok(Some(self.given(database)))
    }

    fn open(&self) -> Result<Option<Database>, StoreError> {
        let silent = || self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, left @ 1..)) = silent().as_mut() {
            *left -= 1;
            return Err(StoreError::Silent { name: name.clone() });
        }
        Database::open_at(&self.place).inspect_err(|error| {
            if let StoreError::Silent { name } = error {
                *silent() = Some((name.clone(), LEFT_OUT));
            }
        })
    }

    /// Closes the connections that nobody uses: before the files are replaced or removed.
    pub fn close_idle(&self) {
        let idle = std::mem::take(&mut *self.lock());
        // Not under the lock: the last connection to close folds the log.
        drop(idle);
    }

    /// How many connections nobody uses.
    pub fn idle(&self) -> usize {
        self.lock().len()
    }

    fn given(&self, database: Database) -> PooledReader<'_> {
        PooledReader { pool: self, database: Some(database) }
    }

    fn take(&self) -> Option<Database> {
        self.lock().pop()
    }

    /// The idle connections. A thread that panicked with the lock left a whole list behind.
    fn lock(&self) -> MutexGuard<'_, Vec<Database>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, idle: Database) {
        let mut all = self.lock();
        if all.len() < MAX_IDLE {
            all.push(idle);
        } else {
            drop(all);
            drop(idle);
        }
    }
}

/// A connection of a [`Pool`], for one thread at a time.
#[derive(Debug)]
pub struct PooledReader<'p> {
    pool: &'p Pool,
    /// There until it is dropped.
    database: Option<Database>,
}

impl Deref for PooledReader<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        match &self.database {
            Some(database) => database,
            None => unreachable!("only taken when it is dropped"),
        }
    }
}

impl DerefMut for PooledReader<'_> {
    fn deref_mut(&mut self) -> &mut Database {
        match &mut self.database {
            Some(database) => database,
            None => unreachable!("only taken when it is dropped"),
        }
    }
}

impl Drop for PooledReader<'_> {
    fn drop(&mut self) {
        if let Some(database) = self.database.take().filter(Database::is_idle) {
            self.pool.give_back(database);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ReadEvents, WriteEvents, WriterLock};
    use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
    use std::time::Duration;

    fn lock(folder: &Path) -> WriterLock {
        WriterLock::take(folder, "test", Duration::from_secs(9)).unwrap()
    }

    fn made() -> (tempfile::TempDir, Pool) {
        let dir = tempfile::tempdir().unwrap();
        let pool = Pool::new(dir.path());
        assert!(pool.reader().unwrap().is_none(), "there is no database yet");
        drop(Database::open_to_write(&lock(dir.path())).unwrap());
        (dir, pool)
    }

    fn write(folder: &Path, events: i64) {
        let lock = lock(folder);
        let mut database = Database::open_to_write(&lock).unwrap();
        let batch = database.begin(&lock).unwrap();
        (0..events).for_each(|at| batch.log(at, "test", &serde_json::Value::Null).unwrap());
        batch.commit().unwrap();
    }

    #[test]
    fn a_connection_comes_back() {
        let (dir, pool) = made();
        drop(pool.reader().unwrap().unwrap());
        assert_eq!(pool.idle(), 1);
        {
            let reader = pool.reader().unwrap().unwrap();
            assert_eq!(pool.idle(), 0);
            write(dir.path(), 1);
            assert_eq!(reader.changes().unwrap(), 1);
        }
        assert_eq!(pool.idle(), 1);
        pool.close_idle();
        assert_eq!(pool.idle(), 0);
    }

    #[test]
    fn few_connections_are_kept_and_none_of_a_file_that_was_replaced() {
        let (dir, pool) = made();
        let all: Vec<_> = (0..MAX_IDLE + 3).map(|_| pool.reader().unwrap().unwrap()).collect();
        drop(all);
        assert_eq!(pool.idle(), MAX_IDLE);
        write(dir.path(), 1);
        Database::salvage(&lock(dir.path())).unwrap();
        let reader = pool.reader().unwrap().unwrap();
        assert!(reader.is_in_place());
        assert_eq!((pool.idle(), reader.changes().unwrap()), (0, 1));
    }

    /// Eight threads take and give back connections while others write, and a repair puts another file in place of the
    /// one that is open. Nobody reads half a batch or an earlier state than was read before, and once the repair is
    /// over nobody is given a connection to the old file.
    #[test]
    fn threads_share_a_pool_while_the_file_is_replaced() {
        let (dir, pool) = made();
        let (written, done) = (AtomicI64::new(0), AtomicBool::new(false));
        let read = || {
            let mut last = 0;
            while !done.load(Ordering::Acquire) {
                let least = written.load(Ordering::Acquire);
                let Some(reader) = pool.reader().unwrap() else { panic!("the database is gone") };
                // What was written before the connection was taken is seen, unless a repair is carrying it over.
                let seen = reader.changes();
                if reader.is_in_place() {
                    let seen = seen.unwrap();
                    assert!(seen >= least && seen % 2 == 0 && seen >= last, "{seen} of {least} after {last}");
                    last = seen;
                }
            }
        };
        std::thread::scope(|scope| {
            (0..8).for_each(|_| drop(scope.spawn(read)));
            for round in 0..6 {
                for _ in 0..5 {
                    write(dir.path(), 2);
                    written.fetch_add(2, Ordering::Release);
                }
                if round % 2 == 1 {
                    Database::salvage(&lock(dir.path())).unwrap();
                    let all: Vec<_> = (0..MAX_IDLE).map(|_| pool.reader().unwrap().unwrap()).collect();
                    assert!(all.iter().all(|reader| reader.is_in_place()), "an idle connection to the old file");
                }
            }
            done.store(true, Ordering::Release);
        });
        assert!(pool.idle() <= MAX_IDLE);
        pool.close_idle();
        assert_eq!(pool.reader().unwrap().unwrap().changes().unwrap(), 60);
    }
}
