//! How often something was of use. Counters are best effort: a read never fails or waits for them.

use super::StoreError;
use super::database::Database;
use std::collections::HashMap;
use std::time::Duration;

/// How long a counter waits for the writer. Longer than a commit takes, shorter than anybody notices.
const PATIENCE: Duration = Duration::from_millis(100);

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// What is counted of one item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Distinct days (UTC) on which it was served.
    pub days: u32,
    /// Times it was served.
    pub served: u32,
    /// When it was served last, milliseconds since 1970.
    pub last_served: i64,
}

impl Database {
    /// The counters of these public ids; those that were never served are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the database refuses.
    pub fn usage(&self, uids: &[&str]) -> Result<HashMap<String, Usage>, StoreError> {
        let all = || -> rusqlite::Result<HashMap<String, Usage>> {
            let sql = "SELECT days, served, last_served FROM usage WHERE uid = ?1";
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut out = HashMap::new();
            for uid in uids {
                let mut rows = statement.query([uid])?;
                if let Some(row) = rows.next()? {
                    let usage = Usage { days: row.get(0)?, served: row.get(1)?, last_served: row.get(2)? };
                    out.insert((*uid).to_owned(), usage);
                }
            }
            Ok(out)
        };
        self.sql(all())
    }

    /// Counts that these were served at `now_ms`. Within a day, or when the clock went back, the days do not rise.
    ///
    /// # Errors
    /// [`StoreError`] when the database is busy or cannot be written; callers let that pass.
    pub fn count_served(&mut self, uids: &[&str], now_ms: i64) -> Result<(), StoreError> {
        let set = |database: &Self, patience: Duration, mode: &str| {
            let set = database.connection.busy_timeout(patience);
            database.sql(set.and_then(|()| database.connection.pragma_update(None, "synchronous", mode)))
        };
        // A counter is not worth waiting for the disk: a crash of the machine may lose it, a crash of ours cannot.
        set(self, PATIENCE, "NORMAL")?;
        let counted = self.count(uids, now_ms);
        set(self, Duration::from_secs(5), "FULL")?;
        counted
    }

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
