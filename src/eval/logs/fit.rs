//! Fits what the features of blocks are worth: a softmax over the blocks of one log (listwise ranking, Cao et al.,
//! "Learning to Rank: From Pairwise Approach to Listwise Approach", 2007). The target of a block is its share of the F1
//! of all blocks of its log. If no block overlaps the marked lines, the target of "none of them" is 1.
//!
//! What a log of a run that passed adds is fitted in a second step, with the other weights as they are: they are used
//! without such a log too, and must be right then.
//!
//! Held-out figures come from five folds, dealt out five times. The logs of one repository are in one fold, because
//! they repeat each other.

use super::descent::least;
use super::measure::{LogFigures, LogOutcome, MissedLog, SurveyedLog, mean_figures};
use crate::text::sha256;
use crate::triage::{FEATURES, OF_PASSING, Weights, score, shipped_weights, softmax};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

const FOLDS: usize = 5;
/// How often repositories are dealt out to folds: what a model reaches hangs on what it was fitted without.
const DEALS: u64 = 5;
/// Weight of the squared weights of standardised features against the mean loss of a log.
const PENALTY: f64 = 0.1;
/// A feature that varies less is constant.
const CONSTANT: f64 = 1e-6;

/// Weights and what they reach.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogFit {
    /// Every log by weights that were fitted without its repository.
    pub held_out: LogFigures,
    /// The same by repository.
    pub by_repo: BTreeMap<String, LogFigures>,
    /// Every log by the weights that were fitted with all.
    pub fitted: LogFigures,
    /// A weight for each feature, fitted with all logs.
    pub weights: Vec<(&'static str, f64)>,
    /// Logs whose first block, held out, holds no marked line.
    #[serde(skip)]
    pub misses: Vec<MissedLog>,
}

/// Fits weights and measures them held out. `None` with fewer repositories than folds.
pub fn fit_logs(logs: &[SurveyedLog]) -> Option<LogFit> {
    let repos: BTreeSet<&str> = logs.iter().map(|log| log.repo.as_str()).collect();
    if repos.len() < FOLDS {
        return None;
    }
    let deals: Vec<Vec<(&SurveyedLog, LogOutcome)>> = (0..DEALS).map(|deal| held_out(logs, &repos, deal)).collect();
    let outcomes = deals.concat();
    let all: Vec<&SurveyedLog> = logs.iter().collect();
    let weights = fitted(&all);
    let by_repo = repos.iter().map(|repo| {
        let own: Vec<_> = outcomes.iter().filter(|(log, _)| log.repo == *repo).copied().collect();
        ((*repo).to_owned(), LogFigures { logs: own.len() / deals.len(), ..mean_figures(&own) })
    });
    let of_all: Vec<_> = logs.iter().map(|log| (log, log.outcome(&weights))).collect();
    Some(LogFit {
        held_out: LogFigures { logs: logs.len(), ..mean_figures(&outcomes) },
        by_repo: by_repo.collect(),
        fitted: mean_figures(&of_all),
        weights: FEATURES.iter().copied().zip(weights).collect(),
        misses: deals[0].iter().filter_map(|(log, outcome)| MissedLog::of(log, outcome)).collect(),
    })
}

/// What becomes of every log by weights that were fitted without the fold its repository is in.
fn held_out<'a>(logs: &'a [SurveyedLog], repos: &BTreeSet<&str>, deal: u64) -> Vec<(&'a SurveyedLog, LogOutcome)> {
    let mut order: Vec<&str> = repos.iter().copied().collect();
    order.sort_by_cached_key(|repo| sha256(format!("{deal} {repo}").as_bytes()));
    let fold_of: BTreeMap<&str, usize> = order.into_iter().enumerate().map(|(at, repo)| (repo, at % FOLDS)).collect();
    let mut out = Vec::with_capacity(logs.len());
    for fold in 0..FOLDS {
        let (held, rest): (Vec<_>, Vec<_>) = logs.iter().partition(|log| fold_of[log.repo.as_str()] == fold);
        let weights = fitted(&rest);
        out.extend(held.into_iter().map(|log| (log, log.outcome(&weights))));
    }
    out
}

/// Whether a feature is 0 without a log of a run that passed.
fn of_passing(at: usize) -> bool {
    OF_PASSING.contains(&FEATURES[at])
}

/// The share of each row of a log, "none of them" last.
fn wanted(log: &SurveyedLog) -> Vec<f64> {
    let mut shares: Vec<f64> = log.survey.blocks.iter().map(|block| log.f1(block)).collect();
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 {
        shares.iter_mut().for_each(|share| *share /= sum);
    }
    shares.push(if sum > 0.0 { 0.0 } else { 1.0 });
    shares
}

/// The weights that fit these logs, as they are used: of features as they are, not standardised.
fn fitted(logs: &[&SurveyedLog]) -> Weights {
    let usual = fitted_part(logs, &shipped_weights(), &|at| !of_passing(at));
    fitted_part(logs, &usual, &of_passing)
}

/// The same for one part of the features; the weights of the others are as given.
fn fitted_part(logs: &[&SurveyedLog], given: &Weights, is_part: &dyn Fn(usize) -> bool) -> Weights {
    let varies = scales(logs);
    let scales: Weights = std::array::from_fn(|at| if is_part(at) { varies[at] } else { f64::INFINITY });
    let scale = |row: &Weights| -> Weights { std::array::from_fn(|at| row[at] / scales[at]) };
    // What was not seen with any log adds nothing, whatever its weight.
    let others: Weights = std::array::from_fn(|at| if is_part(at) || of_passing(at) { 0.0 } else { given[at] });
    let known: Vec<(Vec<Weights>, Vec<f64>, Vec<f64>)> = logs
        .iter()
        .map(|log| {
            let rows = &log.survey.features;
            let given = rows.iter().map(|row| score(row, &others)).collect();
            (rows.iter().map(scale).collect(), given, wanted(log))
        })
        .collect();
    let loss = |weights: &[f64]| {
        let weights: Weights = std::array::from_fn(|at| weights[at]);
        let mut gradient = weights.map(|weight| PENALTY * weight);
        let mut value = PENALTY * weights.iter().map(|weight| weight * weight).sum::<f64>() / 2.0;
        for (rows, given, wanted) in &known {
            let scores: Vec<f64> = rows.iter().zip(given).map(|(row, given)| given + score(row, &weights)).collect();
            let shares = softmax(&scores);
            for ((row, share), wanted) in rows.iter().zip(&shares).zip(wanted) {
                value -= wanted * (share + 1e-12).ln() / known.len() as f64;
                let over = (share - wanted) / known.len() as f64;
                gradient.iter_mut().zip(row).for_each(|(slope, value)| *slope += over * value);
            }
        }
        (value, gradient.to_vec())
    };
    let weights = least(FEATURES.len(), loss);
    // What none of these logs has was not fitted.
    std::array::from_fn(|at| if scales[at].is_finite() { weights[at] / scales[at] } else { given[at] })
}

/// The standard deviation of each feature over all blocks, infinite for one that does not vary. Its mean plays no part:
/// a softmax knows differences only.
fn scales(logs: &[&SurveyedLog]) -> Weights {
    let rows = || logs.iter().flat_map(|log| &log.survey.features);
    let count = rows().count().max(1) as f64;
    std::array::from_fn(|at| {
        let mean = rows().map(|row| row[at]).sum::<f64>() / count;
        let variance = rows().map(|row| (row[at] - mean).powi(2)).sum::<f64>() / count;
        if variance.sqrt() > CONSTANT { variance.sqrt() } else { f64::INFINITY }
    })
}
