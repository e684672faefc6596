//! Counters of use, written without waiting for the disk.

use super::value::within;
use super::{ByKey, KeepSql, Keys, ReadSql, SqlRow, StoreError, values};
use crate::screen::shown_text;
use crate::store::{CountUsage, ReadUsage, Usage};
use std::collections::{BTreeMap, HashMap};

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

impl<D: ReadSql> ReadUsage for D {
    fn usage(&self, uids: &[&str]) -> Result<HashMap<String, Usage>, StoreError> {
        let select = "SELECT days, served, last_served, uid FROM usage";
        let query = ByKey { select, column: "uid", and: "", order: "" };
        Ok(self.rows_by(query, Keys::Texts(uids), &[], |row| read_usage(row))?.into_iter().collect())
    }
}

impl<D: KeepSql> CountUsage for D {
    fn count_served(&mut self, uids: &[&str], now_ms: i64) -> Result<(), StoreError> {
        let day = now_ms.div_euclid(DAY_MS);
        // In the order of their ids: two who count the same wait for each other, and never each for the other.
        let mut times: BTreeMap<&str, i64> = BTreeMap::new();
        uids.iter().for_each(|uid| *times.entry(uid).or_default() += 1);
        let rows = times.into_iter().map(|(uid, times)| values![uid, 1i64, day, times, now_ms, 0i64]);
        let conflict = "ON CONFLICT (uid) DO UPDATE SET
            days = usage.days + CASE WHEN excluded.last_day > usage.last_day THEN 1 ELSE 0 END,
            last_day = CASE WHEN excluded.last_day > usage.last_day THEN excluded.last_day ELSE usage.last_day END,
            served = usage.served + excluded.served,
            last_served = CASE WHEN excluded.last_served > usage.last_served THEN excluded.last_served
                ELSE usage.last_served END";
        let into = "usage (uid, days, last_day, served, last_served, confirmed)";
        self.insert_quickly(into, rows, conflict)
    }
}

/// The counters of an id, from a row of days, times, the last time and the id.
fn read_usage<R: SqlRow>(row: &R) -> Result<(String, Usage), R::Error> {
    let uid = row.text(3)?;
    let read = || Ok(Usage { days: row.get(0)?, served: row.get(1)?, last_served: row.get(2)? });
    let usage = read().map_err(within(&format!("usage of {}", shown_text(&uid))))?;
    Ok((uid, usage))
}
