//! The kernels' vocabulary in AVX2 with FMA: a vector is two registers.
//!
//! Products of bytes are widened to 16 bits first. The instruction that multiplies bytes directly saturates its sums
//! of two at 16 bits, which activations above 127 would reach; widened, every product is exact.

use super::lanes::{LANES, Lanes, MIDDLE, Op, PANEL, QUAD, ROWS, TileI8};
use std::arch::x86_64::*;

/// Proof that the processor has AVX2 and FMA.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// The proof, if the processor has what it takes.
    pub(super) fn new() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

/// Both halves through one operation.
macro_rules! both {
    ($op:ident, $($x:expr),+) => {
        // SAFETY: `self`, which every caller has, proves that the processor has the instruction.
        unsafe { [$op($($x[0]),+), $op($($x[1]),+)] }
    };
}

impl Lanes for Avx2 {
    type F = [__m256; 2];
    type I = [__m256i; 2];
    const WIDE: usize = 1;

    #[inline(always)]
    fn splat(self, x: f32) -> [__m256; 2] {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { [_mm256_set1_ps(x); 2] }
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> [__m256; 2] {
        // SAFETY: `self` proves the instruction; the reference covers the 64 bytes, which need not be aligned.
        unsafe { [_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))] }
    }
    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> [__m256; 2] {
        // SAFETY: `self` proves the instructions; the reference covers the 64 bytes, which need not be aligned.
        unsafe {
            let half = |at| _mm256_cvtepi32_ps(_mm256_loadu_si256(from.as_ptr().add(at).cast()));
            [half(0), half(8)]
        }
    }
    #[inline(always)]
    fn less(self, sums: &[[i32; QUAD]; LANES / QUAD], number: i32) -> [__m256; 2] {
        // SAFETY: `self` proves the instructions; each reference covers the 16 bytes, which need not be aligned.
        unsafe {
            let half = |at: usize| {
                let low = _mm_loadu_si128(sums[at].as_ptr().cast());
                let high = _mm_loadu_si128(sums[at + 1].as_ptr().cast());
                let whole = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
                _mm256_cvtepi32_ps(_mm256_sub_epi32(whole, _mm256_set1_epi32(number)))
            };
            [half(0), half(2)]
        }
    }
    #[inline(always)]
    fn load_steps(self, codes: &[u8; LANES], rests: &[u16; LANES]) -> [__m256; 2] {
        // SAFETY: `self` proves the instructions; the references cover the 16 and 32 bytes, which need not be aligned.
        unsafe {
            let half = |at| {
                let codes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(codes.as_ptr().add(at).cast()));
                let rests = _mm256_cvtepu16_epi32(_mm_loadu_si128(rests.as_ptr().add(at).cast()));
                let whole = _mm256_or_si256(_mm256_slli_epi32::<16>(codes), rests);
                _mm256_cvtepi32_ps(_mm256_sub_epi32(whole, _mm256_set1_epi32(MIDDLE)))
            };
            [half(0), half(8)]
        }
    }
    #[inline(always)]
    fn store(self, x: [__m256; 2], to: &mut [f32; LANES]) {
        // SAFETY: `self` proves the instruction; the reference covers the 64 bytes, which need not be aligned.
        unsafe {
            _mm256_storeu_ps(to.as_mut_ptr(), x[0]);
            _mm256_storeu_ps(to.as_mut_ptr().add(8), x[1]);
        }
    }
    #[inline(always)]
    fn add(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        both!(_mm256_add_ps, a, b)
    }
    #[inline(always)]
    fn sub(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        both!(_mm256_sub_ps, a, b)
    }
    #[inline(always)]
    fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        both!(_mm256_mul_ps, a, b)
    }
    #[inline(always)]
    fn fma(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
        both!(_mm256_fmadd_ps, a, b, c)
    }
    #[inline(always)]
    fn max(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        both!(_mm256_max_ps, a, b)
    }
    #[inline(always)]
    fn min(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        both!(_mm256_min_ps, a, b)
    }
    #[inline(always)]
    fn abs(self, a: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            [_mm256_andnot_ps(sign, a[0]), _mm256_andnot_ps(sign, a[1])]
        }
    }
    #[inline(always)]
    fn split(self, a: [__m256; 2]) -> ([__m256i; 2], [__m256; 2]) {
        let whole = both!(_mm256_cvttps_epi32, a);
        let floats = both!(_mm256_cvtepi32_ps, whole);
        (whole, self.sub(a, floats))
    }
    #[inline(always)]
    fn lookup(self, table: &[f32; LANES], index: [__m256i; 2]) -> [__m256; 2] {
        let [low, high] = self.load(table);
        // SAFETY: `self` proves the instructions; the permutation reads the low three bits of each index, the blend the
        // fourth, shifted to the sign.
        unsafe {
            let mut out = [low; 2];
            for half in 0..2 {
                let i = index[half];
                let fourth = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(i));
                let [one, other] = [_mm256_permutevar8x32_ps(low, i), _mm256_permutevar8x32_ps(high, i)];
                out[half] = _mm256_blendv_ps(one, other, fourth);
            }
            out
        }
    }
    #[inline(always)]
    fn power_of_two(self, shifted: [__m256; 2]) -> [__m256; 2] {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let (one, mut out) = (_mm256_set1_epi32(0x3f80_0000), shifted);
            for x in &mut out {
                let bits = _mm256_slli_epi32::<23>(_mm256_castps_si256(*x));
                *x = _mm256_castsi256_ps(_mm256_add_epi32(bits, one));
            }
            out
        }
    }
    #[inline(always)]
    fn store_bytes(self, x: [__m256; 2], to: &mut [u8; LANES]) {
        // SAFETY: `self` proves the instructions; the reference covers the 16 bytes, which need not be aligned.
        unsafe {
            let [low, high] = [_mm256_cvtps_epi32(x[0]), _mm256_cvtps_epi32(x[1])];
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
            let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_packus_epi16(low, high));
        }
    }
    #[inline(always)]
    fn sum(self, x: [__m256; 2]) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let x = _mm256_add_ps(x[0], x[1]);
            let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
            let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
            _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
        }
    }
    #[inline(always)]
    fn greatest(self, x: [__m256; 2]) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let x = _mm256_max_ps(x[0], x[1]);
            let x = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
            let x = _mm_max_ps(x, _mm_movehl_ps(x, x));
            _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)))
        }
    }
    #[inline(always)]
    fn transpose(self, rows: [[__m256; 2]; LANES]) -> [[__m256; 2]; LANES] {
        let (mut from, mut turned) = ([[0.0f32; LANES]; LANES], [[0.0f32; LANES]; LANES]);
        for r in 0..LANES {
            self.store(rows[r], &mut from[r]);
        }
        for r in 0..LANES {
            for c in 0..LANES {
                turned[r][c] = from[c][r];
            }
        }
        let mut out = rows;
        for r in 0..LANES {
            out[r] = self.load(&turned[r]);
        }
        out
    }

    #[inline(always)]
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        const COLS: usize = 8;
        let steps = tile.steps;
        assert!(R <= ROWS && tile.zeros.len() >= R && tile.panel.len() >= steps * 4 * PANEL);
        assert!(R == 0 || tile.rows.len() >= (R - 1) * tile.stride + steps * 4);
        for first in (0..PANEL).step_by(COLS) {
            // SAFETY: `self` proves the instructions. The asserts above bound every read: four bytes at `4 * step` of
            // each of the R rows, and 32 bytes at `256 * step + 4 * first` of the panel, for all steps below `steps`.
            // `sums` and `out` hold eight values from `first` on. No load or store needs alignment.
            unsafe {
                // Each register holds two partial sums of each of four columns.
                let mut acc = [[_mm256_setzero_si256(); 2]; R];
                for step in 0..steps {
                    let at = tile.panel.as_ptr().add(4 * PANEL * step + 4 * first);
                    let left = _mm256_cvtepi8_epi16(_mm_loadu_si128(at.cast()));
                    let right = _mm256_cvtepi8_epi16(_mm_loadu_si128(at.add(16).cast()));
                    for r in 0..R {
                        let quad = tile.rows.as_ptr().add(r * tile.stride + 4 * step).cast::<i32>().read_unaligned();
                        let quad = _mm256_cvtepu8_epi16(_mm_set1_epi32(quad));
                        acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(quad, left));
                        acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(quad, right));
                    }
                }
                let sums = _mm256_loadu_si256(tile.sums.as_ptr().add(first).cast());
                for r in 0..R {
                    let pairs = _mm256_hadd_epi32(acc[r][0], acc[r][1]);
                    let dots = _mm256_permute4x64_epi64::<0b11_01_10_00>(pairs);
                    let zero = _mm256_mullo_epi32(_mm256_set1_epi32(tile.zeros[r]), sums);
                    _mm256_storeu_si256(out[r].as_mut_ptr().add(first).cast(), _mm256_sub_epi32(dots, zero));
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
        let length = rows[0].len();
        assert!(length.is_multiple_of(64) && rows.iter().all(|row| row.len() == length));
        assert!(queries.iter().all(|query| query.len() == length));
        // SAFETY: `self` proves the instructions; the asserts bound every read of 16 bytes, `out` holds the 16 that are
        // written. No load or store needs alignment.
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
            // Not by `map`: a closure that is not made part of its caller may not use the instructions.
            let mut out = [[0i32; QUAD]; Q];
            for q in 0..Q {
                // Neighbours are added until each half holds one partial sum of every row.
                let (left, right) =
                    (_mm256_hadd_epi32(sums[q][0], sums[q][1]), _mm256_hadd_epi32(sums[q][2], sums[q][3]));
                let halves = _mm256_hadd_epi32(left, right);
                let whole = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
                _mm_storeu_si128(out[q].as_mut_ptr().cast(), whole);
            }
            out
        }
    }

    #[inline(always)]
    fn run<O: Op>(self, op: O) -> O::Out {
        #[target_feature(enable = "avx2,fma")]
        fn with<O: Op>(s: Avx2, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(self, op) }
    }
}
