//! A question moved towards what it found first (Rocchio, "Relevance feedback in information retrieval", 1971; without
//! anybody's word for it, pseudo-relevance feedback): texts that say the same in other words come nearer.

use crate::vector::dot;

/// Candidates that move the question.
pub const FEEDBACK: usize = 5;
/// How far it moves towards their mean.
const STEP: f32 = 0.3;
/// How much less a candidate counts that lies behind the closest: by `exp(-difference / 0.1)`.
const TEMPERATURE: f32 = 0.1;

/// A unit vector: the question's, moved towards the weighted mean of the closest candidates' vectors. `closest` holds
/// each one's closeness and unit vector, the closest first.
pub fn moved(question: &[f32], closest: &[(f32, Vec<f32>)]) -> Vec<f32> {
    let Some((best, _)) = closest.first() else { return question.to_vec() };
    let weights: Vec<f32> = closest.iter().map(|(closeness, _)| ((closeness - best) / TEMPERATURE).exp()).collect();
    let sum: f32 = weights.iter().sum();
    let mut out = question.to_vec();
    for (weight, (_, vector)) in weights.iter().zip(closest) {
        out.iter_mut().zip(vector).for_each(|(out, x)| *out += STEP * weight / sum * x);
    }
    unit(out)
}

/// The mean direction of unit vectors.
pub fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut out = vectors.first().cloned().unwrap_or_default();
    for vector in vectors.iter().skip(1) {
        out.iter_mut().zip(vector).for_each(|(out, x)| *out += x);
    }
    if vectors.len() > 1 { unit(out) } else { out }
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt();
    // Opposites have no mean direction.
    if length > f32::EPSILON {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_towards_the_closest() {
        let question = [1.0, 0.0];
        let to = moved(&question, &[(2.0, vec![0.0, 1.0]), (1.0, vec![0.0, -1.0])]);
        assert!(to[1] > 0.25 && to[1] < 0.3, "{to:?}");
        assert!((to[0] * to[0] + to[1] * to[1] - 1.0).abs() < 1e-6);
        assert_eq!(moved(&question, &[]), question);
    }

    #[test]
    fn a_mean_is_a_direction() {
        let both = mean(&[vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert!((both[0] - both[1]).abs() < 1e-6 && (both[0] - 0.5f32.sqrt()).abs() < 1e-6);
        assert_eq!(mean(&[vec![0.6, 0.8]]), [0.6, 0.8]);
    }
}
