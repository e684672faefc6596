//! How well the block of a log that failed a run is found: labelled logs, hits and overlap, and the fit of the weights.
//! And how well problems are read out of what tools print.

mod descent;
mod fit;
mod measure;
mod pair;
mod problems;
mod set;

pub use crate::triage::shipped_weights as shipped_log_weights;
pub use fit::{LogFit, fit_logs};
pub use measure::{LogFigures, LogOutcome, MissedLog, SurveyedLog, measure_logs, survey_compared_logs, survey_logs};
pub use pair::passing_logs;
pub use problems::{LabelledOutput, LabelledProblem, OutputProblems, ProblemFigures, measure_problems, read_outputs};
pub use set::{LabelledLog, read_logs};
