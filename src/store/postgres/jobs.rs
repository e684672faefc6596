//! Jobs that services share. Any service can be asked for a job, one of them runs it, and all can report its progress.
//! A service that begins a job skips rows that another is about to begin (`FOR UPDATE SKIP LOCKED`). A job that is
//! added wakes all workers (`LISTEN`, `NOTIFY`).

use super::database::SharedDatabase;
use super::row::Failure;
use crate::store::sql::{RunSql, SqlRow, count, values};
use crate::store::{PostgresAccess as Access, StoreError, StoredJob, WriteBatch};
use std::time::Duration;
use tokio_postgres::Row;

/// The first half of the advisory locks of workers: `KEN` and a number.
const WORKERS: i32 = 0x4b45_4e02;
/// The channel that is notified when a job was added.
const ADDED: &str = "kenning_jobs";
/// How long a row is waited for.
const WAIT: Duration = Duration::from_secs(2);
const COLUMNS: &str = "id, request, state, CAST(phase = 'over' AS integer), CAST(is_cancelled AS integer), attempts";

/// SQL: whether the worker of a running job is gone.
fn is_lost() -> String {
    format!(
        "NOT EXISTS (SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
            WHERE locktype = 'advisory' AND granted AND datname = current_database()
                AND classid::bigint = {WORKERS} AND objid::bigint = job.service)"
    )
}

/// A worker, known to the others as long as its connection lives. If that ends, others begin anew what it has begun.
#[derive(Debug)]
pub struct SharedJobs {
    database: SharedDatabase,
    number: i64,
}

fn read(row: &Row) -> Result<StoredJob, Failure> {
    Ok(StoredJob {
        id: row.integer(0)?,
        request: row.text(1)?,
        state: row.text(2)?,
        is_over: row.integer(3)? == 1,
        is_cancelled: row.integer(4)? == 1,
        attempts: count(row, 5)?,
    })
}

impl Drop for SharedJobs {
    /// Gives back the lock of the worker, so that others can take over its job at once.
    fn drop(&mut self) {
        self.database.release();
    }
}

impl SharedJobs {
    /// Those of the store of a database, which is made if there is none.
    ///
    /// # Errors
    /// As [`SharedDatabase::open_to_write`].
    pub fn open(address: &str, access: &Access) -> Result<Self, StoreError> {
        let database = SharedDatabase::open_to_write(address, access)?;
        // One that nobody else has now.
        let sql = format!(
            "SELECT number FROM (SELECT CAST(random() * 2147483646 AS integer) AS number FROM generate_series(1, 9)
                OFFSET 0) AS drawn WHERE pg_try_advisory_lock({WORKERS}, number) LIMIT 1"
        );
        let number = database.one(&sql, &[], |row| row.integer(0))?;
        Ok(Self { database, number })
    }

    /// Adds a job that waits. None is added if about `at_most` have not ended yet. Of those that ended, the last
    /// `at_most` stay.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn add(&self, request: &str, state: &str, at_most: usize) -> Result<Option<i64>, StoreError> {
        let most = at_most as i64;
        let batch = self.database.begin_quickly(WAIT)?;
        let sql = "DELETE FROM job WHERE phase = 'over' AND id <=
            (SELECT id FROM job WHERE phase = 'over' ORDER BY id DESC LIMIT 1 OFFSET ?1)";
        batch.execute(sql, &values![most])?;
        let sql = "INSERT INTO job (request, state) SELECT ?1, ?2
            WHERE (SELECT count(*) FROM job WHERE phase <> 'over') < ?3 RETURNING id";
        let id = batch.first(sql, &values![request, state, most], |row| row.integer(0))?;
        batch.execute(&format!("SELECT pg_notify('{ADDED}', '')"), &[])?;
        batch.commit()?;
        Ok(id)
    }

    /// A job by its number.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn job(&self, id: i64) -> Result<Option<StoredJob>, StoreError> {
        self.database.first(&format!("SELECT {COLUMNS} FROM job WHERE id = ?1"), &values![id], read)
    }

    /// Begins the first of those that wait or have lost their worker, if `admits` takes it. Nobody else begins it. This
    /// worker does nothing now, so what it has begun before counts as lost.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses, or a newer `ken` has changed the schema.
    pub fn begin(&self, mut admits: impl FnMut(&StoredJob) -> bool) -> Result<Option<StoredJob>, StoreError> {
        // LISTEN comes before the query, so no job that is added in between is missed.
        self.database.on(|link| link.batch(&format!("LISTEN {ADDED}")))?;
        let batch = self.database.begin_quickly(WAIT)?;
        // Within the batch the connection stays the one that has the lock.
        self.hold_worker_lock()?;
        self.database.check_schema()?;
        let sql = format!(
            "SELECT {COLUMNS} FROM job
             WHERE phase = 'waiting' OR phase = 'running' AND (service = ?1 OR {})
             ORDER BY id FOR UPDATE OF job SKIP LOCKED",
            is_lost()
        );
        let found = batch.rows(&sql, &values![self.number], read)?.into_iter().find(|job| admits(job));
        if let Some(job) = &found {
            let sql = "UPDATE job SET phase = 'running', service = ?2, attempts = attempts + 1 WHERE id = ?1";
            batch.execute(sql, &values![job.id, self.number])?;
        }
        batch.commit()?;
        Ok(found.map(|job| StoredJob { attempts: job.attempts + 1, ..job }))
    }

    /// Waits until somebody adds a job, but no longer than `at_most`. A job that was added since the last
    /// [`SharedJobs::begin`] ends the wait at once.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn wait(&self, at_most: Duration) -> Result<(), StoreError> {
        self.database.on(|link| link.wait_for_notification(at_most))
    }

    /// Stores the progress of a job that this worker has begun. Returns false if the job must stop, or if another
    /// worker has taken it over. A job that has ended is not changed.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn tell(&self, job: &StoredJob, state: &str, is_over: bool) -> Result<bool, StoreError> {
        self.hold_worker_lock()?;
        let batch = self.database.begin_quickly(WAIT)?;
        let sql = "UPDATE job SET state = ?4, phase = ?5
            WHERE id = ?1 AND service = ?2 AND attempts = ?3 AND phase = 'running'
            RETURNING CAST(is_cancelled AS integer)";
        let phase = if is_over { "over" } else { "running" };
        let values = values![job.id, self.number, job.attempts as i64, state, phase];
        let is_cancelled = batch.first(sql, &values, |row| row.integer(0))?;
        batch.commit()?;
        Ok(is_cancelled == Some(0))
    }

    /// Asks whoever works on a job to stop. One that nobody works on ends at once, in the state `ended`.
    ///
    /// # Errors
    /// [`StoreError`] when the server refuses.
    pub fn cancel(&self, id: i64, ended: &str) -> Result<(), StoreError> {
        let batch = self.database.begin_quickly(WAIT)?;
        let lost = is_lost();
        let sql = format!(
            "UPDATE job SET is_cancelled = TRUE,
                state = CASE WHEN phase = 'waiting' OR {lost} THEN ?2 ELSE state END,
                phase = CASE WHEN phase = 'waiting' OR {lost} THEN 'over' ELSE phase END
             WHERE id = ?1 AND phase <> 'over'"
        );
        batch.execute(&sql, &values![id, ended])?;
        batch.commit()
    }

    /// Holds the lock that says that this worker lives. It goes with a connection that is lost.
    fn hold_worker_lock(&self) -> Result<(), StoreError> {
        let number = self.number;
        let sql = format!(
            "SELECT CAST(pg_try_advisory_lock({WORKERS}, {number}) AS integer) WHERE NOT EXISTS
                (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                    AND classid::bigint = {WORKERS} AND objid::bigint = {number})"
        );
        self.database.exists(&sql, &[]).map(drop)
    }
}
