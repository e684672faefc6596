//! From the lines of a log to the stretches that may be the reason of its failure, and how likely each is.
//!
//! `line` decides what kind of line each is, `step` which step of the run failed, `cut` which stretches are blocks,
//! `features` what is known of each, `weights` what that is worth. A softmax over the blocks of one log and over "none
//! of them" makes probabilities of it. They are those of runs that failed: of a log without a failure they say nothing.
//!
//! Knows no project and no pack: each rule is true of a tool or a test framework. Linear in the log.

mod cut;
mod features;
mod line;
mod step;
mod weights;

pub use features::FEATURES;

use crate::text::Cleaned;
use cut::cut;
use features::Features;
use line::{Kind, Lines};
use step::Steps;

/// A weight for each of [`FEATURES`], in their order.
pub type Weights = [f64; FEATURES.len()];

/// A stretch of lines that may be the reason of a failure. Lines are indices into [`Cleaned::lines`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// First line.
    pub first: usize,
    /// Last line; it belongs to the stretch.
    pub last: usize,
    /// The line that says what went wrong.
    pub headline: usize,
    /// How likely the reason stands here, given that the run failed, in \[0, 1\]. All candidates of a log together have
    /// at most 1; what is missing is the probability that none of them is right.
    pub probability: f64,
}

/// Candidates of a log, likeliest first; of equals the earlier. They lie in the log and do not overlap.
pub fn candidates(cleaned: &Cleaned) -> Vec<Candidate> {
    Survey::of(cleaned).ranked(&weights::shipped())
}

/// The weights that [`candidates`] uses.
pub fn shipped_weights() -> Weights {
    weights::shipped()
}

/// The blocks of a log before they are weighed, for whoever fits weights.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The blocks in the order of their lines; their probabilities are 0.
    pub blocks: Vec<Candidate>,
    /// What is known of each, and last of "none of them", in the order of [`FEATURES`].
    pub features: Vec<Weights>,
}

impl Survey {
    /// Finds the blocks of a log. Linear in its length.
    pub fn of(cleaned: &Cleaned) -> Self {
        let lines = Lines::new(cleaned);
        let steps = Steps::of(&lines);
        let stretches = cut(&lines, &steps).stretches;
        let known = features::features(&lines, &steps, &stretches);
        let none = Features { none_of_them: 1.0, ..Features::default() };
        let block = |stretch: &cut::Stretch| Candidate {
            first: stretch.first,
            last: stretch.last,
            headline: headline(&lines, stretch),
            probability: 0.0,
        };
        Self {
            blocks: stretches.iter().map(block).collect(),
            features: known.iter().chain(std::iter::once(&none)).map(Features::array).collect(),
        }
    }

    /// The blocks with probabilities by these weights, likeliest first.
    pub fn ranked(&self, weights: &Weights) -> Vec<Candidate> {
        let probabilities = softmax(&self.features, weights);
        let weighed = |(block, probability): (&Candidate, &f64)| Candidate { probability: *probability, ..*block };
        let mut out: Vec<Candidate> = self.blocks.iter().zip(&probabilities).map(weighed).collect();
        out.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.first.cmp(&b.first)));
        out
    }
}

/// The share of each row: the exponential of its weighted sum, over the sum of all rows'.
pub fn softmax(rows: &[Weights], weights: &Weights) -> Vec<f64> {
    let score = |row: &Weights| row.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>();
    let scores: Vec<f64> = rows.iter().map(score).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// The first line that surely reports a failure, else the first that may, else the first.
fn headline(lines: &Lines, stretch: &cut::Stretch) -> usize {
    let first = |kind: Kind| (stretch.first..=stretch.last).find(|at| lines.kinds[*at] == kind);
    first(Kind::Failure).or_else(|| first(Kind::Suspect)).unwrap_or(stretch.first)
}
