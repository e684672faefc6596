//! Two runs over the same questions: how far they differ, how sure that is, and where.
//!
//! Beside the metrics stand `coverage` and `noise`, question by question: what may be shown has the same right to a
//! test as what is found. Of noise less is better. Several metrics are several tests, so the p-value that decides is
//! corrected for how many there are.

use super::BenchError;
use super::explain::changes;
use super::result::{Asked, Placed, RunResult};
use super::significance::{CORRECTION, INTERVAL, Interval, TEST, bootstrap, holm, mean, permutation};
use serde::Serialize;
use std::collections::HashMap;

/// Probability below which a difference is called significant.
const ALPHA: f64 = 0.05;
/// Least difference of means that counts, however sure it is: half of the last digit that tables show of metrics.
const LEAST: f64 = 0.000_5;
/// Values that differ by less are the same: one may have gone through a file and lost its last digit.
const SAME: f64 = 1e-9;

/// A metric of both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Delta {
    /// The metric.
    pub metric: String,
    /// Mean of the first run.
    pub a: f64,
    /// Mean of the second.
    pub b: f64,
    /// Mean of the second less that of the first.
    pub difference: f64,
    /// Where the difference lies with 95 % probability.
    pub interval: Interval,
    /// How probable a difference like this is by chance.
    pub p: f64,
    /// The same, corrected for all that are tested together; none for a metric that is not tested.
    pub p_holm: Option<f64>,
    /// Questions on which the second is better.
    pub wins: usize,
    /// Questions on which it is worse.
    pub losses: usize,
    /// Questions on which both are the same.
    pub ties: usize,
    /// Whether less is better.
    pub less_is_better: bool,
}

impl Delta {
    /// Whether the difference is more than chance would do.
    pub fn is_significant(&self) -> bool {
        let zero_outside = self.interval.low > 0.0 || self.interval.high < 0.0;
        zero_outside && self.p_holm.is_some_and(|p| p < ALPHA) && self.difference.abs() >= LEAST
    }

    /// Whether the second run is significantly worse.
    pub fn is_loss(&self) -> bool {
        self.is_significant() && (self.difference < 0.0) != self.less_is_better
    }
}

/// How differences are tested, in words and numbers, for whoever reads a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tests {
    /// Where the interval comes from.
    pub interval: &'static str,
    /// Where the p-value comes from.
    pub p: &'static str,
    /// How it is corrected.
    pub correction: &'static str,
    /// How many metrics are tested together.
    pub family: usize,
    /// The corrected p-value below which a difference is significant, if its interval holds no 0 either.
    pub alpha: f64,
    /// Least difference that counts.
    pub least: f64,
}

impl Tests {
    fn of(family: usize) -> Self {
        Self { interval: INTERVAL, p: TEST, correction: CORRECTION, family, alpha: ALPHA, least: LEAST }
    }
}

/// Corrects the p-values of those that `is_tested` picks, as one family; the others are not tested.
pub fn correct<'d>(deltas: impl IntoIterator<Item = &'d mut Delta>, is_tested: impl Fn(&Delta) -> bool) -> Tests {
    let mut family = Vec::new();
    for delta in deltas {
        delta.p_holm = None;
        if is_tested(delta) {
            family.push(delta);
        }
    }
    let corrected = holm(&family.iter().map(|delta| delta.p).collect::<Vec<_>>());
    family.iter_mut().zip(corrected).for_each(|(delta, p)| delta.p_holm = Some(p));
    Tests::of(family.len())
}

/// A question that the two runs answer differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moved {
    /// The question.
    pub id: String,
    /// The beginning of its text.
    pub text: String,
    /// Its value in the first run.
    pub a: f64,
    /// Its value in the second.
    pub b: f64,
    /// Place of the first right document in each.
    pub first: (Option<usize>, Option<usize>),
    /// The first document of each.
    pub top: (Option<String>, Option<String>),
    /// That document in each, with what put it first.
    pub top_hit: (Option<Placed>, Option<Placed>),
    /// The first right document in each, with what put it where it is.
    pub right_hit: (Option<Placed>, Option<Placed>),
    /// What changed, a sentence each.
    pub why: Vec<String>,
}

/// Everything that a comparison says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Set and run of the first.
    pub a: String,
    /// Set and run of the second.
    pub b: String,
    /// The model of each.
    pub models: (Option<String>, Option<String>),
    /// Questions in both.
    pub queries: usize,
    /// Questions in one of them alone; they are left out.
    pub unpaired: usize,
    /// How they are tested.
    pub tests: Tests,
    /// The metrics.
    pub deltas: Vec<Delta>,
    /// The questions that moved most, by the first metric.
    pub moved: Vec<Moved>,
}

/// Makes sure that two results are of one state of their set, as far as they tell.
///
/// # Errors
/// [`BenchError::Changed`] when their digests differ.
pub fn same_set(a: &RunResult, b: &RunResult) -> Result<(), BenchError> {
    match (&a.set_digest, &b.set_digest) {
        (Some(of_a), Some(of_b)) if of_a != of_b && a.set == b.set => {
            Err(BenchError::Changed { a: a.name(), b: b.name() })
        }
        _ => Ok(()),
    }
}

/// Compares two runs; `metric` is the one that the moved questions are chosen by, and `most` how many they are.
/// `tested` are the metrics that are tested together; all if there are none.
///
/// # Errors
/// [`BenchError::Unlike`] when they are of different sets, or have neither question nor metric in common.
pub fn compare(
    a: &RunResult,
    b: &RunResult,
    metric: &str,
    most: usize,
    tested: &[String],
) -> Result<Comparison, BenchError> {
    let unlike = |what| BenchError::Unlike { a: a.name(), b: b.name(), what };
    if (&a.set, &a.split) != (&b.set, &b.split) {
        return Err(unlike("they are of different sets"));
    }
    if (a.binary, &a.group_by) != (b.binary, &b.group_by) {
        return Err(unlike("grades or groups were not counted alike"));
    }
    let of_a: HashMap<&str, &Asked> = a.queries.iter().map(|query| (query.id.as_str(), query)).collect();
    let pairs: Vec<(&Asked, &Asked)> =
        b.queries.iter().filter_map(|query| Some((*of_a.get(query.id.as_str())?, query))).collect();
    if pairs.iter().any(|(a, b)| a.answerable != b.answerable) {
        return Err(unlike("a question is answerable in one of them alone"));
    }
    let (answerable, other): (Vec<_>, Vec<_>) = pairs.iter().copied().partition(|(a, _)| a.answerable);
    if answerable.is_empty() {
        return Err(unlike("they have no question in common"));
    }
    let column = |of: &RunResult, name: &str| of.metrics.iter().position(|known| known == name);
    let mut deltas = Vec::new();
    for name in &a.metrics {
        if let (Some(at), Some(bt)) = (column(a, name), column(b, name)) {
            let values = answerable.iter().map(|(a, b)| (a.values[at], b.values[bt])).collect();
            deltas.push(delta(name, values, false));
        }
    }
    let shown = |query: &Asked| f64::from(u8::from(query.shown > 0));
    let both = |pairs: &[(&Asked, &Asked)]| pairs.iter().map(|(a, b)| (shown(a), shown(b))).collect();
    deltas.push(delta("coverage", both(&answerable), false));
    if !other.is_empty() {
        deltas.push(delta("noise", both(&other), true));
    }
    let tests = correct(&mut deltas, |delta| tested.is_empty() || tested.contains(&delta.metric));
    let (Some(at), Some(bt)) = (column(a, metric), column(b, metric)) else {
        return Err(unlike("the metric was not measured in both"));
    };
    let moved = |(a, b): &(&Asked, &Asked)| Moved {
        id: b.id.clone(),
        text: b.text.clone(),
        a: a.values[at],
        b: b.values[bt],
        first: (a.first, b.first),
        top: (a.top.first().cloned(), b.top.first().cloned()),
        top_hit: (a.top_hit.clone(), b.top_hit.clone()),
        right_hit: (a.best_right().cloned(), b.best_right().cloned()),
        why: changes(a, b),
    };
    let by = |(a, b): &(&Asked, &Asked)| (b.values[bt] - a.values[at]).abs();
    let mut all: Vec<(&Asked, &Asked)> = answerable.iter().copied().filter(|pair| by(pair) >= LEAST).collect();
    all.sort_by(|x, y| by(y).total_cmp(&by(x)).then_with(|| x.1.id.cmp(&y.1.id)));
    all.truncate(most);
    Ok(Comparison {
        a: a.name(),
        b: b.name(),
        models: (a.model.clone(), b.model.clone()),
        queries: pairs.len(),
        unpaired: a.queries.len() + b.queries.len() - 2 * pairs.len(),
        tests,
        deltas,
        moved: all.iter().map(moved).collect(),
    })
}

fn delta(metric: &str, pairs: Vec<(f64, f64)>, less_is_better: bool) -> Delta {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
    let count = |wanted: &dyn Fn(f64) -> bool| differences.iter().filter(|d| wanted(**d)).count();
    let (more, less) = (count(&|d| d > SAME), count(&|d| d < -SAME));
    let (wins, losses) = if less_is_better { (less, more) } else { (more, less) };
    Delta {
        metric: metric.to_owned(),
        a: mean(&a),
        b: mean(&b),
        difference: mean(&differences),
        interval: bootstrap(&differences),
        p: permutation(&differences),
        p_holm: None,
        wins,
        losses,
        ties: differences.len() - more - less,
        less_is_better,
    }
}

#[cfg(test)]
mod tests {
    use super::super::result::Machine;
    use super::*;

    fn run(name: &str, values: &[f64], shown: &[usize]) -> RunResult {
        let asked = |at: usize, value: Option<f64>, shown: usize| Asked {
            id: format!("q{at}"),
            text: format!("question {at}"),
            answerable: value.is_some(),
            values: value.into_iter().collect(),
            ms: 1.0,
            best: 0.5,
            shown,
            right: 0,
            first: None,
            top: vec![format!("d{at}")],
            ..Asked::default()
        };
        let mut queries: Vec<Asked> = values.iter().enumerate().map(|(at, value)| asked(at, Some(*value), 1)).collect();
        queries.extend(shown.iter().enumerate().map(|(at, shown)| asked(1000 + at, None, *shown)));
        RunResult {
            format: RunResult::FORMAT,
            set: "set".into(),
            split: "test".into(),
            set_digest: None,
            made_at: None,
            path: "set".into(),
            run: name.into(),
            ranking: None,
            version: "0".into(),
            model: None,
            machine: Machine::default(),
            group_by: None,
            binary: false,
            depths: vec![10],
            gate: 0.5,
            gate_fit: None,
            foreign: vec![],
            documents: 1,
            left_out: 0,
            embedded: 0,
            embedding: None,
            index_bytes: None,
            peak_mib: None,
            stages: vec![],
            metrics: vec!["ndcg@10".into()],
            queries,
        }
    }

    #[test]
    fn says_what_is_better_how_sure_and_where() {
        let before = run("a", &[0.5; 60], &[0; 40]);
        let values: Vec<f64> = (0..60).map(|at| if at % 3 == 0 { 0.4 - at as f64 / 1000.0 } else { 0.5 }).collect();
        let after = run("b", &values, &[1; 40]);
        let found = compare(&before, &after, "ndcg@10", 3, &[]).unwrap();
        let worse = &found.deltas[0];
        assert_eq!((worse.wins, worse.losses, worse.ties), (0, 20, 40));
        assert!(worse.is_loss() && worse.p < 0.001 && worse.interval.high < 0.0, "{worse:?}");
        let noise = found.deltas.iter().find(|delta| delta.metric == "noise").unwrap();
        assert!(noise.is_loss() && noise.losses == 40 && noise.difference == 1.0, "{noise:?}");
        let back = compare(&after, &before, "ndcg@10", 3, &[]).unwrap();
        assert!(back.deltas.iter().all(|delta| !delta.is_loss()), "what is better is no loss");
        assert_eq!(found.moved[0].why[0], "before, d57 is first and wrong");
        assert_eq!(found.moved.iter().map(|moved| moved.id.as_str()).collect::<Vec<_>>(), ["q57", "q54", "q51"]);
        let rounded = Delta { difference: -0.000_4, ..worse.clone() };
        assert!(!rounded.is_significant(), "nobody can see it");
        let same = compare(&before, &before, "ndcg@10", 3, &[]).unwrap();
        assert!(same.moved.is_empty() && same.deltas.iter().all(|delta| !delta.is_significant() && delta.p == 1.0));
    }

    /// Six of sixty questions get worse: p is about 0.03, which one test alone calls sure and two do not.
    #[test]
    fn what_is_tested_together_is_corrected_together() {
        let values: Vec<f64> = (0..60).map(|at| if at < 6 { 0.4 } else { 0.5 }).collect();
        let (before, after) = (run("a", &[0.5; 60], &[0; 10]), run("b", &values, &[0; 10]));
        let alone = compare(&before, &after, "ndcg@10", 0, &["ndcg@10".to_owned()]).unwrap();
        let [first, others @ ..] = &alone.deltas[..] else { panic!("{alone:?}") };
        assert!((0.02..0.05).contains(&first.p) && first.p_holm == Some(first.p) && first.is_loss(), "{first:?}");
        assert!(others.iter().all(|delta| delta.p_holm.is_none() && !delta.is_significant()), "{others:?}");
        let all = compare(&before, &after, "ndcg@10", 0, &[]).unwrap();
        assert_eq!((alone.tests.family, all.tests.family), (1, 3));
        assert!(all.deltas[0].p_holm > Some(0.05) && !all.deltas[0].is_loss(), "{:?}", all.deltas[0]);
    }

    #[test]
    fn what_is_not_alike_is_refused() {
        let (one, mut other) = (run("a", &[0.5], &[]), run("b", &[0.5], &[]));
        assert!(compare(&one, &other, "map", 3, &[]).is_err());
        other.queries[0].id = "z".into();
        assert!(compare(&one, &other, "ndcg@10", 3, &[]).is_err());
        other.set = "other".into();
        assert!(compare(&one, &other, "ndcg@10", 3, &[]).is_err());
    }
}
