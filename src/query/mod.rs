//! From an input to an answer: analyse, relevance, gate, score, select. Data moves one way.
//!
//! Decides what of the known passes and in which order. Gets canon, vectors and an encoder as values; opens nothing.
//! Invariant: the gate looks at relevance alone, so what is popular or new is never shown for that reason.

mod analyse;
mod candidates;
mod fuse;
mod gate;
mod lookup;
mod parts;
mod phrase;
mod question;
mod recall;
pub mod relevance;
mod rerank;
mod score;
mod search;
mod snippet;
mod stage;

pub use analyse::{Problem, analyse};
pub use candidates::{Documents, Legs, ProbedItems, SearchError, SearchOptions, probe_items};
pub use gate::{Gates, beside};
pub use lookup::{Candidates, Filters, Knowledge, LookupOptions, Scored, Semantics, Used, lookup, probe, problems};
pub use parts::Part;
pub use phrase::{Call, call};
pub use question::ROLES;
pub use recall::{Recall, RecallOptions, Recalled, recall};
pub use score::frequency;
pub use search::search;
pub use stage::{OnStage, Stage};
