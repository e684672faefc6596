//! The few tools that a task needs.
//!
//! Each signal says how likely a tool is, as a probability over all tools, and the logarithms are added (a log-linear
//! pool; Genest and Zidek, "Combining Probability Distributions", 1986):
//!
//! ```text
//! score(t) = a * ln text(t) + ln past(t) + g * (ln used(t) + ln near(t))
//! ```
//!
//! - `text` is what words and meaning say ([`ToolTexts`]), with what the likely tools need ([`Needs`]);
//! - `past` is what past tasks like this one used ([`Past`]); it is left out where none are known;
//! - `used` is what sessions with the tools used so far used besides, `near` the same of the likely tools of this task
//!   in place of used ones; both are [`crate::tools::graph::Conditional`].
//!
//! No weight is set for a kind of graph. A sparse graph is smoothed until it says the same of nearly all tools, and so
//! adds nearly the same to all. Where past tasks are known `a` and `g` are learnt from them ([`Mix`]).
//! docs/scoring.md has all formulas and constants.

mod finder;
mod gate;
mod mix;
mod needs;
mod past;
mod reason;
#[cfg(test)]
mod tests;
mod text;

pub use finder::{CHOSEN, EXPANSIONS, Finder, Found, IN_CLAUSES, LEAST_PAST, Legs, MOST_CHOSEN, Task, Used, expansion};
pub use gate::ToolGate;
pub use mix::{GRAPH_WEIGHTS, Mix, SHARPNESS, TEXT_WEIGHTS};
pub use needs::{NEEDED, Needs};
pub use past::{PAST_SMOOTHING, Past};
pub use reason::Reason;
pub use text::{MEANING, NAMES, ToolTexts, WORDS, embedded_text};

/// `exp` of each value by the sum of all: probabilities from logarithms of odds.
fn softmax(values: &[f64]) -> Vec<f64> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        return vec![1.0 / values.len().max(1) as f64; values.len()];
    }
    let all: Vec<f64> = values.iter().map(|value| (value - most).exp()).collect();
    let sum: f64 = all.iter().sum();
    all.into_iter().map(|value| value / sum).collect()
}
