//! Fits a model's calibration on labelled questions: how likely the closest candidate is right, how fast the others
//! fall behind, and the gate to a noise budget.
//!
//! A handful of numbers from hundreds of questions; the cross-validated figures say whether that holds.

mod figures;
mod gather;
mod prior;
mod regression;

pub use figures::{Figures, present};
pub use gather::{Labelled, Question, case_questions, set_questions};

use crate::query::relevance::{Evidence, Judged, WORD_WEIGHT};
use crate::types::{Calibration, Fit, Logistic, Prior};
use figures::Tally;
use regression::{Row, regress};
use serde::Serialize;

/// Candidates that make up the background.
pub const NEIGHBOURS: usize = 10;
/// Folds of the cross-validation.
const FOLDS: usize = 5;
/// Strength of the regularisation.
const RIDGE: f64 = 1e-2;
/// Candidates behind the closest that say how fast the others fall behind.
const FOLLOWERS: usize = 5;

/// A fit and how well it holds on questions it was not made on.
#[derive(Debug, Clone, Serialize)]
pub struct Fitted {
    /// Made on all questions.
    pub fit: Fit,
    /// The kind of question that is answered at all, where questions have vectors.
    pub prior: Option<Prior>,
    /// Questions, answerable and not.
    pub questions: (usize, usize),
    /// Cross-validated: each question is judged by a fit that has not seen it.
    #[serde(flatten)]
    pub figures: Figures,
}

/// A calibration that orders candidates reasonably, to gather them before there is one.
pub fn neutral() -> Calibration {
    let semantic = Logistic { slope: 20.0, offset: -16.0 };
    let weight = WORD_WEIGHT;
    let fit = Fit {
        weight,
        offset: -14.0,
        cosine: 15.0,
        words: 5.0,
        length: 0.0,
        crowd: 0.0,
        size: 0.0,
        unknown: 0.0,
        ahead: 0.0,
        fall: 3.0,
        semantic,
        gate: 0.5,
    };
    Calibration { neighbours: NEIGHBOURS, entries: fit, prior: None, documents: None }
}

/// Fits on `questions` so that at most `max_noise` of the unanswerable ones are answered.
///
/// The weight of words in closeness is not fitted: it is the one that the questions were asked with. Neither is what
/// many texts and foreign words cost, and what keywords gain: that is as `given`, since a few sets cannot tell.
pub fn fit(questions: &[Question], max_noise: f64, given: &Fit) -> Fitted {
    let all: Vec<&Question> = questions.iter().collect();
    let mut tally = Tally::default();
    for fold in 0..FOLDS {
        let folds = |held_out: bool| {
            let chosen = questions.iter().enumerate().filter(move |(at, _)| (at % FOLDS == fold) == held_out);
            chosen.map(|(_, question)| question).collect::<Vec<_>>()
        };
        let (fitted, prior) = fit_once(&folds(false), max_noise, given);
        for question in folds(true) {
            let kind = prior.as_ref().map_or(0.0, |prior| prior.at(&question.vector));
            tally.add(question, &fitted, kind);
        }
    }
    let (fit, prior) = fit_once(&all, max_noise, given);
    Fitted { fit, prior, questions: tally.questions(), figures: tally.figures() }
}

fn fit_once(questions: &[&Question], max_noise: f64, given: &Fit) -> (Fit, Option<Prior>) {
    let mut fit = Fit { size: given.size, unknown: given.unknown, ahead: given.ahead, ..neutral().entries };
    fit.weight = questions.first().map_or(fit.weight, |question| question.ground.weight);
    // Of meaning alone: is the nearest right?
    let nearest = questions.iter().filter_map(|question| {
        let cosine = |one: &&Labelled| one.evidence.cosine.unwrap_or(-1.0);
        let one = question.candidates.iter().max_by(|a, b| cosine(a).total_cmp(&cosine(b)))?;
        Some(Row { features: vec![f64::from(one.evidence.cosine?)], offset: 0.0, right: one.right })
    });
    let [offset, slope] = regress(&nearest.collect::<Vec<_>>(), true, RIDGE)[..] else { return (fit, None) };
    fit.semantic = Logistic { slope: (slope as f32).max(f32::MIN_POSITIVE), offset: offset as f32 };
    // The question a gate answers: is the closest right? A feature with the wrong sign has nothing to say.
    // What is known of a question's kind is asked of probes that have not seen it: they know their own by heart.
    let kinds = prior::unseen(questions);
    let closest: Vec<Row> = questions
        .iter()
        .zip(&kinds)
        .filter_map(|(question, kind)| {
            let (one, _) = question.by_closeness().next()?;
            let evidence = question.evidence();
            let given = question.ground.given(&question.ground.closest(&evidence)?, &fit);
            let [cosine, share, length, crowd] = question.ground.features(&one.evidence, &question.background);
            let features = [cosine, share, -length, -crowd, *kind].map(f64::from).to_vec();
            Some(Row { features, offset: f64::from(one.evidence.hint + given), right: one.right })
        })
        .collect();
    let weights = signed_weights(&closest);
    let weight = |at: usize| weights[at] as f32;
    (fit.offset, fit.cosine, fit.words) = (weight(0), weight(1), weight(2));
    (fit.length, fit.crowd) = (weight(3), weight(4));
    let trust = weight(5);
    let kinds: Vec<f32> = kinds.into_iter().map(|kind| trust * kind).collect();
    let prior = prior::probe(questions).filter(|_| trust > 0.0).map(|probe| Prior {
        offset: trust * probe.offset,
        weights: probe.weights.into_iter().map(|weight| trust * weight).collect(),
    });
    let followers = followers(questions, &kinds, &fit);
    fit.fall = regress(&followers, false, RIDGE).first().map_or(fit.fall, |fall| fall.max(0.5) as f32);
    fit.gate = gate(questions, &kinds, &fit, max_noise);
    (fit, prior)
}

/// Weights of a regression with five features, without those whose weight would have the wrong sign.
fn signed_weights(rows: &[Row]) -> Vec<f64> {
    let mut used = [true; 5];
    loop {
        let features = |row: &Row| -> Vec<f64> {
            row.features.iter().zip(used).map(|(x, used)| if used { *x } else { 0.0 }).collect()
        };
        let masked: Vec<Row> = rows.iter().map(|row| Row { features: features(row), ..*row }).collect();
        let weights = regress(&masked, true, RIDGE);
        match (0..5).find(|&at| used[at] && weights[at + 1] < 0.0) {
            Some(at) => used[at] = false,
            None => return weights,
        }
    }
}

/// Those behind the closest one of each question: how far behind, and whether they are right.
fn followers(questions: &[&Question], kinds: &[f32], fit: &Fit) -> Vec<Row> {
    let mut followers = Vec::new();
    for (question, kind) in questions.iter().zip(kinds) {
        let mut order = question.by_closeness();
        let Some((_, best)) = order.next() else { continue };
        let evidence = question.evidence();
        let Some(closest) = question.ground.closest(&evidence) else { continue };
        let odds = question.ground.odds(&closest, &question.background, fit) + kind;
        for (one, closeness) in order.take(FOLLOWERS) {
            let offset = f64::from(odds + one.evidence.hint);
            followers.push(Row { features: vec![f64::from(closeness - best)], offset, right: one.right });
        }
    }
    followers
}

/// The best candidate's relevance, and whether it is right, when the question's kind adds such log-odds.
fn best(question: &Question, fit: &Fit, kind: f32) -> (f32, bool) {
    let hinted = |one: &Labelled| Evidence { hint: one.evidence.hint + kind, ..one.evidence };
    let evidence: Vec<Evidence> = question.candidates.iter().map(hinted).collect();
    let judged = question.ground.judge(&evidence, &question.background, Some(fit));
    let key = |judged: &Judged| (judged.relevance, judged.closeness);
    let best = judged.iter().zip(&question.candidates).max_by(|a, b| {
        let (a, b) = (key(a.0), key(b.0));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    best.map_or((0.0, false), |(judged, one)| (judged.relevance, one.right))
}

/// The gate at which a relevance just passes, when its input asks so many questions.
fn lowered(relevance: f32, among: usize) -> f32 {
    let odds = relevance / (1.0 - relevance).max(1e-6) / among.max(1) as f32;
    odds / (1.0 + odds)
}

/// The lowest gate that keeps noise within the budget.
fn gate(questions: &[&Question], kinds: &[f32], fit: &Fit, max_noise: f64) -> f32 {
    let unanswerable = questions.iter().zip(kinds).filter(|(question, _)| question.unanswerable);
    let relevance = |(question, kind): (&&Question, &f32)| lowered(best(question, fit, *kind).0, question.among);
    let mut noise: Vec<f32> = unanswerable.map(relevance).collect();
    noise.sort_by(|a, b| b.total_cmp(a));
    let allowed = (noise.len() as f64 * max_noise).floor() as usize;
    let gate = noise.get(allowed).copied().unwrap_or(0.0) + 1e-3;
    (gate.clamp(0.05, 0.99) * 1e3).ceil() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexical::Reach;
    use crate::query::relevance::{Background, Ground};

    fn question(cosine: f32, right: bool, unanswerable: bool) -> Question {
        let evidence = |cosine| Evidence { cosine: Some(cosine), words: Some(20.0 * cosine), ..Evidence::default() };
        let one = |cosine, right| Labelled { id: String::new(), evidence: evidence(cosine), right };
        Question {
            id: String::new(),
            unanswerable,
            among: 1,
            ground: Ground {
                weight: WORD_WEIGHT,
                nearest: cosine,
                reach: Reach { all: 25.0, held: 25.0, specific: 30.0, unknown: 0.0 },
                texts: 100,
                is_short: false,
            },
            background: Background::new(vec![cosine, 0.4], 1),
            vector: vec![f32::from(u8::from(unanswerable)) - 0.5, cosine],
            shift: 0.0,
            candidates: vec![one(cosine, right), one(cosine - 0.2, false)],
        }
    }

    #[test]
    fn the_gate_keeps_to_its_budget() {
        let known = (0..100).map(|i| question(0.6 + i as f32 / 300.0, true, false));
        let all: Vec<Question> = known.chain((0..100).map(|i| question(0.4 + i as f32 / 300.0, false, true))).collect();
        let fitted = fit(&all, 0.05, &neutral().entries);
        let figures = fitted.figures;
        assert!(figures.noise <= 0.1 && figures.right > 0.5 && figures.auc > 0.9, "{fitted:?}");
        assert!(fitted.fit.cosine > 0.0 && fitted.fit.fall >= 0.5, "{fitted:?}");
        assert_eq!(fitted.questions, (100, 100));
        let prior = fitted.prior.unwrap();
        assert!(prior.at(&[-0.5, 0.6]) > prior.at(&[0.5, 0.6]) + 1.0, "{prior:?}");
    }

    /// What the index's own gate shifts counts for what is in use, and is unknown to a new fit.
    #[test]
    fn what_is_in_use_is_judged_with_its_shift() {
        let known = (0..100).map(|i| question(0.6 + i as f32 / 300.0, true, false));
        let mut all: Vec<Question> =
            known.chain((0..100).map(|i| question(0.4 + i as f32 / 300.0, false, true))).collect();
        let fit = fit(&all, 0.05, &neutral().entries).fit;
        let plain = present(&all, &fit, None);
        assert!(plain.coverage > 0.1, "{plain:?}");
        all.iter_mut().for_each(|question| question.shift = -50.0);
        let silent = present(&all, &fit, None);
        assert_eq!((silent.noise, silent.coverage, silent.right), (0.0, 0.0, 0.0));
        all.iter_mut().for_each(|question| question.shift = 50.0);
        let loud = present(&all, &fit, None);
        assert_eq!((loud.noise, loud.coverage), (1.0, 1.0), "{loud:?}");
    }
}
