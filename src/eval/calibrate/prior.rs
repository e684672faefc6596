//! What kind of question is answered at all: a linear probe on the questions' vectors.

use super::Question;
use super::regression::{Row, regress};
use crate::types::Prior;

/// Strength of the regularisation: vectors are of length 1, so weights of ten are ordinary.
const RIDGE: f64 = 0.3;
/// Folds in which each question is told by a probe that has not seen it.
const FOLDS: usize = 5;

/// A probe of unit weight on all questions; none if they have no vectors or are all of one sort.
pub(super) fn probe(questions: &[&Question]) -> Option<Prior> {
    let dims = questions.first()?.vector.len();
    let sorts = questions.iter().filter(|question| question.unanswerable).count();
    if dims == 0 || sorts == 0 || sorts == questions.len() {
        return None;
    }
    // Vectors of one model share a direction that tells nothing.
    let mut middle = vec![0.0f64; dims];
    for question in questions {
        let share = 1.0 / questions.len() as f64;
        middle.iter_mut().zip(&question.vector).for_each(|(sum, x)| *sum += share * f64::from(*x));
    }
    let rows: Vec<Row> = questions
        .iter()
        .map(|question| Row {
            features: question.vector.iter().zip(&middle).map(|(x, middle)| f64::from(*x) - middle).collect(),
            offset: 0.0,
            right: !question.unanswerable,
        })
        .collect();
    let weights = regress(&rows, true, RIDGE);
    let (offset, weights) = weights.split_first()?;
    let offset = offset - weights.iter().zip(&middle).map(|(weight, middle)| weight * middle).sum::<f64>();
    Some(Prior { offset: offset as f32, weights: weights.iter().map(|weight| *weight as f32).collect() })
}

/// What a probe says of each question that it has not seen; zeros where there is none.
pub(super) fn unseen(questions: &[&Question]) -> Vec<f32> {
    let mut out = vec![0.0; questions.len()];
    for fold in 0..FOLDS {
        let others: Vec<&Question> =
            questions.iter().enumerate().filter(|(at, _)| at % FOLDS != fold).map(|(_, question)| *question).collect();
        let Some(probe) = probe(&others) else { return vec![0.0; questions.len()] };
        for (at, question) in questions.iter().enumerate().filter(|(at, _)| at % FOLDS == fold) {
            out[at] = probe.at(&question.vector);
        }
    }
    out
}
