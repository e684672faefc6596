//! What an index answers to questions that have nothing to do with it, and the gate that follows from it.

use serde::{Deserialize, Serialize};

/// The greatest budget of noise: of a family's questions the log-odds of so large a share are kept.
pub const MOST_NOISE: f64 = 0.25;
/// Foreign questions whose log-odds lie more than this many interquartile ranges above the third quartile are taken to
/// be about the index after all (Tukey, "Exploratory Data Analysis", 1977, section 2D).
const FENCE: f32 = 1.25;

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
    /// The log-odds that at most `budget` of the questions of any family reach; none where there are no questions.
    pub fn threshold(&self, is_short: bool, budget: f64) -> Option<f32> {
        let families = if is_short { &self.short } else { &self.long };
        families.iter().filter_map(|family| family.threshold(budget)).max_by(f32::total_cmp)
    }
}

impl CorpusNoise {
    /// How many of the foreign questions that decide about the gates are answered at this budget, and of how many: by
    /// the noisiest family of short ones, and of others.
    pub fn answered(&self, signals: SignalSet, budget: f64) -> (usize, usize) {
        let Some(noise) = self.of(signals) else { return (0, 0) };
        let mut out = (0, 0);
        for families in [&noise.short, &noise.long] {
            let known = families.iter().filter_map(|family| Some((family.threshold(budget)?, family)));
            if let Some((threshold, family)) = known.max_by(|a, b| a.0.total_cmp(&b.0)) {
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

    #[test]
    fn the_noisiest_family_decides() {
        let family = |most: f32| FamilyNoise::new((0..100).map(|at| most - at as f32 / 100.0).collect());
        let noise = SignalNoise { short: vec![family(1.0), family(3.0)], long: vec![family(0.0)] };
        assert!(noise.threshold(true, 0.03).unwrap() > 2.9 && noise.threshold(false, 0.03).unwrap() < 0.0);
        assert_eq!(SignalNoise::default().threshold(true, 0.03), None);
        assert_eq!(CorpusNoise::default().shift(SignalSet::Both, true, 0.5, 0.03), 0.0);
        let all = CorpusNoise { both: Some(ModelNoise { noise, ..ModelNoise::default() }), ..CorpusNoise::default() };
        let shift = all.shift(SignalSet::Both, true, 0.5, 0.03);
        assert!((shift + 2.98).abs() < 0.02, "a gate of log-odds 0 is reached from 2.98 on: {shift}");
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
    }
}
