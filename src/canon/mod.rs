//! Canon: curated knowledge in JSON packs, found by pattern.
//!
//! Reads packs (given as text; no file is opened here), layers them (repository over user over built-in), matches their
//! patterns behind a literal prefilter, fills captures into fixes where a shell reads a word, and checks packs like
//! code. Knows nothing of models or scores: the semantic layer reads [`Entry::texts`] and leaves the format alone.
//! Invariant: a pattern is linear in the text, bounded in memory, and is compiled only when all its required words
//! stand close together in the input.

mod chain;
mod check;
mod compiled;
mod condition;
mod edit;
mod fill;
mod fit;
mod layer;
mod library;
mod literal;
mod matcher;
mod pack;
mod pattern;
mod prefilter;
mod remedy;
mod room;
mod said;
mod seek;
mod severity;
mod shell;
mod walk;

pub use check::{Finding, check, place, warning};
pub use condition::{Condition, Known, Side, Test};
pub use edit::{EditError, add_entry};
pub use fill::fill;
pub use fit::Fit;
pub use layer::PackLayer;
pub use library::{Canon, PackProblem, PackSource, Stored, builtin};
pub use matcher::PatternHit;
pub use pack::{Entry, EntryText, PackFile, SCHEMA_VERSION};
pub use said::{EntryPattern, Example, Remark, Step};
pub use severity::Severity;
