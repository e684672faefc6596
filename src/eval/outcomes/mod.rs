//! What sessions teach about failures of tools, measured: labels of recoveries, predictions of them, fixes found in
//! other sessions, and the patterns that are proposed.

mod baseline;
mod drafts;
mod md5;
mod measure;
mod sample;
mod set;

pub use drafts::{DraftFigures, measure_drafts};
pub use measure::{EndFigures, FixFigures, OutcomeReport, measure_outcomes};
pub use sample::{Proposal, sample_proposals};
