//! What orders the hits that passed. Recency and frequency are scaled by relevance: an old favourite never outranks a
//! hit that is more relevant by more than they can give. So is where a text is from: whoever works in a repository wants
//! its own files first, but not before a much better answer from elsewhere.

/// Most that recency adds, as a share of relevance.
pub(super) const RECENCY_WEIGHT: f32 = 0.1;
/// Most that frequency adds, as a share of relevance.
pub(super) const FREQUENCY_WEIGHT: f32 = 0.1;

/// `relevance * (0.8 + 0.1 recency + 0.1 frequency)`, in \[0, 1\].
pub fn score(relevance: f32, recency: Option<f32>, frequency: Option<f32>) -> f32 {
    let base = 1.0 - RECENCY_WEIGHT - FREQUENCY_WEIGHT;
    relevance * (base + RECENCY_WEIGHT * recency.unwrap_or(0.0) + FREQUENCY_WEIGHT * frequency.unwrap_or(0.0))
}

/// Share that is taken off the score of what is from elsewhere, when somebody prefers their own. As much as recency and
/// frequency can give each.
pub(super) const ELSEWHERE_WEIGHT: f32 = 0.1;

/// What is left of a score of something that is from elsewhere.
pub fn from_elsewhere(score: f32) -> f32 {
    score * (1.0 - ELSEWHERE_WEIGHT)
}

/// Milliseconds in which recency halves: 30 days.
const HALF_LIFE_MS: f32 = 30.0 * 86_400_000.0;
/// Days of use at which frequency is full.
const FULL_DAYS: f32 = 50.0;

/// `2^(-age / 30 days)`, in (0, 1\]; content from the future is new.
pub fn recency(updated_ms: i64, now_ms: i64) -> f32 {
    let age = now_ms.saturating_sub(updated_ms).max(0) as f32;
    (-age / HALF_LIFE_MS).exp2()
}

/// `ln(1 + days) / ln(51)`, in \[0, 1\]: the first days count most, and 50 are all that counts.
pub fn frequency(days: u32) -> f32 {
    ((1.0 + days as f32).ln() / (1.0 + FULL_DAYS).ln()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn recency_halves_in_a_month_and_frequency_saturates() {
        let day = 86_400_000;
        let now = 1000 * day;
        let cases = [(0, 1.0), (15, 0.707), (30, 0.5), (60, 0.25), (300, 0.001), (-5, 1.0)];
        for (age, expected) in cases {
            assert!((recency(now - age * day, now) - expected).abs() < 5e-4, "{age} days");
        }
        let cases = [(0, 0.0), (1, 0.176), (6, 0.495), (50, 1.0), (5000, 1.0)];
        for (days, expected) in cases {
            assert!((frequency(days) - expected).abs() < 5e-4, "{days} days of use");
        }
        assert!(recency(i64::MIN, i64::MAX) >= 0.0);
    }

    proptest! {
        /// Popularity never beats a hit that is a quarter more relevant, and nothing lifts what is irrelevant.
        #[test]
        fn priors_are_bounded_by_relevance(r in 0.0f32..=0.8, t in 0.0f32..=1.0, f in 0.0f32..=1.0) {
            prop_assert!(score(r, Some(t), Some(f)) <= score(r * 1.25, None, None) + 1e-6);
            prop_assert_eq!(score(0.0, Some(t), Some(f)), 0.0);
            // What is from elsewhere stays first if it is a ninth more relevant, all else being equal.
            prop_assert!(from_elsewhere(score(r * 1.12, Some(t), Some(f))) >= score(r, Some(t), Some(f)));
            prop_assert!(from_elsewhere(score(r, Some(t), Some(f))) <= score(r, Some(t), Some(f)));
        }
    }
}
