//! One vector against many rows of bytes: the first pass of an exact search, and the steps of a walk through a graph.

use super::lanes::{LANES, Lanes, MIDDLE, Op, QUAD};
use super::rows::store_part;

/// A query in two bytes a component, `step * (256 * high + low)`, as long as a row of codes.
#[derive(Debug, Clone, Copy)]
pub struct SplitQuery<'a> {
    /// The upper bytes.
    pub high: &'a [i8],
    /// The lower bytes.
    pub low: &'a [i8],
    /// What the zero point of a row, 128, adds to its sums with the two.
    pub zeros: [i32; 2],
    /// What one step is worth.
    pub step: f32,
}

impl SplitQuery<'_> {
    pub(super) fn check(&self) {
        let length = self.high.len();
        assert!(length > 0 && length == self.low.len() && length.is_multiple_of(64) && length <= 1 << 16);
    }
}

/// Approximate similarities of some rows of codes.
pub(super) struct Similarities<'a, R> {
    pub codes: &'a [u8],
    pub scales: &'a [f32],
    pub query: SplitQuery<'a>,
    /// The number of the row whose similarity goes to a place of `out`.
    pub row: R,
    pub out: &'a mut [f32],
}

/// So many rows ahead, codes are asked for: the processor itself does not ask beyond a page.
const AHEAD: usize = 12;

impl<R: Fn(usize) -> usize> Op for Similarities<'_, R> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let (SplitQuery { high, low, zeros, step }, stride) = (self.query, self.query.high.len());
        let most = self.out.len().saturating_sub(1);
        let codes = |at: usize| &self.codes[(self.row)(at.min(most)) * stride..][..stride];
        let (weight, step) = (s.splat(256.0), s.splat(step));
        for (block, out) in self.out.chunks_mut(LANES).enumerate() {
            // The last few are filled up with the last one, whose similarity is then made more than once.
            let first = block * LANES;
            let (mut highs, mut lows) = ([[0; QUAD]; LANES / QUAD], [[0; QUAD]; LANES / QUAD]);
            for quad in 0..LANES / QUAD {
                let at = first + quad * QUAD;
                let (mut rows, mut ahead) = ([&self.codes[..0]; QUAD], [&self.codes[..0]; QUAD]);
                for i in 0..QUAD {
                    rows[i] = codes(at + i);
                    ahead[i] = codes(at + AHEAD + i);
                }
                [highs[quad], lows[quad]] = s.dot_quad(rows, [high, low], Some(ahead));
            }
            let mut scales = [0.0; LANES];
            for (i, scale) in scales.iter_mut().enumerate() {
                *scale = self.scales[(self.row)((first + i).min(most))];
            }
            let steps = s.fma(s.less(&highs, zeros[0]), weight, s.less(&lows, zeros[1]));
            let near = s.mul(steps, s.mul(s.load(&scales), step));
            match out.as_chunks_mut::<LANES>() {
                ([whole], []) => s.store(near, whole),
                _ => store_part(s, near, out),
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
        for first in (0..self.out.len()).step_by(QUAD) {
            // The last few are filled up with the last one, whose sum is then made more than once.
            let last = (first + QUAD).min(self.out.len()) - 1;
            let mut quad = [&self.codes[..0]; QUAD];
            for i in 0..QUAD {
                quad[i] = row(self.rows[(first + i).min(last)]);
            }
            let [sums] = s.dot_quad(quad, [self.query], None);
            let out = &mut self.out[first..=last];
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}
