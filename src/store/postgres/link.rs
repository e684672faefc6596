//! A connection with the statements that are prepared on it.

use super::client::Client;
use super::connect::connect;
use super::row::Failure;
use std::collections::HashMap;
use std::time::Duration;
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Row, Statement};

use crate::store::sql::SqlValue;
use crate::store::{PostgresAccess as Access, StoreError};

/// Statements that are kept prepared.
const STATEMENTS: usize = 256;

/// A value that a statement is given.
pub(super) type Given<'v> = &'v (dyn ToSql + Sync);

/// The scopes that are admitted, as the database has them; `None` for all that the user may see.
pub(in crate::store) type Limit = Option<Vec<String>>;

/// What limits a connection, or a transaction alone if the second value is `TRUE`. No scopes stand for no limit.
const LIMIT: &str = "SELECT set_config('kenning.scopes', coalesce(CAST(?1::text[] AS text), ''), ?2)";

/// A connection.
pub(super) struct Link {
    pub client: Client,
    statements: HashMap<String, Statement>,
    /// The limit that the server knows.
    limit: Limit,
    /// Whether the server has ended it.
    is_lost: bool,
}

impl Link {
    /// A new one, and how people know the database.
    pub fn new(address: &str, access: &Access) -> Result<(Self, String), StoreError> {
        let (client, name) = connect(address, access)?;
        Ok((Self { client, statements: HashMap::new(), limit: None, is_lost: false }, name))
    }

    /// Whether the server is there no more, as far as is known.
    pub fn is_lost(&self) -> bool {
        self.is_lost || self.client.is_closed()
    }

    /// Tells the server the limit of the connection, unless it knows that already. Nothing may be open on it.
    pub fn limit_to(&mut self, limit: &Limit) -> Result<(), Failure> {
        if self.limit == *limit {
            return Ok(());
        }
        // If that fails, nobody knows which limit the connection has.
        self.query(LIMIT, &[limit, &false]).inspect_err(|_| self.is_lost = true)?;
        self.limit.clone_from(limit);
        Ok(())
    }

    /// The same until the end of the transaction.
    pub fn limit_transaction_to(&mut self, limit: &Limit) -> Result<(), Failure> {
        self.query(LIMIT, &[limit, &true]).map(drop)
    }

    /// Runs a statement that answers rows.
    pub fn query(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Failure> {
        let ran = self.prepared(sql).and_then(|statement| self.client.query(&statement, values));
        self.seen(ran)
    }

    /// Runs a statement that changes rows; gives how many.
    pub fn execute(&mut self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, Failure> {
        let ran = self.prepared(sql).and_then(|statement| self.client.execute(&statement, values));
        self.seen(ran)
    }

    /// Adds rows, given column by column. `one` is the statement that adds a single row, and says of which types the
    /// columns are: one statement with arrays serves any number of rows, so few are prepared.
    pub fn insert(
        &mut self,
        one: &str,
        (into, conflict): (&str, &str),
        columns: &[Vec<&SqlValue<'_>>],
    ) -> Result<u64, Failure> {
        // A type of an extension may lie in any schema.
        let array = |of: &Type| format!("?::\"{}\".\"{}\"[]", of.schema(), of.name());
        let types = self.prepared(one).map(|one| one.params().iter().map(array).collect());
        let types: Vec<String> = self.seen(types)?;
        let sql = format!("INSERT INTO {into} SELECT * FROM unnest({}) {conflict}", types.join(", "));
        let values: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| column as _).collect();
        self.execute(&sql, &values)
    }

    /// Prepares a statement that is run for a moment only, such as one that reads from a cursor.
    pub fn prepare_for_now(&mut self, sql: &str) -> Result<Statement, Failure> {
        let prepared = self.client.prepare(sql);
        self.seen(prepared)
    }

    /// Runs such a statement, which takes no values.
    pub fn query_for_now(&mut self, statement: &Statement) -> Result<Vec<Row>, Failure> {
        let ran = self.client.query(statement, &[]);
        self.seen(ran)
    }

    /// Adds rows to `into`, a table with its columns, all at once.
    pub fn copy<'v, const N: usize>(
        &mut self,
        into: &str,
        types: &[Type; N],
        rows: impl Iterator<Item = [Given<'v>; N]>,
    ) -> Result<(), Failure> {
        let ran = self.client.copy(&format!("COPY {into} FROM STDIN BINARY"), types, rows);
        self.seen(ran).map(drop)
    }

    /// Runs statements without values.
    pub fn batch(&mut self, sql: &str) -> Result<(), Failure> {
        let ran = self.client.batch_execute(sql);
        self.seen(ran)
    }

    /// Runs statements without values, with `wait` added to the time limit, for waiting on locks; `None` is no limit.
    pub fn batch_waiting(&mut self, sql: &str, wait: Option<Duration>) -> Result<(), Failure> {
        let ran = self.client.batch_waiting(sql, wait);
        self.seen(ran)
    }

    /// Lets the statements of the transaction that is open take as long as they take.
    pub fn unhurried(&mut self) -> Result<(), Failure> {
        self.batch("SET LOCAL statement_timeout = 0")?;
        self.client.set_unhurried(true);
        Ok(())
    }

    /// Waits until somebody notifies a channel that is listened to, but no longer than `at_most`.
    pub fn wait_for_notification(&mut self, at_most: Duration) -> Result<(), Failure> {
        let waited = self.client.wait_for_notification(at_most);
        self.seen(waited)
    }

    fn prepared(&mut self, sql: &str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(&numbered(sql))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn seen<T>(&mut self, ran: Result<T, tokio_postgres::Error>) -> Result<T, Failure> {
        if let Err(error) = &ran {
            // The server ends the connection after such an error.
            let ends = |error: &DbError| matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
            self.is_lost |= error.is_closed() || error.as_db_error().is_some_and(ends);
        }
        ran.map_err(|error| if self.client.is_silent() { Failure::Silent } else { Failure::Said(error) })
    }
}

/// Values as references.
pub(super) fn given<'v>(values: &'v [SqlValue<'_>]) -> Vec<&'v (dyn ToSql + Sync)> {
    values.iter().map(|value| value as _).collect()
}

/// A statement with values as PostgreSQL names them: `?2` is `$2`, and each `?` is the next one.
fn numbered(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 16);
    let mut next = 1;
    let mut rest = sql.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '?' => {
                out.push('$');
                if !rest.peek().is_some_and(char::is_ascii_digit) {
                    out.push_str(&next.to_string());
                    next += 1;
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered() {
        assert_eq!(numbered("a = ?2 AND b = ?1"), "a = $2 AND b = $1");
        assert_eq!(numbered("a = ? AND b IN (?, ?)"), "a = $1 AND b IN ($2, $3)");
    }
}
