//! How much relevance is enough. Relevance is a probability, so one gate serves every model once it is calibrated.

use crate::types::Fit;

/// The gate of words alone, for answers without a model; fitted on the built-in set like the models' own.
const WORDS_ALONE_GATE: f32 = 0.6;

/// The gate of one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gates {
    /// Relevance that one question must reach, in \[0, 1\].
    pub single: f32,
}

/// How much less likely than the best hit something may be that is shown beside it. Noise is counted by input: once
/// something is shown, what is nearly as likely costs no silence.
const BESIDE: f32 = 0.1;

/// The gate of what is shown beside a hit of this relevance that has passed `gate`.
pub fn beside(gate: f32, best: f32) -> f32 {
    if best >= gate { gate.min(best * BESIDE) } else { gate }
}

impl Gates {
    /// The calibrated gate, or the one that the caller insists on.
    pub fn new(fit: Option<&Fit>, min_relevance: Option<f32>) -> Self {
        let calibrated = fit.map_or(WORDS_ALONE_GATE, |fit| fit.gate);
        Self { single: min_relevance.unwrap_or(calibrated).clamp(0.0, 1.0) }
    }

    /// The gate when `questions` are asked of one input. Noise is counted per input, and the best of many questions is
    /// high by chance: the odds that are needed grow with their number (Bonferroni).
    pub fn among(self, questions: usize) -> f32 {
        let odds = self.single / (1.0 - self.single).max(f32::EPSILON) * questions.max(1) as f32;
        odds / (1.0 + odds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_what_passed_stands_what_is_nearly_as_likely() {
        assert_eq!(beside(0.4, 0.9), 0.9 * BESIDE);
        assert_eq!(beside(0.05, 0.9), 0.05, "never stricter than the gate itself");
        assert_eq!(beside(0.4, 0.39), 0.4, "nothing stands beside what did not pass");
    }

    #[test]
    fn more_questions_need_more() {
        let gates = Gates::new(None, Some(0.5));
        assert_eq!(gates.among(1), 0.5);
        assert_eq!(gates.among(3), 0.75);
        assert_eq!(Gates::new(None, Some(0.0)).among(5), 0.0);
    }
}
