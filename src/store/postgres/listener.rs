//! Hears of changes that anybody commits to a store in PostgreSQL, so that nobody has to ask for them again and again.
//!
//! Every batch of changes to items, vectors, memories and tools notifies the channel `kenning` of its database, and so
//! does each step of a copy. Counters, outcomes and the log of changes do not. A notification says that something was
//! committed, and nothing of what.

use super::connect::{Access, connect};
use crate::store::StoreError;
use postgres::Client;
use postgres::fallible_iterator::FallibleIterator;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

/// What a transaction says to those who listen.
pub(super) const NOTIFY: &str = "NOTIFY kenning";

/// How long the second attempt to connect waits for.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest pause between two attempts to connect.
const LAST_PAUSE: Duration = Duration::from_secs(30);

/// The longest wait.
const DAY: Duration = Duration::from_secs(86_400);

/// A connection on which changes to a store are heard of.
pub struct Listener {
    address: String,
    access: Access,
    client: Option<Client>,
    /// How long after an attempt that failed the next one is made, and when that is.
    pause: Duration,
    next: Instant,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        f.debug_struct("Listener").field("is_connected", &self.client.is_some()).finish_non_exhaustive()
    }
}

impl Listener {
    /// One for the database of an address, which must be that of the server that is written to: a replica tells nobody
    /// anything. It connects when it is first waited for.
    pub fn new(address: &str, access: &Access) -> Self {
        let (address, access) = (address.to_owned(), access.clone());
        Self { address, access, client: None, pause: FIRST_PAUSE, next: Instant::now() }
    }

    /// Waits until something is committed, but no longer than this; whether something may have been. Commits that were
    /// not heard because there was no connection count as well, so the first wait answers `true` as soon as it
    /// listens, and so does the first one after a connection was lost and made again.
    ///
    /// A connection is made again within the wait, after pauses that grow to half a minute. `false` is also the answer
    /// when such a pause lasts longer than the wait. An attempt to connect may outlast the wait by the time that a
    /// connection may take.
    ///
    /// # Errors
    /// [`StoreError`] when the address is wrong, or an attempt to connect failed and no time is left for another. The
    /// next wait tries again.
    pub fn wait(&mut self, at_most: Duration) -> Result<bool, StoreError> {
        let until = Instant::now() + at_most.min(DAY);
        let mut failed = None;
        loop {
            if let Some(client) = &mut self.client {
                let is_commit = match heard(client, until, self.access.connect_timeout) {
                    Ok(Heard::Commit) => Some(true),
                    Ok(Heard::Nothing) => Some(false),
                    Ok(Heard::End) | Err(_) => None,
                };
                if let Some(is_commit) = is_commit {
                    self.pause = FIRST_PAUSE;
                    return Ok(is_commit);
                }
                self.client = None;
            }
            if self.next >= until {
                thread::sleep(until.saturating_duration_since(Instant::now()));
                return failed.map_or(Ok(false), Err);
            }
            thread::sleep(self.next.saturating_duration_since(Instant::now()));
            match self.connect() {
                Ok(()) => return Ok(true),
                Err(error @ StoreError::Address { .. }) => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
    }

    fn connect(&mut self) -> Result<(), StoreError> {
        // Also when it is lost at once.
        self.next = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LAST_PAUSE);
        let (mut client, name) = connect(&self.address, &self.access)?;
        client.batch_execute("LISTEN kenning").map_err(|source| StoreError::Postgres { name, source })?;
        self.client = Some(client);
        Ok(())
    }
}

/// What a connection says.
enum Heard {
    /// Something was committed.
    Commit,
    /// Nothing was, in the time that was given.
    Nothing,
    /// The connection has ended.
    End,
}

fn heard(client: &mut Client, until: Instant, answer_within: Duration) -> Result<Heard, postgres::Error> {
    // A connection may end without a word, which nobody notices who only listens.
    client.is_valid(answer_within)?;
    let mut told = client.notifications();
    let left = until.saturating_duration_since(Instant::now());
    if told.timeout_iter(left).next()?.is_none() {
        return Ok(if Instant::now() < until { Heard::End } else { Heard::Nothing });
    }
    // Several commits are one answer.
    while told.iter().next()?.is_some() {}
    Ok(Heard::Commit)
}
