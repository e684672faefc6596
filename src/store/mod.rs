//! What is kept on disk. SQLite is the truth: files, items, vectors, counters, events; one writer at a time, readers never
//! wait. Canon's vectors lie elsewhere (`ann`), because a lookup must not need a database.
//!
//! Decides how things are stored and what survives; knows nothing of models, files on disk or scores. Every layout is in
//! `index/FORMAT.md`.

mod change;
mod check;
mod copies;
mod database;
mod error;
mod filter;
mod forget;
mod forgotten;
mod header;
mod inventory;
mod item;
mod keyword;
mod lock;
mod markdown;
mod migrate;
mod repair;
mod source;
mod transfer;
mod usage;
mod vector;

pub use change::ItemVectors;
pub use check::{Fault, Faults};
pub use copies::{copies, remove_copies};
pub use database::{Batch, DATABASE, Database};
pub use error::StoreError;
pub use filter::{ItemFilter, PathFilter};
pub use forget::{Cleaned, Forgotten};
pub use forgotten::ForgottenPassage;
pub use inventory::{Inventory, ScopeCount};
pub use item::{Anchor, chunk_uid};
pub use keyword::Corpus;
pub use lock::{PATIENCE, WRITER_LOCK, WriterLock, current_writer, exposed, keep_private, make_private};
pub use markdown::{item_from_markdown, item_to_markdown, read_front_matter, with_front_matter};
pub use migrate::{MIGRATIONS, Migration};
pub use repair::Salvaged;
pub use source::{Source, SourceKind, Stat};
pub use transfer::{Imported, Record};
pub use usage::Usage;
pub use vector::{IndexModel, VectorRows};
