//! What a graph was measured to do when it was built.

use super::graph::Recall;

/// Measured after a build, and kept with the graph; see [`super::grow()`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Certificate {
    /// Queries that it was measured with, and rows that looked for themselves.
    pub queries: u32,
    /// Share of rows that a search for their own bytes finds.
    pub self_found: f32,
    /// Recall that was asked for, at the lower end of its interval.
    pub target: f32,
    /// Of the ten nearest, at `ef`.
    pub recall: Recall,
    /// Width of a search for ten.
    pub ef: u32,
    /// Width of a search for a hundred.
    pub ef_100: u32,
    /// How near the tenth neighbour of a question has to be for this to speak for it; everything is compared for
    /// others.
    pub reach: f32,
    /// Rows that a walk of the width `ef` compares, at the median.
    pub walked: u32,
    /// Rows that a walk of the width `ef_100` compares, at the median.
    pub walked_100: u32,
}

/// Numbers that a certificate is written as.
pub(super) const NUMBERS: usize = 13;
/// Stands where certificates that were measured in microseconds have those of comparing everything.
const COUNTED: f32 = 0.0;

impl Certificate {
    pub(super) fn to_numbers(self) -> [f32; NUMBERS] {
        let Recall { share, low, high } = self.recall;
        [
            self.queries as f32,
            self.self_found,
            self.target,
            share as f32,
            low as f32,
            high as f32,
            self.ef as f32,
            self.ef_100 as f32,
            COUNTED,
            self.walked as f32,
            self.walked_100 as f32,
            0.0,
            self.reach,
        ]
    }

    /// `None` for one of before walks were counted: it has microseconds in their place, and everything is compared.
    pub(super) fn from_numbers(numbers: [f32; NUMBERS]) -> Option<Self> {
        let [queries, self_found, target, share, low, high, ef, ef_100, unit, walked, walked_100, _, reach] = numbers;
        (unit == COUNTED).then_some(Self {
            queries: queries as u32,
            self_found,
            target,
            recall: Recall { share: share.into(), low: low.into(), high: high.into() },
            ef: ef as u32,
            ef_100: ef_100 as u32,
            walked: walked as u32,
            walked_100: walked_100 as u32,
            reach,
        })
    }

    /// How wide a search for `k` rows has to be.
    pub(super) fn width(&self, k: usize) -> usize {
        let (ef, ef_100) = (self.ef as usize, self.ef_100 as usize);
        match k {
            0..=10 => ef,
            11..=100 => ef.max(ef_100 * k / 100),
            _ => ef_100 * k / 100,
        }
    }

    /// Rows that a walk of this width compares, about.
    pub(super) fn comparisons(&self, ef: usize) -> f32 {
        let (least, more) = (self.walked as f32, self.walked_100 as f32);
        let slope = (more - least) / (self.ef_100 as f32 - self.ef as f32).max(1.0);
        least + slope.max(0.0) * (ef as f32 - self.ef as f32).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_and_widens_with_what_is_asked_for() {
        let recall = Recall { share: 0.995, low: 0.9921875, high: 0.998046875 };
        let one = Certificate {
            queries: 500,
            self_found: 1.0,
            target: 0.99,
            recall: Recall { share: 0.9951171875, ..recall },
            ef: 32,
            ef_100: 192,
            walked: 300,
            walked_100: 1_100,
            reach: 0.75,
        };
        let mut timed = one.to_numbers();
        timed[8] = 4_000.0;
        assert_eq!(Certificate::from_numbers(timed), None, "microseconds are no counts");
        assert_eq!(Certificate::from_numbers(one.to_numbers()), Some(one));
        assert_eq!([1, 10, 11, 50, 100, 200].map(|k| one.width(k)), [32, 32, 32, 96, 192, 384]);
        assert_eq!([16, 32, 112, 192].map(|ef| one.comparisons(ef)), [300.0, 300.0, 700.0, 1_100.0]);
    }
}
