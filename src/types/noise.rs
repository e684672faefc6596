//! What an index answers to questions that have nothing to do with it, and the gate that follows from it.

use serde::{Deserialize, Serialize};

/// The greatest budget of noise: of a family's questions the log-odds of so large a share are kept.
pub const MOST_NOISE: f64 = 0.25;
/// Foreign questions whose log-odds lie more than this many interquartile ranges above the third quartile are taken to
/// be about the index after all (Tukey, "Exploratory Data Analysis", 1977, section 2D).
const FENCE: f32 = 1.25;
/// Weight of the noisiest family among an index's foreign questions; the others share the rest. Users ask more often
/// about subjects close to the index, and the noisiest family is the closest. docs/benchmarks.md compares weights.
const NOISIEST: f64 = 0.75;

/// Which signals answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalSet {
    /// Vectors and words.
    Both,
    /// Words alone: there is no model.
    Words,
}

/// The greatest log-odds with which an index answered one family of foreign questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyNoise {
    /// How many of its questions have nothing to do with the index.
    pub questions: usize,
    /// The greatest log-odds of these, descending.
    pub greatest: Vec<f32>,
}

/// The noise of short questions and of others, a family each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalNoise {
    /// Of questions of at most three words.
    pub short: Vec<FamilyNoise>,
    /// Of longer ones.
    pub long: Vec<FamilyNoise>,
}

/// How an index answers questions that have nothing to do with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusNoise {
    /// Digest of the questions that were asked.
    pub questions: String,
    /// Texts that were there to choose from.
    pub texts: usize,
    /// The greatest row id among them.
    pub last: u64,
    /// With a model; none where there was none.
    pub both: Option<ModelNoise>,
    /// Without.
    pub words: SignalNoise,
}

/// The noise of vectors and words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelNoise {
    /// Digest of the model and of the fit that log-odds are made with.
    pub made_with: String,
    /// Its answers.
    pub noise: SignalNoise,
}

impl FamilyNoise {
    /// Of the log-odds with which foreign questions were answered. Those that the index does speak about stand out and
    /// are left out.
    pub fn new(mut odds: Vec<f32>) -> Self {
        odds.sort_unstable_by(|a, b| b.total_cmp(a));
        let quartile = |quarter: usize| odds.get(odds.len() * (4 - quarter) / 4).copied().unwrap_or(f32::NEG_INFINITY);
        let fence = quartile(3) + FENCE * (quartile(3) - quartile(1)).max(0.0);
        let about_it = odds.partition_point(|one| *one > fence);
        odds.drain(..about_it);
        let questions = odds.len();
        odds.truncate((questions as f64 * MOST_NOISE).ceil() as usize);
        Self { questions, greatest: odds }
    }

    /// The log-odds that at most `budget` of such questions reach: split conformal prediction (Vovk, Gammerman and
    /// Shafer, "Algorithmic Learning in a Random World", 2005; a bound for questions that are exchangeable with these).
    pub fn threshold(&self, budget: f64) -> Option<f32> {
        let above = ((self.questions + 1) as f64 * budget).floor() as usize;
        self.greatest.get(above.saturating_sub(1)).or(self.greatest.last()).copied()
    }
}

impl SignalNoise {
    fn families(&self, is_short: bool) -> &[FamilyNoise] {
        if is_short { &self.short } else { &self.long }
    }

    /// The log-odds that at most `budget` of foreign questions reach, most of which are of the noisiest family; none
    /// where there are no questions.
    pub fn threshold(&self, is_short: bool, budget: f64) -> Option<f32> {
        let families = self.families(is_short);
        let alone = families.iter().map(|family| family.threshold(budget));
        let noisiest = alone.enumerate().filter_map(|(at, threshold)| Some((threshold?, at)));
        let (_, noisiest) = noisiest.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let others = families.iter().filter(|family| !family.greatest.is_empty()).count() - 1;
        let share = |at: usize| match (others, at == noisiest) {
            (0, _) => 1.0,
            (_, true) => NOISIEST,
            (others, false) => (1.0 - NOISIEST) / others as f64,
        };
        let weighed = families.iter().enumerate().flat_map(|(at, family)| {
            let weight = share(at) / (family.questions + 1) as f64;
            family.greatest.iter().map(move |odds| (*odds, weight))
        });
        let mut weighed: Vec<(f32, f64)> = weighed.collect();
        weighed.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut above = 0.0;
        let within = weighed.iter().take_while(|(_, weight)| {
            above += weight;
            above <= budget + f64::from(f32::EPSILON)
        });
        within.last().or(weighed.first()).map(|(odds, _)| *odds)
    }
}

impl CorpusNoise {
    /// How many of the foreign questions are answered at this budget, and of how many.
    pub fn answered(&self, signals: SignalSet, budget: f64) -> (usize, usize) {
        let Some(noise) = self.of(signals) else { return (0, 0) };
        let mut out = (0, 0);
        for is_short in [true, false] {
            let Some(threshold) = noise.threshold(is_short, budget) else { continue };
            for family in noise.families(is_short) {
                out.0 += family.greatest.iter().filter(|one| **one >= threshold).count();
                out.1 += family.questions;
            }
        }
        out
    }

    /// What was measured of these signals.
    pub fn of(&self, signals: SignalSet) -> Option<&SignalNoise> {
        match signals {
            SignalSet::Both => self.both.as_ref().map(|both| &both.noise),
            SignalSet::Words => Some(&self.words),
        }
    }

    /// The log-odds that are to be added in this index so that `gate`, a relevance, keeps the noise within `budget`; 0
    /// where that was not measured.
    pub fn shift(&self, signals: SignalSet, is_short: bool, gate: f32, budget: f64) -> f32 {
        let gate = gate.clamp(f32::EPSILON, 1.0 - f32::EPSILON);
        let threshold = self.of(signals).and_then(|noise| noise.threshold(is_short, budget));
        threshold.map_or(0.0, |threshold| (gate / (1.0 - gate)).ln() - threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn questions_that_the_index_speaks_about_do_not_raise_its_gate() {
        let odds = |about: usize| (0..200).map(|at| at as f32 / 100.0).chain(vec![9.0; about]).collect::<Vec<f32>>();
        let (none, some) = (FamilyNoise::new(odds(0)), FamilyNoise::new(odds(10)));
        assert_eq!(none.questions, some.questions);
        assert_eq!(none.threshold(0.03), some.threshold(0.03));
    }

    fn family(most: f32) -> FamilyNoise {
        FamilyNoise::new((0..100).map(|at| most - at as f32 / 100.0).collect())
    }

    #[test]
    fn the_noisiest_family_counts_most() {
        let noise = SignalNoise { short: vec![family(1.0), family(3.0)], long: vec![family(0.0)] };
        let alone = family(3.0).threshold(0.03).unwrap();
        let short = noise.threshold(true, 0.03).unwrap();
        assert!((alone - short - 0.01).abs() < 1e-4, "four of a hundred in place of three: {alone} {short}");
        assert_eq!(noise.threshold(false, 0.03), family(0.0).threshold(0.03));
        let even = SignalNoise { short: vec![family(1.0), family(1.0)], ..SignalNoise::default() };
        assert_eq!(even.threshold(true, 0.03), family(1.0).threshold(0.03), "families alike are one");
        assert_eq!(SignalNoise::default().threshold(true, 0.03), None);
        assert_eq!(CorpusNoise::default().shift(SignalSet::Both, true, 0.5, 0.03), 0.0);
        let all = CorpusNoise { both: Some(ModelNoise { noise, ..ModelNoise::default() }), ..CorpusNoise::default() };
        let shift = all.shift(SignalSet::Both, true, 0.5, 0.03);
        assert!((shift + short).abs() < 1e-4, "a gate of log-odds 0 is reached from there on: {shift}");
        assert_eq!(all.answered(SignalSet::Both, 0.03), (4 + 3, 300));
    }

    proptest! {
        /// Of questions like those that were measured, at most the budget reach the threshold.
        #[test]
        fn the_budget_is_kept(odds in prop::collection::vec(-9.0f32..9.0, 40..300), budget in 0.01f64..0.25) {
            let family = FamilyNoise::new(odds.clone());
            let threshold = family.threshold(budget).unwrap();
            let above = family.greatest.iter().filter(|one| **one > threshold).count();
            prop_assert!(above as f64 <= budget * (family.questions + 1) as f64);
            // A greater budget never asks for more.
            prop_assert!(family.threshold(budget * 1.5).unwrap() <= threshold);
        }

        /// The weighted share of the families' questions above the threshold is within the budget, and the threshold
        /// is none above those of the families.
        #[test]
        fn the_budget_is_kept_over_families(
            a in prop::collection::vec(-9.0f32..9.0, 40..200),
            b in prop::collection::vec(-9.0f32..9.0, 40..200),
            budget in 0.03f64..0.25,
        ) {
            let families = [FamilyNoise::new(a), FamilyNoise::new(b)];
            let alone = families.each_ref().map(|family| family.threshold(budget).unwrap());
            let noise = SignalNoise { long: families.to_vec(), ..SignalNoise::default() };
            let threshold = noise.threshold(false, budget).unwrap();
            prop_assert!(threshold <= alone[0].max(alone[1]));
            let rate = |family: &FamilyNoise| {
                let above = family.greatest.iter().filter(|one| **one > threshold).count();
                above as f64 / (family.questions + 1) as f64
            };
            let (one, other) = (rate(&families[0]), rate(&families[1]));
            let weighed = if alone[0] > alone[1] { 0.75 * one + 0.25 * other } else { 0.25 * one + 0.75 * other };
            prop_assert!(weighed <= budget + 1e-6, "{weighed} {budget}");
        }
    }
}
