//! What a run over labelled cases comes to.

use super::cases::CaseKind;
use super::observation::Observation;
use super::reliability::Reliability;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts of one group of cases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Cases.
    pub cases: usize,
    /// The first hit is right; for unanswerable cases: silence.
    pub right: usize,
    /// The first hit is right, and a pattern proves it.
    pub exact: usize,
    /// A right entry is among the hits.
    pub among: usize,
    /// Something was shown.
    pub answered: usize,
    /// What was shown first is true of any error of the kind, and called so.
    pub general: usize,
}

impl Counts {
    /// Share of cases that were right, in \[0, 1\].
    pub fn share(&self) -> f64 {
        self.right as f64 / self.cases.max(1) as f64
    }
}

/// The report of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// By kind of case.
    pub kinds: BTreeMap<CaseKind, Counts>,
    /// By kind, of the cases that nothing was fitted on.
    pub held_back: BTreeMap<CaseKind, Counts>,
    /// By kind and domain; for unanswerable cases by kind and class.
    pub groups: BTreeMap<String, Counts>,
    /// Share of the shown first hits that are right, of those that are not called general.
    pub precision: f64,
    /// Area under the curve of best relevance, answerable against unanswerable.
    pub auc: f64,
    /// Whether guesses are right as often as they claim.
    pub reliability: Reliability,
    /// The same of the cases that nothing was fitted on.
    pub reliability_held_back: Reliability,
    /// Ids of the cases that were not right.
    pub misses: Vec<String>,
}

impl Report {
    /// Counts a run.
    pub fn new(observations: &[Observation]) -> Self {
        let mut report = Self::default();
        let (mut shown, mut right_shown) = (0usize, 0usize);
        for seen in observations {
            let (right, among) = (seen.right(), seen.among());
            let answered = !seen.hits.is_empty();
            let claimed = answered && !seen.general() && seen.kind != CaseKind::Chain;
            shown += usize::from(claimed);
            right_shown += usize::from(claimed && right);
            let group = if seen.kind == CaseKind::Unanswerable { &seen.class } else { &seen.domain };
            let name = format!(
                "{}/{group}",
                serde_json::to_value(seen.kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
            );
            let exact = right && seen.tier.as_deref() == Some("exact");
            let held_back = seen.held_back.then(|| report.held_back.entry(seen.kind).or_default());
            let all = [report.kinds.entry(seen.kind).or_default(), report.groups.entry(name).or_default()];
            for counts in all.into_iter().chain(held_back) {
                counts.cases += 1;
                counts.exact += usize::from(exact);
                counts.right += usize::from(right);
                counts.among += usize::from(among);
                counts.answered += usize::from(answered);
                counts.general += usize::from(answered && seen.general());
            }
            if !right {
                report.misses.push(seen.id.clone());
            }
        }
        let judged = || observations.iter().filter(|seen| seen.kind != CaseKind::Chain);
        report.reliability = Reliability::of(judged());
        report.reliability_held_back = Reliability::of(judged().filter(|seen| seen.held_back));
        report.precision = right_shown as f64 / shown.max(1) as f64;
        report.auc = auc(observations);
        report
    }
}

/// Probability that an answerable case's best relevance is above an unanswerable one's.
fn auc(observations: &[Observation]) -> f64 {
    let of = |unanswerable: bool| -> Vec<f32> {
        let judged = observations.iter().filter(|o| o.kind != CaseKind::Chain);
        let wanted = judged.filter(|o| (o.kind == CaseKind::Unanswerable) == unanswerable);
        wanted.map(|o| o.best).collect()
    };
    let (positive, negative) = (of(false), of(true));
    let mut wins = 0.0;
    for p in &positive {
        for n in &negative {
            wins += match p.total_cmp(n) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    wins / (positive.len() * negative.len()).max(1) as f64
}
