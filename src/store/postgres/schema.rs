//! The schema of a store in PostgreSQL: brought up to date under a lock, refused if it is newer.

use super::client::{Client, Transaction};
use super::locks::{self, LOCK_WAIT, WORK, WRITER, naming, with_holder};
use super::rights::Rights;
use super::row::refused;
use super::server_error::reason;
use crate::store::StoreError;
use std::time::Duration;
use tokio_postgres::error::{Severity, SqlState};

/// Each schema as a step from the one before.
const MIGRATIONS: &[&str] = &[
    include_str!("../../../index/postgres/0001_first.sql"),
    include_str!("../../../index/postgres/0002_live.sql"),
    include_str!("../../../index/postgres/0003_rights.sql"),
    include_str!("../../../index/postgres/0004_nearest.sql"),
    include_str!("../../../index/postgres/0005_words.sql"),
    include_str!("../../../index/postgres/0006_scopes.sql"),
    include_str!("../../../index/postgres/0007_half_vectors.sql"),
    include_str!("../../../index/postgres/0008_jobs.sql"),
    include_str!("../../../index/postgres/0009_limits.sql"),
];

/// Each statement sees what was committed before it, whatever the server's default is.
pub(super) const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// The version of pgvector from which on a search by an index goes on until enough rows pass a filter.
const EXTENSION: [u32; 2] = [0, 8];

/// How long a copy waits for a writer.
const LOCK_GLANCE: Duration = Duration::from_secs(2);

/// A refusal, which says so if somebody else holds a lock.
pub(super) fn busy(error: tokio_postgres::Error, name: &str) -> StoreError {
    match error.code() {
        Some(code) if *code == SqlState::LOCK_NOT_AVAILABLE => locks::busy(name),
        _ => refused(name)(error),
    }
}

/// SQL that takes session locks one after another. `wait` limits the total wait, and zero means no limit. The time
/// limit of statements is off meanwhile. If a lock is not obtained, the settings are rolled back.
pub(super) fn taking(locks: &[i64], wait: Duration) -> String {
    let wait = wait.as_millis();
    let mut sql = format!("SET statement_timeout = 0; SET lock_timeout = {wait};");
    for (at, lock) in locks.iter().enumerate() {
        if at > 0 && wait > 0 {
            // What is left of the wait, by the server's clock. A timeout of 0 would be none.
            sql.push_str(&format!(
                " SELECT set_config('lock_timeout', CAST(greatest(1, CAST({wait} - 1000 * extract(epoch FROM
                    clock_timestamp() - statement_timestamp()) AS bigint)) AS text), false);"
            ));
        }
        sql.push_str(&format!(" SELECT pg_advisory_lock({lock});"));
    }
    sql.push_str(" SET lock_timeout = 0; RESET statement_timeout;");
    sql
}

/// Takes the right to write, which ends with the connection. Others are told what it is for.
pub(super) fn lock(client: &mut Client, name: &str, purpose: &str) -> Result<(), StoreError> {
    // A connection that has just been closed may hold it for a moment still.
    let sql = format!("{} {}", taking(&[WORK, WRITER], LOCK_GLANCE), naming(purpose));
    client.batch_waiting(&sql, Some(LOCK_GLANCE)).map_err(|error| with_holder(busy(error, name), client))
}

/// Makes the tables if there are none, and brings older ones up to date, while nobody else writes. Gives what the user
/// sees of them.
pub(super) fn prepare(client: &mut Client, name: &str) -> Result<Rights, StoreError> {
    bring_up_to_date(client, name).map_err(|error| with_holder(error, client))?;
    Rights::of(client, name, MIGRATIONS.len() as i64)
}

fn bring_up_to_date(client: &mut Client, name: &str) -> Result<(), StoreError> {
    let encoding: String =
        client.query_one("SHOW server_encoding", &[]).and_then(|row| row.try_get(0)).map_err(refused(name))?;
    if encoding != "UTF8" {
        return Err(StoreError::Encoding { name: name.to_owned(), encoding });
    }
    let found = version(client, name)?.unwrap_or(0);
    if found == known(found, name)? {
        return Ok(());
    }
    // Each statement must see what the one before it in the lock wrote.
    let mut transaction = client.transaction(BEGIN).map_err(refused(name))?;
    // The lock is waited for by its own limit. Later, rules are checked on all rows, which may take longer than a
    // statement may otherwise.
    let wait = LOCK_WAIT.as_millis();
    let sql = format!(
        "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = {wait}; SELECT pg_advisory_xact_lock({WRITER})"
    );
    transaction.batch_waiting(&sql, Some(LOCK_WAIT)).map_err(|error| busy(error, name))?;
    transaction.set_unhurried(true);
    // Somebody else may have been faster.
    let found = version(&mut transaction, name)?.unwrap_or(0);
    let known = known(found, name)?;
    let migrate = |transaction: &mut Transaction<'_>| -> Result<(), tokio_postgres::Error> {
        transaction.batch_execute(
            // Who owns the schema need not have the right to make one, which is asked for even if it is there.
            "DO $$ BEGIN
                 IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'kenning') THEN CREATE SCHEMA kenning; END IF;
             END $$;
             CREATE TABLE IF NOT EXISTS kenning.schema_version (number bigint NOT NULL);",
        )?;
        for sql in &MIGRATIONS[usize::try_from(found).unwrap_or_default()..] {
            transaction.batch_execute(sql)?;
        }
        transaction.batch_execute("DELETE FROM kenning.schema_version")?;
        transaction.execute("INSERT INTO kenning.schema_version VALUES ($1)", &[&known]).map(drop)
    };
    extend(&mut transaction, name)?;
    migrate(&mut transaction).and_then(|()| transaction.commit()).map_err(refused(name))
}

/// Makes the extension pgvector if it is not there.
fn extend(transaction: &mut Transaction<'_>, name: &str) -> Result<(), StoreError> {
    let sql = "SELECT extversion FROM pg_extension WHERE extname = 'vector'";
    let found = transaction.query_opt(sql, &[]).and_then(|row| row.map(|row| row.try_get::<_, String>(0)).transpose());
    match found.map_err(refused(name))? {
        Some(version) if is_older(&version) => Err(StoreError::OldExtension { name: name.to_owned(), version }),
        Some(_) => Ok(()),
        // Not in the schema of our tables: others may use it too.
        None => transaction.batch_execute("CREATE EXTENSION vector SCHEMA public").map_err(|source| {
            // A server that dies meanwhile says nothing of the extension.
            let is_answer = source.as_db_error().is_some_and(|error| error.parsed_severity() == Some(Severity::Error));
            match is_answer {
                true => StoreError::NoExtension { name: name.to_owned(), why: reason(&source) },
                false => refused(name)(source),
            }
        }),
    }
}

/// Whether a version of pgvector is too old.
fn is_older(version: &str) -> bool {
    let numbers: Vec<u32> = version.split('.').map_while(|number| number.parse().ok()).collect();
    numbers.as_slice() < &EXTENSION[..]
}

/// Refuses a database that holds no copy, or a newer one. A copy of the first schema can be read, because the second
/// has the same columns.
pub(super) fn check_copy(client: &mut Client, name: &str) -> Result<Rights, StoreError> {
    let Some(found) = version(client, name)? else { return Err(StoreError::NoStore { name: name.to_owned() }) };
    known(found, name)?;
    Rights::of(client, name, found)
}

/// Refuses a database that holds no store, or one of another schema than this program's.
pub(super) fn check(client: &mut Client, name: &str) -> Result<Rights, StoreError> {
    let Some(found) = version(client, name)? else { return Err(StoreError::NoStore { name: name.to_owned() }) };
    is_present(found, name)?;
    Rights::of(client, name, found)
}

/// What a statement selects to know the schema of an open connection, which is there.
pub(super) const SCHEMA: &str = "(SELECT max(number) FROM schema_version)";

/// Refuses another schema than this program's.
pub(super) fn is_present(found: i64, name: &str) -> Result<(), StoreError> {
    let known = known(found, name)?;
    if found < known {
        return Err(StoreError::OlderCopy { name: name.to_owned(), found });
    }
    Ok(())
}

/// The schema that this program knows, if what was found is no newer.
fn known(found: i64, name: &str) -> Result<i64, StoreError> {
    let known = MIGRATIONS.len() as i64;
    if found > known {
        return Err(StoreError::NewerCopy { name: name.to_owned(), found, known });
    }
    Ok(known)
}

/// The schema that is there, `None` if there is none.
pub(super) fn version(client: &mut Client, name: &str) -> Result<Option<i64>, StoreError> {
    let mut ask = || -> Result<Option<i64>, tokio_postgres::Error> {
        let there = client.query_one("SELECT to_regclass('kenning.schema_version') IS NOT NULL", &[])?;
        if !there.try_get::<_, bool>(0)? {
            return Ok(None);
        }
        let row = client.query_opt("SELECT max(number) FROM kenning.schema_version", &[])?;
        row.map_or(Ok(None), |row| row.try_get(0))
    };
    ask().map_err(refused(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sha256_hex;

    #[test]
    fn released_migrations_stay_as_they_are() {
        let released = [
            "bdb95907a1c29a76957e4a3d7788e1996c4f709023ed77dfe116e0b134449f7a",
            "46fd4ef31e171133a00096ae20f53d1ddace1b1194c4d83a70897abd94b8a590",
            "3bf2bd26474288a0704bed96da129bf31477f812daa9204aadb41ffc008e16c1",
            "59835a5441d87872123dc11a7e3ebf140b3bc4e4c778847ba8e63da8f4c468d3",
            "583da540b3c936c7d49229bcb7f50d2bde4896202a4241a5dc7ab3ad6c9e39b3",
            "0ccea939d97f2f4b6a6f983f9f0fac2ca3440486b94cdf1d46e034535d56766d",
            "3754108bac7c437c3b360fd4ec6c595fe355570b0573ea73bf5b015271d73178",
            "2f10e48e797b5530cbe9b72fce6b6412c08e006363f16da1b04de35defdddc72",
            "f567ee490ca45369ba866f3d7ef4e0df7a43e98c106886895b872e939ce0844d",
        ];
        let hashes: Vec<String> = MIGRATIONS.iter().map(|sql| sha256_hex(sql.as_bytes())).collect();
        assert_eq!(hashes, released);
    }
}
