//! A log-linear model that chooses among candidates: each has an end, perhaps a target that was seen before, and numbers
//! that tie it to the case.
//!
//! Conditional logistic regression, fitted by AdaGrad (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online
//! Learning and Stochastic Optimization", 2011) with a penalty on the squares of the weights. What a feature says of an
//! end is learnt apart from what it says of one target, so that a target that is seen for the first time is judged
//! too. Cases are taken in a fixed order: the same cases give the same weights to the last bit.

use crate::triage::softmax;

/// Passes over the cases.
const PASSES: usize = 20;
/// Length of the first steps.
const RATE: f64 = 0.05;
/// Weight of the penalty, against one case.
const PENALTY: f64 = 0.01;

/// One that may be chosen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The number of its end.
    pub end: usize,
    /// The number of its target among those that were seen.
    pub target: Option<usize>,
    /// What ties it to the case.
    pub ties: Vec<f64>,
}

/// A case: numbers of the features that hold, each once, and who may be chosen.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub features: Vec<u32>,
    pub candidates: Vec<Candidate>,
}

/// Weights with the sums of squares that AdaGrad keeps.
#[derive(Debug, Clone, Default)]
struct Weights {
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Weights {
    fn new(count: usize) -> Self {
        Self { values: vec![0.0; count], squares: vec![1e-6; count] }
    }

    fn step(&mut self, at: usize, slope: f64) {
        let slope = slope + ev("PENALTY", PENALTY) * self.values[at];
        self.squares[at] += slope * slope;
        self.values[at] -= ev("RATE", RATE) * slope / self.squares[at].sqrt();
    }
}

fn ev(_k: &str, d: f64) -> f64 {
    if let Some(v) = std::env::var(_k).ok().and_then(|v| v.parse().ok()) { return v }
    d
}

/// The model.
#[derive(Debug, Clone, Default)]
pub(super) struct Regression {
    ends: usize,
    targets: usize,
    /// By feature, and one more row that always holds; each with a column for each end and each target.
    of_feature: Weights,
    features: usize,
    of_tie: Weights,
}

impl Regression {
    /// Learns from cases and the places of the right candidates.
    pub fn fit(cases: &[(Case, usize)], features: usize, ends: usize, targets: usize, ties: usize) -> Self {
        let width = ends + targets;
        let of_feature = Weights::new((features + 1) * width);
        let mut model = Self { ends, targets, of_feature, features, of_tie: Weights::new(ties) };
        let stride = stride(cases.len());
        for _ in 0..(ev("PASSES", PASSES as f64) as usize) {
            for at in 0..cases.len() {
                let (case, right) = &cases[at * stride % cases.len()];
                model.learn(case, *right);
            }
        }
        model
    }

    fn learn(&mut self, case: &Case, right: usize) {
        let mut slopes = self.shares(case);
        if let Some(share) = slopes.get_mut(right) {
            *share -= 1.0;
        }
        let width = self.ends + self.targets;
        let mut columns = vec![0.0; width];
        let mut ties = vec![0.0; self.of_tie.values.len()];
        for (candidate, slope) in case.candidates.iter().zip(&slopes) {
            columns[candidate.end] += slope;
            if let Some(target) = candidate.target {
                columns[self.ends + target] += slope;
            }
            ties.iter_mut().zip(&candidate.ties).for_each(|(sum, tie)| *sum += slope * tie);
        }
        for row in case.features.iter().map(|feature| *feature as usize).chain([self.features]) {
            columns.iter().enumerate().for_each(|(column, slope)| self.of_feature.step(row * width + column, *slope));
        }
        ties.iter().enumerate().for_each(|(at, slope)| self.of_tie.step(at, *slope));
    }

    /// How likely each candidate is; together 1.
    pub fn shares(&self, case: &Case) -> Vec<f64> {
        let width = self.ends + self.targets;
        let mut columns = vec![0.0; width];
        for row in case.features.iter().map(|feature| *feature as usize).chain([self.features]) {
            let weights = &self.of_feature.values[row * width..(row + 1) * width];
            columns.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        let score = |candidate: &Candidate| {
            let ties = self.of_tie.values.iter().zip(&candidate.ties).map(|(weight, tie)| weight * tie);
            columns[candidate.end] + candidate.target.map_or(0.0, |at| columns[self.ends + at]) + ties.sum::<f64>()
        };
        softmax(&case.candidates.iter().map(score).collect::<Vec<_>>())
    }
}

/// A step that shares no divisor with `count`, so that each is taken once and neighbours far apart.
fn stride(count: usize) -> usize {
    let coprime = |a: usize| {
        let (mut a, mut b) = (a, count);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (count * 5 / 8..=count).find(|&stride| stride > 0 && coprime(stride)).unwrap_or(1)
}
