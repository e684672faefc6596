//! Memory: what was learnt is written down, disputed, forgotten, and shown where it fits.
//!
//! Each change is one batch: events are appended to the log, and the memories that follow are stored with them. Vectors
//! are made after that. So what was learnt is on the disk before the model is asked.

mod answer;
mod associate;
mod change;
mod claims;
mod decide;
mod export;
mod forget;
mod frame;
mod learn;
mod list;
mod near;
mod promote;
mod recollection;
mod remember;
mod replay;
mod revisions;
mod take_in;

pub use decide::Decision;
pub use export::WrittenMemories;
pub(super) use frame::learnings;
pub use learn::{Keep as KeepLearnt, Proposed, SessionText};
pub use list::{MemoryPage, Told};
pub use near::Near;
pub use remember::{Change as Learnt, Remember, Remembered};
pub use replay::Replayed;
pub use take_in::{TakenIn, TeamFiles};
