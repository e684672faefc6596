//! Row operations: quantise, layer norm.
//!
//! A row of f32 becomes bytes with a scale and a zero point of its own, so that nothing else in the batch can change
//! it. The zero point lets the bytes span from the row's least to its greatest value: what GELU makes is nearly all
//! positive, and half the bytes would be idle without. A value that is not finite makes the row's scale a NaN, and so
//! every product of the row.

use super::lanes::{LANES, Lanes, Op};

/// What the bytes of a row mean: `value = scale * (byte - zero)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RowScale {
    /// Greater than zero, or NaN for a row that holds something not finite.
    pub scale: f32,
    /// 0 to 255.
    pub zero: i32,
}

/// Layer norm's parameters: mean 0 and variance 1, then `gamma x + beta`.
#[derive(Debug, Clone, Copy)]
pub struct Norm<'a> {
    /// As long as a row.
    pub gamma: &'a [f32],
    /// As long as a row.
    pub beta: &'a [f32],
    /// Added to the variance.
    pub eps: f32,
}

/// Sixteen values, the missing ones replaced.
#[inline(always)]
pub(super) fn load_part<S: Lanes>(s: S, from: &[f32], missing: f32) -> S::F {
    let mut lanes = [missing; LANES];
    lanes[..from.len()].copy_from_slice(from);
    s.load(&lanes)
}

/// The first values of sixteen.
#[inline(always)]
pub(super) fn store_part<S: Lanes>(s: S, x: S::F, to: &mut [f32]) {
    let mut lanes = [0.0; LANES];
    s.store(x, &mut lanes);
    to.copy_from_slice(&lanes[..to.len()]);
}

#[inline(always)]
fn quantise_row<S: Lanes>(s: S, row: &[f32], out: &mut [u8]) -> RowScale {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let zero = s.splat(0.0);
    let (mut high, mut low, mut odd) = (zero, zero, zero);
    let mut see = |x| {
        high = s.max(high, x);
        low = s.min(low, x);
        odd = s.fma(x, zero, odd); // 0, or NaN if any value is not finite.
    };
    for chunk in chunks {
        see(s.load(chunk));
    }
    if !rest.is_empty() {
        see(load_part(s, rest, 0.0));
    }
    let (most, least) = (s.greatest(high), -s.greatest(s.sub(zero, low)));
    let span = most - least;
    let (scale, inverse) = if span > 1e-30 { (span / 255.0, 255.0 / span) } else { (1.0, 1.0) };
    let zero_point = (-least * inverse).round_ties_even().clamp(0.0, 255.0);
    let (factor, shift, top) = (s.splat(inverse), s.splat(zero_point), s.splat(255.0));
    let byte = |x| s.max(zero, s.min(top, s.fma(x, factor, shift)));
    let (bytes, last) = out.as_chunks_mut::<LANES>();
    for (chunk, to) in chunks.iter().zip(bytes) {
        s.store_bytes(byte(s.load(chunk)), to);
    }
    if !rest.is_empty() {
        let mut part = [0; LANES];
        s.store_bytes(byte(load_part(s, rest, 0.0)), &mut part);
        last.copy_from_slice(&part[..last.len()]);
    }
    RowScale { scale: scale + s.sum(odd), zero: zero_point as i32 }
}

/// Quantises rows of `width`.
pub(super) struct Quantise<'a> {
    pub rows: &'a [f32],
    pub width: usize,
    pub out: &'a mut [u8],
    pub scales: &'a mut [RowScale],
}

impl Op for Quantise<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let rows = self.rows.chunks_exact(self.width).zip(self.out.chunks_exact_mut(self.width));
        for ((row, out), scale) in rows.zip(self.scales) {
            *scale = quantise_row(s, row, out);
        }
    }
}

#[inline(always)]
fn norm_row<S: Lanes>(s: S, row: &mut [f32], norm: &Norm<'_>) {
    let width = row.len();
    let whole = width - width % LANES;
    let share = 1.0 / width as f32;
    let mut sum = s.splat(0.0);
    for chunk in row.as_chunks::<LANES>().0 {
        sum = s.add(sum, s.load(chunk));
    }
    let mean = (s.sum(sum) + row[whole..].iter().sum::<f32>()) * share;
    let centre = s.splat(mean);
    let mut squares = s.splat(0.0);
    for chunk in row.as_chunks::<LANES>().0 {
        let x = s.sub(s.load(chunk), centre);
        squares = s.fma(x, x, squares);
    }
    let tail = row[whole..].iter().map(|x| (x - mean) * (x - mean)).sum::<f32>();
    let variance = (s.sum(squares) + tail) * share;
    let scale = 1.0 / (variance + norm.eps).sqrt();
    let factor = s.splat(scale);
    let (chunks, rest) = row.as_chunks_mut::<LANES>();
    let (gammas, gamma_rest) = norm.gamma.as_chunks::<LANES>();
    let (betas, beta_rest) = norm.beta.as_chunks::<LANES>();
    for ((chunk, gamma), beta) in chunks.iter_mut().zip(gammas).zip(betas) {
        let x = s.mul(s.sub(s.load(chunk), centre), factor);
        s.store(s.fma(x, s.load(gamma), s.load(beta)), chunk);
    }
    for ((x, gamma), beta) in rest.iter_mut().zip(gamma_rest).zip(beta_rest) {
        *x = ((*x - mean) * scale).mul_add(*gamma, *beta);
    }
}

/// Layer norm in place.
pub(super) struct NormRows<'a> {
    pub rows: &'a mut [f32],
    pub norm: Norm<'a>,
}

impl Op for NormRows<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        for row in self.rows.chunks_exact_mut(self.norm.gamma.len()) {
            norm_row(s, row, &self.norm);
        }
    }
}

/// Layer norm in place, and the rows quantised while they are in the cache.
pub(super) struct NormQuantise<'a> {
    pub rows: &'a mut [f32],
    pub norm: Norm<'a>,
    pub out: &'a mut [u8],
    pub scales: &'a mut [RowScale],
}

impl Op for NormQuantise<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let width = self.norm.gamma.len();
        let rows = self.rows.chunks_exact_mut(width).zip(self.out.chunks_exact_mut(width));
        for ((row, out), scale) in rows.zip(self.scales) {
            norm_row(s, row, &self.norm);
            *scale = quantise_row(s, row, out);
        }
    }
}
