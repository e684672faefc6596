//! What orders the hits that passed. Recency and frequency are scaled by relevance: an old favourite never outranks a
//! hit that is more relevant by more than they can give.

/// Most that recency adds, as a share of relevance.
const RECENCY_WEIGHT: f32 = 0.1;
/// Most that frequency adds, as a share of relevance.
const FREQUENCY_WEIGHT: f32 = 0.1;

/// `relevance * (0.8 + 0.1 recency + 0.1 frequency)`, in \[0, 1\].
pub fn score(relevance: f32, recency: Option<f32>, frequency: Option<f32>) -> f32 {
    let base = 1.0 - RECENCY_WEIGHT - FREQUENCY_WEIGHT;
    relevance * (base + RECENCY_WEIGHT * recency.unwrap_or(0.0) + FREQUENCY_WEIGHT * frequency.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Popularity never beats a hit that is a quarter more relevant, and nothing lifts what is irrelevant.
        #[test]
        fn priors_are_bounded_by_relevance(r in 0.0f32..=0.8, t in 0.0f32..=1.0, f in 0.0f32..=1.0) {
            prop_assert!(score(r, Some(t), Some(f)) <= score(r * 1.25, None, None) + 1e-6);
            prop_assert_eq!(score(0.0, Some(t), Some(f)), 0.0);
        }
    }
}
