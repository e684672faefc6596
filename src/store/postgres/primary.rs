//! The server that a replica follows: what is written by somebody who reads from the replica goes there. It is connected
//! to when there is first something to write.

use super::connect::Access;
use super::database::SharedDatabase;
use crate::store::StoreError;
use std::time::Duration;

/// The longest time that a connection may take to be made, because a search counts what it has served.
const CONNECT: Duration = Duration::from_secs(2);

/// How many counters are left out after that failed.
const LEFT_OUT: usize = 100;

/// A server that may not have been connected to yet.
pub(super) struct Primary {
    address: String,
    access: Access,
    database: Option<Box<SharedDatabase>>,
    /// Counters that are left out before the next one is tried.
    left_out: usize,
}

impl Primary {
    pub fn new(address: &str, access: &Access) -> Self {
        let access = Access { connect_timeout: access.connect_timeout.min(CONNECT), ..access.clone() };
        Self { address: address.to_owned(), access, database: None, left_out: 0 }
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

    /// Writes what may be lost there, unless one of the last failed.
    pub fn try_quickly(&mut self, write: impl FnOnce(&SharedDatabase) -> Result<(), StoreError>) {
        if self.left_out > 0 {
            self.left_out -= 1;
        } else if self.database().and_then(write).is_err() {
            self.left_out = LEFT_OUT;
        }
    }
}
