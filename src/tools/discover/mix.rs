//! How much each signal has to say, learnt from the histories themselves.
//!
//! Tools are hidden from past tasks, one at a time, and the weights are taken under which they are likeliest, given the
//! task, the other tools of it, and all other histories. Without past tasks nothing can be learnt about words, and all
//! signals count once.

use super::past::Past;
use super::softmax;
use crate::tools::graph::Conditional;

/// What is tried for the sharpness of past tasks: from the nearest hundred to the nearest few.
pub const SHARPNESS: [f64; 5] = [20.0, 40.0, 60.0, 80.0, 120.0];
/// What is tried for the weight of words and meaning beside past tasks.
pub const TEXT_WEIGHTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// What is tried for the weight of the graph.
pub const GRAPH_WEIGHTS: [f64; 4] = [0.25, 0.5, 1.0, 1.5];
/// Histories that are looked at, spread evenly: some 700 hidden tools, in a second or two.
pub(super) const SAMPLES: usize = 250;
/// Most tools that are hidden of one history.
const HIDDEN: usize = 8;

/// Weights of signals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    /// Of words and meaning.
    pub text: f64,
    /// Of the graph.
    pub graph: f64,
    /// How much nearer a past task must be to count more.
    pub sharpness: f64,
}

impl Default for Mix {
    /// Every signal counts once.
    fn default() -> Self {
        Self { text: 1.0, graph: 1.0, sharpness: SHARPNESS[2] }
    }
}

/// A history to learn from.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Its place among the sessions.
    pub session: usize,
    /// What words and meaning say of each tool.
    pub text: Vec<f64>,
    /// Cosines of its task to those of all sessions.
    pub cosines: Vec<f32>,
}

/// The weights under which hidden tools are likeliest.
pub(super) fn learn(samples: &[Sample], sessions: &[Vec<usize>], of: &Conditional<'_>) -> Mix {
    let mut sums = vec![0.0; SHARPNESS.len() * TEXT_WEIGHTS.len() * GRAPH_WEIGHTS.len()];
    for sample in samples {
        let Some(session) = sessions.get(sample.session) else { continue };
        let mut tools = session.clone();
        tools.sort_unstable();
        tools.dedup();
        if tools.len() < 2 {
            continue;
        }
        let past: Vec<Vec<f64>> = SHARPNESS
            .iter()
            .map(|sharpness| {
                let likely = Past::likely(&sample.cosines, sessions, of, *sharpness, Some(sample.session));
                likely.into_iter().map(f64::ln).collect()
            })
            .collect();
        for hidden in tools.iter().take(HIDDEN) {
            let share = 1.0 / (tools.len() - 1) as f64;
            let others: Vec<(usize, f64)> =
                tools.iter().filter(|tool| *tool != hidden).map(|tool| (*tool, share)).collect();
            let graph: Vec<f64> = of.together_without(&others, session).into_iter().map(f64::ln).collect();
            let mut sum = sums.iter_mut();
            for past in &past {
                for text in TEXT_WEIGHTS {
                    for weight in GRAPH_WEIGHTS {
                        let score = |tool: usize| match others.iter().any(|(other, _)| *other == tool) {
                            true => f64::NEG_INFINITY,
                            false => text * sample.text[tool] + past[tool] + weight * graph[tool],
                        };
                        let scores: Vec<f64> = (0..past.len()).map(score).collect();
                        let likely = softmax(&scores)[*hidden].max(f64::MIN_POSITIVE);
                        if let Some(sum) = sum.next() {
                            *sum += likely.ln();
                        }
                    }
                }
            }
        }
    }
    let best = sums.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    let Some((best, _)) = best.filter(|_| sums.iter().any(|sum| *sum < 0.0)) else { return Mix::default() };
    let (rest, graph) = (best / GRAPH_WEIGHTS.len(), GRAPH_WEIGHTS[best % GRAPH_WEIGHTS.len()]);
    let (sharpness, text) = (SHARPNESS[rest / TEXT_WEIGHTS.len()], TEXT_WEIGHTS[rest % TEXT_WEIGHTS.len()]);
    Mix { text, graph, sharpness }
}
