//! From the token vectors of a batch to one unit vector a text.
//!
//! A vector that is zero or holds a NaN or infinity is an error: it would compare as anything with everything.

use super::EmbedError;
use super::manifest::Pooling;
use std::ops::Range;

/// The vector of the text whose tokens are the rows `rows` of `hidden`, which is `dims` wide.
pub(crate) fn pool(hidden: &[f32], rows: Range<usize>, dims: usize, pooling: Pooling) -> Vec<f32> {
    let tokens = &hidden[rows.start * dims..rows.end * dims];
    match pooling {
        Pooling::Cls => tokens[..dims].to_vec(),
        Pooling::Mean => {
            let mut sum = vec![0.0f32; dims];
            for token in tokens.chunks_exact(dims) {
                for (s, t) in sum.iter_mut().zip(token) {
                    *s += t;
                }
            }
            let share = 1.0 / rows.len() as f32;
            sum.iter_mut().for_each(|s| *s *= share);
            sum
        }
    }
}

/// Scales to length 1. `index` names the text in the error.
pub(crate) fn normalise(vector: &mut [f32], index: usize) -> Result<(), EmbedError> {
    // f64: a sum of squares in f32 overflows at values that f32 still holds.
    let norm = vector.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
    if !norm.is_finite() {
        return Err(EmbedError::BadVector { index, what: "it holds values that are not numbers" });
    }
    if norm < 1e-12 {
        return Err(EmbedError::BadVector { index, what: "it is zero" });
    }
    for value in vector.iter_mut() {
        *value = (f64::from(*value) / norm) as f32;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_only_the_rows_of_the_text() {
        let hidden = [9.0, 9.0, 1.0, 2.0, 3.0, 6.0, 9.0, 9.0];
        assert_eq!(pool(&hidden, 1..3, 2, Pooling::Cls), [1.0, 2.0]);
        assert_eq!(pool(&hidden, 1..3, 2, Pooling::Mean), [2.0, 4.0]);
    }

    #[test]
    fn unit_length_or_an_error() {
        let mut vector = [3.0, 4.0];
        normalise(&mut vector, 0).unwrap();
        assert_eq!(vector, [0.6, 0.8]);
        let mut huge = [f32::MAX, f32::MAX];
        normalise(&mut huge, 0).unwrap();
        assert!((huge[0] - 0.5f32.sqrt()).abs() < 1e-6);
        assert!(normalise(&mut [0.0, 0.0], 3).is_err());
        assert!(normalise(&mut [f32::NAN, 1.0], 3).is_err());
        assert!(normalise(&mut [f32::INFINITY, 1.0], 3).is_err());
    }
}
