//! One vector of f32 against many rows.

use super::lanes::{LANES, Lanes, Op};

/// The dot product of `query` with each row, for as many rows as both `rows` and `out` have.
pub(super) struct DotRows<'a> {
    pub query: &'a [f32],
    pub rows: &'a [f32],
    pub out: &'a mut [f32],
}

impl Op for DotRows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let dims = self.query.len();
        if dims == 0 {
            return self.out.fill(0.0);
        }
        let (query, query_tail) = self.query.as_chunks::<LANES>();
        let (query_blocks, query_rest) = query.as_chunks::<4>();
        for (row, out) in self.rows.chunks_exact(dims).zip(self.out) {
            let (row, row_tail) = row.as_chunks::<LANES>();
            let (blocks, rest) = row.as_chunks::<4>();
            // Four sums, so that an addition need not wait for the one before.
            let mut sums = [s.splat(0.0); 4];
            for (a, b) in blocks.iter().zip(query_blocks) {
                for lane in 0..4 {
                    sums[lane] = s.fma(s.load(&a[lane]), s.load(&b[lane]), sums[lane]);
                }
            }
            for (a, b) in rest.iter().zip(query_rest) {
                sums[0] = s.fma(s.load(a), s.load(b), sums[0]);
            }
            let sum = s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3]));
            let mut tail = 0.0;
            for (a, b) in row_tail.iter().zip(query_tail) {
                tail += a * b;
            }
            *out = s.sum(sum) + tail;
        }
    }
}
