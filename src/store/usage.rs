//! How often something was of use. Counters are best effort: a read never fails or waits for them.

use super::StoreError;
use std::collections::HashMap;

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

/// Reads counters.
pub trait ReadUsage {
    /// The counters of these public ids; those that were never served are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses, or holds values that nobody wrote.
    fn usage(&self, uids: &[&str]) -> Result<HashMap<String, Usage>, StoreError>;
}

/// Counts.
pub trait CountUsage {
    /// Counts that these were served at `now_ms`. Within a day, or when the clock went back, the days do not rise.
    ///
    /// # Errors
    /// [`StoreError`] when the store is busy or cannot be written; callers let that pass.
    fn count_served(&mut self, uids: &[&str], now_ms: i64) -> Result<(), StoreError>;
}
