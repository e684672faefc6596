//! Whether what is called so many per cent sure is right so often: a reliability diagram and the expected calibration
//! error (Guo et al. 2017, "On Calibration of Modern Neural Networks", section 2).

use super::observation::Observation;
use serde::Serialize;

/// Bins of the diagram, of equal width.
const BINS: usize = 10;

/// Guesses that claim about the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Bin {
    /// Guesses.
    pub cases: usize,
    /// Mean of what they claim, in \[0, 1\].
    pub claimed: f64,
    /// Share of them that is right, in \[0, 1\].
    pub right: f64,
}

/// How far claims are from what is right.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reliability {
    /// Guesses in all.
    pub cases: usize,
    /// Expected calibration error: the mean distance of claim and truth over the bins, by their cases.
    pub ece: f64,
    /// Bins that have cases, from those that claim least.
    pub bins: Vec<Bin>,
}

impl Reliability {
    /// Of the best guess of each case that patterns and equal texts leave open, whether it passes the gate or not.
    pub fn of<'a>(observations: impl Iterator<Item = &'a Observation>) -> Self {
        let mut sums = [(0usize, 0.0f64, 0usize); BINS];
        for guess in observations.filter_map(|seen| seen.guess.as_ref()) {
            let bin = &mut sums[((guess.claimed * BINS as f32) as usize).min(BINS - 1)];
            *bin = (bin.0 + 1, bin.1 + f64::from(guess.claimed), bin.2 + usize::from(guess.right));
        }
        let bin = |&(cases, claimed, right): &(usize, f64, usize)| Bin {
            cases,
            claimed: claimed / cases as f64,
            right: right as f64 / cases as f64,
        };
        let bins: Vec<Bin> = sums.iter().filter(|(cases, ..)| *cases > 0).map(bin).collect();
        let cases = bins.iter().map(|bin| bin.cases).sum();
        let distance: f64 = bins.iter().map(|bin| bin.cases as f64 * (bin.claimed - bin.right).abs()).sum();
        Self { cases, ece: distance / (cases as f64).max(1.0), bins }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::CaseKind;
    use super::super::observation::Guess;
    use super::*;

    fn seen(claimed: f32, right: bool) -> Observation {
        Observation {
            id: String::new(),
            kind: CaseKind::Message,
            domain: String::new(),
            class: String::new(),
            held_back: false,
            expect: Vec::new(),
            hits: Vec::new(),
            tier: None,
            best: claimed,
            guess: Some(Guess { claimed, right }),
        }
    }

    #[test]
    fn the_error_is_the_mean_distance_over_the_bins() {
        let all = [seen(0.95, true), seen(0.95, false), seen(0.25, false), seen(1.0, true)];
        let found = Reliability::of(all.iter());
        assert_eq!((found.cases, found.bins.len()), (4, 2));
        let expected = (3.0 * (2.9 / 3.0 - 2.0 / 3.0) + 0.25) / 4.0;
        assert!((found.ece - expected).abs() < 1e-6, "{found:?}");
        assert_eq!(Reliability::of([].iter()), Reliability::default());
    }
}
