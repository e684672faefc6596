//! What tools did: what agents tell of a run, and the row that is kept of it.
//!
//! Decides what a report of a run says (`payload`), what a tool was to do in one word (`head`), and what of a run is
//! stored (`row`). Pure: no clock, no disk. Knows no store and no model.

mod head;
mod payload;
mod row;

pub use head::{changes, head};
pub use payload::{PayloadError, read, read_report};
pub use row::{Moment, row};
