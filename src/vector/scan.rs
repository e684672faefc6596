//! One vector against many rows, with the widest registers that the processor has.
//!
//! Every row is summed in the same order whatever its neighbours are and whatever the registers, so neither the number
//! of threads nor the processor changes a result.

use super::simd::Isa;

/// Dot products of `query` with each row of `rows` (`query.len()` components a row) into `out`, one a row. Rows beyond
/// `out`, and places of `out` beyond the rows, are left alone.
pub fn dot_rows(query: &[f32], rows: &[f32], out: &mut [f32]) {
    Isa::detect().dot_rows(query, rows, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The referee adds in double precision, one by one; starts are unaligned.
        #[test]
        fn equals_the_naive_sums(
            dims in 1usize..131,
            values in prop::collection::vec(-1.0f32..1.0, 131 * 4),
            skip in 0usize..3,
        ) {
            let (query, rows) = (&values[skip..skip + dims], &values[131..131 + dims * 2]);
            let mut out = [0.0; 2];
            dot_rows(query, rows, &mut out);
            for (row, found) in rows.chunks_exact(dims).zip(out) {
                let naive: f64 = row.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                prop_assert!((f64::from(found) - naive).abs() < 1e-4);
            }
            let mut one = [0.0];
            dot_rows(query, &rows[dims..], &mut one);
            prop_assert_eq!(one[0].to_bits(), out[1].to_bits());
        }
    }
}
