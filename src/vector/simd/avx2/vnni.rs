//! AVX-VNNI: four products of bytes and their sum in one instruction of 256 bits.

use super::sum_quads;
use crate::vector::simd::lanes::{LANES, Lanes, Op, PANEL, QUAD, ROWS, TileI8, common_length};
use crate::vector::simd::multiply::Multiply;
use std::arch::x86_64::*;

/// AVX2 with AVX-VNNI, as Intel's processors have it since Alder Lake and AMD's since Zen 5.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Vnni(());

/// The one instruction, so that the kernels below can be tried on processors without it.
pub(in super::super) trait DotBytes: Copy {
    /// The proof, if the processor has the instruction. The caller looks for AVX2 and FMA.
    fn find() -> Option<Self>;
    /// [`Multiply::run`].
    fn run_with<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out;
    /// `sums + dots of four` of unsigned and signed bytes.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn dot(sums: __m256i, unsigned: __m256i, signed: __m256i) -> __m256i;
}

impl DotBytes for Vnni {
    fn find() -> Option<Self> {
        is_x86_feature_detected!("avxvnni").then_some(Self(()))
    }

    #[inline(always)]
    fn run_with<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
        #[target_feature(enable = "avx2,fma,avxvnni")]
        fn with<S: Lanes, O: Op>(s: S, op: O) -> O::Out {
            op.run(s)
        }
        // SAFETY: `self` proves that the processor has the instructions that `with` enables.
        unsafe { with(s, op) }
    }

    #[inline(always)]
    unsafe fn dot(sums: __m256i, unsigned: __m256i, signed: __m256i) -> __m256i {
        // SAFETY: the caller vouches for the instruction.
        unsafe { _mm256_dpbusd_avx_epi32(sums, unsigned, signed) }
    }
}

/// [`Multiply::tile_i8`] by `D`.
///
/// # Safety
/// The processor has the instructions of `D` and AVX2.
#[inline(always)]
unsafe fn tile<D: DotBytes, const R: usize>(tile: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
    let steps = tile.steps;
    assert!(R <= ROWS && tile.zeros.len() >= R && tile.panel.len() >= steps * 4 * PANEL);
    assert!(R == 0 || tile.rows.len() >= (R - 1) * tile.stride + steps * 4);
    for first in (0..PANEL).step_by(LANES) {
        // SAFETY: the caller vouches for the instructions. The asserts above bound every read: four bytes at
        // `4 * step` of each of the R rows, and 64 bytes at `256 * step + 4 * first` of the panel, for all steps below
        // `steps`. `sums` and `out` hold sixteen values from `first` on. No load or store needs alignment.
        unsafe {
            let mut acc = [[_mm256_setzero_si256(); 2]; R];
            for r in 0..R {
                let zero = _mm256_set1_epi32(-tile.zeros[r]);
                for c in 0..2 {
                    let sum = _mm256_loadu_si256(tile.sums.as_ptr().add(first + 8 * c).cast());
                    acc[r][c] = _mm256_mullo_epi32(zero, sum);
                }
            }
            for step in 0..steps {
                let at = tile.panel.as_ptr().add(4 * PANEL * step + 4 * first).cast::<__m256i>();
                let weights = [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))];
                for r in 0..R {
                    let quad = tile.rows.as_ptr().add(r * tile.stride + 4 * step).cast::<i32>().read_unaligned();
                    let quad = _mm256_set1_epi32(quad);
                    for c in 0..2 {
                        acc[r][c] = D::dot(acc[r][c], quad, weights[c]);
                    }
                }
            }
            for r in 0..R {
                for c in 0..2 {
                    _mm256_storeu_si256(out[r].as_mut_ptr().add(first + 8 * c).cast(), acc[r][c]);
                }
            }
        }
    }
}

/// [`Multiply::dot_quad`] by `D`.
///
/// # Safety
/// The processor has the instructions of `D` and AVX2.
#[inline(always)]
unsafe fn quad<D: DotBytes, const Q: usize>(
    rows: [&[u8]; QUAD],
    queries: [&[i8]; Q],
    ahead: Option<[&[u8]; QUAD]>,
) -> [[i32; QUAD]; Q] {
    let length = common_length(rows, queries);
    // SAFETY: the caller vouches for the instructions; `common_length` bounds every read of 32 bytes, which need not be
    // aligned. What is asked for ahead is not read.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); QUAD]; Q];
        for at in (0..length).step_by(32) {
            let mut parts = [_mm256_setzero_si256(); Q];
            for q in 0..Q {
                parts[q] = _mm256_loadu_si256(queries[q].as_ptr().add(at).cast());
            }
            for r in 0..QUAD {
                if let Some(ahead) = ahead.filter(|_| at.is_multiple_of(64)) {
                    _mm_prefetch::<_MM_HINT_T0>(ahead[r].as_ptr().wrapping_add(at).cast());
                }
                let bytes = _mm256_loadu_si256(rows[r].as_ptr().add(at).cast());
                for q in 0..Q {
                    sums[q][r] = D::dot(sums[q][r], bytes, parts[q]);
                }
            }
        }
        sum_quads(sums)
    }
}

impl<D: DotBytes> Multiply for D {
    fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        D::find().filter(|_| has)
    }

    #[inline(always)]
    fn tile_i8<const R: usize>(self, at: &TileI8<'_>, out: &mut [[i32; PANEL]; ROWS]) {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { tile::<D, R>(at, out) }
    }

    #[inline(always)]
    fn dot_quad<const Q: usize>(
        self,
        rows: [&[u8]; QUAD],
        queries: [&[i8]; Q],
        ahead: Option<[&[u8]; QUAD]>,
    ) -> [[i32; QUAD]; Q] {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { quad::<D, Q>(rows, queries, ahead) }
    }

    #[inline(always)]
    fn run<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
        D::run_with(self, s, op)
    }
}

/// The kernels with the instruction's result computed by others, on any processor with AVX2.
#[cfg(test)]
pub(in super::super) mod emulated {
    use super::*;

    /// AVX2 with AVX-VNNI emulated.
    #[derive(Debug, Clone, Copy)]
    pub struct Emulated(());

    impl DotBytes for Emulated {
        fn find() -> Option<Self> {
            Some(Self(()))
        }

        #[inline(always)]
        fn run_with<S: Lanes, O: Op>(self, s: S, op: O) -> O::Out {
            #[target_feature(enable = "avx2,fma")]
            fn with<S: Lanes, O: Op>(s: S, op: O) -> O::Out {
                op.run(s)
            }
            // SAFETY: `self` is only handed out with AVX2 and FMA, by `Multiply::new`.
            unsafe { with(s, op) }
        }

        #[inline(always)]
        unsafe fn dot(sums: __m256i, unsigned: __m256i, signed: __m256i) -> __m256i {
            // SAFETY: the caller vouches for AVX2.
            unsafe {
                let low = _mm256_set1_epi16(0xff);
                let even = _mm256_madd_epi16(
                    _mm256_and_si256(unsigned, low),
                    _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(signed)),
                );
                let odd = _mm256_madd_epi16(_mm256_srli_epi16::<8>(unsigned), _mm256_srai_epi16::<8>(signed));
                _mm256_add_epi32(sums, _mm256_add_epi32(even, odd))
            }
        }
    }
}
