//! What will make a failure go away, judged from other sessions, and the fix that one of them found.
//!
//! [`Predictor`] names the end that a failure will have and the action by which it comes ([`super::recovery::End`]).
//! It is a random forest over what is known when the failure happens: the action, the error, the input, and the session
//! up to there, never what follows. It is grown from the sessions that it is given; nothing is shipped. A session often
//! goes on with the action that went well last, whatever it is, so "the last one" is a class of its own. [`Fixes`]
//! finds a step of another session, by words, that did what is being tried.

mod features;
mod fixes;
mod forest;
#[cfg(test)]
mod tests;

pub use features::features;
pub use fixes::{Fix, Fixes};

use super::recovery::{End, label};
use super::session::Session;
use crate::types::ToolOutcome;
use forest::{Example, Forest};
use std::collections::{BTreeMap, HashMap};

/// Most failures that a predictor learns from: those of the sessions that come last in the list it is given.
pub const MOST_EXAMPLES: usize = 4_000;

/// Tool and head.
pub type Action = (String, String);

/// The end of a failure, and the first action by which it comes.
pub type Target = (End, Option<Action>);

/// An end and how likely it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The end, with the action.
    pub target: Target,
    /// In \[0, 1\].
    pub probability: f64,
}

/// A target as it is learnt.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Learnt {
    /// The action that the session did last and well, whatever it is.
    Last(End),
    /// This one.
    Named(Target),
}

/// What sessions teach about failures that were overcome.
#[derive(Debug, Clone, Default)]
pub struct Predictor {
    /// Numbers of the features that were seen twice or more.
    names: HashMap<String, u32>,
    /// The classes, sorted.
    classes: Vec<Learnt>,
    forest: Forest,
}

impl Predictor {
    /// Learns from sessions, each in order. What failed and was never overcome teaches nothing here.
    pub fn fit(sessions: &[Session<'_>]) -> Self {
        let mut seen: Vec<(Learnt, Vec<String>)> = Vec::new();
        for rows in sessions.iter().rev() {
            if seen.len() >= MOST_EXAMPLES {
                break;
            }
            for one in label(rows).into_iter().filter(|one| one.end != End::Unrecovered) {
                let target = one.target();
                let learnt = match &target.1 {
                    Some(via) if last(rows, one.failed).as_ref() == Some(via) => Learnt::Last(target.0),
                    _ => Learnt::Named(target),
                };
                seen.push((learnt, features(rows, one.failed)));
            }
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, names) in &seen {
            names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let kept = counts.into_iter().filter(|(_, n)| *n > 1).map(|(name, _)| name.to_owned());
        let names: HashMap<String, u32> = kept.zip(0..).collect();
        let mut classes: Vec<Learnt> = seen.iter().map(|(learnt, _)| learnt.clone()).collect();
        classes.sort();
        classes.dedup();
        let example = |(learnt, of): &(Learnt, Vec<String>)| {
            Some(Example { class: classes.binary_search(learnt).ok()?, features: numbers(&names, of) })
        };
        let examples: Vec<Example> = seen.iter().filter_map(example).collect();
        let forest = Forest::fit(&examples, classes.len(), names.len());
        Self { names, classes, forest }
    }

    /// The ends that the failure at `failed` may have, the likeliest first. Only rows up to it are read.
    pub fn predict(&self, rows: &[&ToolOutcome], failed: usize) -> Vec<Prediction> {
        let Some(row) = rows.get(failed) else { return Vec::new() };
        let features = numbers(&self.names, &features(rows, failed));
        let last = last(rows, failed);
        let mut sums: BTreeMap<Target, f64> = BTreeMap::new();
        for (class, share) in self.classes.iter().zip(self.forest.shares(&features)) {
            let target = match class {
                Learnt::Named(target) => Some(target.clone()),
                Learnt::Last(end) => last.clone().map(|last| (*end, Some(last))),
            };
            // Nothing is reached by way of itself.
            let itself = |via: &Action| via.0 == row.tool && via.1 == row.head;
            if let Some(target) = target.filter(|target| !target.1.as_ref().is_some_and(itself)) {
                *sums.entry(target).or_default() += share;
            }
        }
        let whole: f64 = sums.values().sum::<f64>().max(f64::MIN_POSITIVE);
        let prediction = |(target, share): (Target, f64)| Prediction { target, probability: share / whole };
        let mut out: Vec<Prediction> = sums.into_iter().map(prediction).collect();
        out.sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| a.target.cmp(&b.target)));
        out
    }
}

/// What the session did last and well before a row.
fn last(rows: &[&ToolOutcome], before: usize) -> Option<Action> {
    let row = rows[..before].iter().rev().find(|row| row.is_ok)?;
    Some((row.tool.clone(), row.head.clone()))
}

fn numbers(names: &HashMap<String, u32>, features: &[String]) -> Vec<u32> {
    let mut out: Vec<u32> = features.iter().filter_map(|name| names.get(name).copied()).collect();
    out.sort_unstable();
    out.dedup();
    out
}
