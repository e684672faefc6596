//! One vector against many rows of bytes: the first pass of an exact search, and the steps of a walk through a graph.

use super::lanes::{Lanes, Op};
use super::prefetch;

/// Sums of products of each row with two rows of bytes.
pub(super) struct DotBytes<'a> {
    /// The rows, and what may be asked for next.
    pub ahead: &'a [u8],
    pub high: &'a [i8],
    pub low: &'a [i8],
    pub out: &'a mut [[i32; 2]],
}

/// How far ahead rows are asked for, in bytes: the processor itself does not ask beyond a page.
const AHEAD: usize = 4096;

impl Op for DotBytes<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let stride = self.high.len();
        for (at, out) in self.out.chunks_mut(QUAD).enumerate() {
            let start = at * QUAD * stride;
            let next = (start + AHEAD).min(self.ahead.len());
            prefetch(&self.ahead[next..(next + QUAD * stride).min(self.ahead.len())]);
            let rows = &self.ahead[start..start + out.len() * stride];
            // The last few are filled up with the last one, whose sums are then made more than once.
            let quad = std::array::from_fn(|i| &rows[i.min(out.len() - 1) * stride..][..stride]);
            let [high, low] = s.dot_quad(quad, [self.high, self.low]);
            for ((out, high), low) in out.iter_mut().zip(high).zip(low) {
                *out = [high, low];
            }
        }
    }
}

/// Rows that are compared at a time: their loads and products overlap.
pub(super) const QUAD: usize = 4;

/// Sums of products of the rows at these places with one row of bytes.
pub(super) struct DotGather<'a> {
    /// Row after row, each as long as `query`.
    pub codes: &'a [u8],
    pub rows: &'a [u32],
    pub query: &'a [i8],
    pub out: &'a mut [i32],
}

impl Op for DotGather<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let stride = self.query.len();
        let row = |row: u32| &self.codes[row as usize * stride..][..stride];
        for (rows, out) in self.rows.chunks(QUAD).zip(self.out.chunks_mut(QUAD)) {
            // The last few are filled up with the last one, whose sum is then made more than once.
            let quad = std::array::from_fn(|i| row(rows[i.min(rows.len() - 1)]));
            let [sums] = s.dot_quad(quad, [self.query]);
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}
