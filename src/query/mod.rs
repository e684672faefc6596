//! From an input to an answer. Data moves one way: a question is posed, every collection gathers candidates, and one
//! pipeline fuses, judges, gates and orders them (`rank`); what passed is read and shown.
//!
//! Decides what of the known passes and in which order. Gets packs, vectors, words and an encoder as values; opens
//! nothing. Invariant: the gate looks at relevance alone, so what is popular or new is never shown for that reason.
//!
//! - What there is: `knowledge` (packs), `semantics` (a model), `collection` and `collections` (what can be asked).
//! - What is asked: `analyse` (the errors of a log), `question`, `respell`, `phrase`, `options`.
//! - The pipeline: `rank` of each `candidate`, with `fuse`, `relevance`, `gate` and `score`; `read` gives
//!   what passed its text.
//! - What is sure without a model: `sure`, `chain` (cause before consequence), `asking` (what is left to be asked).
//! - Who uses it: `lookup`, `search` (with `rerank` and `snippet`), `recall` (with `parts`), `probe`, `noise`; `hit`, `nearest`
//!   and `explanation` are what they give.

mod analyse;
mod asking;
mod candidate;
mod chain;
mod collection;
mod collections;
mod error;
mod excerpt;
mod explanation;
mod fuse;
mod gate;
mod hit;
mod knowledge;
mod lookup;
mod named;
mod nearest;
mod noise;
mod options;
mod parts;
mod phrase;
mod probe;
mod question;
mod rank;
mod read;
mod recall;
mod recalled;
pub mod relevance;
mod rerank;
mod respell;
mod score;
mod search;
mod semantics;
mod snippet;
mod stage;
mod sure;
mod tells;

pub use analyse::{Problem, Problems, analyse};
pub use collections::{
    Admitted, Around, DerivedItems, Files, FindItems, ItemCollection, NearItem, Noise, PreparedWords,
};
pub use error::SearchError;
pub use gate::Gates;
pub use knowledge::{Filters, Knowledge};
pub use lookup::{LookupContext, lookup, problems};
pub use named::named_entries;
pub use noise::{
    DEFAULT_MAX_NOISE, ForeignOdds, ForeignQuestion, embed_foreign, foreign_odds, foreign_questions, signal_noise,
};
pub use options::{Legs, LookupOptions, SearchOptions};
pub use phrase::{Call, call};
pub use probe::{Probed, probe, probe_items};
pub use question::{QuestionVectors, ROLES, embed_questions};
pub use recall::{Recall, RecallOptions, recall};
pub use recalled::{Part, Recalled};
pub use respell::respelled;
pub use score::frequency;
pub use search::{NearTo, SearchContext, search, search_near};
pub use semantics::Semantics;
pub use stage::{OnStage, Stage};

/// How often an entry of a pack was of use, by its id, as [`frequency`] counts; `None` where nobody counts.
pub type Used<'a> = &'a dyn Fn(&str) -> Option<f32>;
