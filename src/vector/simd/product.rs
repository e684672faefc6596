//! Matrix products with packed weights, and what is done to the results before they are written.
//!
//! Weights lie in panels of 64 outputs. A tile of up to six rows by one panel is summed in registers, then scaled,
//! biased and finished on its way to memory. Bytes: panels of `inputs / 4` steps of 64 x 4 weights, one instruction a
//! sixteen outputs and four inputs. f32: panels of `inputs` rows of 64. The sums of a row never depend on how many rows
//! stand beside it.

use super::lanes::{LANES, Lanes, Op, PANEL, Prepared, ROWS, TileF32, TileI8};
use super::math;
use super::rows::{RowScale, load_part, store_part};
use super::scratch::fit;
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
    pub scratch: &'a mut ProductScratch,
    pub target: Target<'a>,
}

/// Working memory of a product of bytes, kept from call to call.
#[derive(Debug, Default)]
pub struct ProductScratch {
    rows: Vec<i32>,
    panel: Vec<i32>,
}

impl ProductScratch {
    /// All rows prepared, and room for one panel; nothing of what the instructions read as it is.
    #[inline(always)]
    fn prepare<S: Lanes>(&mut self, s: S, rows: &[u8], width: usize, scales: &[RowScale]) -> (&[i32], &mut [i32]) {
        let line = width / 4 * S::ROW_NUMBERS;
        let rows_room = fit(&mut self.rows, scales.len() * line);
        if line > 0 {
            for (at, scale) in scales.iter().enumerate() {
                s.prepare_row(&rows[at * width..][..width], scale.zero, &mut rows_room[at * line..][..line]);
            }
        }
        (rows_room, fit(&mut self.panel, (width / 4).next_multiple_of(2) * S::WEIGHT_NUMBERS * PANEL))
    }
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

/// Sixteen results, finished.
#[inline(always)]
fn finish<S: Lanes, const F: usize>(s: S, x: S::F) -> S::F {
    match F {
        GELU => math::gelu(s, x),
        GELU_TANH => math::gelu_tanh(s, x),
        RELU => s.max(s.splat(0.0), x),
        _ => x,
    }
}

// The finishes as numbers, so that each gets its own loop.
const PLAIN: usize = 0;
const GELU: usize = 1;
const GELU_TANH: usize = 2;
const RELU: usize = 3;
const ADD: usize = 4;

/// One panel's scales and biases.
struct Columns<F> {
    scales: [F; WIDTH],
    bias: [F; WIDTH],
}

/// Vectors of a panel.
const WIDTH: usize = PANEL / LANES;

impl<F: Copy> Columns<F> {
    /// Those of the panel from output `first` on; without scales they are 1.
    #[inline(always)]
    fn load<S: Lanes<F = F>>(s: S, scales: Option<&[f32]>, bias: &[f32], first: usize) -> Self {
        let mut columns = Self { scales: [s.splat(1.0); WIDTH], bias: [s.splat(0.0); WIDTH] };
        if let Some(scales) = scales {
            load_all(s, &scales[first.min(scales.len())..], &mut columns.scales);
        }
        load_all(s, &bias[first.min(bias.len())..], &mut columns.bias);
        columns
    }
}

/// Fills vectors with these values, then with zeros.
#[inline(always)]
fn load_all<S: Lanes, const W: usize>(s: S, from: &[f32], to: &mut [S::F; W]) {
    // Loops here and below, not closures: a closure is compiled without the instructions of its caller unless it is
    // inlined.
    for w in 0..W {
        let rest = &from[(w * LANES).min(from.len())..];
        to[w] = match rest.first_chunk() {
            Some(chunk) => s.load(chunk),
            None => load_part(s, rest, 0.0),
        };
    }
}

/// Scales, biases, finishes and writes one row of a tile; `to` is as long as the panel's wanted columns.
#[inline(always)]
fn write<S: Lanes, const F: usize>(s: S, sums: [S::F; WIDTH], scale: S::F, columns: &Columns<S::F>, to: &mut [f32]) {
    let mut made = sums;
    for c in 0..WIDTH {
        made[c] = finish::<S, F>(s, s.fma(sums[c], s.mul(scale, columns.scales[c]), columns.bias[c]));
    }
    if let Some(to) = to.first_chunk_mut::<PANEL>() {
        let parts = to.as_chunks_mut::<LANES>().0;
        for c in 0..WIDTH {
            s.store(if F == ADD { s.add(made[c], s.load(&parts[c])) } else { made[c] }, &mut parts[c]);
        }
    } else {
        for (x, to) in made.into_iter().zip(to.chunks_mut(LANES)) {
            store_part(s, if F == ADD { s.add(x, load_part(s, to, 0.0)) } else { x }, to);
        }
    }
}

#[inline(always)]
fn tile_i8<S: Lanes, const R: usize>(s: S, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
    s.tile_i8::<R>(tile, out);
}

/// Calls a product with its finish as a constant.
macro_rules! by_finish {
    ($self:expr, $f:ident, $s:expr) => {
        match $self.target.finish {
            Finish::Plain => $f::<S, PLAIN>($s, $self),
            Finish::Gelu => $f::<S, GELU>($s, $self),
            Finish::GeluTanh => $f::<S, GELU_TANH>($s, $self),
            Finish::Relu => $f::<S, RELU>($s, $self),
            Finish::Add => $f::<S, ADD>($s, $self),
        }
    };
}

impl Op for ProductI8<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        by_finish!(self, product_i8, s);
    }
}

#[inline(always)]
fn product_i8<S: Lanes, const F: usize>(s: S, product: ProductI8<'_>) {
    let ProductI8 { rows, scales, weights, bias, scratch, target } = product;
    let (stride, size) = (weights.inputs, weights.inputs * PANEL);
    let mut sums = [[0i32; PANEL]; ROWS];
    let (ready_rows, ready_panel) = scratch.prepare(s, rows, stride, scales);
    for first in target.outputs.clone().step_by(PANEL) {
        let panel = &weights.panels[first * stride..][..size];
        if S::WEIGHT_NUMBERS > 0 {
            s.prepare_panel(panel, ready_panel);
        }
        let Some(column_sums) = weights.sums[first..].first_chunk::<PANEL>() else { return };
        let columns = Columns::load(s, Some(weights.scales), bias, first);
        let width = PANEL.min(target.outputs.end - first);
        for (row, count) in tiles(scales.len()) {
            let mut zeros = [0; ROWS];
            zeros.iter_mut().zip(&scales[row..row + count]).for_each(|(zero, scale)| *zero = scale.zero);
            let tile = TileI8 {
                rows: &rows[row * stride..],
                stride,
                zeros: &zeros,
                panel,
                sums: column_sums,
                steps: stride / 4,
                prepared: Prepared { rows: &ready_rows[row * (stride / 4) * S::ROW_NUMBERS..], panel: ready_panel },
            };
            by_rows!(count, tile_i8, s, &tile, &mut sums);
            for (r, sums) in sums.iter().enumerate().take(count) {
                let from = (row + r) * target.stride + first - target.outputs.start;
                let mut lanes = [s.splat(0.0); WIDTH];
                let sums = sums.as_chunks::<LANES>().0;
                for c in 0..WIDTH {
                    lanes[c] = s.load_i32(&sums[c]);
                }
                let scale = s.splat(scales[row + r].scale);
                write::<S, F>(s, lanes, scale, &columns, &mut target.values[from..from + width]);
            }
        }
    }
}

/// A tile of R rows by W vectors, in f32.
#[inline(always)]
pub(super) fn sum_f32<S: Lanes, const R: usize, const W: usize>(s: S, tile: &TileF32<'_>) -> [[S::F; W]; R] {
    let inputs = tile.inputs;
    assert!(R == 0 || tile.rows.len() >= (R - 1) * tile.stride + inputs);
    assert!(inputs == 0 || tile.panel.len() >= (inputs - 1) * tile.width + W * LANES);
    let mut acc = [[s.splat(0.0); W]; R];
    let rows = tile.rows.as_ptr();
    let panel = tile.panel.as_ptr();
    for k in 0..inputs {
        let mut line = [s.splat(0.0); W];
        for w in 0..W {
            // SAFETY: the second assert bounds the W vectors at `k * width` for every k below `inputs`.
            line[w] = s.load(unsafe { &*panel.add(k * tile.width + w * LANES).cast::<[f32; LANES]>() });
        }
        for r in 0..R {
            // SAFETY: the first assert bounds `r * stride + k` for every r below R and k below `inputs`.
            let x = s.splat(unsafe { *rows.add(r * tile.stride + k) });
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
    for r in 0..R {
        for w in 0..W {
            if let Some(to) = out[r][first + w * LANES..].first_chunk_mut() {
                s.store(acc[r][w], to);
            }
        }
    }
}

impl Op for ProductF32<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Lanes>(self, s: S) {
        by_finish!(self, product_f32, s);
    }
}

#[inline(always)]
fn product_f32<S: Lanes, const F: usize>(s: S, product: ProductF32<'_>) {
    let ProductF32 { rows, weights, bias, target } = product;
    let (stride, size) = (weights.inputs, weights.inputs * PANEL);
    let mut sums = [[0.0f32; PANEL]; ROWS];
    for first in target.outputs.clone().step_by(PANEL) {
        let columns = Columns::load(s, None, bias, first);
        let width = PANEL.min(target.outputs.end - first);
        for (row, count) in tiles(rows.len() / stride) {
            let tile = TileF32 {
                rows: &rows[row * stride..],
                stride,
                panel: &weights.panels[first * stride..][..size],
                width: PANEL,
                inputs: weights.inputs,
            };
            by_rows!(count, tile_f32, s, &tile, &mut sums);
            for (r, sums) in sums.iter().enumerate().take(count) {
                let from = (row + r) * target.stride + first - target.outputs.start;
                let mut lanes = [s.splat(0.0); WIDTH];
                load_all(s, sums, &mut lanes);
                write::<S, F>(s, lanes, s.splat(1.0), &columns, &mut target.values[from..from + width]);
            }
        }
    }
}
