//! How sure a mean and a difference of means are, over the questions of a set.
//!
//! The bootstrap's percentile interval (Efron and Tibshirani, 1993, chapter 13) and the paired randomisation test by
//! flipping signs (Smucker, Allan and Carterette, 2007). Both draw from a generator with a fixed seed: the same values
//! give the same digits. Where several differences are tested at once their p-values are corrected as Holm did (1979);
//! a share has Wilson's interval (1927).

use serde::{Deserialize, Serialize};

/// Samples that are drawn.
const SAMPLES: usize = 10_000;
/// Probability that an interval covers.
const COVERED: f64 = 0.95;
/// The normal quantile of that.
const Z: f64 = 1.959_964;
const SEED: u64 = 0x6b65_6e6e_696e_6721;

/// What differences are tested with, in words.
pub const INTERVAL: &str =
    "paired bootstrap over questions: 95 % percentile interval of the mean difference, 10,000 samples";
/// How p-values come about, in words.
pub const TEST: &str = "paired randomisation test over questions: signs flipped, two-sided, 10,000 samples";
/// How p-values are corrected for being many, in words.
pub const CORRECTION: &str = "Holm (1979)";

/// From where to where a mean lies with 95 % probability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The mean; 0 of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    // The sum of nothing would be -0.
    values.iter().fold(0.0, |sum, value| sum + value) / values.len().max(1) as f64
}

/// The interval of the mean of these values, by drawing them with replacement.
pub fn bootstrap(values: &[f64]) -> Interval {
    if values.is_empty() {
        return Interval::default();
    }
    let mut random = Random(SEED);
    let count = values.len();
    let mut means: Vec<f64> =
        (0..SAMPLES).map(|_| (0..count).map(|_| values[random.below(count)]).sum::<f64>() / count as f64).collect();
    means.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| means[((SAMPLES - 1) as f64 * share).round() as usize];
    let outside = (1.0 - COVERED) / 2.0;
    Interval { low: at(outside), high: at(1.0 - outside) }
}

/// How probable a mean difference at least this large is if the two sides of each pair could as well be exchanged;
/// two-sided, in (0, 1\].
pub fn permutation(differences: &[f64]) -> f64 {
    // What is equal stays equal whichever way it is turned.
    let moved: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    if moved.is_empty() {
        return 1.0;
    }
    let observed = moved.iter().sum::<f64>().abs() - 1e-12;
    let mut random = Random(SEED);
    let mut extreme = 0;
    for _ in 0..SAMPLES {
        let (mut sum, mut bits) = (0.0, 0u64);
        for (at, difference) in moved.iter().enumerate() {
            if at % 64 == 0 {
                bits = random.next();
            }
            sum += if bits & 1 == 0 { *difference } else { -difference };
            bits >>= 1;
        }
        extreme += usize::from(f64::abs(sum) >= observed);
    }
    (extreme + 1) as f64 / (SAMPLES + 1) as f64
}

/// The p-values of tests that are made together, corrected so that the probability of one false alarm among all of
/// them stays below the level that they are compared with, however the tests depend on each other (Holm, "A Simple
/// Sequentially Rejective Multiple Test Procedure", 1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut out = vec![0.0; p.len()];
    let mut least = 0.0f64;
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max(p[at] * (p.len() - rank) as f64).min(1.0);
        out[at] = least;
    }
    out
}

/// The interval of a share of which `part` of `whole` were seen; none where there is nothing to have a share of.
pub fn wilson(part: usize, whole: usize) -> Option<Interval> {
    if whole == 0 {
        return None;
    }
    let (trials, share) = (whole as f64, part as f64 / whole as f64);
    let about = 1.0 + Z * Z / trials;
    let middle = (share + Z * Z / (2.0 * trials)) / about;
    let half = Z * (share * (1.0 - share) / trials + Z * Z / (4.0 * trials * trials)).sqrt() / about;
    Some(Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) })
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; how far it is from even is far below what any set could show.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: .01 * 4, .02 * 3, .03 * 2, and then no less than what came before.
    #[test]
    fn many_tests_are_corrected_as_holm_did() {
        let close = |found: &[f64], wanted: &[f64]| {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        let found = holm(&[0.03, 0.01, 0.04, 0.02]);
        assert!(close(&found, &[0.06, 0.04, 0.06, 0.06]), "{found:?}");
        assert!(close(&holm(&[0.9, 0.8]), &[1.0, 1.0]) && close(&holm(&[0.04]), &[0.04]) && holm(&[]).is_empty());
    }

    #[test]
    fn a_share_has_wilsons_interval() {
        // 3 of 100: 0.0103 to 0.0845.
        let some = wilson(3, 100).unwrap();
        assert!((some.low - 0.010_25).abs() < 1e-4 && (some.high - 0.084_52).abs() < 1e-4, "{some:?}");
        let none = wilson(0, 20).unwrap();
        assert!(none.low == 0.0 && none.high > 0.15, "{none:?}");
        assert_eq!((wilson(5, 5).unwrap().high, wilson(0, 0)), (1.0, None));
    }

    /// Against the normal approximation, which holds for many values.
    #[test]
    fn intervals_are_as_wide_as_theory_says() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 100) / 100.0).collect();
        let middle = mean(&values);
        let spread = (values.iter().map(|v| (v - middle).powi(2)).sum::<f64>() / 400.0).sqrt();
        let half = 1.96 * spread / 20.0;
        let found = bootstrap(&values);
        assert!((middle - half - found.low).abs() < 0.1 * half, "{found:?} around {middle}");
        assert!((middle + half - found.high).abs() < 0.1 * half, "{found:?} around {middle}");
        assert_eq!(bootstrap(&values), found, "the same values give the same interval");
        assert_eq!(bootstrap(&[0.25; 9]), Interval { low: 0.25, high: 0.25 });
        assert_eq!(bootstrap(&[]), Interval::default());
    }

    /// Against all sign patterns of a few differences.
    #[test]
    fn permutation_approaches_the_exact_test() {
        let differences = [0.3, -0.1, 0.2, 0.4, 0.0, 0.25, -0.05, 0.15];
        let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        let observed: f64 = moved.iter().sum::<f64>().abs();
        let all = 1u32 << moved.len();
        let sum = |signs: u32| -> f64 {
            moved.iter().enumerate().map(|(at, d)| if signs >> at & 1 == 0 { *d } else { -d }).sum()
        };
        let extreme = (0..all).filter(|signs| sum(*signs).abs() >= observed - 1e-12).count();
        let exact = extreme as f64 / f64::from(all);
        assert!((permutation(&differences) - exact).abs() < 0.01, "{} and {exact}", permutation(&differences));
        assert_eq!(permutation(&[0.0; 20]), 1.0);
        assert!(permutation(&[0.1; 40]) < 0.001);
    }
}
