//! What a gate makes of labelled questions: how it is told whether a fit is any better than what there was.

use super::{Question, best, lowered};
use crate::eval::retrieval::{Interval, wilson};
use crate::query::Gates;
use crate::types::{Fit, Prior};
use serde::Serialize;

/// The figures of a gate on labelled questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Share of unanswerable questions that get an answer.
    pub noise: f64,
    /// From where to where that lies with 95 % probability, by Wilson; none without such questions.
    pub noise_interval: Option<Interval>,
    /// Share of answerable questions that get one.
    pub coverage: f64,
    /// Share of answerable questions that get one and whose first hit is right.
    pub right: f64,
    /// Probability that the best candidate of an answerable question is more relevant than that of an unanswerable one.
    pub auc: f64,
}

/// Counts questions as they are judged.
#[derive(Debug, Default)]
pub(super) struct Tally {
    noisy: usize,
    covered: usize,
    right: usize,
    known: Vec<f32>,
    unknown: Vec<f32>,
}

impl Tally {
    /// Judges one question by a fit; `hint` are log-odds that are added to all its candidates.
    pub(super) fn add(&mut self, question: &Question, fit: &Fit, hint: f32) {
        let (relevance, is_right) = best(question, fit, hint);
        let shown = relevance >= Gates { single: fit.gate }.among(question.among);
        let single = lowered(relevance, question.among);
        if question.unanswerable {
            self.unknown.push(single);
            self.noisy += usize::from(shown);
        } else {
            self.known.push(single);
            self.covered += usize::from(shown);
            self.right += usize::from(shown && is_right);
        }
    }

    /// Questions, answerable and not.
    pub(super) fn questions(&self) -> (usize, usize) {
        (self.known.len(), self.unknown.len())
    }

    /// What they come to.
    pub(super) fn figures(mut self) -> Figures {
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
        let (known, unknown) = self.questions();
        Figures {
            noise: share(self.noisy, unknown),
            noise_interval: wilson(self.noisy, unknown),
            coverage: share(self.covered, known),
            right: share(self.right, known),
            auc: auc(&self.known, &mut self.unknown),
        }
    }
}

/// What is in use now makes of the questions: its fit, the prior of a question's kind where there is one, and the shift
/// of the gate that fits the index that each was asked of.
pub fn present(questions: &[Question], fit: &Fit, prior: Option<&Prior>) -> Figures {
    let mut tally = Tally::default();
    for question in questions {
        let kind = prior.filter(|_| !question.vector.is_empty()).map_or(0.0, |prior| prior.at(&question.vector));
        tally.add(question, fit, question.shift + kind);
    }
    tally.figures()
}

fn auc(known: &[f32], unknown: &mut [f32]) -> f64 {
    unknown.sort_unstable_by(f32::total_cmp);
    let below = |value: f32| {
        let less = unknown.partition_point(|other| *other < value);
        let equal = unknown.partition_point(|other| *other <= value) - less;
        less as f64 + equal as f64 / 2.0
    };
    known.iter().map(|value| below(*value)).sum::<f64>() / (known.len() * unknown.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_count_half() {
        assert_eq!(auc(&[1.0, 0.5], &mut [0.5, 0.0]), 0.875);
    }
}
