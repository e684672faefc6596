//! Matrix products with packed weights, and what is done to the results before they are written.
//!
//! Weights lie in panels of 64 outputs. A tile of up to six rows by one panel is summed in registers, then scaled,
//! biased and finished on its way to memory. Bytes: panels of `inputs / 4` steps of 64 x 4 weights, one instruction a
//! sixteen outputs and four inputs. f32: panels of `inputs` rows of 64. The sums of a row never depend on how many rows
//! stand beside it.

use super::lanes::{LANES, Lanes, Op, PANEL, ROWS, TileF32, TileI8};
use super::math;
use super::rows::{RowScale, load_part, store_part};
use std::ops::Range;

/// What is done to `product + bias` before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// Nothing.
    Plain,
    /// `x/2 (1 + erf(x/sqrt 2))`.
    Gelu,
    /// The form of GELU with tanh.
    GeluTanh,
    /// `max(x, 0)`.
    Relu,
    /// Added to what stands there.
    Add,
}

/// Weights as bytes, `outputs` x `inputs`, packed by [`super::pack_i8`].
#[derive(Debug, Clone, Copy)]
pub struct PackedI8<'a> {
    /// Rows of the original matrix.
    pub outputs: usize,
    /// Columns of the original matrix; a multiple of 4.
    pub inputs: usize,
    /// Panels of 64 outputs, the last filled up with zeros.
    pub panels: &'a [i8],
    /// Sum of each output's weights, filled up to whole panels.
    pub sums: &'a [i32],
    /// Scale of each output, filled up to whole panels.
    pub scales: &'a [f32],
}

/// Weights as f32, `outputs` x `inputs`, packed by [`super::pack_f32`].
#[derive(Debug, Clone, Copy)]
pub struct PackedF32<'a> {
    /// Rows of the original matrix.
    pub outputs: usize,
    /// Columns of the original matrix.
    pub inputs: usize,
    /// Panels of 64 outputs, the last filled up with zeros.
    pub panels: &'a [f32],
}

/// Where results go: row r and output c to `values[r * stride + c - outputs.start]`.
pub struct Target<'a> {
    /// The results.
    pub values: &'a mut [f32],
    /// From row to row.
    pub stride: usize,
    /// Which outputs are wanted; starts at a whole panel.
    pub outputs: Range<usize>,
    /// What is done to them.
    pub finish: Finish,
}

/// Rows of bytes times packed bytes.
pub(super) struct ProductI8<'a> {
    pub rows: &'a [u8],
    pub scales: &'a [RowScale],
    pub weights: PackedI8<'a>,
    pub bias: &'a [f32],
    pub target: Target<'a>,
}

/// Rows of f32 times packed f32.
pub(super) struct ProductF32<'a> {
    pub rows: &'a [f32],
    pub weights: PackedF32<'a>,
    pub bias: &'a [f32],
    pub target: Target<'a>,
}

/// Calls the tile of a number of rows that is known only now.
macro_rules! by_rows {
    ($count:expr, $f:ident, $($arg:expr),*) => {
        match $count {
            1 => $f::<S, 1>($($arg),*),
            2 => $f::<S, 2>($($arg),*),
            3 => $f::<S, 3>($($arg),*),
            4 => $f::<S, 4>($($arg),*),
            5 => $f::<S, 5>($($arg),*),
            _ => $f::<S, 6>($($arg),*),
        }
    };
}
pub(super) use by_rows;

/// Cuts `rows` rows into tiles as even as can be: (first, count).
#[inline(always)]
pub(super) fn tiles(rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = rows.div_ceil(ROWS);
    let mut first = 0;
    (0..count).map(move |i| {
        let size = (rows - first).div_ceil(count - i);
        first += size;
        (first - size, size)
    })
}

/// Writes sixteen finished results, or as many as there is room for.
#[inline(always)]
fn write<S: Lanes>(s: S, x: S::F, finish: Finish, to: &mut [f32]) {
    let x = match finish {
        Finish::Plain | Finish::Add => x,
        Finish::Gelu => math::gelu(s, x),
        Finish::GeluTanh => math::gelu_tanh(s, x),
        Finish::Relu => s.max(s.splat(0.0), x),
    };
    match to.first_chunk_mut::<LANES>() {
        Some(to) if finish == Finish::Add => s.store(s.add(x, s.load(to)), to),
        Some(to) => s.store(x, to),
        None if finish == Finish::Add => store_part(s, s.add(x, load_part(s, to, 0.0)), to),
        None => store_part(s, x, to),
    }
}

#[inline(always)]
fn tile_i8<S: Lanes, const R: usize>(s: S, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
    s.tile_i8::<R>(tile, out);
}

impl Op for ProductI8<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let Self { rows, scales, weights, bias, target } = self;
        let (stride, size) = (weights.inputs, weights.inputs * PANEL);
        let mut sums = [[0i32; PANEL]; ROWS];
        for first in target.outputs.clone().step_by(PANEL) {
            let panel = first / PANEL;
            let Some(column_sums) = weights.sums[first..].first_chunk::<PANEL>() else { return };
            let columns = first..target.outputs.end.min(first + PANEL);
            for (row, count) in tiles(scales.len()) {
                let mut zeros = [0; ROWS];
                zeros.iter_mut().zip(&scales[row..row + count]).for_each(|(zero, scale)| *zero = scale.zero);
                let tile = TileI8 {
                    rows: &rows[row * stride..],
                    stride,
                    zeros: &zeros,
                    panel: &weights.panels[panel * size..][..size],
                    sums: column_sums,
                    steps: weights.inputs / 4,
                };
                by_rows!(count, tile_i8, s, &tile, &mut sums);
                for (r, sums) in sums.iter().enumerate().take(count) {
                    let from = (row + r) * target.stride + first - target.outputs.start;
                    let out = &mut target.values[from..from + columns.len()];
                    let scale = s.splat(scales[row + r].scale);
                    let columns = sums.as_chunks::<LANES>().0.iter().zip(out.chunks_mut(LANES)).enumerate();
                    for (c, (sums, out)) in columns {
                        let at = first + c * LANES;
                        let (Some(column_scales), width) = (weights.scales[at..].first_chunk(), out.len()) else {
                            return;
                        };
                        let factor = s.mul(scale, s.load(column_scales));
                        let bias = match bias[at..].first_chunk() {
                            Some(bias) => s.load(bias),
                            None => load_part(s, &bias[at..at + width], 0.0),
                        };
                        write(s, s.fma(s.load_i32(sums), factor, bias), target.finish, out);
                    }
                }
            }
        }
    }
}

/// A tile of R rows by W vectors, in f32.
#[inline(always)]
pub(super) fn sum_f32<S: Lanes, const R: usize, const W: usize>(s: S, tile: &TileF32<'_>) -> [[S::F; W]; R] {
    let mut acc = [[s.splat(0.0); W]; R];
    let rows: [&[f32]; R] = std::array::from_fn(|r| &tile.rows[r * tile.stride..][..tile.inputs]);
    for (k, line) in tile.panel.chunks(tile.width).enumerate().take(tile.inputs) {
        let (line, _) = line.as_chunks::<LANES>();
        let line: [S::F; W] = std::array::from_fn(|w| s.load(&line[w]));
        for r in 0..R {
            let x = s.splat(rows[r][k]);
            for w in 0..W {
                acc[r][w] = s.fma(x, line[w], acc[r][w]);
            }
        }
    }
    acc
}

/// Sums a tile, W vectors at a time, and stores it.
#[inline(always)]
fn tile_f32<S: Lanes, const R: usize>(s: S, tile: &TileF32<'_>, out: &mut [[f32; PANEL]; ROWS]) {
    for first in (0..PANEL).step_by(S::WIDE * LANES) {
        let tile = TileF32 { panel: &tile.panel[first..], ..*tile };
        if S::WIDE == 4 {
            keep(s, sum_f32::<S, R, 4>(s, &tile), first, out);
        } else {
            keep(s, sum_f32::<S, R, 1>(s, &tile), first, out);
        }
    }
}

#[inline(always)]
fn keep<S: Lanes, const R: usize, const W: usize>(
    s: S,
    acc: [[S::F; W]; R],
    first: usize,
    out: &mut [[f32; PANEL]; ROWS],
) {
    for (acc, out) in acc.into_iter().zip(out) {
        for (x, out) in acc.into_iter().zip(out[first..].as_chunks_mut::<LANES>().0) {
            s.store(x, out);
        }
    }
}

impl Op for ProductF32<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        let Self { rows, weights, bias, target } = self;
        let (stride, size) = (weights.inputs, weights.inputs * PANEL);
        let mut sums = [[0.0f32; PANEL]; ROWS];
        for first in target.outputs.clone().step_by(PANEL) {
            let panel = first / PANEL;
            let columns = first..target.outputs.end.min(first + PANEL);
            for (row, count) in tiles(rows.len() / stride) {
                let tile = TileF32 {
                    rows: &rows[row * stride..],
                    stride,
                    panel: &weights.panels[panel * size..][..size],
                    width: PANEL,
                    inputs: weights.inputs,
                };
                by_rows!(count, tile_f32, s, &tile, &mut sums);
                for (r, sums) in sums.iter().enumerate().take(count) {
                    let from = (row + r) * target.stride + first - target.outputs.start;
                    let out = &mut target.values[from..from + columns.len()];
                    for (c, (sums, out)) in sums.as_chunks().0.iter().zip(out.chunks_mut(LANES)).enumerate() {
                        let at = first + c * LANES;
                        let width = out.len();
                        let bias = match bias[at..].first_chunk() {
                            Some(bias) => s.load(bias),
                            None => load_part(s, &bias[at..at + width], 0.0),
                        };
                        write(s, s.add(s.load(sums), bias), target.finish, out);
                    }
                }
            }
        }
    }
}
