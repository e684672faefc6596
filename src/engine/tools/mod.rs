//! Tools of agents: what is known of them, which fit a task, and in which order they run.
//!
//! What a tool says of itself is a stranger's text. It is kept as data, and once it has changed the tool is not offered
//! until somebody has approved what it says now.

mod catalog;
mod find;
mod gate;
mod keep;
mod learn;
mod ready;
mod suggest;
mod vectors;

pub use catalog::{KnownTool, ToolState};
pub use find::{FoundTool, ToolPlan, ToolsFound};
pub use keep::{ToolApproved, ToolsAdded};
pub use learn::{KnownCapability, KnownThreshold, ToolsLearnt};
pub(super) use ready::ReadyTools;
pub use suggest::{FoundCapability, ToolAsk, TracedDecision, TracedOutcome};
pub use vectors::AskedVectors;
