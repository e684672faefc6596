//! How likely a candidate answers a question, and what speaks for that.

mod background;
mod closeness;
mod feedback;

pub use background::Background;
pub use closeness::{Closest, Evidence, Ground, Judged, WORD_WEIGHT, WORDS_ALONE, shifted};
pub use feedback::{FEEDBACK, mean, moved};
