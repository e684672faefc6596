//! The store on SQLite: a file with its log and its copies, opened, kept private, migrated, checked and repaired. The
//! statements of its concerns stand in `store::sql`, which this has in common with `store::postgres`.

mod check;
mod connect;
mod copies;
mod database;
mod forget;
mod header;
mod migrate;
mod repair;
mod rows;
mod statements;
mod value;

pub use copies::{copies, remove_copies};
pub use database::{Batch, Database};
pub use migrate::{MIGRATIONS, Migration};
pub use repair::Salvaged;
pub(super) use rows::{ReadRows, WriteRows};

use super::StoreError;
