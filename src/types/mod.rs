//! Plain data that crosses modules: no behaviour beyond small conversions, no dependencies above [`crate::error`].

mod answer;
mod model;

pub use answer::{Answer, Asked, Explanation, Finding, Hit, Kind, Semantic, Signals, Tier, Verdict, WhyNot};
pub use model::{Calibration, Fingerprint, Logistic, Role};
