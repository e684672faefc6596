//! Stores on databases that speak SQL: every trait of a store, written once.
//!
//! A database gives [`RunSql`] and the traits that build on it, and gets the traits of its concerns (`documents`,
//! `vectors`, `memory` and so on) from the modules here: each has its statements, what a row of an answer means, and
//! what follows from it. `store::sqlite` and `store::postgres` are the two databases. Statements are such as both
//! understand: values are `?1` or `?`, conflicts are named, numbers are cast. The few forms that differ stand side by
//! side in [`Dialect`].

mod change;
mod dialect;
mod event;
mod external;
mod filter;
mod forgotten;
mod inventory;
mod item;
mod learning;
mod links;
mod memory;
mod noise;
mod outcome;
mod parameter;
mod run;
mod source;
mod tools;
mod traces;
mod usage;
mod value;
mod vector;
mod words;

pub(super) use dialect::Dialect;
pub(super) use event::count_places;
pub(super) use external::{Derived, derive};
pub(super) use forgotten::{PASSAGES, read_passage, read_sketches};
pub(super) use item::{ITEM_COLUMNS, passing, read_item};
pub(super) use learning::{
    CAPABILITIES, SUGGESTIONS, TASKS, THRESHOLDS, TRACES, read_capability, read_suggestion, read_task, read_threshold,
    read_trace,
};
pub(super) use memory::{EVENTS, has_event, read_event, read_memory};
pub(super) use outcome::{OUTCOMES, PATTERNS, read_outcome, read_pattern};
pub(super) use parameter::{SqlValue, values};
pub(super) use run::{ByKey, KeepSql, Keys, ReadSql, RunSql, WriteSql};
pub(super) use source::{SOURCE_COLUMNS, UNKNOWN_SIZE, read_source};
pub(super) use tools::{TOOLS, read_tool};
pub(super) use traces::{ANYWHERE, IN_COPIES, IN_LOG, LEFT, TRACED_PATHS, has_traces, is_traced, trace_paths};
pub(super) use value::{SqlError, SqlRow, count, json, odd, within};
pub(super) use words::{TEXT_COLUMNS, read_text};
#[cfg(test)]
pub(super) use {forgotten::remember_forgotten, traces::leave_traces};

use super::StoreError;
