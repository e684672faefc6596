//! From which score on something is suggested: such that [`TARGET`] of the suggestions are accepted.
//!
//! Nobody knows how a user's acceptance grows with the score, so the threshold follows what becomes of suggestions
//! (stochastic approximation; Robbins and Monro, 1951). After an outcome `a`, 1 if accepted and else 0:
//!
//! ```text
//! threshold = threshold + step * (TARGET - a)
//! step      = max(FIRST_STEP / (1 + turns), LAST_STEP)
//! ```
//!
//! It rests where the expected step is 0, which is where `TARGET` are accepted. Whatever the user does, the mean of
//! `a` over `n` outcomes with one step differs from `TARGET` by at most the width of [`RANGE`] over `n * step`, as long
//! as no end of the range is met: this is the bound of online conformal prediction (Gibbs and Candes, 2021).
//!
//! A constant step is slow or restless. The step shrinks by Kesten's rule (1958): `turns` counts how often the share
//! accepted in the window of the last [`WINDOW`] outcomes has crossed `TARGET`; as long as it is on one side, the
//! threshold is far off. If a whole window after that differs from `TARGET` by more than chance, somebody has changed
//! their mind, and the steps are long again.

/// Outcomes that are looked at: from the requirements.
pub const WINDOW: usize = 50;
/// Where a threshold begins: from the requirements.
pub const START: f64 = 0.92;
/// Share of suggestions that are to be accepted: from the requirements.
pub const TARGET: f64 = 0.85;
/// The step while the threshold is far off.
pub const FIRST_STEP: f64 = 0.08;
/// The shortest step, with which it follows slow changes.
pub const LAST_STEP: f64 = 0.008;
/// Outcomes before the share in the window counts.
pub const SETTLING: usize = 10;
/// How far the share in a full window must be off for the steps to be long again: 2.5 standard deviations of the share
/// of 50 draws that succeed in 85 %, `2.5 * sqrt(0.85 * 0.15 / 50)`.
pub const DEVIATION: f64 = 0.126;
/// Thresholds stay in here: at 1 nothing would ever be suggested, so that nothing could be learnt.
pub const RANGE: (f64, f64) = (0.05, 0.99);
/// Times without any suggestion after which what was used though it was not suggested counts as accepted.
pub const SILENT: u32 = 10;
/// Tools that a task is taken to need, for [`draw_chance`]: as many as are shown.
const DRAWS: i32 = 5;

/// The chance that a tool with this share is among five that are drawn by their shares: the score of a suggestion.
pub fn draw_chance(share: f64) -> f64 {
    1.0 - (1.0 - share.clamp(0.0, 1.0)).powi(DRAWS)
}

/// A threshold, and all that its next steps rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// Something is suggested from this score on.
    pub value: f64,
    /// Outcomes so far.
    pub outcomes: u64,
    /// How often the share in the window has crossed the target since the steps were long.
    pub turns: u32,
    /// Outcomes since the steps were long, up to [`WINDOW`].
    pub since: u32,
    /// How often in a row nothing was suggested.
    pub silent: u32,
    /// The last outcomes, the oldest first.
    pub window: Vec<bool>,
}

impl Default for Threshold {
    fn default() -> Self {
        Self { value: START, outcomes: 0, turns: 0, since: 0, silent: 0, window: Vec::new() }
    }
}

impl Threshold {
    /// Whether something with this score is suggested.
    pub fn passes(&self, score: f64) -> bool {
        score >= self.value
    }

    /// The share of the window that was accepted; none without outcomes.
    pub fn accepted(&self) -> Option<f64> {
        let accepted = self.window.iter().filter(|accepted| **accepted).count();
        (!self.window.is_empty()).then(|| accepted as f64 / self.window.len() as f64)
    }

    /// The step that the next outcome makes it take.
    pub fn step(&self) -> f64 {
        (FIRST_STEP / (1.0 + f64::from(self.turns))).max(LAST_STEP)
    }

    /// What became of a suggestion.
    pub fn learn(&mut self, accepted: bool) {
        let above = |threshold: &Self| {
            let settled = threshold.window.len() >= SETTLING;
            threshold.accepted().filter(|_| settled).map(|share| share >= TARGET)
        };
        let before = above(self);
        self.outcomes += 1;
        self.window.push(accepted);
        let over = self.window.len().saturating_sub(WINDOW);
        self.window.drain(..over);
        self.since = (self.since + 1).min(WINDOW as u32);
        if before.is_some() && before != above(self) {
            self.turns = self.turns.saturating_add(1);
        }
        let off = self.accepted().map_or(0.0, |share| (share - TARGET).abs());
        if self.since >= WINDOW as u32 && self.turns > 0 && off > DEVIATION {
            (self.turns, self.since) = (0, 0);
        }
        let step = self.step() * (TARGET - f64::from(u8::from(accepted)));
        self.value = (self.value + step).clamp(RANGE.0, RANGE.1);
    }

    /// Says whether anything was suggested this time.
    pub fn asked(&mut self, suggested: bool) {
        self.silent = if suggested { 0 } else { self.silent.saturating_add(1) };
    }

    /// Whether it has suggested nothing for so long that it learns from what was not suggested.
    pub fn is_silent(&self) -> bool {
        self.silent >= SILENT
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Random;
    use super::*;
    use proptest::prelude::*;

    fn share(random: &mut Random) -> f64 {
        (random.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn it_begins_where_the_requirements_say_and_moves_against_the_outcome() {
        let mut threshold = Threshold::default();
        assert!(threshold.passes(0.92) && !threshold.passes(0.919));
        threshold.learn(true);
        assert!((threshold.value - (0.92 - 0.08 * 0.15)).abs() < 1e-12);
        threshold.learn(false);
        assert!((threshold.value - (0.92 - 0.08 * 0.15 + 0.08 * 0.85)).abs() < 1e-12);
        assert_eq!(threshold.accepted(), Some(0.5));
    }

    /// The expected step is 0 where the target is reached. This user accepts a score as often as it says, of scores that
    /// are drawn evenly: half way between threshold and 1, so that the target is reached at 0.7.
    #[test]
    fn it_settles_where_the_target_is_reached() {
        let mut short = 0;
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut threshold = Threshold::default();
            for _ in 0..300 {
                let score = threshold.value + (1.0 - threshold.value) * share(&mut random);
                threshold.learn(share(&mut random) < score);
            }
            assert!((threshold.value - 0.7).abs() < 0.15, "seed {seed}: {threshold:?}");
            short += usize::from(threshold.step() <= 0.04);
        }
        // Now and then luck looks like a changed mind.
        assert!(short >= 16, "{short} of 20 take short steps");
    }

    #[test]
    fn a_changed_mind_makes_the_steps_long_again() {
        let mut threshold = Threshold { turns: 9, since: 50, window: vec![true; 50], ..Threshold::default() };
        threshold.window[..8].fill(false);
        let before = threshold.step();
        let mut longest = before;
        for _ in 0..50 {
            threshold.learn(false);
            longest = longest.max(threshold.step());
        }
        assert!(before <= LAST_STEP && longest >= FIRST_STEP / 2.0, "{threshold:?}");
        assert_eq!(threshold.value, RANGE.1);
    }

    #[test]
    fn silence_is_counted_until_something_is_suggested() {
        let mut threshold = Threshold::default();
        (0..SILENT).for_each(|_| threshold.asked(false));
        assert!(threshold.is_silent());
        threshold.asked(true);
        assert!(!threshold.is_silent());
    }

    proptest! {
        /// It stays in its range with a bounded window, whatever comes, and where one step was taken all along the mean
        /// of the outcomes is as near to the target as the bound says.
        #[test]
        fn outcomes_move_it_within_bounds(outcomes in prop::collection::vec(any::<bool>(), 1..400)) {
            let mut threshold = Threshold::default();
            for (at, outcome) in outcomes.iter().enumerate() {
                let (before, turns) = (threshold.value, threshold.turns);
                threshold.learn(*outcome);
                prop_assert!((RANGE.0..=RANGE.1).contains(&threshold.value));
                let moves_back = if *outcome { threshold.value <= before } else { threshold.value >= before };
                prop_assert!(moves_back);
                prop_assert!(threshold.turns <= turns + 1 && threshold.step() <= FIRST_STEP);
                let from = (at + 1).saturating_sub(WINDOW);
                prop_assert_eq!(&threshold.window, &outcomes[from..=at]);
            }
            prop_assert_eq!(threshold.outcomes, outcomes.len() as u64);
        }
    }
}
