//! How well tools are found: for requests, and with all but one of their tools given.

use crate::eval::retrieval::{Interval, bootstrap};
use serde::Serialize;

/// How well the tools of requests are found by one way to rank. All are means over requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Ranked {
    /// The way.
    pub run: String,
    /// Share of the tools that are among the first five.
    pub recall_5: f64,
    /// Among the first ten.
    pub recall_10: f64,
    /// Normalised discounted cumulative gain of the first five.
    pub ndcg_5: f64,
    /// Of the first ten.
    pub ndcg_10: f64,
    /// All tools are among the first ten.
    pub full_10: f64,
    /// The first is one of the tools.
    pub hit_1: f64,
    /// Recall at 5 of each request.
    #[serde(skip)]
    pub each: Vec<f64>,
}

/// How well a tool is found that was hidden from its request while the others are known as used.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Hidden {
    /// The way.
    pub run: String,
    /// One over its place.
    pub mrr: f64,
    /// It is the first.
    pub hit_1: f64,
    /// It is among the first five.
    pub hit_5: f64,
    /// One over its place, of each.
    #[serde(skip)]
    pub each: Vec<f64>,
}

/// How much better one way is than the best single signal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The single signal.
    pub over: String,
    /// The mean difference.
    pub mean: f64,
    /// From where to where it lies with 95 % probability.
    pub interval: Interval,
}

/// Places in order of their scores, the best first, without some; equal ones in order of their places.
pub(super) fn ranked(scores: &[f64], without: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|tool| !without.contains(tool)).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    order
}

impl Ranked {
    pub(super) fn of(run: &str, all: &[(Vec<usize>, &[usize])]) -> Self {
        let mut out = Self { run: run.to_owned(), ..Self::default() };
        for (order, wanted) in all {
            let found = |most: usize| order.iter().take(most).filter(|tool| wanted.contains(tool)).count() as f64;
            let gain = |most: usize| {
                let discount = |place: usize| 1.0 / (place as f64 + 2.0).log2();
                let got = order.iter().take(most).enumerate().filter(|(_, tool)| wanted.contains(tool));
                let best: f64 = (0..wanted.len().min(most)).map(discount).sum();
                got.map(|(place, _)| discount(place)).sum::<f64>() / best
            };
            let count = wanted.len() as f64;
            out.each.push(found(5) / count);
            out.recall_10 += found(10) / count;
            out.ndcg_5 += gain(5);
            out.ndcg_10 += gain(10);
            out.full_10 += f64::from(u8::from(found(10) >= count));
            out.hit_1 += found(1);
        }
        let count = all.len().max(1) as f64;
        out.recall_5 = out.each.iter().sum::<f64>() / count;
        let sums = [&mut out.recall_10, &mut out.ndcg_5, &mut out.ndcg_10, &mut out.full_10, &mut out.hit_1];
        sums.into_iter().for_each(|sum| *sum /= count);
        out
    }
}

impl Hidden {
    pub(super) fn of(run: &str, places: &[usize]) -> Self {
        let share =
            |most: usize| places.iter().filter(|place| **place <= most).count() as f64 / places.len().max(1) as f64;
        let each: Vec<f64> = places.iter().map(|place| 1.0 / *place as f64).collect();
        let mrr = each.iter().sum::<f64>() / places.len().max(1) as f64;
        Self { run: run.to_owned(), mrr, hit_1: share(1), hit_5: share(5), each }
    }
}

/// How much better `all` is than the best of `singles`, request by request.
pub(super) fn gain(all: &[f64], singles: &[(&str, &[f64])]) -> Option<Gain> {
    let sum = |each: &[f64]| each.iter().sum::<f64>();
    let (over, best) = singles.iter().max_by(|a, b| sum(a.1).total_cmp(&sum(b.1)))?;
    let differences: Vec<f64> = all.iter().zip(*best).map(|(all, single)| all - single).collect();
    let mean = sum(&differences) / differences.len().max(1) as f64;
    Some(Gain { over: (*over).to_owned(), mean, interval: bootstrap(&differences) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_one_ranking_are_as_by_hand() {
        let found = Ranked::of("x", &[(ranked(&[0.1, 0.9, 0.5, 0.4], &[]), &[2, 0])]);
        // Places 2 and 4: (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)).
        assert!((found.ndcg_5 - (0.630_93 + 0.430_68) / 1.630_93).abs() < 1e-4, "{found:?}");
        assert_eq!((found.recall_5, found.full_10, found.hit_1), (1.0, 1.0, 0.0));
        assert_eq!(ranked(&[1.0, 2.0, 1.0], &[1]), [0, 2]);
        let hidden = Hidden::of("x", &[1, 4, 10]);
        assert!((hidden.mrr - 0.45).abs() < 1e-12 && (hidden.hit_5 - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_gain_is_over_the_better_signal() {
        let gain = gain(&[1.0, 0.5, 1.0], &[("low", &[0.0, 0.0, 1.0]), ("high", &[1.0, 0.0, 1.0])]).unwrap();
        assert_eq!(gain.over, "high");
        assert!((gain.mean - 1.0 / 6.0).abs() < 1e-12 && gain.interval.low <= gain.mean);
    }
}
