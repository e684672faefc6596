//! The record of events, and the stamp that is read at the beginning of a request.

use super::change::read_generation;
use super::value::odd;
use super::vector::{ACTIVE, SWITCHED_FROM, SWITCHED_TO};
use super::{ReadSql, SqlRow, StoreError, WriteSql, values};
use crate::store::{ReadEvents, Stamp, WriteEvents};
use crate::types::Generation;

/// Counts in `meta` the changes of where items stand and count, which leave no other mark.
pub const PLACES: &str = "places";

/// Tells one store from another in `meta`, where no file does; 32 digits of hexadecimal.
const STORE: &str = "store";

impl<D: ReadSql> ReadEvents for D {
    fn changes(&self) -> Result<i64, StoreError> {
        self.one("SELECT coalesce(max(id), 0) FROM event", &[], |row| row.get(0))
    }

    fn stamp(&self) -> Result<Stamp, StoreError> {
        let sql = "SELECT number, mark,
                (SELECT CAST(value AS bigint) FROM meta WHERE key = ?1),
                (SELECT value FROM meta WHERE key = ?2),
                (SELECT value FROM meta WHERE key = ?3),
                (SELECT value FROM meta WHERE key = ?4),
                (SELECT value FROM meta WHERE key = ?5)
             FROM (SELECT max(number) AS last FROM vector_change) AS newest
             LEFT JOIN vector_change ON vector_change.number = newest.last";
        self.one(sql, &values![PLACES, ACTIVE, SWITCHED_FROM, SWITCHED_TO, STORE], |row| {
            let generation = if row.is_null(0)? { Generation::default() } else { read_generation(row)? };
            let file = match row.get::<Option<String>>(6)? {
                Some(digits) => store_of(&digits).ok_or_else(|| odd(row, 6, "is no id of a store"))?,
                None => self.identity(),
            };
            let (from, to): (Option<String>, Option<String>) = (row.get(4)?, row.get(5)?);
            let switch = (from.is_some() || to.is_some()).then(|| [from, to].map(Option::unwrap_or_default).join("\n"));
            let places = row.get::<Option<i64>>(2)?.unwrap_or(0);
            Ok(Stamp { file, generation, places, model: row.get(3)?, switch })
        })
    }
}

/// Counts that items stand or count elsewhere.
pub fn count_places(changes: &impl WriteSql) -> Result<(), StoreError> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, '1')
        ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS bigint) + 1 AS text)";
    changes.execute(sql, &values![PLACES])?;
    Ok(())
}

fn store_of(digits: &str) -> Option<(u64, u64)> {
    let (first, second) = digits.split_at_checked(16)?;
    Some((u64::from_str_radix(first, 16).ok()?, u64::from_str_radix(second, 16).ok()?))
}

impl<C: WriteSql> WriteEvents for C {
    fn log(&self, at_ms: i64, name: &str, data: &serde_json::Value) -> Result<(), StoreError> {
        let sql = "INSERT INTO event (at, name, data) VALUES (?1, ?2, ?3)";
        self.execute(sql, &values![at_ms, name, data.to_string()])?;
        Ok(())
    }
}
