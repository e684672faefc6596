//! Types of a store in PostgreSQL that every build has, also one without its client.

use std::path::PathBuf;
use std::time::Duration;

/// Whether a text begins like the address of a database in PostgreSQL. The rest of it may be wrong.
pub fn is_address(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// How databases in PostgreSQL are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresAccess {
    /// A file that holds the password and nothing else.
    pub password_file: Option<PathBuf>,
    /// A PEM file with the certificate authorities to trust. Without a file, `ken` trusts the authorities
    /// that this machine trusts.
    pub ca_file: Option<PathBuf>,
    /// How long connecting may take, up to the server's greeting.
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
    /// For work of many batches. Other processes can make short changes between its batches, and while it embeds texts.
    Work,
    /// For a short change. Other processes can write while it embeds texts.
    Change,
    /// For a short change that fails at once if another process is writing.
    AtOnce,
}

/// A job as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredJob {
    /// Its number.
    pub id: i64,
    /// The request, in the form that its sender stored.
    pub request: String,
    /// Its progress, in the form that its worker stored last.
    pub state: String,
    /// Whether it has ended.
    pub is_over: bool,
    /// Whether somebody wants it to stop.
    pub is_cancelled: bool,
    /// How often somebody began it.
    pub attempts: usize,
}
