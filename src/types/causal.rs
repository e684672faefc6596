//! What stands where in the chain of events that ends in a failure.

use serde::{Deserialize, Serialize};

/// What a known error is in the chain of events that ends in a failure. The order is the one in which they are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CausalRole {
    /// What went wrong first: mended, the rest goes away.
    #[default]
    Cause,
    /// What another error brings about: a wrapper around it, a summary of a run, an exit status.
    Consequence,
    /// What ends no run by itself: a deprecation, a retry, advice.
    Warning,
}

impl CausalRole {
    /// Whether it is the one that need not be named.
    pub fn is_cause(&self) -> bool {
        *self == Self::Cause
    }
}
