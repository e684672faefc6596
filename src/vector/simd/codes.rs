//! One vector against many rows of bytes: the first pass of an exact search, and the steps of a walk through a graph.

use super::lanes::{LANES, Lanes, MIDDLE, Op, QUAD};
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

/// Dot product of a query with one row in full precision, decoded in registers.
pub(super) struct DotRow<'a> {
    pub query: &'a [f32],
    /// As many as the query has components.
    pub codes: &'a [u8],
    pub rests: &'a [u16],
    /// What one step of a rest is worth.
    pub step: f32,
}

impl Op for DotRow<'_> {
    type Out = f32;

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) -> f32 {
        let (query, query_tail) = self.query.as_chunks::<LANES>();
        let (codes, codes_tail) = self.codes.as_chunks::<LANES>();
        let (rests, rests_tail) = self.rests.as_chunks::<LANES>();
        // Once here, not at every step.
        let (codes, rests) = (&codes[..query.len()], &rests[..query.len()]);
        let step = s.splat(self.step);
        let mut sums = [s.splat(0.0); QUAD];
        let components = |codes, rests| s.mul(s.load_steps(codes, rests), step);
        let whole = query.len() / QUAD * QUAD;
        for at in (0..whole).step_by(QUAD) {
            for i in 0..QUAD {
                sums[i] = s.fma(components(&codes[at + i], &rests[at + i]), s.load(&query[at + i]), sums[i]);
            }
        }
        for at in whole..query.len() {
            sums[0] = s.fma(components(&codes[at], &rests[at]), s.load(&query[at]), sums[0]);
        }
        let sum = s.sum(s.add(s.add(sums[0], sums[1]), s.add(sums[2], sums[3])));
        let component = |code: u8, rest: u16| ((i32::from(code) << 16 | i32::from(rest)) - MIDDLE) as f32 * self.step;
        let tail = query_tail.iter().zip(codes_tail.iter().zip(rests_tail));
        sum + tail.map(|(x, (code, rest))| component(*code, *rest) * x).sum::<f32>()
    }
}

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
