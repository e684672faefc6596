//! The order of the first candidates when a cross-encoder has read them.
//!
//! What closeness says and what the cross-encoder says are each taken as standard deviations from their mean over the
//! same candidates, and the mean of the two orders them. Either alone is worse than both: the cross-encoder was trained
//! on questions to a search engine and knows little of error messages (docs/retrieval.md). It changes the order and
//! nothing else: relevance and gate remain those of closeness.

/// Candidates that are read.
pub(super) const READ: usize = 30;
/// Weight of the cross-encoder against closeness.
const WEIGHT: f32 = 0.5;

/// The new order of candidates that come in this order with this closeness and these logits: the place that each
/// place's candidate had. Equal ones stay as they were.
pub(super) fn order(closeness: &[f32], logits: &[f32]) -> Vec<usize> {
    let (closeness, logits) = (standardised(closeness), standardised(logits));
    let mixed: Vec<f32> = closeness.iter().zip(&logits).map(|(c, l)| (1.0 - WEIGHT) * c + WEIGHT * l).collect();
    let mut order: Vec<usize> = (0..mixed.len()).collect();
    order.sort_by(|&a, &b| mixed[b].total_cmp(&mixed[a]));
    order
}

/// Deviations from the mean in standard deviations; zeros where all are the same.
fn standardised(values: &[f32]) -> Vec<f32> {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let deviation = (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / count).sqrt();
    let scale = if deviation > 1e-6 { 1.0 / deviation } else { 0.0 };
    values.iter().map(|v| (v - mean) * scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_have_a_say() {
        // The second is hardly less close, and reads much better.
        assert_eq!(order(&[2.0, 1.9, 0.5], &[-8.0, 6.0, -9.0]), [1, 0, 2]);
        // Read alike, or equally close: the other one decides.
        assert_eq!(order(&[2.0, 1.9, 0.5], &[3.0, 3.0, 3.0]), [0, 1, 2]);
        assert_eq!(order(&[1.0, 1.0, 1.0], &[-1.0, 2.0, 0.0]), [1, 2, 0]);
        assert_eq!(order(&[], &[]), [0usize; 0]);
    }

    #[test]
    fn two_that_contradict_each_other_stay() {
        assert_eq!(order(&[2.0, 1.0], &[0.0, 5.0]), [0, 1]);
    }

    proptest! {
        /// Each is there once, whoever is better in both comes first, and no scale matters.
        #[test]
        fn an_order(pairs in prop::collection::vec((0.0f32..5.0, -12.0f32..12.0), 0..31), scale in 0.1f32..10.0) {
            let (closeness, logits): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let new = order(&closeness, &logits);
            let mut all = new.clone();
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..pairs.len()));
            let place = |at: usize| new.iter().position(|&old| old == at).unwrap();
            for a in 0..pairs.len() {
                for b in 0..pairs.len() {
                    if closeness[a] > closeness[b] + 0.01 && logits[a] > logits[b] + 0.01 {
                        prop_assert!(place(a) < place(b));
                    }
                }
            }
            let scaled: Vec<f32> = logits.iter().map(|l| l * scale + 3.0).collect();
            let mixed = |new: &[usize]| new.iter().map(|&at| pairs[at]).collect::<Vec<_>>();
            let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
            prop_assert!(close(&standardised(&scaled), &standardised(&logits)), "{:?}", mixed(&new));
        }
    }
}
