//! What was learnt: the events that happen to a memory, and what they come to.
//!
//! Events are the truth and are only ever added. A [`Memory`] is what its events come to ([`crate::memory`] says how).
//! What somebody wrote stands apart from an event ([`Wording`]), so that it can be forgotten while the event stays.

mod event;
mod projection;
mod trial;
mod words;

pub use event::{Author, Change, MemoryEvent, MemorySource, NewEvent, Observation, Relation};
pub use projection::{Link, MEMORY_PREFIX, Memory, MemoryState};
pub use trial::{Attempt, Overrides, Recollection, Trial};
pub use words::{Evidence, Wording};
