//! Kernels on wide registers: the only home of `unsafe` besides `map`.
//!
//! Each kernel is written once, over the vocabulary of `lanes`. Four speak it: AVX-512 with VNNI, AVX2, NEON and plain
//! Rust. Some processors with AVX2 or NEON multiply bytes faster than others, so these two have several ways
//! (`multiply`).
//!
//! An [`Isa`] says which form runs. It exists only for instructions that the processor has, and [`Isa::detect`] is the
//! one place that asks. All forms make the same bits: integer products are exact, and floats are rounded and summed in
//! one order. The tests compare every form with the scalar one, and that with plain loops.
#![allow(unsafe_code)]
// An index here names a register or a row of a tile, not a place in a list.
#![allow(clippy::needless_range_loop)]

mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod codes;
mod dot;
mod lanes;
mod math;
mod multiply;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pack;
mod product;
mod rows;
mod scratch;
#[cfg(test)]
mod tests;

pub use attention::{AttentionScratch, Head};
pub use codes::SplitQuery;
pub use pack::{pack_f32, pack_i8};
pub use product::{Finish, PackedF32, PackedI8, ProductScratch, Target};
pub use rows::{Norm, RowScale};
pub(crate) use scratch::fit;

use lanes::{Lanes, Op, Scalar};

/// A set of instructions that this processor has.
#[derive(Debug, Clone, Copy)]
pub struct Isa(IsaKind);

/// The sets of instructions: each with the architecture that has it, its name and the type that speaks it.
macro_rules! kinds {
    ($($(#[$on:meta])* $kind:ident $name:literal $speaker:ty,)+) => {
        #[derive(Debug, Clone, Copy)]
        enum IsaKind {
            Scalar(Scalar),
            $($(#[$on])* $kind($speaker),)+
        }

        impl Isa {
            /// The set of this name, if there is one and this processor has it.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    "scalar" => Some(Self(IsaKind::Scalar(Scalar))),
                    $($(#[$on])* $name => <$speaker>::new().map(|s| Self(IsaKind::$kind(s))),)+
                    _ => None,
                }
            }

            /// Its name, one of [`Isa::NAMES`].
            pub const fn name(self) -> &'static str {
                match self.0 {
                    IsaKind::Scalar(_) => "scalar",
                    $($(#[$on])* IsaKind::$kind(_) => $name,)+
                }
            }

            fn run<O: Op>(self, op: O) -> O::Out {
                match self.0 {
                    IsaKind::Scalar(s) => s.run(op),
                    $($(#[$on])* IsaKind::$kind(s) => s.run(op),)+
                }
            }
        }
    };
}

kinds! {
    #[cfg(target_arch = "x86_64")]
    Avx2 "avx2" avx2::Avx2<avx2::Widened>,
    #[cfg(target_arch = "x86_64")]
    AvxVnni "avxvnni" avx2::Avx2<avx2::Vnni>,
    #[cfg(target_arch = "x86_64")]
    Avx512 "avx512" avx512::Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon "neon" neon::Neon<neon::Halves>,
    #[cfg(target_arch = "aarch64")]
    DotProd "dotprod" neon::Neon<neon::Dot>,
    #[cfg(target_arch = "aarch64")]
    I8mm "i8mm" neon::Neon<neon::Matrix>,
    #[cfg(all(test, target_arch = "x86_64"))]
    Emulated "avxvnni, emulated" avx2::Avx2<avx2::Emulated>,
}

impl Isa {
    /// Names that [`Isa::named`] knows, of each architecture the widest last. `avx512` includes VNNI; `avxvnni` is AVX2
    /// with VNNI, `dotprod` and `i8mm` are NEON with these.
    pub const NAMES: [&str; 7] = ["scalar", "avx2", "avxvnni", "avx512", "neon", "dotprod", "i8mm"];

    /// The widest that this processor has.
    pub fn detect() -> Self {
        Self::NAMES.iter().rev().find_map(|name| Self::named(name)).unwrap_or(Self(IsaKind::Scalar(Scalar)))
    }

    /// Quantises rows of `width` to bytes, each with its own scale.
    ///
    /// # Panics
    /// When `rows`, `out` and `scales` are not for the same number of rows.
    pub fn quantise(self, rows: &[f32], width: usize, out: &mut [u8], scales: &mut [RowScale]) {
        assert!(rows.len() == out.len() && rows.len() == scales.len() * width);
        self.run(rows::Quantise { rows, width, out, scales });
    }

    /// Layer norm of rows as wide as its parameters, in place.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn norm(self, rows: &mut [f32], norm: Norm<'_>) {
        assert!(norm.gamma.len() == norm.beta.len() && rows.len().is_multiple_of(norm.gamma.len()));
        self.run(rows::NormRows { rows, norm });
    }

    /// Layer norm in place, with the result quantised as well.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn norm_quantise(self, rows: &mut [f32], norm: Norm<'_>, out: &mut [u8], scales: &mut [RowScale]) {
        assert!(norm.gamma.len() == norm.beta.len() && rows.len() == scales.len() * norm.gamma.len());
        assert!(rows.len() == out.len());
        self.run(rows::NormQuantise { rows, norm, out, scales });
    }

    /// `finish(rows * weights + bias)`: as many rows of bytes as there are scales.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn product_i8(
        self,
        (rows, scales): (&[u8], &[RowScale]),
        weights: PackedI8<'_>,
        bias: &[f32],
        scratch: &mut ProductScratch,
        target: Target<'_>,
    ) {
        let whole = weights.outputs.next_multiple_of(lanes::PANEL);
        assert!(rows.len() == scales.len() * weights.inputs && weights.inputs.is_multiple_of(4));
        assert!(weights.panels.len() == whole * weights.inputs && bias.len() == weights.outputs);
        assert!(weights.sums.len() == whole && weights.scales.len() == whole);
        assert!(target.outputs.start.is_multiple_of(lanes::PANEL) && target.outputs.end <= weights.outputs);
        self.run(product::ProductI8 { rows, scales, weights, bias, scratch, target });
    }

    /// `finish(rows * weights + bias)` in f32.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn product_f32(self, rows: &[f32], weights: PackedF32<'_>, bias: &[f32], target: Target<'_>) {
        let whole = weights.outputs.next_multiple_of(lanes::PANEL);
        assert!(rows.len().is_multiple_of(weights.inputs) && bias.len() == weights.outputs);
        assert!(weights.panels.len() == whole * weights.inputs);
        assert!(target.outputs.start.is_multiple_of(lanes::PANEL) && target.outputs.end <= weights.outputs);
        self.run(product::ProductF32 { rows, weights, bias, target });
    }

    /// Dot products of `query` with each row of `rows` into `out`, one a row; rows beyond `out` are left out.
    pub fn dot_rows(self, query: &[f32], rows: &[f32], out: &mut [f32]) {
        self.run(dot::DotRows { query, rows, out });
    }

    /// About the dot products of a query and as many rows of codes, from the first on, as `out` has places.
    ///
    /// # Panics
    /// When there are not so many rows, when the lengths do not fit, or the query's is no multiple of 64.
    pub fn similarities(self, codes: &[u8], scales: &[f32], query: SplitQuery<'_>, out: &mut [f32]) {
        query.check();
        self.run(codes::Similarities { codes, scales, query, row: |at| at, out });
    }

    /// The same for the rows of these numbers.
    ///
    /// # Panics
    /// When there is no such row, when the lengths do not fit, or the query's is no multiple of 64.
    pub fn similarities_of(self, codes: &[u8], scales: &[f32], query: SplitQuery<'_>, rows: &[u32], out: &mut [f32]) {
        query.check();
        assert!(rows.len() == out.len());
        self.run(codes::Similarities { codes, scales, query, row: |at: usize| rows[at] as usize, out });
    }

    /// One row of bytes against the rows at these places of `codes`, whose rows are as long as `query`: the sum of
    /// products of each, exact.
    ///
    /// # Panics
    /// When there is no such row, when the lengths do not fit, or the query's is no multiple of 64.
    pub fn dot_gather(self, codes: &[u8], rows: &[u32], query: &[i8], out: &mut [i32]) {
        assert!(query.len().is_multiple_of(64) && query.len() <= 1 << 16 && rows.len() == out.len());
        self.run(codes::DotGather { codes, rows, query, out });
    }

    /// Dot product of a query with one row that [`crate::vector::encode_row`] wrote, whose rests count in units of
    /// `step`.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn dot_row(self, query: &[f32], codes: &[u8], rests: &[u16], step: f32) -> f32 {
        assert!(query.len() == codes.len() && query.len() == rests.len());
        self.run(codes::DotRow { query, codes, rests, step })
    }

    /// Asks for these bytes to be brought near the processor, and does not wait for them.
    #[inline]
    pub fn prefetch<T>(self, wanted: &[T]) {
        prefetch(wanted);
    }

    /// Attention of one head: the answer of question r goes to `out[r * out_stride..]`.
    ///
    /// # Panics
    /// When a slice is too short, or the head's width is not a multiple of 16.
    pub fn attend(self, head: Head<'_>, scratch: &mut AttentionScratch, out: &mut [f32], out_stride: usize) {
        assert!(head.width.is_multiple_of(lanes::LANES) && head.tokens > 0);
        self.run(attention::Attend { head, scratch, out, out_stride });
    }
}

/// Asks for these bytes to be brought near the processor, and does not wait for them.
#[inline(always)]
fn prefetch<T>(wanted: &[T]) {
    let _ = wanted;
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of_val(wanted)).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 has the instruction, which reads nothing; the place lies within the slice.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(wanted.as_ptr().cast::<i8>().add(line)) }
    }
}
