//! Memories, and the events that they follow from.
//!
//! Events are the truth, and are only ever appended. A [`Memory`] is computed from its events ([`crate::memory`]). The
//! words of an event are kept apart from it ([`Wording`]), so that they can be forgotten while the event stays.

mod event;
mod projection;
mod trial;
mod words;

pub use event::{Author, Change, MemoryEvent, MemorySource, NewEvent, Observation, Relation};
pub use projection::{Link, MEMORY_PREFIX, Memory, MemoryState};
pub use trial::{Attempt, Overrides, Recollection, Trial};
pub use words::{Evidence, Wording};
