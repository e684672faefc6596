//! What tools did, and what it teaches.
//!
//! `payload` reads what agents tell of a run, `row` says what is kept of it. `head` reads off an input what a tool was
//! to do and whether it may change something, `answer` tells a "no" from a failure, `kind_of_error` which failures are
//! of one kind. `recovery` says how each failure of a session ended, and `pattern` what recurs over sessions. `predict`
//! foretells how a failure will be overcome. `draft` writes a pack entry for an error that recurs. Nothing here reads a
//! file or a clock: the caller passes the rows in as [`crate::types::ToolOutcome`].

mod advice;
mod answer;
pub mod draft;
mod head;
mod kind_of_error;
pub mod pattern;
mod payload;
pub mod predict;
pub mod recovery;
mod row;
mod session;
#[cfg(test)]
pub(crate) mod testing;

pub use advice::advice;
pub use head::{changes, head};
pub use kind_of_error::{error_kind, kind_fingerprint, masked_input, named_kind};
pub use payload::{PayloadError, read, read_report};
pub use row::{Moment, name, row};
pub use session::{Session, sessions};
