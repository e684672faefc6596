//! What is learnt from how suggestions fare and from what sessions did.
//!
//! `threshold` decides from which score on something is suggested, such that a fixed share of suggestions is accepted.
//! `capability` finds the sets of tools that tasks used together, and says which of them fit a task. `trace` is what a
//! decision rested on. All of it is pure; the engine keeps what is to outlive a process.

mod capability;
mod threshold;
mod trace;

pub use capability::{
    Capability, FitsTask, LEAST_SUCCESS, LEAST_USES, MOST_SUGGESTED, MOST_TOGETHER, Made, TASK_GAP_MS, TaskCall,
    TaskDone, capability_of, fitting, tasks_of,
};
pub use threshold::{
    DEVIATION, FIRST_STEP, LAST_STEP, RANGE, SETTLING, SILENT, START, TARGET, Threshold, WINDOW, draw_chance,
};
pub use trace::{Signals, Trace};
