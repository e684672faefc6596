//! One vector against many rows of bytes: the first pass of an exact search.

use super::lanes::{Lanes, Op};

/// Sums of products of each row with two rows of bytes.
pub(super) struct DotBytes<'a> {
    pub rows: &'a [u8],
    pub high: &'a [i8],
    pub low: &'a [i8],
    pub out: &'a mut [[i32; 2]],
}

impl Op for DotBytes<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        for (row, out) in self.rows.chunks_exact(self.high.len()).zip(self.out) {
            *out = s.dot_bytes(row, self.high, self.low);
        }
    }
}
