//! One vector against many rows, with the widest registers that the processor has.
//!
//! `pulp` compiles the loop for each instruction set and picks one at run time. Every row is summed in the same order
//! whatever its neighbours are, so how rows are shared out among threads never changes a result.

use pulp::{Arch, Simd, WithSimd};

struct Scan<'a> {
    query: &'a [f32],
    rows: &'a [f32],
    out: &'a mut [f32],
}

impl WithSimd for Scan<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let dims = self.query.len();
        if dims == 0 {
            return self.out.fill(0.0);
        }
        let (query, query_tail) = S::as_simd_f32s(self.query);
        for (row, out) in self.rows.chunks_exact(dims).zip(self.out) {
            let (row, row_tail) = S::as_simd_f32s(row);
            let mut sums = [simd.splat_f32s(0.0); 4];
            let (blocks, rest) = row.as_chunks::<4>();
            let (query_blocks, query_rest) = query.as_chunks::<4>();
            for (a, b) in blocks.iter().zip(query_blocks) {
                for lane in 0..4 {
                    sums[lane] = simd.mul_add_f32s(a[lane], b[lane], sums[lane]);
                }
            }
            for (a, b) in rest.iter().zip(query_rest) {
                sums[0] = simd.mul_add_f32s(*a, *b, sums[0]);
            }
            let sum = simd.add_f32s(simd.add_f32s(sums[0], sums[1]), simd.add_f32s(sums[2], sums[3]));
            let tail: f32 = row_tail.iter().zip(query_tail).map(|(a, b)| a * b).sum();
            *out = simd.reduce_sum_f32s(sum) + tail;
        }
    }
}

/// Dot products of `query` with each row of `rows` (`query.len()` components a row) into `out`, one a row. Rows beyond
/// `out`, and places of `out` beyond the rows, are left alone.
pub fn dot_rows(query: &[f32], rows: &[f32], out: &mut [f32]) {
    Arch::new().dispatch(Scan { query, rows, out });
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
