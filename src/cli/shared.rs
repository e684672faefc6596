//! From the settings to a store that several machines share.

use crate::config::StoreSettings;
use crate::engine::face::stores::{PostgresAccess, SharedStore};
use std::path::PathBuf;
use std::time::Duration;

/// The database in PostgreSQL that is used in place of the file; `None` if `store.url` is empty.
pub(super) fn store(settings: &StoreSettings) -> Option<SharedStore> {
    Some(SharedStore {
        url: settings.url.clone()?,
        read_url: settings.read_url.clone(),
        access: access(settings),
        words: None,
    })
}

/// How databases in PostgreSQL are reached.
pub(super) fn access(settings: &StoreSettings) -> PostgresAccess {
    let seconds = |seconds: usize| Duration::from_secs(seconds as u64);
    PostgresAccess {
        password_file: settings.password_file.as_ref().map(PathBuf::from),
        ca_file: settings.ca_file.as_ref().map(PathBuf::from),
        connect_timeout: seconds(settings.connect_timeout_s),
        statement_timeout: seconds(settings.statement_timeout_s),
    }
}
