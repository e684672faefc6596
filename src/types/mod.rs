//! Plain data that crosses modules: no behaviour beyond small conversions, no dependencies above [`crate::error`].

mod access;
mod answer;
mod attributes;
mod causal;
mod condition;
mod excerpt;
mod external;
mod feedback;
mod frame;
mod generation;
mod item;
mod kind;
pub mod limits;
mod memory;
mod model;
mod noise;
mod outcome;
mod planned;
mod platform;
mod tool;

pub use access::Access;
pub use answer::{
    Advice, Answer, Asked, Content, Destructive, Explanation, Finding, Hit, Nearest, Passage, Seen, Semantic, Signals,
    Tier, Verdict, WhyNot,
};
pub use attributes::{AttributeValue, Attributes, is_key};
pub use causal::CausalRole;
pub use condition::{Comparison, Condition, Literal};
pub use excerpt::{Excerpt, ExcerptLine};
pub use external::{EXTERNAL_ID, EXTERNAL_PREFIX, External, ExternalItem, FIELDS, StoredItem, check_name, fields};
pub use feedback::{Feedback, FeedbackLog, Tried};
pub use frame::{Frame, LeftOut, Piece, Reason, Section, Standing};
pub use generation::Generation;
pub use item::{Authority, BELOW, CONTEXT, Item, Scope, Span, State, heading, passage, titled};
pub use kind::Kind;
pub use memory::{
    Attempt, Author, Change, Evidence, Link, MEMORY_PREFIX, Memory, MemoryEvent, MemorySource, MemoryState, NewEvent,
    Observation, Overrides, Recollection, Relation, Trial, Wording,
};
pub use model::{Calibration, Fingerprint, Fit, Logistic, Prior, Role};
pub use noise::{CorpusNoise, FamilyNoise, MOST_NOISE, ModelNoise, SignalNoise, SignalSet};
pub use outcome::{ErrorCount, Execution, ProblemPlace, ToolOutcome};
pub use planned::{Action, Checked, PlanFinding, PlanReport, Risk};
pub use platform::Platform;
pub use tool::{Tool, ToolField};
