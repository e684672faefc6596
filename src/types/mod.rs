//! Plain data that crosses modules: no behaviour beyond small conversions, no dependencies above [`crate::error`].

mod answer;
mod item;
mod model;

pub use answer::{
    Advice, Answer, Asked, Content, Explanation, Finding, Hit, Kind, Passage, Semantic, Signals, Tier, Verdict, WhyNot,
};
pub use item::{Authority, Item, Scope, Span, State, embedded};
pub use model::{Calibration, Fingerprint, Fit, Logistic, Prior, Role};
