//! The store on SQLite. Its SQL stands here alone, but for the few statements of copies (`store::mirror`).

mod change;
mod check;
mod connect;
mod copies;
mod database;
mod event;
mod external;
mod filter;
mod forget;
mod forgotten;
mod header;
mod inventory;
mod item;
mod learning;
mod memory;
mod migrate;
mod noise;
mod outcome;
mod repair;
mod rows;
mod source;
mod tools;
mod transfer;
mod usage;
mod value;
mod vector;
mod words;

pub use check::{Fault, Faults};
pub use copies::{copies, remove_copies};
pub use database::{Batch, Database};
pub use forget::Cleaned;
pub use migrate::{MIGRATIONS, Migration};
pub use repair::Salvaged;
pub(super) use rows::{ReadRows, WriteRows};
pub use transfer::{Imported, Record};

use super::StoreError;
