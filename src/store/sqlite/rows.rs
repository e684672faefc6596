//! A database as a place that stores are copied from and to (`store::mirror`).

use super::database::Database;
use crate::screen::shown;
use crate::store::mirror::{Change, Kind, Place, Row, Table, Target, Value};
use crate::store::sql::{FORGET_UNASKED, WriteSql};
use crate::store::{StoreError, WriterLock};
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{ErrorCode, ToSql, params_from_iter};

/// A database that is copied from, or compared.
pub(in crate::store) struct ReadRows {
    database: Database,
    name: String,
}

impl ReadRows {
    /// Of this database.
    pub fn new(database: Database) -> Self {
        let name = shown(database.path()).into_owned();
        Self { database, name }
    }
}

impl Place for ReadRows {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        // It ends with the connection.
        self.database.sql(self.database.connection.execute_batch("BEGIN"))
    }

    fn count(&mut self, table: &Table) -> Result<u64, StoreError> {
        count(&self.database, table)
    }

    fn page(&mut self, table: &Table, behind: Option<&[Value]>, most: usize) -> Result<Vec<Row>, StoreError> {
        page(&self.database, table, behind, most)
    }
}

/// A database that is copied to, by the holder of the writer's lock.
pub(in crate::store) struct WriteRows<'l> {
    database: Database,
    lock: &'l WriterLock,
    name: String,
}

impl<'l> WriteRows<'l> {
    /// The database of the lock's folder, which is made if there is none.
    pub fn new(lock: &'l WriterLock) -> Result<Self, StoreError> {
        let database = Database::open_to_write(lock)?;
        let name = shown(database.path()).into_owned();
        Ok(Self { database, lock, name })
    }
}

impl Place for WriteRows<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        // Nobody else writes while the lock is held.
        Ok(())
    }

    fn count(&mut self, table: &Table) -> Result<u64, StoreError> {
        count(&self.database, table)
    }

    fn page(&mut self, table: &Table, behind: Option<&[Value]>, most: usize) -> Result<Vec<Row>, StoreError> {
        page(&self.database, table, behind, most)
    }
}

impl Target for WriteRows<'_> {
    fn change(&mut self, table: &Table, change: &Change) -> Result<(), StoreError> {
        let batch = self.database.begin(self.lock)?;
        // The triggers that count the words of items know of rows that come and go, and not of all that may change.
        let is_counted = table.name == "item";
        for row in change.gone.iter().chain(change.other.iter().filter(|_| is_counted)) {
            batch.execute(&table.removal('?'), params_from_iter(table.key(row))).map_err(odd_row(table))?;
        }
        for row in change.other.iter().chain(&change.new) {
            batch.execute(&table.replacement('?'), params_from_iter(row)).map_err(odd_row(table))?;
        }
        // Readers keep what they have read of items until somebody says that it has changed.
        batch.places_change();
        batch.commit()
    }

    fn end(&mut self) -> Result<(), StoreError> {
        let batch = self.database.begin(self.lock)?;
        FORGET_UNASKED.iter().try_for_each(|sql| batch.execute(sql, []).map(drop))?;
        batch.commit()
    }
}

/// Says which table a row belongs to that breaks a rule.
fn odd_row(table: &Table) -> impl Fn(StoreError) -> StoreError {
    let table = table.name;
    move |error| match error {
        StoreError::Sqlite { source, .. } if source.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            StoreError::OddRow { table, what: source.to_string() }
        }
        other => other,
    }
}

fn count(database: &Database, table: &Table) -> Result<u64, StoreError> {
    let rows: i64 = database.sql(database.connection.query_row(&table.count(), [], |row| row.get(0)))?;
    Ok(rows.unsigned_abs())
}

fn page(database: &Database, table: &Table, behind: Option<&[Value]>, most: usize) -> Result<Vec<Row>, StoreError> {
    let all = || -> rusqlite::Result<Vec<Row>> {
        let mut statement = database.connection.prepare_cached(&table.page('?', behind.is_some(), most))?;
        let mut rows = statement.query(params_from_iter(behind.unwrap_or_default()))?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()? {
            let values = table.columns.iter().enumerate().map(|(at, (_, kind))| value(row, at, *kind));
            out.push(values.collect::<rusqlite::Result<Row>>()?);
        }
        Ok(out)
    };
    database.sql(all())
}

/// A value of its column's kind. The tables are strict, so any other is damage.
fn value(row: &rusqlite::Row<'_>, at: usize, kind: Kind) -> rusqlite::Result<Value> {
    if matches!(row.get_ref(at)?, ValueRef::Null) {
        return Ok(Value::Null);
    }
    Ok(match kind {
        Kind::Integer => Value::Integer(row.get(at)?),
        Kind::Real => Value::Real(row.get::<_, f64>(at)?.to_bits()),
        Kind::Text => Value::Text(row.get(at)?),
        Kind::Bytes => Value::Bytes(row.get(at)?),
    })
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(SqlValue::Null),
            Self::Integer(number) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
            Self::Real(bits) => ToSqlOutput::Owned(SqlValue::Real(f64::from_bits(*bits))),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}
