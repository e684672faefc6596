//! What is shown where nothing should be, and what is not shown where something should.
//!
//! The risk-coverage curve is that of selective prediction (El-Yaniv and Wiener, 2010): what share of the first hits is
//! wrong if only so many questions, the surest first, are answered. A question that nothing answers is always wrong to
//! answer. Beside what the gate lets through stands what the best single gate for these labels would, at the same noise.
//! Whether that noise is what was asked for is another question.

use super::significance::{Interval, wilson};
use serde::{Deserialize, Serialize};

/// Points of a curve that are kept.
const POINTS: usize = 200;

/// The names of these figures in tables, and what they mean.
pub const LEGEND: [(&str, &str); 4] = [
    ("noise", "share of unanswerable questions that get an answer"),
    ("cover", "coverage: share of answerable questions that get an answer"),
    ("oracle", "coverage that the best single gate for these labels has at the same noise"),
    (
        "auc",
        "probability that an answerable question's best hit is more relevant than an unanswerable one's; 0.5 is chance",
    ),
];

/// What one question came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// Whether there is an answer to it.
    pub answerable: bool,
    /// Relevance of the best candidate, shown or not.
    pub best: f64,
    /// Hits that were shown.
    pub shown: usize,
    /// Those of them that are right.
    pub right: usize,
    /// Whether the best candidate is right, shown or not.
    pub first_right: bool,
}

/// The figures of a run; those that the set has no questions for are none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Silence {
    /// Share of unanswerable questions that got something.
    pub noise: Option<f64>,
    /// From where to where that lies with 95 % probability, by Wilson.
    #[serde(default)]
    pub noise_interval: Option<Interval>,
    /// Share of answerable questions that got something.
    pub coverage: Option<f64>,
    /// The coverage that the same noise allows: the share of answerable questions above the lowest relevance that lets
    /// no more unanswerable ones through. It takes labels to find.
    #[serde(default)]
    pub oracle_coverage: Option<f64>,
    /// Share of all hits shown that are right.
    pub precision: Option<f64>,
    /// Share of the answered questions whose first hit is right.
    pub precision_first: Option<f64>,
    /// Probability that an answerable question's best relevance is above an unanswerable one's.
    pub auc: Option<f64>,
}

impl Silence {
    /// Of a run's outcomes.
    pub fn new(outcomes: &[Outcome]) -> Self {
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let count = |wanted: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| wanted(outcome)).count();
        let total = |of: &dyn Fn(&Outcome) -> usize| outcomes.iter().map(of).sum();
        let answered = count(&|o| o.shown > 0);
        let (noisy, unanswerable) = (count(&|o| !o.answerable && o.shown > 0), count(&|o| !o.answerable));
        Self {
            noise: share(noisy, unanswerable),
            noise_interval: wilson(noisy, unanswerable),
            coverage: share(count(&|o| o.answerable && o.shown > 0), count(&|o| o.answerable)),
            oracle_coverage: oracle(outcomes, noisy),
            precision: share(total(&|o| o.right), total(&|o| o.shown)),
            precision_first: share(count(&|o| o.shown > 0 && o.first_right), answered),
            auc: auc(outcomes),
        }
    }
}

/// The coverage of the lowest threshold that answers at most `noisy` of the unanswerable questions; none where there
/// are none, or nothing to cover.
fn oracle(outcomes: &[Outcome], noisy: usize) -> Option<f64> {
    let (known, unknown): (Vec<&Outcome>, Vec<&Outcome>) = outcomes.iter().partition(|outcome| outcome.answerable);
    if known.is_empty() || unknown.is_empty() {
        return None;
    }
    let mut unknown: Vec<f64> = unknown.iter().map(|outcome| outcome.best).collect();
    unknown.sort_unstable_by(|a, b| b.total_cmp(a));
    // A question for which nothing was found cannot be answered.
    let stays_silent = unknown.get(noisy).copied().unwrap_or(0.0);
    let answered = known.iter().filter(|outcome| outcome.best > stays_silent).count();
    Some(answered as f64 / known.len() as f64)
}

/// The area under the ROC curve by rank sums; ties count half.
fn auc(outcomes: &[Outcome]) -> Option<f64> {
    let mut all: Vec<(f64, bool)> = outcomes.iter().map(|outcome| (outcome.best, outcome.answerable)).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let positive = all.iter().filter(|(_, answerable)| *answerable).count();
    let negative = all.len() - positive;
    if positive == 0 || negative == 0 {
        return None;
    }
    let mut ranks = 0.0;
    let mut start = 0;
    for equal in all.chunk_by(|a, b| a.0 == b.0) {
        let middle = start as f64 + (equal.len() + 1) as f64 / 2.0;
        ranks += middle * equal.iter().filter(|(_, answerable)| *answerable).count() as f64;
        start += equal.len();
    }
    let least = (positive * (positive + 1)) as f64 / 2.0;
    Some((ranks - least) / (positive * negative) as f64)
}

/// A point of the risk-coverage curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Share of all questions that are answered.
    pub coverage: f64,
    /// Share of the answered ones whose first hit is wrong.
    pub risk: f64,
    /// The relevance that is asked for.
    pub threshold: f64,
}

/// The curve from the surest question to all of them, thinned to a few hundred points.
pub fn risk_coverage(outcomes: &[Outcome]) -> Vec<Point> {
    let mut all: Vec<&Outcome> = outcomes.iter().collect();
    all.sort_by(|a, b| b.best.total_cmp(&a.best));
    let mut wrong = 0;
    let mut answered = 0;
    let mut out: Vec<Point> = Vec::new();
    for equal in all.chunk_by(|a, b| a.best == b.best) {
        answered += equal.len();
        wrong += equal.iter().filter(|outcome| !(outcome.answerable && outcome.first_right)).count();
        out.push(Point {
            coverage: answered as f64 / all.len() as f64,
            risk: wrong as f64 / answered as f64,
            threshold: equal[0].best,
        });
    }
    if out.len() <= POINTS {
        return out;
    }
    let last = out.len() - 1;
    (0..POINTS).map(|at| out[at * last / (POINTS - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outcome(answerable: bool, best: f64, shown: usize, right: usize, first_right: bool) -> Outcome {
        Outcome { answerable, best, shown, right, first_right }
    }

    #[test]
    fn counts_what_is_shown() {
        let all = [
            outcome(true, 0.9, 3, 1, true),
            outcome(true, 0.6, 1, 0, false),
            outcome(true, 0.2, 0, 0, true),
            outcome(false, 0.7, 2, 0, false),
            outcome(false, 0.1, 0, 0, false),
        ];
        let silence = Silence::new(&all);
        assert_eq!((silence.noise, silence.coverage), (Some(0.5), Some(2.0 / 3.0)));
        assert_eq!((silence.precision, silence.precision_first), (Some(1.0 / 6.0), Some(1.0 / 3.0)));
        assert_eq!(silence.auc, Some(4.0 / 6.0));
        // One of the two unanswerable may be answered, so the other's 0.1 is what must be passed.
        assert_eq!(silence.oracle_coverage, Some(1.0));
        let interval = silence.noise_interval.unwrap();
        assert!(interval.low > 0.05 && interval.high < 0.95, "{interval:?}");
        let curve: Vec<(f64, f64)> =
            risk_coverage(&all).iter().map(|p| (p.coverage, (p.risk * 60.0).round())).collect();
        assert_eq!(curve, [(0.2, 0.0), (0.4, 30.0), (0.6, 40.0), (0.8, 30.0), (1.0, 36.0)]);
        let none = Silence::new(&[outcome(true, 0.1, 0, 0, false)]);
        assert_eq!((none.noise_interval, none.oracle_coverage), (None, None));
        assert_eq!((none.noise, none.auc, none.precision, none.coverage), (None, None, None, Some(0.0)));
        let many: Vec<Outcome> = (0..1000).map(|i| outcome(true, f64::from(i), 1, 1, true)).collect();
        let curve = risk_coverage(&many);
        assert_eq!((curve.len(), curve[0].coverage, curve[POINTS - 1].coverage), (POINTS, 0.001, 1.0));
    }

    #[test]
    fn labels_say_how_much_a_strict_gate_gives_away() {
        // Answered from 0.7 on, where the surest that nothing answers has 0.3.
        let known = (0..10).map(|at| f64::from(at) / 10.0);
        let known = known.map(|best| outcome(true, best, usize::from(best >= 0.7), 0, true));
        let all: Vec<Outcome> = known.chain([0.3, 0.2].map(|best| outcome(false, best, 0, 0, false))).collect();
        let silence = Silence::new(&all);
        assert_eq!((silence.noise, silence.coverage, silence.oracle_coverage), (Some(0.0), Some(0.3), Some(0.6)));
    }

    proptest! {
        /// The referee compares every pair.
        #[test]
        fn auc_is_the_share_of_pairs(values in prop::collection::vec((0u8..6, any::<bool>()), 0..40)) {
            let all: Vec<Outcome> = values.iter().map(|(v, a)| outcome(*a, f64::from(*v), 0, 0, false)).collect();
            let of = |wanted: bool| values.iter().filter(move |(_, a)| *a == wanted).map(|(v, _)| *v);
            let (mut wins, mut pairs) = (0.0, 0.0);
            for positive in of(true) {
                for negative in of(false) {
                    pairs += 1.0;
                    wins += if positive > negative { 1.0 } else if positive == negative { 0.5 } else { 0.0 };
                }
            }
            match auc(&all) {
                Some(found) => prop_assert!((found - wins / pairs).abs() < 1e-9),
                None => prop_assert_eq!(pairs, 0.0),
            }
        }
    }
}
