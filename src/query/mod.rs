//! From an input to an answer: analyse, relevance, gate, score, select. Data moves one way.
//!
//! Decides what of the known passes and in which order. Gets canon, vectors and an encoder as values; opens nothing.
//! Invariant: the gate looks at relevance alone, so what is popular or new is never shown for that reason.

mod analyse;
mod gate;
mod lookup;
pub mod relevance;
mod score;
mod search;
mod snippet;

pub use analyse::{Analysis, Problem, analyse};
pub use gate::{Gates, KEYWORD_ONLY};
pub use lookup::{Filters, Knowledge, LookupOptions, Scored, Semantics, Used, lookup, probe};
pub use score::frequency;
pub use search::{Documents, Legs, SearchError, SearchOptions, search};
