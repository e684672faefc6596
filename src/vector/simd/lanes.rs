//! Sixteen lanes of f32: the small vocabulary that every kernel is written in, and its scalar form.
//!
//! A kernel is written once, over [`Lanes`]. Each set of instructions has a type that implements it, and a value of
//! that type proves that the processor has them: only `detect` makes one. All forms round alike, lane by lane, and sum
//! in the same order, so every processor makes the same bits. The scalar form here is the definition; the others are
//! tested against it.

/// Lanes of a vector.
pub(super) const LANES: usize = 16;
/// Rows of bytes that are compared at a time: their loads and products overlap.
pub(super) const QUAD: usize = 4;
/// Columns of a panel of packed weights.
pub(super) const PANEL: usize = 64;
/// Most rows of a tile.
pub(super) const ROWS: usize = 6;
/// The code and the rest of zero, as one number.
pub(super) const MIDDLE: i32 = 128 << 16 | 32_768;

/// Where a tile of integer products starts.
pub(super) struct TileI8<'a> {
    /// The first row of activations on, `stride` apart.
    pub rows: &'a [u8],
    pub stride: usize,
    /// Zero point of each row.
    pub zeros: &'a [i32],
    /// `steps` x 64 x 4 weights.
    pub panel: &'a [i8],
    /// Sum of each column of the panel.
    pub sums: &'a [i32; PANEL],
    /// Groups of four inputs.
    pub steps: usize,
    /// What [`Lanes::prepare_row`] and [`Lanes::prepare_panel`] made; empty where they make nothing.
    pub prepared: Prepared<'a>,
}

/// Operands of integer products in a form of the instructions' own, made once for all tiles that read them.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    /// The first row of the tile on, [`Lanes::ROW_NUMBERS`] for each four bytes.
    pub rows: &'a [i32],
    /// [`Lanes::WEIGHT_NUMBERS`] for each four weights, of an even number of steps.
    pub panel: &'a [i32],
}

/// Where a tile of products of f32 starts.
pub(super) struct TileF32<'a> {
    pub rows: &'a [f32],
    pub stride: usize,
    /// `inputs` rows, `width` apart, of which a tile takes some columns from the first on.
    pub panel: &'a [f32],
    pub width: usize,
    pub inputs: usize,
}

/// Sixteen f32 side by side. Where `max` and `min` meet a NaN, the second operand is the result.
pub(super) trait Lanes: Copy {
    type F: Copy;
    /// Whole numbers, as [`Lanes::split`] makes them.
    type I: Copy;
    /// Vectors that a tile of f32 products is wide: what the registers hold beside six rows.
    const WIDE: usize;
    /// Numbers of 32 bits that four bytes of a row are prepared to; none where products read the bytes as they are.
    const ROW_NUMBERS: usize = 0;
    /// The same for four weights.
    const WEIGHT_NUMBERS: usize = 0;

    fn splat(self, x: f32) -> Self::F;
    fn load(self, from: &[f32; LANES]) -> Self::F;
    fn load_i32(self, from: &[i32; LANES]) -> Self::F;
    /// Sixteen sums, four after four, less a number.
    fn less(self, sums: &[[i32; QUAD]; LANES / QUAD], number: i32) -> Self::F;
    /// `65536 * (code - 128) + rest - 32768`, exact.
    fn load_steps(self, codes: &[u8; LANES], rests: &[u16; LANES]) -> Self::F;
    fn store(self, x: Self::F, to: &mut [f32; LANES]);
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    fn min(self, a: Self::F, b: Self::F) -> Self::F;
    fn abs(self, a: Self::F) -> Self::F;
    /// Whole part, cut towards zero, and what is left.
    fn split(self, a: Self::F) -> (Self::I, Self::F);
    /// Entry `index & 15` of the table, lane by lane.
    fn lookup(self, table: &[f32; LANES], index: Self::I) -> Self::F;
    /// `2^n`, where `n` lies in the low bits of `shifted`'s representation.
    fn power_of_two(self, shifted: Self::F) -> Self::F;
    /// Rounds to even and keeps the low byte; lanes hold 0 to 255.
    fn store_bytes(self, x: Self::F, to: &mut [u8; LANES]);
    /// Sum in halves: lane i + lane i+8, then i+4, i+2, i+1.
    fn sum(self, x: Self::F) -> f32;
    /// The greatest lane; none is a NaN, or the result means nothing.
    fn greatest(self, x: Self::F) -> f32;
    /// Rows to columns.
    fn transpose(self, rows: [Self::F; LANES]) -> [Self::F; LANES];

    /// One row of bytes and its zero point to what the tiles read; called where there are [`Lanes::ROW_NUMBERS`].
    fn prepare_row(self, _bytes: &[u8], _zero: i32, _out: &mut [i32]) {}
    /// A panel of weights to what the tiles read; called where there are [`Lanes::WEIGHT_NUMBERS`].
    fn prepare_panel(self, _panel: &[i8], _out: &mut [i32]) {}
    /// `out[r][c] = sum over k of (row[r][k] - zero[r]) * weight[k][c]`, exact.
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]);

    /// For each query the sums of `row[k] * query[k]` of four rows, exact; all are of one length, a multiple of 64, at
    /// most 2^16. The rows of `ahead`, which will be compared soon, are asked for.
    fn dot_quad<const Q: usize>(
        self,
        rows: [&[u8]; QUAD],
        queries: [&[i8]; Q],
        ahead: Option<[&[u8]; QUAD]>,
    ) -> [[i32; QUAD]; Q];

    /// Runs `op` where the compiler may use these instructions.
    fn run<O: Op>(self, op: O) -> O::Out;
}

/// The length of the operands of [`Lanes::dot_quad`].
///
/// # Panics
/// When they differ in length, or that is no multiple of 64. Kernels read without further checks after this one.
#[inline(always)]
pub(super) fn common_length<const Q: usize>(rows: [&[u8]; QUAD], queries: [&[i8]; Q]) -> usize {
    let length = rows[0].len();
    assert!(length.is_multiple_of(64) && rows.iter().all(|row| row.len() == length));
    assert!(queries.iter().all(|query| query.len() == length));
    length
}

/// A kernel that waits for its instructions.
pub(super) trait Op {
    type Out;
    fn run<S: Lanes>(self, s: S) -> Self::Out;
}

/// Plain Rust.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar;

#[inline(always)]
fn map(a: [f32; LANES], b: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Lanes for Scalar {
    type F = [f32; LANES];
    type I = [i32; LANES];
    const WIDE: usize = 1;

    fn splat(self, x: f32) -> Self::F {
        [x; LANES]
    }
    fn load(self, from: &[f32; LANES]) -> Self::F {
        *from
    }
    fn load_i32(self, from: &[i32; LANES]) -> Self::F {
        from.map(|x| x as f32)
    }
    fn less(self, sums: &[[i32; QUAD]; LANES / QUAD], number: i32) -> Self::F {
        std::array::from_fn(|i| sums[i / QUAD][i % QUAD].wrapping_sub(number) as f32)
    }
    fn load_steps(self, codes: &[u8; LANES], rests: &[u16; LANES]) -> Self::F {
        std::array::from_fn(|i| ((i32::from(codes[i]) << 16 | i32::from(rests[i])) - MIDDLE) as f32)
    }
    fn store(self, x: Self::F, to: &mut [f32; LANES]) {
        *to = x;
    }
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a + b)
    }
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a - b)
    }
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a * b)
    }
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        std::array::from_fn(|i| a[i].mul_add(b[i], c[i]))
    }
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| if a > b { a } else { b })
    }
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| if a < b { a } else { b })
    }
    fn abs(self, a: Self::F) -> Self::F {
        a.map(f32::abs)
    }
    fn split(self, a: Self::F) -> (Self::I, Self::F) {
        let whole = a.map(|x| x as i32);
        (whole, std::array::from_fn(|i| a[i] - whole[i] as f32))
    }
    fn lookup(self, table: &[f32; LANES], index: Self::I) -> Self::F {
        index.map(|i| table[(i & 15) as usize])
    }
    fn power_of_two(self, shifted: Self::F) -> Self::F {
        shifted.map(|x| f32::from_bits(x.to_bits().wrapping_shl(23).wrapping_add(0x3f80_0000)))
    }
    fn store_bytes(self, x: Self::F, to: &mut [u8; LANES]) {
        *to = x.map(|x| x.round_ties_even() as u8);
    }
    fn sum(self, x: Self::F) -> f32 {
        fold(x, |a, b| a + b)
    }
    fn greatest(self, x: Self::F) -> f32 {
        fold(x, |a, b| if a > b { a } else { b })
    }
    fn transpose(self, rows: [Self::F; LANES]) -> [Self::F; LANES] {
        std::array::from_fn(|r| std::array::from_fn(|c| rows[c][r]))
    }

    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        for (r, out) in out.iter_mut().enumerate().take(R) {
            let row = &tile.rows[r * tile.stride..][..tile.steps * 4];
            *out = tile.sums.map(|sum| -tile.zeros[r] * sum);
            for (quad, weights) in row.as_chunks::<4>().0.iter().zip(tile.panel.as_chunks::<{ 4 * PANEL }>().0) {
                for (out, weight) in out.iter_mut().zip(weights.as_chunks::<4>().0) {
                    *out += (0..4).map(|i| i32::from(quad[i]) * i32::from(weight[i])).sum::<i32>();
                }
            }
        }
    }

    fn dot_quad<const Q: usize>(
        self,
        rows: [&[u8]; QUAD],
        queries: [&[i8]; Q],
        _: Option<[&[u8]; QUAD]>,
    ) -> [[i32; QUAD]; Q] {
        let sum = |row: &[u8], query: &[i8]| row.iter().zip(query).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        queries.map(|query| rows.map(|row| sum(row, query)))
    }

    fn run<O: Op>(self, op: O) -> O::Out {
        op.run(self)
    }
}

/// Folds by halves, the order that all forms share.
fn fold(x: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut x = x;
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            x[i] = f(x[i], x[i + half]);
        }
    }
    x[0]
}
