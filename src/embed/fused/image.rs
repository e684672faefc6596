//! The packed weights: made from the model's file once, kept in a file beside it, mapped from then on.
//!
//! An image is a derived file (`map/derived`): a header, then what the kernels read, each part at a multiple of 64
//! bytes. The layout follows from the model's shape and the precision, so the file holds no table. Layout in
//! `index/FORMAT.md`.

use crate::embed::EmbedError;
use crate::embed::config::Config;
use crate::embed::encoder::Precision;
use crate::embed::hash;
use crate::embed::weights::Weights;
use crate::map::{Bytes, HEADER, Label, write_aside};
use crate::vector::simd::{Norm, PackedF32, PackedI8, pack_f32, pack_i8};
use std::ops::Range;
use std::path::Path;

/// Version of the layout and of the packing.
const FORMAT: u32 = 1;
/// Every part starts at a multiple of this.
const ALIGN: usize = 64;

/// A packed matrix with its bias, as places in the image.
#[derive(Debug, Clone, Default)]
pub(super) struct Matrix {
    outputs: usize,
    inputs: usize,
    panels: Range<usize>,
    sums: Range<usize>,
    scales: Range<usize>,
    bias: Range<usize>,
}

/// A norm's parameters, as places in the image.
#[derive(Debug, Clone, Default)]
pub(super) struct NormPlace {
    gamma: Range<usize>,
    beta: Range<usize>,
}

/// One layer, as places in the image.
#[derive(Debug, Clone, Default)]
pub(super) struct Layer {
    /// Query, key and value, the scale of the attention in the query.
    pub qkv: Matrix,
    pub out: Matrix,
    pub out_norm: NormPlace,
    pub up: Matrix,
    pub down: Matrix,
    pub down_norm: NormPlace,
}

/// Where everything lies.
#[derive(Debug, Clone, Default)]
struct Layout {
    places: Range<usize>,
    embed_norm: NormPlace,
    layers: Vec<Layer>,
    len: usize,
}

/// Hands out places one after another.
struct LayoutBuilder(usize);

impl LayoutBuilder {
    fn take(&mut self, bytes: usize) -> Range<usize> {
        let start = self.0.next_multiple_of(ALIGN);
        self.0 = start + bytes;
        start..self.0
    }

    fn matrix(&mut self, outputs: usize, inputs: usize, precision: Precision) -> Matrix {
        let whole = outputs.next_multiple_of(64);
        let (size, per_output) = match precision {
            Precision::Int8 => (whole * inputs, 4 * whole),
            Precision::F32 => (4 * whole * inputs, 0),
        };
        Matrix {
            outputs,
            inputs,
            panels: self.take(size),
            sums: self.take(per_output),
            scales: self.take(per_output),
            bias: self.take(4 * outputs),
        }
    }

    fn norm(&mut self, width: usize) -> NormPlace {
        NormPlace { gamma: self.take(4 * width), beta: self.take(4 * width) }
    }
}

impl Layout {
    fn of(c: &Config, precision: Precision) -> Self {
        let mut builder = LayoutBuilder(HEADER);
        let (h, f) = (c.hidden, c.intermediate);
        let places = builder.take(4 * c.positions * h);
        let embed_norm = builder.norm(h);
        let layers = (0..c.layers)
            .map(|_| Layer {
                qkv: builder.matrix(3 * h, h, precision),
                out: builder.matrix(h, h, precision),
                out_norm: builder.norm(h),
                up: builder.matrix(f, h, precision),
                down: builder.matrix(h, f, precision),
                down_norm: builder.norm(h),
            })
            .collect();
        Self { places, embed_norm, layers, len: builder.0.next_multiple_of(ALIGN) }
    }
}

/// The packed weights of a model.
pub(super) struct Image {
    bytes: Bytes,
    layout: Layout,
}

impl Image {
    /// The image of `weights`, from the file `cache` if that holds it, else made and written there.
    pub(super) fn open(
        weights: &Weights,
        config: &Config,
        precision: Precision,
        weights_digest: &str,
        cache: Option<&Path>,
    ) -> Result<Self, EmbedError> {
        weights.check(config)?;
        let layout = Layout::of(config, precision);
        let label = label(config, precision, weights_digest);
        let kept = cache.and_then(|path| label.open(path)).filter(|kept| kept.get().len() == layout.len);
        if let Some(bytes) = kept {
            return Ok(Self { bytes, layout });
        }
        let mut words = vec![0u64; layout.len / 8];
        fill(bytemuck::cast_slice_mut(&mut words), &layout, weights, config, precision)?;
        let bytes = label.seal(words);
        if let Some(path) = cache {
            let _ = write_aside(path, bytes.get()); // A read-only store only costs the making again.
        }
        Ok(Self { bytes, layout })
    }

    fn f32s(&self, place: &Range<usize>) -> &[f32] {
        bytemuck::cast_slice(&self.bytes.get()[place.clone()])
    }

    /// Position row plus the row of token type 0, `positions` x `hidden`.
    pub(super) fn places(&self) -> &[f32] {
        self.f32s(&self.layout.places)
    }

    pub(super) fn embed_norm(&self, eps: f32) -> Norm<'_> {
        self.norm(&self.layout.embed_norm, eps)
    }

    pub(super) fn norm(&self, place: &NormPlace, eps: f32) -> Norm<'_> {
        Norm { gamma: self.f32s(&place.gamma), beta: self.f32s(&place.beta), eps }
    }

    pub(super) fn layer(&self, index: usize) -> &Layer {
        &self.layout.layers[index]
    }

    pub(super) fn bias(&self, matrix: &Matrix) -> &[f32] {
        self.f32s(&matrix.bias)
    }

    pub(super) fn bytes(&self, m: &Matrix) -> PackedI8<'_> {
        PackedI8 {
            outputs: m.outputs,
            inputs: m.inputs,
            panels: bytemuck::cast_slice(&self.bytes.get()[m.panels.clone()]),
            sums: bytemuck::cast_slice(&self.bytes.get()[m.sums.clone()]),
            scales: self.f32s(&m.scales),
        }
    }

    pub(super) fn floats(&self, m: &Matrix) -> PackedF32<'_> {
        PackedF32 { outputs: m.outputs, inputs: m.inputs, panels: self.f32s(&m.panels) }
    }
}

/// Names everything that the packed bytes depend on.
fn label(c: &Config, precision: Precision, weights_digest: &str) -> Label {
    let text = format!(
        "weights {weights_digest}\nprecision {}\nhidden {} layers {} heads {} intermediate {} positions {} types {}\n",
        precision.name(),
        c.hidden,
        c.layers,
        c.heads,
        c.intermediate,
        c.positions,
        c.token_types,
    );
    Label::new(b"KENPACK\0", FORMAT, &hash::of_bytes(text.as_bytes()))
}

/// Writes values to their place.
fn put<T: bytemuck::NoUninit>(out: &mut [u8], place: &Range<usize>, values: &[T]) {
    out[place.clone()].copy_from_slice(bytemuck::cast_slice(values));
}

/// Packs a matrix and writes it to its place.
fn put_packed(out: &mut [u8], matrix: &Matrix, values: &[f32], precision: Precision) {
    match precision {
        Precision::F32 => put(out, &matrix.panels, &pack_f32(values, matrix.inputs)),
        Precision::Int8 => {
            let (panels, sums, scales) = pack_i8(values, matrix.inputs);
            put(out, &matrix.panels, &panels);
            put(out, &matrix.sums, &sums);
            put(out, &matrix.scales, &scales);
        }
    }
}

/// Writes every part of the image but the header.
fn fill(
    out: &mut [u8],
    layout: &Layout,
    weights: &Weights,
    c: &Config,
    precision: Precision,
) -> Result<(), EmbedError> {
    let (h, f) = (c.hidden, c.intermediate);
    let mut places = weights.read("embeddings.position_embeddings.weight", &[c.positions, h])?;
    let types = weights.read("embeddings.token_type_embeddings.weight", &[c.token_types, h])?;
    for place in places.chunks_exact_mut(h) {
        place.iter_mut().zip(&types[..h]).for_each(|(p, t)| *p += t);
    }
    put(out, &layout.places, &places);
    put(out, &layout.embed_norm.gamma, &weights.read("embeddings.LayerNorm.weight", &[h])?);
    put(out, &layout.embed_norm.beta, &weights.read("embeddings.LayerNorm.bias", &[h])?);
    let scale = 1.0 / ((h / c.heads) as f32).sqrt();
    for (index, layer) in layout.layers.iter().enumerate() {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let dense = |part: &str, outputs: usize, inputs: usize| -> Result<(Vec<f32>, Vec<f32>), EmbedError> {
            Ok((
                weights.read(&name(&format!("{part}.weight")), &[outputs, inputs])?,
                weights.read(&name(&format!("{part}.bias")), &[outputs])?,
            ))
        };
        let (mut qkv, mut qkv_bias) = dense("attention.self.query", h, h)?;
        qkv.iter_mut().chain(&mut qkv_bias).for_each(|w| *w *= scale);
        for part in ["attention.self.key", "attention.self.value"] {
            let (matrix, bias) = dense(part, h, h)?;
            qkv.extend(matrix);
            qkv_bias.extend(bias);
        }
        let (out_weights, out_bias) = dense("attention.output.dense", h, h)?;
        let (up, up_bias) = dense("intermediate.dense", f, h)?;
        let (down, down_bias) = dense("output.dense", h, f)?;
        let matrices = [
            (&layer.qkv, qkv, qkv_bias),
            (&layer.out, out_weights, out_bias),
            (&layer.up, up, up_bias),
            (&layer.down, down, down_bias),
        ];
        for (matrix, values, bias) in matrices {
            put(out, &matrix.bias, &bias);
            put_packed(out, matrix, &values, precision);
        }
        for (place, part) in [(&layer.out_norm, "attention.output.LayerNorm"), (&layer.down_norm, "output.LayerNorm")] {
            for (place, which) in [(&place.gamma, "weight"), (&place.beta, "bias")] {
                let values = weights.read(&name(&format!("{part}.{which}")), &[h])?;
                put(out, place, &values);
            }
        }
    }
    Ok(())
}
