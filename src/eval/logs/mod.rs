//! How well the block of a log that failed a run is found: labelled logs, hits and overlap, and the fit of the weights.

mod descent;
mod fit;
mod measure;
mod pair;
mod set;

pub use crate::triage::shipped_weights as shipped_log_weights;
pub use fit::{LogFit, fit_logs};
pub use measure::{LogFigures, LogOutcome, MissedLog, SurveyedLog, measure_logs, survey_compared_logs, survey_logs};
pub use pair::passing_logs;
pub use set::{LabelledLog, read_logs};
