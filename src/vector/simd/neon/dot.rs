//! The dot product extension (`dotprod`): four products of signed bytes and their sum, four times in one instruction.
//!
//! Activations are unsigned, so 128 is subtracted from each and from the zero point. The instruction is written in
//! assembly, because the compiler's own function for it is not stable yet.

use super::{ask, signed, sum_quads};
use crate::vector::simd::lanes::{LANES, Lanes, Op, PANEL, QUAD, ROWS, TileI8, common_length};
use crate::vector::simd::multiply::Multiply;
use std::arch::aarch64::*;
use std::arch::asm;

/// NEON with dot products, as all of Apple's chips and ARM's since 2018 have it.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Dot(());

/// `sums + dots of four`, byte by byte.
///
/// # Safety
/// The processor has the extension.
#[inline(always)]
unsafe fn sdot(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    let mut sums = sums;
    // SAFETY: the caller vouches for the instruction, which touches registers only.
    unsafe {
        asm!(".arch_extension dotprod", "sdot {s:v}.4s, {a:v}.16b, {b:v}.16b", s = inout(vreg) sums, a = in(vreg) a,
            b = in(vreg) b, options(pure, nomem, nostack, preserves_flags));
    }
    sums
}

/// The same with the first four bytes of `b` for each of the four sums.
///
/// # Safety
/// The processor has the extension.
#[inline(always)]
unsafe fn sdot_by_first(sums: int32x4_t, a: int8x16_t, b: f32) -> int32x4_t {
    let mut sums = sums;
    // SAFETY: the caller vouches for the instruction, which touches registers only.
    unsafe {
        asm!(".arch_extension dotprod", "sdot {s:v}.4s, {a:v}.16b, {b:v}.4b[0]", s = inout(vreg) sums, a = in(vreg) a,
            b = in(vreg) b, options(pure, nomem, nostack, preserves_flags));
    }
    sums
}

impl Multiply for Dot {
    const ROW_NUMBERS: usize = 1;

    fn new() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("dotprod").then_some(Self(()))
    }

    #[inline(always)]
    fn prepare_row(self, bytes: &[u8], _: i32, out: &mut [i32]) {
        signed(bytes, out);
    }

    #[inline(always)]
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        const COLS: usize = 4;
        let (steps, stride, rows) = (tile.steps, tile.stride / 4, tile.prepared.rows);
        assert!(R <= ROWS && tile.zeros.len() >= R && tile.panel.len() >= steps * 4 * PANEL);
        assert!(R == 0 || rows.len() >= (R - 1) * stride + steps);
        for first in (0..PANEL).step_by(LANES) {
            // SAFETY: `self` proves the instructions. The asserts above bound every read: the four bytes at `step` of
            // each of the R rows, and 64 bytes at `256 * step + 4 * first` of the panel, for all steps below `steps`.
            // `sums` and `out` hold sixteen values from `first` on.
            unsafe {
                let mut acc = [[vdupq_n_s32(0); COLS]; R];
                for r in 0..R {
                    let zero = vdupq_n_s32(128 - tile.zeros[r]);
                    for c in 0..COLS {
                        acc[r][c] = vmulq_s32(zero, vld1q_s32(tile.sums.as_ptr().add(first + 4 * c)));
                    }
                }
                for step in 0..steps {
                    let at = tile.panel.as_ptr().add(4 * PANEL * step + 4 * first);
                    let mut weights = [vdupq_n_s8(0); COLS];
                    for c in 0..COLS {
                        weights[c] = vld1q_s8(at.add(16 * c));
                    }
                    for r in 0..R {
                        // Four bytes as a float, which is loaded into a vector register at once.
                        let four = rows.as_ptr().add(r * stride + step).cast::<f32>().read();
                        for c in 0..COLS {
                            acc[r][c] = sdot_by_first(acc[r][c], weights[c], four);
                        }
                    }
                }
                for r in 0..R {
                    for c in 0..COLS {
                        vst1q_s32(out[r].as_mut_ptr().add(first + 4 * c), acc[r][c]);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn dot_quad<const Q: usize>(
        self,
        rows: [&[u8]; QUAD],
        queries: [&[i8]; Q],
        ahead: Option<[&[u8]; QUAD]>,
    ) -> [[i32; QUAD]; Q] {
        let length = common_length(rows, queries);
        // SAFETY: `self` proves the instructions; `common_length` bounds every read of 16 bytes.
        unsafe {
            let (half, halves) = (vdupq_n_u8(128), vdupq_n_s8(64));
            let mut sums = [[vdupq_n_s32(0); QUAD]; Q];
            for at in (0..length).step_by(16) {
                if at.is_multiple_of(64) {
                    ask(ahead, at);
                }
                let mut bytes = [vdupq_n_s8(0); QUAD];
                for r in 0..QUAD {
                    bytes[r] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(rows[r].as_ptr().add(at)), half));
                }
                for q in 0..Q {
                    let part = vld1q_s8(queries[q].as_ptr().add(at));
                    // What the 128 that were taken from each byte come to: twice 64, which is signed.
                    let taken = sdot(sdot(vdupq_n_s32(0), part, halves), part, halves);
                    for r in 0..QUAD {
                        sums[q][r] = sdot(vaddq_s32(sums[q][r], taken), bytes[r], part);
                    }
                }
            }
            sum_quads(sums)
        }
    }

    #[inline(always)]
    fn run<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
        #[target_feature(enable = "neon,dotprod")]
        fn with<S: Lanes, O: Op>(s: S, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(s, op) }
    }
}
