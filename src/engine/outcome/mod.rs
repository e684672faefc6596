//! What tools did: each run is kept for a while, without secrets, and failures are counted.
//!
//! Whoever reports a run must not be held up by it, so a row is kept without the writer's lock. What could not be kept
//! is counted beside the database. What recurs is kept as patterns, which a person may make a tactic of.

mod analyse;
mod drafts;
mod forget;
mod keep;
mod list;
mod lost;
mod overcome;
mod patterns;

pub use analyse::{Analysed, NEW_ROWS, Pending};
pub use drafts::WantedDrafts;
pub use forget::SessionTaken;
pub use list::{Failure, Failures, OutcomePage, OutcomesKept};
pub use lost::{Loss, Losses};
pub use overcome::Overcome;
pub use patterns::{KeptPattern, PROMOTED, REJECTED};
