//! The matrix extension (`i8mm`): two rows of eight unsigned bytes times two columns of eight signed ones, one
//! instruction for 32 products.
//!
//! The instruction takes eight inputs of a column at once, but a panel holds four of each column together. So the
//! weights are reordered first: eight of one column, then eight of the next. If a column has only four left, they are
//! filled up with four zeros. The instructions are written in assembly, because the compiler's own functions for them
//! are not stable yet.

use super::{ask, sum_quads};
use crate::vector::simd::lanes::{LANES, Lanes, Op, PANEL, QUAD, ROWS, TileI8, common_length};
use crate::vector::simd::multiply::Multiply;
use std::arch::aarch64::*;
use std::arch::asm;

/// NEON with matrix products of bytes, as Apple's chips have it since the M2, ARM's since Neoverse V1 and N2.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Matrix(());

/// The products of two rows and two columns, row by row.
///
/// # Safety
/// The processor has the extension.
#[inline(always)]
unsafe fn usmmla(sums: int32x4_t, rows: uint8x16_t, columns: int8x16_t) -> int32x4_t {
    let mut sums = sums;
    // SAFETY: the caller vouches for the instruction, which touches registers only.
    unsafe {
        asm!(".arch_extension i8mm", "usmmla {s:v}.4s, {a:v}.16b, {b:v}.16b", s = inout(vreg) sums,
            a = in(vreg) rows, b = in(vreg) columns, options(pure, nomem, nostack, preserves_flags));
    }
    sums
}

/// `sums + dots of four` of unsigned and signed bytes.
///
/// # Safety
/// The processor has the extension.
#[inline(always)]
unsafe fn usdot(sums: int32x4_t, unsigned: uint8x16_t, signed: int8x16_t) -> int32x4_t {
    let mut sums = sums;
    // SAFETY: the caller vouches for the instruction, which touches registers only.
    unsafe {
        asm!(".arch_extension i8mm", "usdot {s:v}.4s, {a:v}.16b, {b:v}.16b", s = inout(vreg) sums,
            a = in(vreg) unsigned, b = in(vreg) signed, options(pure, nomem, nostack, preserves_flags));
    }
    sums
}

/// Pairs of rows of a tile.
const PAIRS: usize = ROWS / 2;

impl Multiply for Matrix {
    const WEIGHT_NUMBERS: usize = 1;

    fn new() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("i8mm").then_some(Self(()))
    }

    #[inline(always)]
    fn prepare_panel(self, panel: &[i8], out: &mut [i32]) {
        let steps = panel.as_chunks::<{ 4 * PANEL }>().0;
        let zeros = [0i8; 4 * PANEL];
        for (two, to) in steps.chunks(2).zip(out.as_chunks_mut::<{ 2 * PANEL }>().0) {
            let next = two.get(1).unwrap_or(&zeros);
            for c in (0..PANEL).step_by(4) {
                // SAFETY: `self` proves the instructions. Each step holds four bytes a column, `to` two numbers.
                unsafe {
                    let four = |step: &[i8; 4 * PANEL]| vreinterpretq_s32_s8(vld1q_s8(step.as_ptr().add(4 * c)));
                    vst2q_s32(to.as_mut_ptr().add(2 * c), int32x4x2_t(four(&two[0]), four(next)));
                }
            }
        }
    }

    #[inline(always)]
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        const COLS: usize = LANES / 2;
        let (steps, panel) = (tile.steps, tile.prepared.panel);
        assert!(R <= ROWS && tile.zeros.len() >= R && panel.len() >= steps.next_multiple_of(2) * PANEL);
        assert!(R > 0 && tile.rows.len() >= (R - 1) * tile.stride + steps * 4);
        for first in (0..PANEL).step_by(LANES) {
            // SAFETY: `self` proves the instructions. The asserts above bound every read: eight bytes at `4 * step` of
            // each of the R rows for all even steps that have another behind them, four for one that has not, and 128
            // bytes of the panel for each two steps. `sums` and `out` hold sixteen values from `first` on.
            unsafe {
                // Two rows by two columns each; without a second row the first is taken twice.
                let mut acc = [[vdupq_n_s32(0); COLS]; PAIRS];
                let place = |r: usize, step: usize| tile.rows.as_ptr().add(r.min(R - 1) * tile.stride + 4 * step);
                let mut step = 0;
                while step < steps {
                    let mut rows = [vdupq_n_u8(0); PAIRS];
                    for pair in 0..R.div_ceil(2) {
                        let eight = |r: usize| {
                            if step + 1 < steps {
                                vld1_u8(place(r, step))
                            } else {
                                let four = place(r, step).cast::<u32>().read_unaligned();
                                vreinterpret_u8_u64(vdup_n_u64(u64::from(four)))
                            }
                        };
                        rows[pair] = vcombine_u8(eight(2 * pair), eight(2 * pair + 1));
                    }
                    let at = panel.as_ptr().add(PANEL * step + 2 * first).cast::<i8>();
                    for c in 0..COLS {
                        let weights = vld1q_s8(at.add(16 * c));
                        for pair in 0..R.div_ceil(2) {
                            acc[pair][c] = usmmla(acc[pair][c], rows[pair], weights);
                        }
                    }
                    step += 2;
                }
                for r in 0..R {
                    for c in (0..COLS).step_by(2) {
                        let (one, other) =
                            (vreinterpretq_s64_s32(acc[r / 2][c]), vreinterpretq_s64_s32(acc[r / 2][c + 1]));
                        let dots = if r % 2 == 0 { vtrn1q_s64(one, other) } else { vtrn2q_s64(one, other) };
                        let sums = vld1q_s32(tile.sums.as_ptr().add(first + 2 * c));
                        let dots = vmlaq_n_s32(vreinterpretq_s32_s64(dots), sums, -tile.zeros[r]);
                        vst1q_s32(out[r].as_mut_ptr().add(first + 2 * c), dots);
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
            let mut sums = [[vdupq_n_s32(0); QUAD]; Q];
            for at in (0..length).step_by(16) {
                if at.is_multiple_of(64) {
                    ask(ahead, at);
                }
                let mut bytes = [vdupq_n_u8(0); QUAD];
                for r in 0..QUAD {
                    bytes[r] = vld1q_u8(rows[r].as_ptr().add(at));
                }
                for q in 0..Q {
                    let part = vld1q_s8(queries[q].as_ptr().add(at));
                    for r in 0..QUAD {
                        sums[q][r] = usdot(sums[q][r], bytes[r], part);
                    }
                }
            }
            sum_quads(sums)
        }
    }

    #[inline(always)]
    fn run<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
        #[target_feature(enable = "neon,i8mm")]
        fn with<S: Lanes, O: Op>(s: S, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(s, op) }
    }
}
