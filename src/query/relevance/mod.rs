//! How likely a candidate answers a question: one file per signal, and what they come to together.

mod closeness;
mod feedback;
mod keyword;
mod semantic;
mod words;

pub use closeness::{Evidence, Ground, Judged, WORD_WEIGHT, shifted};
pub use feedback::{FEEDBACK, mean, moved};
pub use keyword::{KeywordIndex, Said};
pub use semantic::{Background, SemanticIndex, Similarity};
pub use words::{Bm25, Reach, Shared, Weighed, Words};
