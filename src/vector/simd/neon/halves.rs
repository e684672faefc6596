//! NEON alone: products of bytes are summed in 16 bits, two at a time, then in 32.
//!
//! 128 is subtracted from each activation and from the zero point. A packed weight is never -128, so the sum of two
//! products is at most 128 * 127 * 2 = 32,512, which 16 bits hold. The bytes of a query may be -128, so its products
//! are summed one at a time.

use super::{ask, signed, sum_quads};
use crate::vector::simd::lanes::{Lanes, Op, PANEL, QUAD, ROWS, TileI8, common_length};
use crate::vector::simd::multiply::Multiply;
use std::arch::aarch64::*;

/// NEON and nothing else.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Halves(());

impl Multiply for Halves {
    const ROW_NUMBERS: usize = 1;

    fn new() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
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
        for first in (0..PANEL).step_by(COLS) {
            // SAFETY: `self` proves the instructions. The asserts above bound every read: the four bytes at `step` of
            // each of the R rows, and 16 bytes at `256 * step + 4 * first` of the panel, for all steps below `steps`.
            // `sums` and `out` hold four values from `first` on.
            unsafe {
                // Of two columns each, two partial sums of a column side by side.
                let mut acc = [[vdupq_n_s32(0); 2]; R];
                let panel = tile.panel.as_ptr().add(4 * first);
                let mut at = [rows.as_ptr(); R];
                for r in 0..R {
                    at[r] = at[r].add(r * stride);
                }
                let mut step = 0;
                while step + 1 < steps {
                    let weights = vld1q_s8(panel.add(4 * PANEL * step));
                    let next = vld1q_s8(panel.add(4 * PANEL * (step + 1)));
                    for r in 0..R {
                        let a = vreinterpretq_s8_s32(vld1q_dup_s32(at[r].add(step)));
                        let b = vreinterpretq_s8_s32(vld1q_dup_s32(at[r].add(step + 1)));
                        let low = vmull_s8(vget_low_s8(weights), vget_low_s8(a));
                        let low = vmlal_s8(low, vget_low_s8(next), vget_low_s8(b));
                        let high = vmlal_high_s8(vmull_high_s8(weights, a), next, b);
                        acc[r] = [vpadalq_s16(acc[r][0], low), vpadalq_s16(acc[r][1], high)];
                    }
                    step += 2;
                }
                if step < steps {
                    let weights = vld1q_s8(panel.add(4 * PANEL * step));
                    for r in 0..R {
                        let a = vreinterpretq_s8_s32(vld1q_dup_s32(at[r].add(step)));
                        let low = vmull_s8(vget_low_s8(weights), vget_low_s8(a));
                        acc[r] = [vpadalq_s16(acc[r][0], low), vpadalq_s16(acc[r][1], vmull_high_s8(weights, a))];
                    }
                }
                let sums = vld1q_s32(tile.sums.as_ptr().add(first));
                for r in 0..R {
                    let dots = vmlaq_n_s32(vpaddq_s32(acc[r][0], acc[r][1]), sums, 128 - tile.zeros[r]);
                    vst1q_s32(out[r].as_mut_ptr().add(first), dots);
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
            let half = vdupq_n_u8(128);
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
                    // What the 128 that were taken from each byte come to.
                    let taken = vshlq_n_s32::<7>(vpaddlq_s16(vpaddlq_s8(part)));
                    for r in 0..QUAD {
                        let low = vmull_s8(vget_low_s8(bytes[r]), vget_low_s8(part));
                        let sum = vpadalq_s16(vaddq_s32(sums[q][r], taken), low);
                        sums[q][r] = vpadalq_s16(sum, vmull_high_s8(bytes[r], part));
                    }
                }
            }
            sum_quads(sums)
        }
    }

    #[inline(always)]
    fn run<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
        #[target_feature(enable = "neon")]
        fn with<S: Lanes, O: Op>(s: S, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(s, op) }
    }
}
