//! Settings of a store in PostgreSQL, and its jobs, for every build, with and without a client for it.

use std::path::PathBuf;
use std::time::Duration;

/// Whether a text is the address of a database in PostgreSQL, right or wrong.
pub fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// How databases in PostgreSQL are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresAccess {
    /// A file that holds the password and nothing else.
    pub password_file: Option<PathBuf>,
    /// A PEM file with the certificate authorities to trust. Without it, those of this machine are trusted.
    pub ca_file: Option<PathBuf>,
    /// How long a connection may take to be made, up to the server's greeting.
    pub connect_timeout: Duration,
    /// How long one statement may take.
    pub statement_timeout: Duration,
}

impl Default for PostgresAccess {
    fn default() -> Self {
        Self {
            password_file: None,
            ca_file: None,
            connect_timeout: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(60),
        }
    }
}

/// How long a use case has the right to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// For work of many batches. Short changes of others get in where it gives way, and while it embeds texts.
    Work,
    /// For a short change. Others get in while it embeds texts.
    Change,
    /// For a short change that is not made if somebody else writes now.
    AtOnce,
}

/// How a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    /// Its number.
    pub id: i64,
    /// What is asked for, as whoever added it wrote it.
    pub request: String,
    /// How far it is, as whoever works on it wrote it last.
    pub state: String,
    /// Whether it has ended.
    pub is_over: bool,
    /// Whether somebody wants it to stop.
    pub is_cancelled: bool,
    /// How often somebody began it.
    pub attempts: usize,
}
