//! The record of events, and the stamp that is read at the beginning of a request.

use super::StoreError;
use super::change::read_generation;
use super::database::{Batch, Database, PLACES};
use super::vector::{ACTIVE, SWITCHED_FROM, SWITCHED_TO};
use crate::store::{ReadEvents, Stamp, WriteEvents};
use crate::types::Generation;
use rusqlite::Row;

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
            Ok(Stamp { file: self.file(), generation, places, model: row.get(3)?, switch: row.get(4)? })
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
