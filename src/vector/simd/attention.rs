//! Attention of one head of one text, in f32.
//!
//! Keys are turned into columns and values copied beside each other, once a head; then six questions at a
//! time go through scores, softmax and the weighted sum, all in the first cache. The softmax is divided out at the
//! end. Keys beyond the text count as minus infinity. A question's result does not depend on which questions stand
//! beside it.

use super::lanes::{LANES, Lanes, Op, ROWS, TileF32};
use super::math;
use super::product::{by_rows, sum_f32, tiles};
use super::scratch::fit;

/// One head of one text. Rows are `stride` apart; the head's columns are the first `width` of each.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// What asks, with the scale in it.
    pub questions: &'a [f32],
    /// From question to question.
    pub question_stride: usize,
    /// How many.
    pub asked: usize,
    /// What is asked.
    pub keys: &'a [f32],
    /// What is answered.
    pub values: &'a [f32],
    /// From key to key and from value to value.
    pub stride: usize,
    /// Tokens of the text.
    pub tokens: usize,
    /// Columns of the head; a multiple of 16.
    pub width: usize,
}

/// Working memory for one head's work, kept from call to call.
#[derive(Debug, Default)]
pub struct AttentionScratch {
    keys: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
}

/// Writes the answer of question r to `out[r * out_stride..]`.
pub(super) struct Attend<'a> {
    pub head: Head<'a>,
    pub scratch: &'a mut AttentionScratch,
    pub out: &'a mut [f32],
    pub out_stride: usize,
}

/// Keys to `width` rows of `line`: transposed in blocks of 16 x 16, zeros beyond the text.
#[inline(always)]
fn pack_keys<S: Lanes>(s: S, head: &Head<'_>, line: usize, out: &mut [f32]) {
    for first in (0..head.tokens).step_by(LANES) {
        for c in (0..head.width).step_by(LANES) {
            let mut block = [s.splat(0.0); LANES];
            for (i, row) in (first..head.tokens.min(first + LANES)).enumerate() {
                if let Some(from) = head.keys[row * head.stride + c..].first_chunk() {
                    block[i] = s.load(from);
                }
            }
            for (i, column) in s.transpose(block).into_iter().enumerate() {
                if let Some(to) = out[(c + i) * line + first..].first_chunk_mut() {
                    s.store(column, to);
                }
            }
        }
    }
}

/// Length of a row of turned keys: whole vectors, and one more so that rows do not fall on each other in the cache.
fn key_line(tokens: usize) -> usize {
    tokens.next_multiple_of(LANES) + LANES
}

/// Scores of a tile against W vectors of keys.
#[inline(always)]
fn score<S: Lanes, const R: usize, const W: usize>(s: S, tile: &TileF32<'_>, scores: &mut [f32], line: usize) {
    let sums = sum_f32::<S, R, W>(s, tile);
    for r in 0..R {
        for w in 0..W {
            if let Some(to) = scores[r * line + w * LANES..].first_chunk_mut() {
                s.store(sums[r][w], to);
            }
        }
    }
}

/// A tile of R questions through one head.
#[inline(always)]
fn answer<S: Lanes, const R: usize>(
    s: S,
    head: &Head<'_>,
    row: usize,
    (keys, values, scores): (&[f32], &[f32], &mut [f32]),
    (out, out_stride): (&mut [f32], usize),
) {
    let padded = head.tokens.next_multiple_of(LANES);
    let line = key_line(head.tokens);
    let rows = &head.questions[row * head.question_stride..];
    let mut first = 0;
    while first < padded {
        let tile =
            TileF32 { rows, stride: head.question_stride, panel: &keys[first..], width: line, inputs: head.width };
        let to = &mut scores[first..];
        let vectors = match (padded - first) / LANES {
            1 => 1,
            2 | 3 => 2,
            _ => 4,
        };
        let vectors = vectors.min(S::WIDE);
        match vectors {
            1 => score::<S, R, 1>(s, &tile, to, padded),
            2 => score::<S, R, 2>(s, &tile, to, padded),
            _ => score::<S, R, 4>(s, &tile, to, padded),
        }
        first += vectors * LANES;
    }
    let mut shares = [0.0f32; R];
    for (scores, share) in scores.chunks_exact_mut(padded).zip(&mut shares) {
        scores[head.tokens..].fill(f32::NEG_INFINITY);
        let (chunks, _) = scores.as_chunks_mut::<LANES>();
        let mut high = s.splat(f32::NEG_INFINITY);
        for chunk in chunks.iter() {
            high = s.max(high, s.load(chunk));
        }
        let high = s.splat(s.greatest(high));
        let mut sum = s.splat(0.0);
        for chunk in chunks {
            let e = math::exp(s, s.sub(s.load(chunk), high));
            sum = s.add(sum, e);
            s.store(e, chunk);
        }
        *share = 1.0 / s.sum(sum);
    }
    let out = &mut out[row * out_stride..];
    let mut first = 0;
    while first < head.width {
        let tile =
            TileF32 { rows: scores, stride: padded, panel: &values[first..], width: head.width, inputs: head.tokens };
        if S::WIDE > 1 && head.width - first >= 2 * LANES {
            spread::<S, R, 2>(s, sum_f32(s, &tile), &shares, first, out, out_stride);
            first += 2 * LANES;
        } else {
            spread::<S, R, 1>(s, sum_f32(s, &tile), &shares, first, out, out_stride);
            first += LANES;
        }
    }
}

#[inline(always)]
fn spread<S: Lanes, const R: usize, const W: usize>(
    s: S,
    sums: [[S::F; W]; R],
    shares: &[f32; R],
    first: usize,
    out: &mut [f32],
    stride: usize,
) {
    for r in 0..R {
        let share = s.splat(shares[r]);
        for w in 0..W {
            if let Some(to) = out[r * stride + first + w * LANES..].first_chunk_mut() {
                s.store(s.mul(sums[r][w], share), to);
            }
        }
    }
}

impl Op for Attend<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let Self { head, scratch, out, out_stride } = self;
        let padded = head.tokens.next_multiple_of(LANES);
        let line = key_line(head.tokens);
        let keys = fit(&mut scratch.keys, line * head.width);
        let values = fit(&mut scratch.values, padded * head.width);
        let scores = fit(&mut scratch.scores, padded * ROWS);
        pack_keys(s, &head, line, keys);
        for (to, from) in values.chunks_exact_mut(head.width).zip(head.values.chunks(head.stride)).take(head.tokens) {
            for (to, from) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(from.as_chunks::<LANES>().0) {
                s.store(s.load(from), to);
            }
        }
        for (row, count) in tiles(head.asked) {
            let scratch = (&*keys, &*values, &mut *scores);
            by_rows!(count, answer, s, &head, row, scratch, (&mut *out, out_stride));
        }
    }
}
