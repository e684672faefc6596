//! The kernels' vocabulary in AVX-512 with VNNI: a vector is one register, a step of four products one instruction.

use super::lanes::{LANES, Lanes, MIDDLE, Op, PANEL, QUAD, ROWS, TileI8, common_length};
use std::arch::x86_64::*;

/// Proof that the processor has AVX-512 F, BW, VL and VNNI, and FMA.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    /// The proof, if the processor has what it takes.
    pub(super) fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vnni")
            && is_x86_feature_detected!("fma");
        has.then_some(Self(()))
    }
}

/// `S` times 64 bytes of four rows, from `at` on, times as many of the queries; gives how many bytes that are. It goes
/// row after row: the processor foresees what is read in the order of memory, and not what is read of four rows in
/// turn.
///
/// # Safety
/// The processor has the instructions of [`Avx512`], and rows and queries reach so far.
#[inline(always)]
unsafe fn steps<const S: usize, const Q: usize>(
    sums: &mut [[__m512i; QUAD]; Q],
    at: usize,
    rows: [&[u8]; QUAD],
    queries: [&[i8]; Q],
    ahead: Option<[&[u8]; QUAD]>,
) -> usize {
    // SAFETY: the caller vouches for the instructions and for 64 S bytes at `at`. What is asked for ahead is not read.
    unsafe {
        let mut parts = [[_mm512_setzero_si512(); S]; Q];
        for q in 0..Q {
            for s in 0..S {
                parts[q][s] = _mm512_loadu_si512(queries[q].as_ptr().add(at + 64 * s).cast());
            }
        }
        for r in 0..QUAD {
            for s in 0..S {
                if let Some(ahead) = ahead {
                    _mm_prefetch::<_MM_HINT_T0>(ahead[r].as_ptr().wrapping_add(at + 64 * s).cast());
                }
                let bytes = _mm512_loadu_si512(rows[r].as_ptr().add(at + 64 * s).cast());
                for q in 0..Q {
                    sums[q][r] = _mm512_dpbusd_epi32(sums[q][r], bytes, parts[q][s]);
                }
            }
        }
    }
    64 * S
}

impl Lanes for Avx512 {
    type F = __m512;
    type I = __m512i;
    const WIDE: usize = 4;

    #[inline(always)]
    fn splat(self, x: f32) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> __m512 {
        // SAFETY: `self` proves the instruction; the reference covers the 64 bytes, which need not be aligned.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }
    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> __m512 {
        // SAFETY: `self` proves the instructions; the reference covers the 64 bytes, which need not be aligned.
        unsafe { _mm512_cvtepi32_ps(_mm512_loadu_si512(from.as_ptr().cast())) }
    }
    #[inline(always)]
    fn less(self, sums: &[[i32; QUAD]; LANES / QUAD], number: i32) -> __m512 {
        // One load of all 64 bytes would wait until the four stores that made them are done.
        // SAFETY: `self` proves the instructions; each reference covers the 16 bytes, which need not be aligned.
        unsafe {
            let quad = |at: usize| _mm_loadu_si128(sums[at].as_ptr().cast());
            let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(quad(0)), quad(1));
            let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(quad(2)), quad(3));
            let whole = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            _mm512_cvtepi32_ps(_mm512_sub_epi32(whole, _mm512_set1_epi32(number)))
        }
    }
    #[inline(always)]
    fn load_steps(self, codes: &[u8; LANES], rests: &[u16; LANES]) -> __m512 {
        // SAFETY: `self` proves the instructions; the references cover the 16 and 32 bytes, which need not be aligned.
        unsafe {
            let codes = _mm512_cvtepu8_epi32(_mm_loadu_si128(codes.as_ptr().cast()));
            let rests = _mm512_cvtepu16_epi32(_mm256_loadu_si256(rests.as_ptr().cast()));
            let whole = _mm512_or_si512(_mm512_slli_epi32::<16>(codes), rests);
            _mm512_cvtepi32_ps(_mm512_sub_epi32(whole, _mm512_set1_epi32(MIDDLE)))
        }
    }
    #[inline(always)]
    fn store(self, x: __m512, to: &mut [f32; LANES]) {
        // SAFETY: `self` proves the instruction; the reference covers the 64 bytes, which need not be aligned.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), x) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_mul_ps(a, b) }
    }
    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_max_ps(a, b) }
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_min_ps(a, b) }
    }
    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instruction.
        unsafe { _mm512_abs_ps(a) }
    }
    #[inline(always)]
    fn split(self, a: __m512) -> (__m512i, __m512) {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let whole = _mm512_cvttps_epi32(a);
            (whole, _mm512_sub_ps(a, _mm512_cvtepi32_ps(whole)))
        }
    }
    #[inline(always)]
    fn lookup(self, table: &[f32; LANES], index: __m512i) -> __m512 {
        // SAFETY: `self` proves the instruction; it reads the low four bits of each index.
        unsafe { _mm512_permutexvar_ps(index, self.load(table)) }
    }
    #[inline(always)]
    fn power_of_two(self, shifted: __m512) -> __m512 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let bits = _mm512_slli_epi32::<23>(_mm512_castps_si512(shifted));
            _mm512_castsi512_ps(_mm512_add_epi32(bits, _mm512_set1_epi32(0x3f80_0000)))
        }
    }
    #[inline(always)]
    fn store_bytes(self, x: __m512, to: &mut [u8; LANES]) {
        // SAFETY: `self` proves the instructions; the reference covers the 16 bytes, which need not be aligned.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(x))) }
    }
    #[inline(always)]
    fn sum(self, x: __m512) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let x = _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps::<1>(x));
            let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
            let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
            _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)))
        }
    }
    #[inline(always)]
    fn greatest(self, x: __m512) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let x = _mm256_max_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps::<1>(x));
            let x = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
            let x = _mm_max_ps(x, _mm_movehl_ps(x, x));
            _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)))
        }
    }
    #[inline(always)]
    fn transpose(self, rows: [__m512; LANES]) -> [__m512; LANES] {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let mut a = rows;
            // Pairs of rows, then fours, within each quarter of 128 bits.
            for i in (0..16).step_by(2) {
                (a[i], a[i + 1]) = (_mm512_unpacklo_ps(a[i], a[i + 1]), _mm512_unpackhi_ps(a[i], a[i + 1]));
            }
            let mut d = [_mm512_setzero_pd(); LANES];
            for i in 0..LANES {
                d[i] = _mm512_castps_pd(a[i]);
            }
            let mut b = rows;
            for i in (0..16).step_by(4) {
                b[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(d[i], d[i + 2]));
                b[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(d[i], d[i + 2]));
                b[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(d[i + 1], d[i + 3]));
                b[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(d[i + 1], d[i + 3]));
            }
            // Now quarter q of b[4 g + j] holds column 4 q + j of the rows 4 g to 4 g + 3; the quarters change places.
            let mut out = rows;
            for j in 0..4 {
                let low = _mm512_shuffle_f32x4::<0x88>(b[j], b[4 + j]);
                let high = _mm512_shuffle_f32x4::<0xdd>(b[j], b[4 + j]);
                let low2 = _mm512_shuffle_f32x4::<0x88>(b[8 + j], b[12 + j]);
                let high2 = _mm512_shuffle_f32x4::<0xdd>(b[8 + j], b[12 + j]);
                out[j] = _mm512_shuffle_f32x4::<0x88>(low, low2);
                out[4 + j] = _mm512_shuffle_f32x4::<0x88>(high, high2);
                out[8 + j] = _mm512_shuffle_f32x4::<0xdd>(low, low2);
                out[12 + j] = _mm512_shuffle_f32x4::<0xdd>(high, high2);
            }
            out
        }
    }

    #[inline(always)]
    fn tile_i8<const R: usize>(self, tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        let steps = tile.steps;
        assert!(R <= ROWS && tile.zeros.len() >= R && tile.panel.len() >= steps * 4 * PANEL);
        assert!(R == 0 || tile.rows.len() >= (R - 1) * tile.stride + steps * 4);
        // SAFETY: `self` proves the instructions. The asserts above bound every read: four bytes at `4 * step` of each
        // of the R rows, and 256 bytes at `256 * step` of the panel, for all steps below `steps`. `sums` and `out` are
        // arrays of whole panels. No load or store needs alignment.
        unsafe {
            let mut acc = [[_mm512_setzero_si512(); 4]; R];
            for r in 0..R {
                let zero = _mm512_set1_epi32(-tile.zeros[r]);
                for c in 0..4 {
                    let sum = _mm512_loadu_si512(tile.sums.as_ptr().add(LANES * c).cast());
                    acc[r][c] = _mm512_mullo_epi32(zero, sum);
                }
            }
            let (mut rows, mut panel) = ([tile.rows.as_ptr(); R], tile.panel.as_ptr());
            for r in 0..R {
                rows[r] = rows[r].add(r * tile.stride);
            }
            for step in 0..steps {
                let mut weights = [_mm512_setzero_si512(); 4];
                for c in 0..4 {
                    weights[c] = _mm512_loadu_si512(panel.add(64 * c).cast());
                }
                panel = panel.add(4 * PANEL);
                for r in 0..R {
                    let quad = _mm512_set1_epi32(rows[r].add(4 * step).cast::<i32>().read_unaligned());
                    for c in 0..4 {
                        acc[r][c] = _mm512_dpbusd_epi32(acc[r][c], quad, weights[c]);
                    }
                }
            }
            for r in 0..R {
                for c in 0..4 {
                    _mm512_storeu_si512(out[r].as_mut_ptr().add(LANES * c).cast(), acc[r][c]);
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
        // SAFETY: `self` proves the instructions; `common_length` bounds every read of 64 bytes. `out` holds the 16
        // that are written. No load or store needs alignment.
        unsafe {
            let mut sums = [[_mm512_setzero_si512(); QUAD]; Q];
            let mut at = 0;
            while at < length {
                match length - at {
                    384.. => at += steps::<6, Q>(&mut sums, at, rows, queries, ahead),
                    256.. => at += steps::<4, Q>(&mut sums, at, rows, queries, ahead),
                    _ => at += steps::<1, Q>(&mut sums, at, rows, queries, ahead),
                }
            }
            // Not by `map`: a closure that is not made part of its caller may not use the instructions.
            let mut out = [[0i32; QUAD]; Q];
            for q in 0..Q {
                // Pairs, then fours: each quarter of 128 bits comes to hold one partial sum of every row.
                let pair = |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                let (left, right) = (pair(sums[q][0], sums[q][1]), pair(sums[q][2], sums[q][3]));
                let quarters = _mm512_add_epi32(_mm512_unpacklo_epi64(left, right), _mm512_unpackhi_epi64(left, right));
                let (low, high) = (_mm512_castsi512_si256(quarters), _mm512_extracti64x4_epi64::<1>(quarters));
                let halves = _mm256_add_epi32(low, high);
                let whole = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
                _mm_storeu_si128(out[q].as_mut_ptr().cast(), whole);
            }
            out
        }
    }

    #[inline(always)]
    fn run<O: Op>(self, op: O) -> O::Out {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,avx2")]
        fn with<O: Op>(s: Avx512, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(self, op) }
    }
}
