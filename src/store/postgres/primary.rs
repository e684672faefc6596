//! The server that a replica follows: what is written by somebody who reads from the replica goes there. It is
//! connected to when there is first something to write.

use super::connect::Access;
use super::database::SharedDatabase;
use crate::store::StoreError;
use std::time::{Duration, Instant};

/// The longest time that a connection may take to be made, because a search counts what it has served.
const CONNECT: Duration = Duration::from_secs(2);

/// How long counters are left out after that failed.
const PAUSE: Duration = Duration::from_secs(60);

/// A server that may not have been connected to yet.
pub(super) struct Primary {
    address: String,
    access: Access,
    database: Option<Box<SharedDatabase>>,
    /// When a counter could not be written there.
    failed: Option<Instant>,
}

impl Primary {
    pub fn new(address: &str, access: &Access) -> Self {
        let access = Access { connect_timeout: access.connect_timeout.min(CONNECT), ..access.clone() };
        Self { address: address.to_owned(), access, database: None, failed: None }
    }

    /// The store there.
    ///
    /// # Errors
    /// As [`SharedDatabase::open_to_write`].
    pub fn database(&mut self) -> Result<&SharedDatabase, StoreError> {
        let database = match self.database.take() {
            Some(database) => database,
            None => Box::new(SharedDatabase::open_to_write(&self.address, &self.access)?),
        };
        Ok(self.database.insert(database))
    }

    /// Writes what may be lost there, unless that failed a short while ago.
    pub fn try_quickly(&mut self, write: impl FnOnce(&SharedDatabase) -> Result<(), StoreError>) {
        if self.failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        let written = self.database().and_then(write);
        self.failed = written.is_err().then(Instant::now);
    }
}
