//! The packed weights: made from the model's file once, kept in a file beside it, mapped from then on.
//!
//! An image is one stretch of bytes with the same layout in memory and on disk: a header, then what the kernels read,
//! each part at a multiple of 64 bytes. The layout follows from the model's shape and the precision, so the file holds
//! no table. The header names everything that the bytes depend on and carries a checksum of them; a file that does not
//! fit or is damaged is made again, and one that cannot be written costs only time. Layout in `index/FORMAT.md`.

use crate::embed::EmbedError;
use crate::embed::config::Config;
use crate::embed::encoder::Precision;
use crate::embed::hash;
use crate::embed::store::write_aside;
use crate::embed::weights::Weights;
use crate::map::Map;
use crate::vector::simd::{Norm, PackedF32, PackedI8, pack_f32, pack_i8};
use std::ops::Range;
use std::path::Path;

/// First bytes of the file.
const MAGIC: &[u8; 8] = b"KENPACK\0";
/// Version of the layout and of the packing.
const FORMAT: u32 = 1;
/// Magic, format, nothing, length, checksum, key; filled up.
const HEADER: usize = 128;
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
struct Surveyor(usize);

impl Surveyor {
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
        let mut survey = Surveyor(HEADER);
        let (h, f) = (c.hidden, c.intermediate);
        let places = survey.take(4 * c.positions * h);
        let embed_norm = survey.norm(h);
        let layers = (0..c.layers)
            .map(|_| Layer {
                qkv: survey.matrix(3 * h, h, precision),
                out: survey.matrix(h, h, precision),
                out_norm: survey.norm(h),
                up: survey.matrix(f, h, precision),
                down: survey.matrix(h, f, precision),
                down_norm: survey.norm(h),
            })
            .collect();
        Self { places, embed_norm, layers, len: survey.0.next_multiple_of(ALIGN) }
    }
}

/// The bytes, mapped or in memory. Words keep the memory aligned for every type that is read from it.
enum Bytes {
    Mapped(Map),
    Owned(Vec<u64>),
}

impl Bytes {
    fn get(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(words) => bytemuck::cast_slice(words),
        }
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
        let layout = Layout::of(config, precision);
        let key = key(config, precision, weights_digest);
        if let Some(map) = cache.and_then(|path| Map::open(path).ok()).filter(|map| fits(map, &layout, &key)) {
            return Ok(Self { bytes: Bytes::Mapped(map), layout });
        }
        let mut words = vec![0u64; layout.len / 8];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        fill(bytes, &layout, weights, config, precision)?;
        let sum = checksum(&bytes[HEADER..]);
        bytes[..HEADER].copy_from_slice(&header(&layout, sum, &key));
        if let Some(path) = cache {
            // Where nothing can be written, the image is made again next time.
            let _ = write_aside(path, bytes);
        }
        Ok(Self { bytes: Bytes::Owned(words), layout })
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

/// A digest over everything that the packed bytes depend on.
fn key(c: &Config, precision: Precision, weights_digest: &str) -> [u8; 64] {
    let text = format!(
        "kenning packed weights {FORMAT}\nweights {weights_digest}\nprecision {}\nhidden {} layers {} heads {} \
         intermediate {} positions {} types {}\n",
        precision.name(),
        c.hidden,
        c.layers,
        c.heads,
        c.intermediate,
        c.positions,
        c.token_types,
    );
    let mut key = [0; 64];
    let digest = hash::of_bytes(text.as_bytes());
    key.iter_mut().zip(digest.bytes()).for_each(|(to, from)| *to = from);
    key
}

fn header(layout: &Layout, sum: u64, key: &[u8; 64]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[16..24].copy_from_slice(&(layout.len as u64).to_le_bytes());
    header[24..32].copy_from_slice(&sum.to_le_bytes());
    header[32..96].copy_from_slice(key);
    header
}

/// Whether a file is the image that is wanted, whole. The bytes are the machine's own, so a big-endian machine makes
/// another image: its checksum is computed over words in its own order, and a file from elsewhere does not fit.
fn fits(map: &[u8], layout: &Layout, key: &[u8; 64]) -> bool {
    map.len() == layout.len && map[..HEADER] == header(layout, checksum(&map[HEADER..]), key)
}

/// A checksum against damage, not against malice: eight streams of multiplied words, so that it runs as fast as the
/// memory. The length is a multiple of 64.
fn checksum(bytes: &[u8]) -> u64 {
    const PRIMES: [u64; 2] = [0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f];
    let mut lanes = [PRIMES[1]; 8];
    for block in bytes.as_chunks::<64>().0 {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = (*lane ^ u64::from_ne_bytes(*word)).wrapping_mul(PRIMES[0]).rotate_left(29);
        }
    }
    lanes.into_iter().fold(bytes.len() as u64, |sum, lane| (sum ^ lane).wrapping_mul(PRIMES[1]).rotate_left(31))
}

/// Writes values to their place.
fn put<T: bytemuck::NoUninit>(out: &mut [u8], place: &Range<usize>, values: &[T]) {
    out[place.clone()].copy_from_slice(bytemuck::cast_slice(values));
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
            match precision {
                Precision::F32 => {
                    let panels = pack_f32(&values, matrix.inputs);
                    put(out, &matrix.panels, &panels);
                }
                Precision::Int8 => {
                    let (panels, sums, scales) = pack_i8(&values, matrix.inputs);
                    put(out, &matrix.panels, &panels);
                    put(out, &matrix.sums, &sums);
                    put(out, &matrix.scales, &scales);
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damaged_byte_is_noticed() {
        let layout = Layout { len: HEADER + 256, ..Layout::default() };
        let key = [7; 64];
        let mut bytes: Vec<u8> = (0..layout.len).map(|i| (i * 37 % 251) as u8).collect();
        let sum = checksum(&bytes[HEADER..]);
        bytes[..HEADER].copy_from_slice(&header(&layout, sum, &key));
        assert!(fits(&bytes, &layout, &key));
        for at in 0..bytes.len() {
            bytes[at] ^= 0x10;
            assert!(!fits(&bytes, &layout, &key), "byte {at}");
            bytes[at] ^= 0x10;
        }
        assert!(!fits(&bytes[..bytes.len() - 64], &layout, &key) && !fits(&bytes, &layout, &[8; 64]));
    }
}
