//! What a decision about tools rested on.

use serde::{Deserialize, Serialize};

/// The signals of one tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// Its key.
    pub tool: String,
    /// What words and meaning say, in log-odds.
    pub evidence: f64,
    /// How likely it is by words and meaning alone.
    pub text: f64,
    /// How likely it is beside the likely tools, by the graph.
    pub near: f64,
    /// How likely it is by past tasks; none where none are known.
    pub past: Option<f64>,
    /// The sum of all, a logarithm.
    pub score: f64,
    /// Its share beside all other tools.
    pub share: f64,
    /// The chance that is compared with the threshold.
    pub chance: f64,
    /// Whether it was suggested.
    pub suggested: bool,
}

/// A decision: its parameters, the signals, what was decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Weights of words and meaning, of the graph, and the sharpness of past tasks.
    pub mix: (f64, f64, f64),
    /// `mu` of co-use and of succession.
    pub pseudo_counts: (f64, f64),
    /// The evidence that the best tool had to reach.
    pub gate: f64,
    /// What it reached.
    pub best: f64,
    /// From which score on a tool and a capability were suggested.
    pub thresholds: (f64, f64),
    /// Past tasks that counted.
    pub past_tasks: usize,
    /// The tools that were shown, best first; none if no tool fits.
    pub tools: Vec<Signals>,
    /// The capabilities that were looked at, with coverage, score, and whether they were suggested.
    pub capabilities: Vec<(Vec<String>, f64, f64, bool)>,
}
