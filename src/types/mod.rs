//! Plain data that crosses modules: no behaviour beyond small conversions, no dependencies above [`crate::error`].

mod model;

pub use model::{Calibration, Fingerprint, Logistic, Role};
