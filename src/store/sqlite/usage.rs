//! Counters of use, written without waiting for the disk.

use super::StoreError;
use super::database::Database;
use super::value::within;
use crate::screen::shown_text;
use crate::store::{CountUsage, ReadUsage, Usage};
use rusqlite::Row;
use std::collections::HashMap;
use std::time::Duration;

/// How long a counter waits for the writer. Longer than a commit takes, shorter than anybody notices.
const COUNTER_WAIT: Duration = Duration::from_millis(100);

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

impl ReadUsage for Database {
    fn usage(&self, uids: &[&str]) -> Result<HashMap<String, Usage>, StoreError> {
        let all = || -> rusqlite::Result<HashMap<String, Usage>> {
            let sql = "SELECT days, served, last_served FROM usage WHERE uid = ?1";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut out = HashMap::new();
            for uid in uids {
                let mut rows = statement.query([uid])?;
                if let Some(row) = rows.next()? {
                    out.insert((*uid).to_owned(), read_usage(row, uid)?);
                }
            }
            Ok(out)
        };
        self.at_once(all)
    }
}

impl CountUsage for Database {
    fn count_served(&mut self, uids: &[&str], now_ms: i64) -> Result<(), StoreError> {
        let synchronous =
            |database: &Self, mode: &str| database.sql(database.connection.pragma_update(None, "synchronous", mode));
        // A counter is not worth waiting for the disk: a crash of the machine may lose it, a crash of ours cannot.
        self.wait_for_others(COUNTER_WAIT)?;
        synchronous(self, "NORMAL")?;
        let counted = self.count(uids, now_ms);
        self.wait_as_ever()?;
        synchronous(self, "FULL")?;
        counted
    }
}

impl Database {
    fn count(&mut self, uids: &[&str], now_ms: i64) -> Result<(), StoreError> {
        let batch = self.begin_unlocked()?;
        for uid in uids {
            batch.execute(
                "INSERT INTO usage (uid, days, last_day, served, last_served) VALUES (?1, 1, ?2, 1, ?3)
                 ON CONFLICT (uid) DO UPDATE SET
                    days = days + (?2 > last_day),
                    last_day = max(last_day, ?2),
                    served = served + 1,
                    last_served = max(last_served, ?3)",
                (uid, now_ms.div_euclid(DAY_MS), now_ms),
            )?;
        }
        batch.commit()
    }
}

/// Counters, from a row that begins with days, times and the last time.
pub(super) fn read_usage(row: &Row<'_>, uid: &str) -> rusqlite::Result<Usage> {
    let read = || Ok(Usage { days: row.get(0)?, served: row.get(1)?, last_served: row.get(2)? });
    read().map_err(within(&format!("usage of {}", shown_text(uid))))
}
