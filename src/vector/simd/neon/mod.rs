//! The kernels' vocabulary in NEON, which every 64-bit ARM processor has: a vector is four registers. How bytes are
//! multiplied differs between processors: [`Halves`], [`Dot`] and [`Matrix`], in files of their own.

mod dot;
mod halves;
mod matrix;

pub(super) use dot::Dot;
pub(super) use halves::Halves;
pub(super) use matrix::Matrix;

use super::lanes::{LANES, Lanes, MIDDLE, Op, PANEL, QUAD, ROWS, TileI8};
use super::multiply::Multiply;
use std::arch::aarch64::*;

/// Registers of a vector.
const PARTS: usize = 4;

/// Proof that the processor has NEON and what `M` multiplies bytes with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neon<M>(M);

impl<M: Multiply> Neon<M> {
    /// The proof, if the processor has what it takes.
    pub(super) fn new() -> Option<Self> {
        M::new().map(Self)
    }
}

/// All parts through one operation.
macro_rules! each {
    ($op:ident, $($x:expr),+) => {{
        // SAFETY: `self`, which every caller has, proves that the processor has the instruction.
        unsafe { [$op($($x[0]),+), $op($($x[1]),+), $op($($x[2]),+), $op($($x[3]),+)] }
    }};
}

/// The sums of four registers each, as dots of four rows.
#[inline(always)]
fn sum_quads<const Q: usize>(sums: [[int32x4_t; QUAD]; Q]) -> [[i32; QUAD]; Q] {
    let mut out = [[0i32; QUAD]; Q];
    for q in 0..Q {
        // SAFETY: only holders of a proof of NEON call it; `out` holds the 16 bytes.
        unsafe {
            let (left, right) = (vpaddq_s32(sums[q][0], sums[q][1]), vpaddq_s32(sums[q][2], sums[q][3]));
            vst1q_s32(out[q].as_mut_ptr(), vpaddq_s32(left, right));
        }
    }
    out
}

/// Four unsigned bytes a number, 128 taken from each.
#[inline(always)]
fn signed(bytes: &[u8], out: &mut [i32]) {
    let (whole, rest) = bytes.as_chunks::<16>();
    let (to, to_rest) = out.as_chunks_mut::<4>();
    for (bytes, to) in whole.iter().zip(to) {
        // SAFETY: only holders of a proof of NEON call it; the references cover the 16 bytes.
        unsafe {
            let bytes = veorq_u8(vld1q_u8(bytes.as_ptr()), vdupq_n_u8(128));
            vst1q_s32(to.as_mut_ptr(), vreinterpretq_s32_u8(bytes));
        }
    }
    for (four, to) in rest.as_chunks::<4>().0.iter().zip(to_rest) {
        *to = (u32::from_le_bytes(*four) ^ 0x8080_8080).cast_signed();
    }
}

/// Asks for the 64 bytes at `at` of each row, where there are any rows; what lies beyond the end is asked for in vain.
#[inline(always)]
fn ask(rows: Option<[&[u8]; QUAD]>, at: usize) {
    for row in rows.iter().flatten() {
        let place = row.as_ptr().wrapping_add(at);
        // SAFETY: the instruction is part of the architecture, reads nothing and cannot fault.
        unsafe { std::arch::asm!("prfm pldl1keep, [{}]", in(reg) place, options(nostack, readonly, preserves_flags)) }
    }
}

impl<M: Multiply> Lanes for Neon<M> {
    type F = [float32x4_t; PARTS];
    type I = [int32x4_t; PARTS];
    const WIDE: usize = 1;
    const ROW_NUMBERS: usize = M::ROW_NUMBERS;
    const WEIGHT_NUMBERS: usize = M::WEIGHT_NUMBERS;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { [vdupq_n_f32(x); PARTS] }
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::F {
        let p = from.as_ptr();
        // SAFETY: `self` proves the instruction; the reference covers the 64 bytes.
        unsafe { [vld1q_f32(p), vld1q_f32(p.add(4)), vld1q_f32(p.add(8)), vld1q_f32(p.add(12))] }
    }
    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> Self::F {
        let p = from.as_ptr();
        // SAFETY: `self` proves the instructions; the reference covers the 64 bytes.
        let whole = unsafe { [vld1q_s32(p), vld1q_s32(p.add(4)), vld1q_s32(p.add(8)), vld1q_s32(p.add(12))] };
        each!(vcvtq_f32_s32, whole)
    }
    #[inline(always)]
    fn less(self, sums: &[[i32; QUAD]; LANES / QUAD], number: i32) -> Self::F {
        // SAFETY: `self` proves the instructions; each reference covers the 16 bytes.
        let whole = unsafe {
            let (number, load) = (vdupq_n_s32(number), |at: usize| vld1q_s32(sums[at].as_ptr()));
            [
                vsubq_s32(load(0), number),
                vsubq_s32(load(1), number),
                vsubq_s32(load(2), number),
                vsubq_s32(load(3), number),
            ]
        };
        each!(vcvtq_f32_s32, whole)
    }
    #[inline(always)]
    fn load_steps(self, codes: &[u8; LANES], rests: &[u16; LANES]) -> Self::F {
        // SAFETY: `self` proves the instructions; the references cover the 16 and 32 bytes.
        let whole = unsafe {
            let codes = vld1q_u8(codes.as_ptr());
            let (low, high) = (vmovl_u8(vget_low_u8(codes)), vmovl_high_u8(codes));
            let (rests_low, rests_high) = (vld1q_u16(rests.as_ptr()), vld1q_u16(rests.as_ptr().add(8)));
            let middle = vdupq_n_s32(MIDDLE);
            // The code is the upper half of each number, the rest the lower.
            let part = |code: uint16x4_t, rest: uint16x4_t| {
                let whole = vorrq_u32(vshll_n_u16::<16>(code), vmovl_u16(rest));
                vsubq_s32(vreinterpretq_s32_u32(whole), middle)
            };
            [
                part(vget_low_u16(low), vget_low_u16(rests_low)),
                part(vget_high_u16(low), vget_high_u16(rests_low)),
                part(vget_low_u16(high), vget_low_u16(rests_high)),
                part(vget_high_u16(high), vget_high_u16(rests_high)),
            ]
        };
        each!(vcvtq_f32_s32, whole)
    }
    #[inline(always)]
    fn store(self, x: Self::F, to: &mut [f32; LANES]) {
        for part in 0..PARTS {
            // SAFETY: `self` proves the instruction; the reference covers the 64 bytes.
            unsafe { vst1q_f32(to.as_mut_ptr().add(4 * part), x[part]) }
        }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        each!(vaddq_f32, a, b)
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        each!(vsubq_f32, a, b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        each!(vmulq_f32, a, b)
    }
    #[inline(always)]
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        each!(vfmaq_f32, c, a, b)
    }
    // The processor's own maximum makes a NaN of any NaN.
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        let greater = each!(vcgtq_f32, a, b);
        each!(vbslq_f32, greater, a, b)
    }
    #[inline(always)]
    fn min(self, a: Self::F, b: Self::F) -> Self::F {
        let less = each!(vcltq_f32, a, b);
        each!(vbslq_f32, less, a, b)
    }
    #[inline(always)]
    fn abs(self, a: Self::F) -> Self::F {
        each!(vabsq_f32, a)
    }
    #[inline(always)]
    fn split(self, a: Self::F) -> (Self::I, Self::F) {
        let whole = each!(vcvtq_s32_f32, a);
        let floats = each!(vcvtq_f32_s32, whole);
        (whole, self.sub(a, floats))
    }
    #[inline(always)]
    fn lookup(self, table: &[f32; LANES], index: Self::I) -> Self::F {
        // SAFETY: `self` proves the instructions; the table is 64 bytes, and so the place of each byte in it, four
        // times the index and 0 to 3, lies within.
        unsafe {
            let bytes = table.as_ptr().cast::<u8>();
            let table = uint8x16x4_t(
                vld1q_u8(bytes),
                vld1q_u8(bytes.add(16)),
                vld1q_u8(bytes.add(32)),
                vld1q_u8(bytes.add(48)),
            );
            let mut out = [vdupq_n_f32(0.0); PARTS];
            for part in 0..PARTS {
                let index = vreinterpretq_u32_s32(vandq_s32(index[part], vdupq_n_s32(15)));
                let places = vmlaq_u32(vdupq_n_u32(0x0302_0100), index, vdupq_n_u32(0x0404_0404));
                out[part] = vreinterpretq_f32_u8(vqtbl4q_u8(table, vreinterpretq_u8_u32(places)));
            }
            out
        }
    }
    #[inline(always)]
    fn power_of_two(self, shifted: Self::F) -> Self::F {
        let mut out = shifted;
        for x in &mut out {
            // SAFETY: `self` proves that the processor has the instructions.
            unsafe {
                let bits = vshlq_n_s32::<23>(vreinterpretq_s32_f32(*x));
                *x = vreinterpretq_f32_s32(vaddq_s32(bits, vdupq_n_s32(0x3f80_0000)));
            }
        }
        out
    }
    #[inline(always)]
    fn store_bytes(self, x: Self::F, to: &mut [u8; LANES]) {
        let whole = each!(vcvtnq_s32_f32, x);
        // SAFETY: `self` proves the instructions; the reference covers the 16 bytes.
        unsafe {
            let low = vcombine_u16(vqmovun_s32(whole[0]), vqmovun_s32(whole[1]));
            let high = vcombine_u16(vqmovun_s32(whole[2]), vqmovun_s32(whole[3]));
            vst1q_u8(to.as_mut_ptr(), vcombine_u8(vqmovn_u16(low), vqmovn_u16(high)));
        }
    }
    #[inline(always)]
    fn sum(self, x: Self::F) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let x = vaddq_f32(vaddq_f32(x[0], x[2]), vaddq_f32(x[1], x[3]));
            let x = vadd_f32(vget_low_f32(x), vget_high_f32(x));
            vget_lane_f32::<0>(x) + vget_lane_f32::<1>(x)
        }
    }
    #[inline(always)]
    fn greatest(self, x: Self::F) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions. None of the lanes is a NaN.
        unsafe { vmaxvq_f32(vmaxq_f32(vmaxq_f32(x[0], x[2]), vmaxq_f32(x[1], x[3]))) }
    }
    #[inline(always)]
    fn transpose(self, rows: [Self::F; LANES]) -> [Self::F; LANES] {
        let mut out = rows;
        for r in (0..LANES).step_by(4) {
            for c in 0..PARTS {
                // SAFETY: `self` proves that the processor has the instructions.
                unsafe {
                    // Four rows by four columns: pairs change places, then halves.
                    let (a, b) = (rows[r][c], rows[r + 1][c]);
                    let (d, e) = (rows[r + 2][c], rows[r + 3][c]);
                    let wide = |x| vreinterpretq_f64_f32(x);
                    let (even, odd) = (wide(vtrn1q_f32(a, b)), wide(vtrn2q_f32(a, b)));
                    let (even2, odd2) = (wide(vtrn1q_f32(d, e)), wide(vtrn2q_f32(d, e)));
                    let narrow = |x| vreinterpretq_f32_f64(x);
                    out[4 * c][r / 4] = narrow(vtrn1q_f64(even, even2));
                    out[4 * c + 1][r / 4] = narrow(vtrn1q_f64(odd, odd2));
                    out[4 * c + 2][r / 4] = narrow(vtrn2q_f64(even, even2));
                    out[4 * c + 3][r / 4] = narrow(vtrn2q_f64(odd, odd2));
                }
            }
        }
        out
    }

    #[inline(always)]
    fn prepare_row(self, bytes: &[u8], zero: i32, out: &mut [i32]) {
        self.0.prepare_row(bytes, zero, out);
    }
    #[inline(always)]
    fn prepare_panel(self, panel: &[i8], out: &mut [i32]) {
        self.0.prepare_panel(panel, out);
    }
    #[inline(always)]
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        self.0.tile_i8::<R>(tile, out);
    }
    #[inline(always)]
    fn dot_quad<const Q: usize>(
        self,
        rows: [&[u8]; QUAD],
        queries: [&[i8]; Q],
        ahead: Option<[&[u8]; QUAD]>,
    ) -> [[i32; QUAD]; Q] {
        self.0.dot_quad(rows, queries, ahead)
    }
    #[inline(always)]
    fn run<O: Op>(self, op: O) -> O::Out {
        self.0.run(self, op)
    }
}
