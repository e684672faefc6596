//! Requests to an engine in this process.

use kenning::engine::{Notes, Session};

/// A request at a moment that never passes, which nobody watches.
pub fn session() -> Session<'static> {
    session_at(|| 1_700_000_000_000)
}

/// A request at the time that a clock says, milliseconds since 1970.
pub fn session_at(clock: fn() -> i64) -> Session<'static> {
    Session::new(clock, Notes::default())
}
