//! Fits a model's calibration on labelled cases: similarity to signal, mix to probability, and the gate to a noise
//! budget.
//!
//! Each step has one or two free numbers, so a few hundred cases are plenty; the cross-validated figures say whether
//! that holds. Logistic regression by Newton's method on one feature.

use super::cases::{Case, CaseKind};
use crate::engine::{Engine, EngineError, OnProgress};
use crate::query::Scored;
use crate::query::relevance::similar;
use crate::types::{Calibration, Logistic};
use serde::Serialize;

/// Backgrounds that are tried.
const BACKGROUND_WEIGHTS: [f32; 6] = [0.0, 0.2, 0.35, 0.5, 0.65, 0.8];
/// Steepness of the semantic signal that is tried: nearly flat, linear in the cosine, nearly a step. The weights of the mix
/// are fixed, so this is what sets how much a difference in cosine counts against one in words.
const SEMANTIC_SLOPES: [f32; 8] = [1.5, 2.5, 4.0, 6.5, 10.0, 15.0, 25.0, 50.0];
/// Entries that make up the background.
pub const NEIGHBOURS: usize = 10;
/// Folds of the cross-validation.
const FOLDS: usize = 5;

/// A fitted calibration and how well it holds on cases it was not fitted on.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// Fitted on all cases.
    pub calibration: Calibration,
    /// Cases that reached the gate, answerable and not.
    pub questions: (usize, usize),
    /// Cross-validated share of unanswerable questions that got an answer.
    pub noise: f64,
    /// Cross-validated share of answerable questions whose first hit is right.
    pub right: f64,
}

/// The best candidates of one question, and which are right.
#[derive(Debug, Clone, Serialize)]
pub struct Question {
    /// The case.
    pub id: String,
    /// Whether nothing should be shown.
    pub unanswerable: bool,
    /// How many questions its input asks; the gate rises with it.
    pub among: usize,
    /// The likeliest entries.
    pub candidates: Vec<Candidate>,
}

/// What is known of one entry for one question.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Candidate {
    /// Cosine to its nearest text.
    pub cosine: f32,
    /// Mean cosine of the nearest other entries.
    pub background: f32,
    /// The keyword signal.
    pub keyword: f32,
    /// Log-odds that a generic pattern adds.
    pub generic: f32,
    /// Whether it answers the question.
    pub right: bool,
}

/// A calibration that orders candidates reasonably, to gather them before there is one.
pub fn neutral() -> Calibration {
    let semantic = Logistic { slope: 4.0, offset: -3.0 };
    let relevance = Logistic { slope: 8.0, offset: -4.0 };
    Calibration { neighbours: NEIGHBOURS, background_weight: 0.0, semantic, relevance, documents: None, gate: 0.5 }
}

/// Asks all cases that no pattern and no fingerprint settles; the candidates come as the lookup itself scores them.
///
/// # Errors
/// [`EngineError`] when there is no model or it fails.
pub fn questions(engine: &Engine, cases: &[Case], progress: OnProgress<'_>) -> Result<Vec<Question>, EngineError> {
    let mut out = Vec::new();
    for case in cases.iter().filter(|c| c.kind == CaseKind::Unanswerable || !c.expect.is_empty()) {
        let probed = engine.probe(&case.text, progress)?;
        let among = probed.len();
        for scored in probed {
            let right = |s: &Scored| case.expect.iter().any(|id| id == engine.canon().entries()[s.entry].id());
            let candidates = scored
                .iter()
                .filter_map(|s| {
                    let near = s.similarity?;
                    Some(Candidate {
                        cosine: near.cosine,
                        background: near.background,
                        keyword: s.signals.keyword.unwrap_or(0.0),
                        generic: s.generic_log_odds(),
                        right: right(s),
                    })
                })
                .take(40)
                .collect();
            out.push(Question {
                id: case.id.clone(),
                unanswerable: case.kind == CaseKind::Unanswerable,
                among,
                candidates,
            });
        }
    }
    Ok(out)
}

/// Fits on `questions` so that at most `max_noise` of the unanswerable ones are answered.
pub fn fit(questions: &[Question], max_noise: f64) -> Fit {
    let calibration = fit_once(questions.iter(), max_noise);
    let (mut noisy, mut right, mut unanswerable, mut answerable) = (0usize, 0usize, 0usize, 0usize);
    for fold in 0..FOLDS {
        let held_out = |at: &usize| at % FOLDS == fold;
        let train = questions.iter().enumerate().filter(|(at, _)| !held_out(at)).map(|(_, q)| q);
        let fitted = fit_once(train, max_noise);
        for (_, question) in questions.iter().enumerate().filter(|(at, _)| held_out(at)) {
            let (relevance, is_right) = best(question, &fitted);
            let shown = relevance >= raised(fitted.gate, question.among);
            if question.unanswerable {
                unanswerable += 1;
                noisy += usize::from(shown);
            } else {
                answerable += 1;
                right += usize::from(shown && is_right);
            }
        }
    }
    Fit {
        calibration,
        questions: (answerable, unanswerable),
        noise: noisy as f64 / unanswerable.max(1) as f64,
        right: right as f64 / answerable.max(1) as f64,
    }
}

fn raised(gate: f32, among: usize) -> f32 {
    crate::query::Gates { single: gate }.among(among)
}

fn fit_once<'a>(questions: impl Iterator<Item = &'a Question> + Clone, max_noise: f64) -> Calibration {
    let mut chosen: Option<(f64, Calibration)> = None;
    let grid = BACKGROUND_WEIGHTS.iter().flat_map(|weight| SEMANTIC_SLOPES.iter().map(move |slope| (*weight, *slope)));
    for (background_weight, slope) in grid {
        let raw = |c: &Candidate| c.cosine - background_weight * c.background;
        let mut tops: Vec<f32> =
            questions.clone().filter_map(|q| q.candidates.iter().map(raw).max_by(f32::total_cmp)).collect();
        tops.sort_by(f32::total_cmp);
        let centre = tops.get(tops.len() / 2).copied().unwrap_or(0.5);
        let mut calibration = Calibration {
            neighbours: NEIGHBOURS,
            background_weight,
            semantic: Logistic { slope, offset: -slope * centre },
            relevance: Logistic { slope: 8.0, offset: -4.0 },
            documents: None,
            gate: 0.5,
        };
        // The question a gate answers: is the best candidate right? Two rounds, because the mix chooses the candidate.
        for _ in 0..2 {
            let tops: Vec<(f32, bool)> =
                questions.clone().filter_map(|q| top(q, &calibration).map(|(mix, ok, _)| (mix, ok))).collect();
            calibration.relevance = logistic(&tops);
        }
        calibration.gate = gate(questions.clone(), &calibration, max_noise);
        let right = questions.clone().filter(|q| !q.unanswerable);
        let shown = right.filter(|q| {
            let (relevance, ok) = best(q, &calibration);
            ok && relevance >= raised(calibration.gate, q.among)
        });
        let quality = shown.count() as f64;
        if chosen.as_ref().is_none_or(|(best, _)| quality > *best) {
            chosen = Some((quality, calibration));
        }
    }
    // There is at least one background weight.
    chosen.map_or_else(|| unreachable!("the list of weights is not empty"), |(_, calibration)| calibration)
}

/// The best candidate: its mix, whether it is right, its generic log-odds.
fn top(question: &Question, calibration: &Calibration) -> Option<(f32, bool, f32)> {
    let mixed = question.candidates.iter().map(|c| {
        let semantic = calibration.semantic.at(c.cosine - calibration.background_weight * c.background);
        (similar(Some(semantic), Some(c.keyword)).unwrap_or(0.0), c.right, c.generic)
    });
    mixed.max_by(|a, b| (a.0 * calibration.relevance.slope + a.2).total_cmp(&(b.0 * calibration.relevance.slope + b.2)))
}

fn best(question: &Question, calibration: &Calibration) -> (f32, bool) {
    top(question, calibration).map_or((0.0, false), |(mix, ok, lift)| {
        let relevance = Logistic { offset: calibration.relevance.offset + lift, ..calibration.relevance };
        (relevance.at(mix), ok)
    })
}

/// The lowest gate that keeps noise within the budget.
fn gate<'a>(questions: impl Iterator<Item = &'a Question>, calibration: &Calibration, max_noise: f64) -> f32 {
    let single = |relevance: f32, among: usize| {
        let odds = relevance / (1.0 - relevance).max(1e-6) / among as f32;
        odds / (1.0 + odds)
    };
    let mut noise: Vec<f32> =
        questions.filter(|q| q.unanswerable).map(|q| single(best(q, calibration).0, q.among)).collect();
    noise.sort_by(|a, b| b.total_cmp(a));
    let allowed = (noise.len() as f64 * max_noise).floor() as usize;
    let gate = noise.get(allowed).copied().unwrap_or(0.0) + 1e-3;
    (gate.clamp(0.05, 0.99) * 1e3).ceil() / 1e3
}

/// Logistic regression on one feature by Newton's method, lightly regularised so that separable data stay finite.
fn logistic(pairs: &[(f32, bool)]) -> Logistic {
    let (mut slope, mut offset) = (1.0f64, 0.0f64);
    let mean = pairs.iter().map(|p| f64::from(p.0)).sum::<f64>() / pairs.len().max(1) as f64;
    for _ in 0..60 {
        let (mut gs, mut go, mut hss, mut hso, mut hoo) = (-1e-3 * slope, 0.0, 1e-3, 0.0, 1e-6);
        for &(x, y) in pairs {
            let x = f64::from(x) - mean;
            let p = 1.0 / (1.0 + (-(slope * x + offset)).exp());
            let (error, weight) = (f64::from(u8::from(y)) - p, p * (1.0 - p));
            gs += error * x;
            go += error;
            hss += weight * x * x;
            hso += weight * x;
            hoo += weight;
        }
        let determinant = hss * hoo - hso * hso;
        if determinant.abs() < 1e-12 {
            break;
        }
        let (ds, d_o) = ((hoo * gs - hso * go) / determinant, (hss * go - hso * gs) / determinant);
        // A damped step: Newton overshoots where the data are nearly separable.
        let damp = (4.0 / ds.abs().max(4.0)).min(1.0);
        slope += ds * damp;
        offset += d_o * damp;
        if ds.abs() + d_o.abs() < 1e-9 {
            break;
        }
    }
    Logistic { slope: slope as f32, offset: (offset - slope * mean) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_finds_the_middle() {
        let pairs: Vec<(f32, bool)> = (0..200).map(|i| (i as f32 / 200.0, (i * 7 % 200) < i)).collect();
        let fitted = logistic(&pairs);
        assert!((fitted.at(0.5) - 0.5).abs() < 0.05 && fitted.slope > 2.0, "{fitted:?}");
    }

    #[test]
    fn the_gate_keeps_to_its_budget() {
        let question = |cosine: f32, right: bool, unanswerable: bool| Question {
            id: String::new(),
            unanswerable,
            among: 1,
            candidates: vec![Candidate { cosine, background: 0.4, keyword: cosine, generic: 0.0, right }],
        };
        let mut all: Vec<Question> = (0..100).map(|i| question(0.6 + i as f32 / 300.0, true, false)).collect();
        all.extend((0..100).map(|i| question(0.4 + i as f32 / 300.0, false, true)));
        let fitted = fit(&all, 0.05);
        assert!(fitted.noise <= 0.1 && fitted.right > 0.5, "{fitted:?}");
    }
}
