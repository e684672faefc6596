//! What will make a failure go away, judged from other sessions, and the fix that one of them found.
//!
//! [`Predictor`] names the end that a failure will have and the action by which it comes ([`super::recovery::End`]).
//! It is a multinomial logistic regression over what is known when the failure happens: the action, the error, the
//! input, and the session up to there, never what follows. Its weights are fitted from the sessions it is given; none
//! are shipped. [`Fixes`] finds the step of another session that did what is being tried, by words (BM25).

mod features;
mod fixes;
mod regression;
mod ties;
#[cfg(test)]
mod tests;

pub use features::features;
pub use fixes::{Fix, Fixes};

use super::recovery::{End, Recovery, label};
use super::session::Session;
use crate::types::ToolOutcome;
use regression::{Candidate, Case, Regression};
use std::collections::{BTreeMap, HashMap};
use ties::{Past, TIES, Ties};

/// Most failures that a predictor learns from: those of the sessions that come last in the list it is given.
pub const MOST_EXAMPLES: usize = 6_000;

/// The end of a failure, and the first action by which it comes.
pub type Target = (End, Option<(String, String)>);

/// The ends that are foretold, in the order of their numbers.
const ENDS: [End; 4] = [End::Enabled, End::Edited, End::Repeated, End::Replaced];

/// An end and how likely it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The end, with the action.
    pub target: Target,
    /// In \[0, 1\].
    pub probability: f64,
}

/// What sessions teach about failures that were overcome.
#[derive(Debug, Clone, Default)]
pub struct Predictor {
    past: Past,
    /// Numbers of the features that were seen twice or more.
    names: HashMap<String, u32>,
    /// The targets that were seen, sorted.
    targets: Vec<Target>,
    model: Regression,
}

impl Predictor {
    /// Learns from sessions, each in order. What failed and was never overcome teaches nothing here.
    pub fn fit(sessions: &[Session<'_>]) -> Self {
        let past = Past::of(sessions);
        let mut seen: Vec<(&Session<'_>, Recovery, Vec<String>)> = Vec::new();
        for rows in sessions.iter().rev() {
            if seen.len() >= MOST_EXAMPLES {
                break;
            }
            for one in label(rows).into_iter().filter(|one| one.end != End::Unrecovered) {
                let names = named(&past, rows, one.failed, true);
                seen.push((rows, one, names));
            }
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, _, names) in &seen {
            names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let kept = counts.into_iter().filter(|(_, n)| *n > 1).map(|(name, _)| name.to_owned());
        let names: HashMap<String, u32> = kept.zip(0..).collect();
        let mut targets: Vec<Target> = seen.iter().map(|(_, one, _)| one.target()).collect();
        targets.sort();
        targets.dedup();
        let mut out = Self { past, names, targets, model: Regression::default() };
        let cases: Vec<(Case, usize)> = seen
            .iter()
            .filter_map(|(rows, one, names)| {
                let (case, targets) = out.case(rows, one.failed, names, true);
                Some((case, targets.iter().position(|target| *target == one.target())?))
            })
            .collect();
        out.model = Regression::fit(&cases, out.names.len(), ENDS.len(), out.targets.len(), TIES);
        out
    }

    /// The ends that the failure at `failed` may have, the likeliest first. Only rows up to it are read.
    pub fn predict(&self, rows: &[&ToolOutcome], failed: usize) -> Vec<Prediction> {
        if failed >= rows.len() {
            return Vec::new();
        }
        let names = named(&self.past, rows, failed, false);
        let (case, targets) = self.case(rows, failed, &names, false);
        let shares = self.model.shares(&case);
        let mut out: Vec<Prediction> = targets
            .into_iter()
            .zip(shares)
            .map(|(target, probability)| Prediction { target, probability })
            .collect();
        out.sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| a.target.cmp(&b.target)));
        out
    }

    /// A failure as the model sees it, with the targets of its candidates: those that were seen of its tools, and what
    /// the session did until now.
    fn case(&self, rows: &[&ToolOutcome], failed: usize, names: &[String], own: bool) -> (Case, Vec<Target>) {
        let ties = Ties::of(&self.past, rows, failed, own);
        let row = rows[failed];
        let itself = |via: &(String, String)| via.0 == row.tool && via.1 == row.head;
        let mut targets: Vec<Target> =
            self.targets.iter().filter(|target| !target.1.as_ref().is_some_and(itself)).cloned().collect();
        for action in ties.did().filter(|action| !itself(action)) {
            for end in [End::Enabled, End::Replaced] {
                let target = (end, Some(action.clone()));
                if self.targets.binary_search(&target).is_err() {
                    targets.push(target);
                }
            }
        }
        let candidate = |target: &Target| Candidate {
            end: ENDS.iter().position(|end| *end == target.0).unwrap_or(0),
            target: self.targets.binary_search(target).ok(),
            ties: ties.with(target),
        };
        let mut features: Vec<u32> = names.iter().filter_map(|name| self.names.get(name).copied()).collect();
        features.sort_unstable();
        features.dedup();
        (Case { features, candidates: targets.iter().map(candidate).collect() }, targets)
    }
}

/// The features of a failure, with how its action fared in other sessions.
fn named(past: &Past, rows: &[&ToolOutcome], failed: usize, own: bool) -> Vec<String> {
    let mut names = features(rows, failed);
    let row = rows[failed];
    let session = if own { row.session.as_str() } else { "" };
    let (worked, failures) = past.fared(session, &(row.tool.clone(), row.head.clone()));
    let share = if worked + failures == 0 { "unknown".to_owned() } else { (4 * worked / (worked + failures)).to_string() };
    names.push(format!("fares {share}"));
    names.push(format!("known {}", worked.min(3)));
    names
}
