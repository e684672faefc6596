//! Bytes widened to 16 bits before they are multiplied.
//!
//! AVX2 can multiply bytes directly, but then a sum of two products is cut off at 16 bits. Activations above 127 reach
//! that limit. Widened first, every product is exact. The rows of a product are widened once, and each panel once.
//!
//! Two inputs share 32 bits: of each four inputs, first 0 and 2, then 1 and 3. That order needs only a shift and a
//! mask.

use super::sum_quads;
use crate::vector::simd::lanes::{LANES, Lanes, Op, PANEL, QUAD, ROWS, TileI8, common_length};
use crate::vector::simd::multiply::Multiply;
use std::arch::x86_64::*;

/// AVX2 and nothing else.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Widened(());

impl Multiply for Widened {
    const ROW_NUMBERS: usize = 2;
    const WEIGHT_NUMBERS: usize = 2;

    fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }

    #[inline(always)]
    fn prepare_row(self, bytes: &[u8], zero: i32, out: &mut [i32]) {
        let (whole, rest) = bytes.as_chunks::<32>();
        let (wide, wide_rest) = out.as_chunks_mut::<16>();
        assert!(wide.len() == whole.len() && 2 * wide_rest.len() == rest.len());
        // SAFETY: `self` proves the instructions; each reference covers the 32 or 64 bytes, which need not be aligned.
        unsafe {
            let zeros = _mm256_set1_epi16(zero as i16);
            for at in 0..whole.len() {
                let bytes = _mm256_loadu_si256(whole[at].as_ptr().cast());
                let even = _mm256_sub_epi16(_mm256_and_si256(bytes, _mm256_set1_epi16(0xff)), zeros);
                let odd = _mm256_sub_epi16(_mm256_srli_epi16::<8>(bytes), zeros);
                // Fours stay together: even and odd inputs of each four follow each other.
                let (low, high) = (_mm256_unpacklo_epi32(even, odd), _mm256_unpackhi_epi32(even, odd));
                let to: *mut __m256i = wide[at].as_mut_ptr().cast();
                _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(low, high));
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(low, high));
            }
        }
        for (to, from) in wide_rest.as_chunks_mut::<2>().0.iter_mut().zip(rest.as_chunks::<4>().0) {
            let pair = |a: u8, b: u8| (i32::from(a) - zero) & 0xffff | (i32::from(b) - zero) << 16;
            *to = [pair(from[0], from[2]), pair(from[1], from[3])];
        }
    }

    #[inline(always)]
    fn prepare_panel(self, panel: &[i8], out: &mut [i32]) {
        let steps = panel.as_chunks::<{ 4 * PANEL }>().0;
        assert!(2 * out.len() >= panel.len() && panel.len() == steps.len() * 4 * PANEL);
        let group = 2 * LANES * steps.len();
        for (step, bytes) in steps.iter().enumerate() {
            for half in 0..PANEL / 8 {
                let at = half / 2 * group + 2 * LANES * step + half % 2 * 8;
                // SAFETY: `self` proves the instructions. 32 bytes from `32 * half` on are within the step's 256. The
                // four groups take up `out`; each has 32 numbers a step, of which eight from `at` and eight from
                // `at + 16` on are written. No load or store needs alignment.
                unsafe {
                    let bytes = _mm256_loadu_si256(bytes.as_ptr().add(32 * half).cast());
                    let even = _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(bytes));
                    let odd = _mm256_srai_epi16::<8>(bytes);
                    _mm256_storeu_si256(out.as_mut_ptr().add(at).cast(), even);
                    _mm256_storeu_si256(out.as_mut_ptr().add(at + LANES).cast(), odd);
                }
            }
        }
    }

    #[inline(always)]
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        let (pairs, stride, ready) = (2 * tile.steps, tile.stride / 2, tile.prepared);
        assert!(R <= ROWS && ready.panel.len() >= pairs * PANEL);
        assert!(R == 0 || ready.rows.len() >= (R - 1) * stride + pairs);
        for first in (0..PANEL).step_by(LANES) {
            // SAFETY: `self` proves the instructions. The asserts above bound every read: the number at `pair` of each
            // of the R rows, and sixteen numbers at `16 * pair` of the group of sixteen columns, for all pairs below
            // `pairs`. `out` holds sixteen values from `first` on. No load or store needs alignment.
            unsafe {
                let mut acc = [[_mm256_setzero_si256(); 2]; R];
                let mut panel = ready.panel.as_ptr().add(first * pairs).cast::<__m256i>();
                for pair in 0..pairs {
                    let weights = [_mm256_loadu_si256(panel), _mm256_loadu_si256(panel.add(1))];
                    panel = panel.add(2);
                    for r in 0..R {
                        let row = _mm256_set1_epi32(*ready.rows.as_ptr().add(r * stride + pair));
                        acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(row, weights[0]));
                        acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(row, weights[1]));
                    }
                }
                for r in 0..R {
                    let to = out[r].as_mut_ptr().add(first).cast::<__m256i>();
                    _mm256_storeu_si256(to, acc[r][0]);
                    _mm256_storeu_si256(to.add(1), acc[r][1]);
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
        // SAFETY: `self` proves the instructions; `common_length` bounds every read of 16 bytes. `out` holds the 16
        // that are written. No load or store needs alignment.
        unsafe {
            let mut sums = [[_mm256_setzero_si256(); QUAD]; Q];
            for at in (0..length).step_by(16) {
                let mut bytes = [_mm256_setzero_si256(); QUAD];
                if let Some(ahead) = ahead.filter(|_| at.is_multiple_of(64)) {
                    // What lies beyond the end is asked for in vain and harms nothing.
                    for r in 0..QUAD {
                        _mm_prefetch::<_MM_HINT_T0>(ahead[r].as_ptr().wrapping_add(at).cast());
                    }
                }
                for r in 0..QUAD {
                    bytes[r] = _mm256_cvtepu8_epi16(_mm_loadu_si128(rows[r].as_ptr().add(at).cast()));
                }
                for q in 0..Q {
                    let part = _mm256_cvtepi8_epi16(_mm_loadu_si128(queries[q].as_ptr().add(at).cast()));
                    for r in 0..QUAD {
                        sums[q][r] = _mm256_add_epi32(sums[q][r], _mm256_madd_epi16(bytes[r], part));
                    }
                }
            }
            sum_quads(sums)
        }
    }

    #[inline(always)]
    fn run<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
        #[target_feature(enable = "avx2,fma")]
        fn with<S: Lanes, O: Op>(s: S, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(s, op) }
    }
}
