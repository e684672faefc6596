//! How much relevance is enough. Relevance is a probability, so one gate serves every model once it is calibrated.

use crate::types::{Calibration, Logistic};

/// Calibration of keywords alone, for answers without a model: fitted on the built-in set like the models' own.
pub const KEYWORD_ONLY: (Logistic, f32) = (Logistic { slope: 14.0, offset: -6.2 }, 0.6);

/// The gate of one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gates {
    /// Relevance that one question must reach, in \[0, 1\].
    pub single: f32,
}

impl Gates {
    /// The calibrated gate, or the one that the caller insists on.
    pub fn new(calibration: Option<&Calibration>, min_relevance: Option<f32>) -> Self {
        let calibrated = calibration.map_or(KEYWORD_ONLY.1, |c| c.gate);
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
    fn more_questions_need_more() {
        let gates = Gates::new(None, Some(0.5));
        assert_eq!(gates.among(1), 0.5);
        assert_eq!(gates.among(3), 0.75);
        assert_eq!(Gates::new(None, Some(0.0)).among(5), 0.0);
    }
}
