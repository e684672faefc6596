//! A store in PostgreSQL that is used where it lies, by any number of machines.
//!
//! Readers see what was committed when they began, and wait for nobody. Whoever changes anything but counters of use
//! holds the store's advisory lock until the change is committed, so changes follow each other as in SQLite. A
//! connection that is lost is made anew by the next use, but never within a batch or a snapshot: that one fails, and
//! nothing of it is kept.

use super::link::{Limit, Link};
use super::locks::{FITTER, LOCK_WAIT, PURGER, WORK, WRITER, busy, holder, naming, release_all, with_holder};
use super::pending::Pending;
use super::rights::Rights;
use super::row::Failure;
use super::schema::{self, BEGIN, SCHEMA, check, is_present, prepare, taking, version};
use crate::store::sql::{RunSql, SqlRow, count_places, values};
use crate::store::{PostgresAccess as Access, Snapshot, StoreError, Turn, WordsOf, WriteBatch, WriteStore, WriterLock};
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::time::Duration;

/// The longest time that a connection to the server behind a replica may take, because a search counts what it served.
const PRIMARY_CONNECT: Duration = Duration::from_secs(2);

/// How many counters are left out after that failed.
const LEFT_OUT: usize = 100;

/// What is open on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// Nothing: each statement is of its own moment.
    Now,
    /// A snapshot.
    Held,
    /// A batch.
    Batch,
}

/// A store in PostgreSQL.
pub struct SharedDatabase {
    pub(super) address: String,
    pub(super) access: Access,
    name: String,
    link: RefCell<Link>,
    moment: Cell<Moment>,
    /// What words items have; without it none are kept.
    pub(super) words_of: Option<WordsOf>,
    /// How many cursors there were.
    cursors: Cell<u64>,
    /// The schema of the extension pgvector, as SQL names it.
    pub(super) extension: OnceCell<String>,
    /// The row of `vector` up to which the vectors of a model are known to be searchable: the model, the row.
    pub(super) searchable: Cell<(i64, i64)>,
    /// The right to write, which goes with the connection.
    turn: Cell<Option<Turn>>,
    /// Whether the right to write is given away now.
    is_away: Cell<bool>,
    /// Where changes go if this reads from a replica.
    pub(super) primary: Option<Primary>,
    /// What the user sees.
    pub(super) rights: Rights,
    /// What a request is limited to.
    pub(super) limit: Limit,
}

impl fmt::Debug for SharedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("SharedDatabase").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Changes that become true together, or not at all when it is dropped.
#[derive(Debug)]
pub struct SharedBatch<'a> {
    pub(super) database: &'a SharedDatabase,
    /// Whether items stand or count elsewhere when it is committed.
    pub(super) places_change: Cell<bool>,
    pub(super) pending: Pending,
}

impl SharedBatch<'_> {
    /// Removes what items are found with. Whoever keeps the store in order makes it again.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn forget_derived(&self) -> Result<(), StoreError> {
        // A running merge ends first. Otherwise the list that it makes would survive the deletion.
        self.exists("SELECT FROM pg_advisory_xact_lock(?1)", &values![PURGER])?;
        self.database.on(|link| {
            link.batch(
                "DELETE FROM item_words; DELETE FROM posting; DELETE FROM word_segment; DELETE FROM dead_words;
                 DELETE FROM dead_term; DELETE FROM half_vector; DELETE FROM word_total;
                 INSERT INTO word_total (scope, items, documents, tokens)
                    SELECT scope, count(*), 0, 0 FROM item WHERE state = 'active' GROUP BY scope",
            )
        })
    }
}

impl SharedDatabase {
    /// Opens the store of a database to read, `None` if there is none. An older schema is brought up to date first.
    ///
    /// # Errors
    /// [`StoreError`] when the address is wrong, the server cannot be reached or refuses, or the schema is newer.
    pub fn open(address: &str, access: &Access) -> Result<Option<Self>, StoreError> {
        let (mut link, name) = Link::new(address, access)?;
        if version(&mut link.client, &name)?.is_none() {
            return Ok(None);
        }
        let rights = prepare(&mut link.client, &name)?;
        Ok(Some(Self::over(link, (name, rights), address, access)))
    }

    /// Opens the store of a database to write, making it if there is none.
    ///
    /// # Errors
    /// As [`SharedDatabase::open`], and when the user may not make it.
    pub fn open_to_write(address: &str, access: &Access) -> Result<Self, StoreError> {
        let (mut link, name) = Link::new(address, access)?;
        let rights = prepare(&mut link.client, &name)?;
        Ok(Self::over(link, (name, rights), address, access))
    }

    /// Opens the store of a replica to read, `None` if there is none. Nothing is made or changed there, and no lock is
    /// taken. What is written through it goes to `primary`, the address of the server that the replica follows:
    ///
    /// - changes, outcomes and what is learnt go there, and fail if it cannot be reached;
    /// - counters of use go there; if it cannot be reached, this update and the next few are left out without an error;
    /// - generations of derived files are not begun, because that server is ahead of what is read here: they begin with
    ///   the last change that the replica has. Changes are not forgotten.
    ///
    /// What was written is read here once the replica has it.
    ///
    /// # Errors
    /// As [`SharedDatabase::open`], and when the schema is older.
    pub fn open_replica(address: &str, primary: &str, access: &Access) -> Result<Option<Self>, StoreError> {
        let (mut link, name) = Link::new(address, access)?;
        if version(&mut link.client, &name)?.is_none() {
            return Ok(None);
        }
        let rights = check(&mut link.client, &name)?;
        let mut replica = Self::over(link, (name, rights), address, access);
        replica.primary = Some(Primary::new(primary, access));
        Ok(Some(replica))
    }

    fn over(link: Link, (name, rights): (String, Rights), address: &str, access: &Access) -> Self {
        let (address, access, link) = (address.to_owned(), access.clone(), RefCell::new(link));
        let (moment, cursors) = (Cell::new(Moment::Now), Cell::new(0));
        let (extension, searchable) = (OnceCell::new(), Cell::new((0, 0)));
        let (turn, is_away) = (Cell::new(None), Cell::new(false));
        Self {
            address,
            access,
            name,
            link,
            moment,
            cursors,
            extension,
            searchable,
            turn,
            is_away,
            primary: None,
            words_of: None,
            rights,
            limit: None,
        }
    }

    /// Sets the function that cuts the words of items that are written.
    pub fn set_words(&mut self, words_of: Option<WordsOf>) {
        self.words_of = words_of;
    }

    /// What changes are made through.
    pub(super) fn writer(&mut self) -> Result<&Self, StoreError> {
        match self {
            Self { primary: Some(primary), .. } => primary.database(),
            own => Ok(own),
        }
    }

    /// How people know it: its address without a password.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether every scope is seen. Somebody who sees only some of them must not build or measure what covers all.
    pub fn sees_all_scopes(&self) -> bool {
        self.seen().sees_all_scopes
    }

    /// What the user sees within the limit. The limit does not bind a user who is exempt from row-level security.
    fn seen(&self) -> Rights {
        let is_bound = self.limit.is_some() && !self.rights.is_free;
        let sees_all_scopes = self.rights.sees_all_scopes && !is_bound;
        Rights { sees_all_scopes, ..self.rights }
    }

    /// Refuses work that needs all scopes.
    ///
    /// # Errors
    /// [`StoreError::PartOnly`] if the user sees a part.
    pub fn need_all(&self) -> Result<(), StoreError> {
        self.seen().need_all(&self.name)
    }

    /// Refuses what another `ken` has made of the schema since the store was opened.
    pub(in crate::store) fn check_schema(&self) -> Result<(), StoreError> {
        let schema = self.one(&format!("SELECT {SCHEMA}"), &[], |row| row.integer(0))?;
        is_present(schema, &self.name)
    }

    /// Whether no snapshot or batch was left open.
    pub fn is_idle(&self) -> bool {
        self.moment.get() == Moment::Now
    }

    /// A name for a cursor.
    pub(super) fn next_cursor(&self) -> String {
        self.cursors.set(self.cursors.get() + 1);
        format!("cursor_{}", self.cursors.get())
    }

    /// Works on the connection, within the limit. One that is lost is made anew, unless something is open on it.
    pub(super) fn on<T>(&self, work: impl Fn(&mut Link) -> Result<T, Failure>) -> Result<T, StoreError> {
        let mut link = self.link.borrow_mut();
        if !self.is_idle() {
            if link.is_lost() {
                return Err(StoreError::Lost { name: self.name.clone() });
            }
            return work(&mut link).map_err(|failure| failure.of(&self.name));
        }
        if link.is_lost() {
            *link = self.again()?;
        }
        let work = |link: &mut Link| link.limit_to(&self.limit).and_then(|()| work(link));
        match work(&mut link) {
            // The connection ended while nobody used it. It is safe to run this again: outside of a transaction we only
            // read or begin one. Where a server does not answer, the next connection is left to the next use.
            Err(_) if link.is_lost() && !link.client.is_silent() => {
                *link = self.again()?;
                work(&mut link).map_err(|failure| failure.of(&self.name))
            }
            other => other.map_err(|failure| failure.of(&self.name)),
        }
    }

    /// Takes the right to write for a whole use case, from its first read to its last change. The right ends with the
    /// connection. If the connection is lost, the use case fails. Those who wait are told the `purpose`. `patience` is
    /// the time to wait for the right, at most 30 s, however long a statement may take otherwise.
    ///
    /// # Errors
    /// [`StoreError::SharedBusy`] when another process keeps the right for too long. Other [`StoreError`]s when the
    /// server refuses, or the schema was changed by whoever had the right before.
    pub fn take_turn(&self, turn: Turn, purpose: &str, patience: Option<Duration>) -> Result<(), StoreError> {
        self.take_locks(turn, purpose, patience).inspect_err(|_| {
            // One of two locks may have been obtained.
            release_all(&mut self.link.borrow_mut().client);
        })?;
        self.turn.set(Some(turn));
        self.check_schema()
    }

    fn take_locks(&self, turn: Turn, purpose: &str, patience: Option<Duration>) -> Result<(), StoreError> {
        if turn == Turn::AtOnce {
            let sql = format!("SELECT WHERE pg_try_advisory_lock({WRITER})");
            if !self.exists(&sql, &[])? {
                return Err(self.with_holder(busy(&self.name)));
            }
            return self.on(|link| link.batch(&naming(purpose)));
        }
        let locks: &[i64] = if turn == Turn::Work { &[WORK, WRITER] } else { &[WRITER] };
        // A timeout of 0 would be none.
        let wait = patience.map_or(LOCK_WAIT, |patience| patience.clamp(Duration::from_millis(1), LOCK_WAIT));
        let sql = format!("{} {}", naming(purpose), taking(locks, wait));
        self.on(|link| link.batch_waiting(&sql, Some(wait))).map_err(|error| self.naming_holder(error))
    }

    /// Releases the right to write, runs `others`, and takes the right again behind all who wait by then.
    ///
    /// # Errors
    /// [`StoreError::SharedBusy`] when a short change does not get the right to write back. Other [`StoreError`]s when
    /// the server refuses.
    pub fn with_lock_released(&self, others: &mut dyn FnMut()) -> Result<(), StoreError> {
        let Some(turn) = self.turn.get() else {
            others();
            return Ok(());
        };
        self.on(|link| link.batch(&format!("SELECT pg_advisory_unlock({WRITER})")))?;
        self.is_away.set(true);
        others();
        self.is_away.set(false);
        let wait = match turn {
            // No time limit: the lock is given in order, and each process before this one makes only a short change.
            Turn::Work => Duration::ZERO,
            // Work of others may have begun.
            Turn::Change | Turn::AtOnce => LOCK_WAIT,
        };
        let limit = Some(wait).filter(|wait| !wait.is_zero());
        self.on(|link| link.batch_waiting(&taking(&[WRITER], wait), limit))
            .map_err(|error| self.naming_holder(error))?;
        self.check_schema()
    }

    /// Runs `fit`, which fits the gate to all texts, unless another process does that now.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn fit_alone(&self, fit: &mut dyn FnMut()) -> Result<(), StoreError> {
        if self.exists(&format!("SELECT WHERE pg_try_advisory_lock({FITTER})"), &[])? {
            fit();
            // If the connection ends before, the server frees the lock.
            self.on(|link| link.batch(&format!("SELECT pg_advisory_unlock({FITTER})")))?;
        }
        Ok(())
    }

    fn again(&self) -> Result<Link, StoreError> {
        if self.turn.get().is_some() {
            return Err(StoreError::Lost { name: self.name.clone() });
        }
        let (mut link, name) = Link::new(&self.address, &self.access)?;
        check(&mut link.client, &name)?;
        Ok(link)
    }

    /// Begins a transaction with `sql`, which may wait for locks for at most `wait`.
    fn enter(&self, moment: Moment, sql: &str, wait: Duration) -> Result<(), StoreError> {
        self.leave();
        let begun = self.on(|link| {
            link.batch_waiting(sql, Some(wait)).inspect_err(|_| {
                // What had begun ends here; a connection that is lost ends it by itself.
                drop(link.client.batch_execute("ROLLBACK"));
            })
        });
        self.moment.set(if begun.is_ok() { moment } else { Moment::Now });
        begun
    }

    /// Ends what is open; nothing of it is kept that was not committed.
    fn leave(&self) {
        let mut link = self.link.borrow_mut();
        let was_open = self.moment.replace(Moment::Now) != Moment::Now;
        link.client.set_unhurried(false);
        if was_open && !link.is_lost() {
            // A connection that cannot end it is lost, which the next use sees.
            drop(link.batch("ROLLBACK"));
        }
    }

    /// Everything that is read until the snapshot is dropped is of one moment.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        Ok(Snapshot::new(self.hold()?))
    }

    pub(super) fn hold(&self) -> Result<Open<'_>, StoreError> {
        if !self.is_idle() {
            // It goes on with the moment that is held.
            return Ok(Open(None));
        }
        self.enter(Moment::Held, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", Duration::ZERO)?;
        Ok(Open(Some(self)))
    }

    /// Begins changes, behind those of everybody else.
    pub(super) fn begin_behind_others(&self) -> Result<SharedBatch<'_>, StoreError> {
        let wait = LOCK_WAIT.as_millis();
        // The lock is waited for only so long; a row, which nobody else changes meanwhile, as long as a statement may.
        let begun = self.enter(
            Moment::Batch,
            &format!(
                "{BEGIN}; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = {wait};
                 SELECT pg_advisory_xact_lock({WRITER});
                 SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout TO DEFAULT"
            ),
            LOCK_WAIT,
        );
        begun.map_err(|error| self.naming_holder(error))?;
        let batch = self.batch();
        // Nobody changes the schema while this has the right to write.
        if self.turn.get().is_none() || self.is_away.get() {
            self.check_schema()?;
        }
        Ok(batch)
    }

    /// Begins changes of what may be lost: without the lock, and waiting for no row longer than this.
    pub(super) fn begin_quickly(&self, wait: Duration) -> Result<SharedBatch<'_>, StoreError> {
        self.enter(Moment::Batch, &format!("{BEGIN}; SET LOCAL lock_timeout = {}", wait.as_millis()), wait)?;
        Ok(self.batch())
    }

    /// Begins changes of what is derived, which disturb nobody: without the lock, and for as long as they take.
    pub(super) fn begin_aside(&self) -> Result<SharedBatch<'_>, StoreError> {
        self.enter(Moment::Batch, BEGIN, Duration::ZERO)?;
        let batch = self.batch();
        batch.unhurried()?;
        Ok(batch)
    }

    fn batch(&self) -> SharedBatch<'_> {
        SharedBatch { database: self, places_change: Cell::new(false), pending: Pending::default() }
    }

    /// Who writes now, as far as is known.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn current_writer(&self) -> Result<Option<String>, StoreError> {
        self.on(|link| Ok(holder(&mut link.client)?))
    }

    /// Maps the error of a commit. If the connection was lost during the commit, the server may have committed.
    fn commit_error(&self, error: StoreError) -> StoreError {
        match error {
            // The connection was lost before the commit was sent.
            StoreError::Lost { .. } => error,
            _ if self.link.borrow().is_lost() => StoreError::Uncertain { name: self.name.clone() },
            error => error,
        }
    }

    /// Gives all locks back ([`release_all`]).
    pub(super) fn release(&mut self) {
        release_all(&mut self.link.get_mut().client);
    }

    /// Adds the holder to the error if a lock was not obtained.
    fn naming_holder(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Postgres { source, .. } => self.with_holder(schema::busy(source, &self.name)),
            other => other,
        }
    }

    fn with_holder(&self, error: StoreError) -> StoreError {
        with_holder(error, &mut self.link.borrow_mut().client)
    }
}

impl Drop for SharedDatabase {
    fn drop(&mut self) {
        if self.turn.get().is_some() {
            self.release();
        }
    }
}

/// The server that a replica follows: what is written by somebody who reads from the replica goes there. It is
/// connected to when there is first something to write.
pub(super) struct Primary {
    address: String,
    access: Access,
    pub(super) database: Option<Box<SharedDatabase>>,
    /// The limit there.
    pub(super) limit: Limit,
    /// Counters that are left out before the next one is tried.
    left_out: usize,
}

impl Primary {
    fn new(address: &str, access: &Access) -> Self {
        let access = Access { connect_timeout: access.connect_timeout.min(PRIMARY_CONNECT), ..access.clone() };
        Self { address: address.to_owned(), access, database: None, limit: None, left_out: 0 }
    }

    /// The store there.
    ///
    /// # Errors
    /// As [`SharedDatabase::open_to_write`].
    fn database(&mut self) -> Result<&SharedDatabase, StoreError> {
        let database = match self.database.take() {
            Some(database) => database,
            None => {
                let mut opened = SharedDatabase::open_to_write(&self.address, &self.access)?;
                opened.limit.clone_from(&self.limit);
                Box::new(opened)
            }
        };
        Ok(self.database.insert(database))
    }

    /// Writes what may be lost there, unless one of the last failed.
    pub fn try_quickly(&mut self, write: impl FnOnce(&SharedDatabase) -> Result<(), StoreError>) {
        if self.left_out > 0 {
            self.left_out -= 1;
        } else if self.database().and_then(write).is_err() {
            self.left_out = LEFT_OUT;
        }
    }
}

/// Ends what is open when it is dropped.
pub(super) struct Open<'a>(Option<&'a SharedDatabase>);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Some(database) = self.0 {
            database.leave();
        }
    }
}

impl Drop for SharedBatch<'_> {
    fn drop(&mut self) {
        self.database.leave();
    }
}

impl WriteStore for SharedDatabase {
    type Batch<'a> = SharedBatch<'a>;

    fn begin(&mut self, _lock: &WriterLock) -> Result<SharedBatch<'_>, StoreError> {
        self.writer()?.begin_behind_others()
    }
}

impl WriteBatch for SharedBatch<'_> {
    fn commit(self) -> Result<(), StoreError> {
        if self.places_change.get() {
            count_places(&self)?;
        }
        self.write_words()?;
        // After a statement that failed the server would take COMMIT for ROLLBACK, and say nothing.
        self.database.on(|link| link.batch("SELECT 1; COMMIT")).map_err(|error| self.database.commit_error(error))?;
        self.database.moment.set(Moment::Now);
        self.database.link.borrow_mut().client.set_unhurried(false);
        Ok(())
    }
}
