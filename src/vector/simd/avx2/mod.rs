//! The kernels' vocabulary in AVX2 with FMA: a vector is two registers. How bytes are multiplied differs between
//! processors: [`Widened`] and [`Vnni`], in files of their own.

mod vnni;
mod widened;

pub(super) use vnni::Vnni;
#[cfg(test)]
pub(super) use vnni::emulated::Emulated;
pub(super) use widened::Widened;

use super::lanes::{LANES, Lanes, MIDDLE, Op, PANEL, QUAD, ROWS, TileI8};
use super::multiply::Multiply;
use std::arch::x86_64::*;

/// Proof that the processor has AVX2, FMA and what `M` multiplies bytes with; each `M` asks for all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2<M>(M);

impl<M: Multiply> Avx2<M> {
    /// The proof, if the processor has what it takes.
    pub(super) fn new() -> Option<Self> {
        M::new().map(Self)
    }
}

/// The sums of four registers each, as dots of four rows: neighbours are added until each half holds one partial sum of
/// every row.
#[inline(always)]
fn sum_quads<const Q: usize>(sums: [[__m256i; QUAD]; Q]) -> [[i32; QUAD]; Q] {
    let mut out = [[0i32; QUAD]; Q];
    for q in 0..Q {
        // SAFETY: only holders of a proof of AVX2 call it; `out` holds the 16 bytes, which need not be aligned.
        unsafe {
            let (left, right) = (_mm256_hadd_epi32(sums[q][0], sums[q][1]), _mm256_hadd_epi32(sums[q][2], sums[q][3]));
            let halves = _mm256_hadd_epi32(left, right);
            let whole = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
            _mm_storeu_si128(out[q].as_mut_ptr().cast(), whole);
        }
    }
    out
}

/// Both halves through one operation.
macro_rules! both {
    ($op:ident, $($x:expr),+) => {
        // SAFETY: `self`, which every caller has, proves that the processor has the instruction.
        unsafe { [$op($($x[0]),+), $op($($x[1]),+)] }
    };
}

impl<M: Multiply> Lanes for Avx2<M> {
    type F = [__m256; 2];
    type I = [__m256i; 2];
    const WIDE: usize = 1;
    const ROW_NUMBERS: usize = M::ROW_NUMBERS;
    const WEIGHT_NUMBERS: usize = M::WEIGHT_NUMBERS;

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
