//! Arithmetic on embedding vectors. Greater is closer, throughout: unit vectors are compared by their dot product, in
//! \[-1, 1\].

mod codes;
mod scan;
pub mod simd;

pub use codes::{QueryCodes, code_stride, decode_row, dot_encoded, encode_row};
pub use scan::dot_rows;

/// Lanes kept apart so that the compiler can use whole SIMD registers; sums of floats are not reordered otherwise.
const LANES: usize = 16;

/// Dot product of two vectors of the same length. Extra components of the longer one are ignored.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let len = a.len().min(b.len());
    let ((blocks_a, tail_a), (blocks_b, tail_b)) = (a[..len].as_chunks::<LANES>(), b[..len].as_chunks::<LANES>());
    let mut lanes = [0.0f32; LANES];
    // Indices in place of iterator adapters: those are not always inlined, and this is called for millions of pairs.
    let mut at = 0;
    while at < blocks_a.len() {
        let (x, y) = (&blocks_a[at], &blocks_b[at]);
        let mut lane = 0;
        while lane < LANES {
            lanes[lane] += x[lane] * y[lane];
            lane += 1;
        }
        at += 1;
    }
    let tail: f32 = tail_a.iter().zip(tail_b).map(|(x, y)| x * y).sum();
    lanes.iter().sum::<f32>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The referee adds in double precision, one by one.
        #[test]
        fn equals_the_naive_sum(pairs in prop::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 0..131)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let naive: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - naive).abs() < 1e-4);
        }
    }
}
