//! Row operations on candle tensors, in place, parallel over rows.
//!
//! Each fuses what candle does in three to six passes with a fresh tensor apiece: bias and activation, bias and
//! residual and layer norm, softmax. The loops run inside `pulp`'s dispatch, which compiles them for the instruction
//! sets it knows and picks one at run time, without any `unsafe` here. Operands must be contiguous; the tensors that
//! `transformer` makes always are, and anything else is an error.

use super::math;
use crate::embed::manifest::Activation;
use candle_core::{CpuStorage, InplaceOp1, InplaceOp2, InplaceOp3, Layout, Result, bail};
use pulp::Arch;
use rayon::prelude::*;

/// Elements that one task should at least hold: below this the hand-over costs more than the work.
const TASK: usize = 16 * 1024;

/// The f32 values of a contiguous operand.
fn values<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(v), Some((start, end))) => Ok(&v[start..end]),
        _ => bail!("an operand is not contiguous f32"),
    }
}

fn values_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(v), Some((start, end))) => Ok(&mut v[start..end]),
        _ => bail!("an operand is not contiguous f32"),
    }
}

/// Rows of `width` that make a task.
fn rows_per_task(width: usize) -> usize {
    TASK.div_ceil(width).max(1)
}

/// `x + bias` in every row.
pub(super) struct AddBias;

impl InplaceOp2 for AddBias {
    fn name(&self) -> &'static str {
        "add-bias"
    }

    fn cpu_fwd(&self, dst: &mut CpuStorage, dst_l: &Layout, b: &CpuStorage, b_l: &Layout) -> Result<()> {
        let (x, bias) = (values_mut(dst, dst_l)?, values(b, b_l)?);
        let arch = Arch::new();
        x.par_chunks_mut(rows_per_task(bias.len()) * bias.len()).for_each(|rows| {
            arch.dispatch(|| {
                for row in rows.chunks_exact_mut(bias.len()) {
                    for (x, b) in row.iter_mut().zip(bias) {
                        *x += b;
                    }
                }
            });
        });
        Ok(())
    }
}

/// `activation(x + bias)` in every row.
pub(super) struct BiasActivation(pub Activation);

impl BiasActivation {
    fn run(x: &mut [f32], bias: &[f32], f: impl Fn(f32) -> f32 + Sync) {
        let arch = Arch::new();
        x.par_chunks_mut(rows_per_task(bias.len()) * bias.len()).for_each(|rows| {
            arch.dispatch(|| {
                for row in rows.chunks_exact_mut(bias.len()) {
                    for (x, b) in row.iter_mut().zip(bias) {
                        *x = f(*x + b);
                    }
                }
            });
        });
    }
}

impl InplaceOp2 for BiasActivation {
    fn name(&self) -> &'static str {
        "bias-activation"
    }

    fn cpu_fwd(&self, dst: &mut CpuStorage, dst_l: &Layout, b: &CpuStorage, b_l: &Layout) -> Result<()> {
        let (x, bias) = (values_mut(dst, dst_l)?, values(b, b_l)?);
        match self.0 {
            Activation::Gelu => Self::run(x, bias, math::gelu),
            Activation::GeluTanh => Self::run(x, bias, math::gelu_tanh),
            Activation::Relu => Self::run(x, bias, |x| x.max(0.0)),
        }
        Ok(())
    }
}

/// `layer_norm(x + bias + residual)` in every row. The sources are the residual and a tensor of the three rows bias,
/// gamma and beta.
pub(super) struct ResidualNorm {
    pub eps: f32,
}

impl InplaceOp3 for ResidualNorm {
    fn name(&self) -> &'static str {
        "residual-norm"
    }

    fn cpu_fwd(
        &self,
        dst: &mut CpuStorage,
        dst_l: &Layout,
        residual: &CpuStorage,
        residual_l: &Layout,
        params: &CpuStorage,
        params_l: &Layout,
    ) -> Result<()> {
        let x = values_mut(dst, dst_l)?;
        let (residual, params) = (values(residual, residual_l)?, values(params, params_l)?);
        let width = params.len() / 3;
        if residual.len() != x.len() || !x.len().is_multiple_of(width) {
            bail!("residual-norm of {} values with {} and {}", x.len(), residual.len(), params.len());
        }
        let (bias, rest) = params.split_at(width);
        let (gamma, beta) = rest.split_at(width);
        let task = rows_per_task(width) * width;
        let arch = Arch::new();
        x.par_chunks_mut(task).zip(residual.par_chunks(task)).for_each(|(rows, others)| {
            arch.dispatch(|| {
                for (row, other) in rows.chunks_exact_mut(width).zip(others.chunks_exact(width)) {
                    for ((x, r), b) in row.iter_mut().zip(other).zip(bias) {
                        *x += b + r;
                    }
                    math::layer_norm(row, gamma, beta, self.eps);
                }
            });
        });
        Ok(())
    }
}

/// Softmax over the last dimension.
pub(super) struct Softmax;

impl InplaceOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, dst: &mut CpuStorage, dst_l: &Layout) -> Result<()> {
        let width = dst_l.dims().last().copied().unwrap_or(1);
        let x = values_mut(dst, dst_l)?;
        let arch = Arch::new();
        x.par_chunks_mut(rows_per_task(width) * width).for_each(|rows| {
            arch.dispatch(|| rows.chunks_exact_mut(width).for_each(math::softmax));
        });
        Ok(())
    }
}

/// Layer norm of plain rows, before they become a tensor.
pub(super) fn norm_rows(rows: &mut [f32], gamma: &[f32], beta: &[f32], eps: f32) {
    Arch::new().dispatch(|| {
        for row in rows.chunks_exact_mut(gamma.len()) {
            math::layer_norm(row, gamma, beta, eps);
        }
    });
}
