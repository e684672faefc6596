//! A database in PostgreSQL as a place that stores are copied from and to (`store::mirror`).

use super::client::{Client, Transaction};
use super::connect::connect;
use super::locks::release_all;
use super::row::refused;
use super::schema::{check_copy, lock, prepare};
use super::server_error::odd_content;
use super::text::{marked, unmarked};
use crate::store::mirror::{Change, Kind, Place, Row, Table, Target, Value};
use crate::store::sql::FORGET_UNASKED;
use crate::store::{PostgresAccess as Access, StoreError};
use tokio_postgres::Error;
use tokio_postgres::types::{ToSql, Type};

/// A connection that stores are copied through.
pub(in crate::store) struct Rows {
    client: Client,
    name: String,
    /// Whether it has the right to write.
    is_writer: bool,
}

impl Rows {
    /// To read the copy that is there.
    ///
    /// # Errors
    /// [`StoreError`] when the address is wrong, the server cannot be reached or refuses, or holds no copy that this
    /// program knows, or the user sees a part of it.
    pub fn to_read(address: &str, access: &Access) -> Result<Self, StoreError> {
        let (mut client, name) = connect(address, access)?;
        check_copy(&mut client, &name)?.need_all(&name)?;
        lift_time_limit(&mut client, &name)?;
        Ok(Self { client, name, is_writer: false })
    }

    /// To write to it; it is made if there is none. Nobody else can until this goes.
    ///
    /// # Errors
    /// As [`Self::to_read`], and when somebody else writes.
    pub fn to_write(address: &str, access: &Access) -> Result<Self, StoreError> {
        let (client, name) = connect(address, access)?;
        // From here on the right to write is given back when this is dropped, also after an error.
        let mut rows = Self { client, name, is_writer: true };
        let Self { client, name, .. } = &mut rows;
        lock(client, name, "ken store copy")?;
        prepare(client, name)?.need_owner(name)?;
        lift_time_limit(client, name)?;
        Ok(rows)
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        if self.is_writer {
            release_all(&mut self.client);
        }
    }
}

impl Place for Rows {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        let sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        self.client.batch_execute(sql).map_err(refused(&self.name))
    }

    fn count(&mut self, table: &Table) -> Result<u64, StoreError> {
        let row = self.client.query_one(&table.count(), &[]).and_then(|row| row.try_get::<_, i64>(0));
        row.map(i64::unsigned_abs).map_err(refused(&self.name))
    }

    fn page(&mut self, table: &Table, behind: Option<&[Value]>, most: usize) -> Result<Vec<Row>, StoreError> {
        let parameters: Vec<Parameter> = behind.unwrap_or_default().iter().map(parameter).collect();
        let parameters: Vec<&(dyn ToSql + Sync)> = parameters.iter().map(|one| &**one as _).collect();
        let rows = self.client.query(&table.page('$', behind.is_some(), most), &parameters);
        let read = |row: &tokio_postgres::Row| {
            let kinds = table.columns.iter().enumerate();
            kinds.map(|(at, (_, kind))| value(row, at, *kind)).collect::<Result<Row, Error>>()
        };
        rows.and_then(|rows| rows.iter().map(read).collect()).map_err(refused(&self.name))
    }
}

impl Target for Rows {
    fn change(&mut self, table: &Table, change: &Change) -> Result<(), StoreError> {
        write(&mut self.client, table, change).map_err(|error| match odd_content(&error) {
            Some(what) => StoreError::OddRow { table: table.name, what },
            None => refused(&self.name)(error),
        })
    }

    fn end(&mut self) -> Result<(), StoreError> {
        // As one statement each, so that one sees what the one before it has removed.
        FORGET_UNASKED.iter().try_for_each(|sql| self.client.batch_execute(sql)).map_err(refused(&self.name))
    }
}

/// Statements that count or clean up whole tables take as long as they take.
fn lift_time_limit(client: &mut Client, name: &str) -> Result<(), StoreError> {
    client.batch_execute("SET statement_timeout = 0").map_err(refused(name))?;
    client.set_unhurried(true);
    Ok(())
}

fn write(client: &mut Client, table: &Table, Change { gone, other, new }: &Change) -> Result<(), Error> {
    let mut transaction = client.transaction("BEGIN")?;
    each(&mut transaction, &table.removal('$'), gone.iter().map(|row| table.key(row)))?;
    each(&mut transaction, &table.replacement('$'), other.iter().map(Vec::as_slice))?;
    if !new.is_empty() {
        let types: Vec<Type> = table.columns.iter().map(|(_, kind)| column_type(*kind)).collect();
        let sql = format!("COPY \"{}\" ({}) FROM STDIN BINARY", table.name, table.column_list());
        transaction.copy(&sql, &types, new.iter().map(|row| row.iter().map(parameter)))?;
    }
    number_behind(&mut transaction, table, new)?;
    // Readers keep what they have read of items until somebody says that it has changed.
    transaction.batch_execute(
        "INSERT INTO meta VALUES ('places', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS bigint) + 1 AS text)",
    )?;
    transaction.commit()
}

/// Runs a statement with the values of each of some rows.
fn each<'r>(
    transaction: &mut Transaction<'_>,
    sql: &str,
    rows: impl Iterator<Item = &'r [Value]>,
) -> Result<(), Error> {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    let statement = transaction.prepare(sql)?;
    for row in rows {
        let values: Vec<Parameter> = row.iter().map(parameter).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|one| &**one as _).collect();
        transaction.execute(&statement, &values)?;
    }
    Ok(())
}

/// Has the numbers that a table gives its rows go on behind those of new rows, if it gives any.
fn number_behind(transaction: &mut Transaction<'_>, table: &Table, new: &[Row]) -> Result<(), Error> {
    let key = |row: &Row| match (table.keys, &row[0]) {
        (1, Value::Integer(number)) => Some(*number),
        _ => None,
    };
    let Some(last) = new.iter().filter_map(key).max() else { return Ok(()) };
    let sql = "SELECT setval(sequence, greatest(coalesce(pg_sequence_last_value(sequence), 0), $3))
        FROM (SELECT CAST(pg_get_serial_sequence($1, $2) AS regclass) AS sequence) AS numbers
        WHERE sequence IS NOT NULL";
    transaction.execute(sql, &[&table.name, &table.columns[0].0, &last])?;
    Ok(())
}

fn column_type(kind: Kind) -> Type {
    match kind {
        Kind::Integer => Type::INT8,
        Kind::Real => Type::FLOAT8,
        Kind::Text => Type::TEXT,
        Kind::Bytes => Type::BYTEA,
    }
}

/// A value as the client sends it.
type Parameter<'v> = Box<dyn ToSql + Sync + 'v>;

fn parameter(value: &Value) -> Parameter<'_> {
    match value {
        Value::Null => Box::new(Null),
        Value::Integer(number) => Box::new(*number),
        Value::Real(bits) => Box::new(f64::from_bits(*bits)),
        Value::Text(text) => Box::new(marked(text)),
        Value::Bytes(bytes) => Box::new(bytes.as_slice()),
    }
}

/// Nothing, in a column of any type.
#[derive(Debug)]
struct Null;

impl ToSql for Null {
    fn to_sql(
        &self,
        _type: &Type,
        _out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<tokio_postgres::types::IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(tokio_postgres::types::IsNull::Yes)
    }

    fn accepts(_type: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

fn value(row: &tokio_postgres::Row, at: usize, kind: Kind) -> Result<Value, Error> {
    let value = match kind {
        Kind::Integer => row.try_get::<_, Option<i64>>(at)?.map(Value::Integer),
        Kind::Real => row.try_get::<_, Option<f64>>(at)?.map(|number| Value::Real(number.to_bits())),
        Kind::Text => row.try_get::<_, Option<String>>(at)?.map(|text| Value::Text(unmarked(text))),
        Kind::Bytes => row.try_get::<_, Option<Vec<u8>>>(at)?.map(Value::Bytes),
    };
    Ok(value.unwrap_or(Value::Null))
}
