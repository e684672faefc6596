//! All knowledge as records, out and in. Vectors are not among them: they are made again from the texts.

mod export;
mod import;
mod record;

pub use export::{COUNTERS, LINKS, export, read_counters, read_link};
pub use import::{Imported, import};
pub use record::Record;
