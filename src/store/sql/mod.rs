//! Stores on databases that speak SQL: every trait of a store, written once.
//!
//! A database gives [`RunSql`] and the traits that build on it, and gets the traits of its concerns (`documents`,
//! `vectors`, `memory` and so on) from the modules here: each has its statements, what a row of an answer means, and
//! what follows from it. Beside them all rows are checked (`check`), mended (`rebuild`), cleaned up (`clean`), exported
//! and imported (`transfer`). `store::sqlite` and `store::postgres` are the two databases. Statements are such as both
//! understand: values are `?1` or `?`, conflicts are named, numbers are cast. The few forms that differ stand side by
//! side in [`Dialect`].

mod change;
mod check;
mod clean;
#[cfg(test)]
pub(super) mod damage;
mod dialect;
mod event;
mod external;
mod filter;
mod forgotten;
mod half;
mod inventory;
mod item;
mod learning;
mod links;
mod memory;
mod noise;
mod outcome;
mod parameter;
mod rebuild;
mod run;
mod source;
mod tools;
mod traces;
mod transfer;
mod usage;
mod value;
mod vector;
mod words;

pub use check::{Fault, Faults};
pub use clean::Cleaned;
pub use transfer::{Imported, Record};

pub(super) use change::FORGET_UNASKED;
pub(super) use check::row_faults;
pub(super) use clean::clean_rows;
pub(super) use dialect::Dialect;
pub(super) use event::count_places;
pub(super) use half::half_vector;
pub(super) use parameter::{SqlValue, one_of, values};
pub(super) use rebuild::rebuild;
pub(super) use run::{ByKey, KeepSql, Keys, ReadSql, RunSql, WriteSql};
pub(super) use traces::{ANYWHERE, IN_COPIES, IN_LOG, LEFT, TRACED_PATHS, has_traces, is_traced, trace_paths};
pub(super) use transfer::{export, import};
pub(super) use value::{SqlError, SqlRow, odd};
// SQLite's own statements need none of these.
#[cfg(feature = "postgres")]
pub(super) use {
    filter::passing,
    value::count,
    vector::floats,
    words::{TEXT_COLUMNS, read_text},
};
#[cfg(test)]
pub(super) use {forgotten::remember_forgotten, traces::leave_traces};

use super::StoreError;
