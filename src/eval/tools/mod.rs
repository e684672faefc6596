//! Tools found for tasks and put in order, measured on sets of requests whose tools are known.

mod discovery;
mod graph;
mod measure;
mod plans;
mod set;
mod thresholds;

pub use discovery::{Gain, Hidden, Ranked};
pub use graph::{GraphFigures, graph_figures};
pub use measure::{ToolBenchError, ToolReport, measure_tools};
pub use plans::{PlanFigures, Planned};
pub use thresholds::{FollowedUser, drawn, follow_users};
