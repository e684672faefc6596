//! What an engine keeps open between requests: immutable snapshots, each swapped for a new one when what it was made
//! from has changed, on the disk or by another process. A request looks once, keeps what it was given to its end, and
//! waits for nobody but for whoever is making the very snapshot that it needs.

mod items;
mod model;
mod packs;
mod shared;
mod watched;

pub(super) use items::{ItemsSnapshot, TermsSnapshot, VectorsSnapshot};
pub(super) use model::{ModelChoice, ModelSnapshot, NeededVectors, RerankerSnapshot, SemanticsSnapshot, fit_digest};
pub use packs::PacksSnapshot;
pub(super) use shared::Shared;
pub(super) use watched::Watched;
