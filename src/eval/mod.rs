//! Measures lookups on labelled cases, search on sets of judgements, groups of lines, and which block of a log failed
//! its run, and fits calibrations. Runs through [`crate::engine::Engine`], the same code that answers people.

mod ann;
mod builtin;
mod calibrate;
mod cases;
mod grouping;
mod logs;
mod noise;
mod observation;
mod outcomes;
pub mod packing;
mod reliability;
mod report;
pub mod retrieval;
mod tools;

pub use ann::{AnnPlan, AnnReport, Lap, Vectors, measure_ann};
pub use builtin::{observe, run};
pub use calibrate::{Figures, Fitted, Labelled, Question, case_questions, fit, neutral, present, set_questions};
pub use cases::{Case, CaseError, CaseKind, builtin_cases, chain_cases, parse_cases};
pub use grouping::{
    Grouping, LabelledLine, SystemGrouping, TableError, group_lines, grouping, mean_grouping, parse_lines,
};
pub use logs::{
    LabelledLog, LabelledOutput, LabelledProblem, LogFigures, LogFit, LogOutcome, MissedLog, OutputProblems,
    ProblemFigures, SurveyedLog, fit_logs, measure_logs, measure_problems, passing_logs, read_logs, read_outputs,
    shipped_log_weights, survey_compared_logs, survey_logs,
};
pub use noise::{LengthNoise, noise, windows};
pub use observation::{Guess, Observation};
pub use outcomes::{
    DraftFigures, EndFigures, FixFigures, OutcomeReport, Proposal, measure_drafts, measure_outcomes, sample_proposals,
};
pub use reliability::{Bin, Reliability};
pub use report::{Counts, Report};
pub use tools::{
    FollowedUser, Gain, GraphFigures, Hidden, PlanFigures, Planned, Ranked, ToolBenchError, ToolReport, drawn,
    follow_users, graph_figures, measure_tools,
};
