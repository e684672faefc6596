//! From ONNX Runtime's dynamically quantised BERT to the 197 (for 12 layers) f32 tensors of a standard BERT file, and
//! the four of pooler and classifier where they are asked for.
//!
//! The quantiser stores a matrix as `<x>_quantized`, `<x>_scale` and `<x>_zero_point`, with `<x>` a number for the
//! dense layers, whose real name is in their `MatMulInteger` node (`/encoder/layer.0/attention/self/query/MatMul`,
//! `/classifier/Gemm_MatMul_quant`), and the standard name for the embedding tables. A file of a whole classifier has
//! its encoder below `bert.`, and so has what is made of it. A weight is (q - zero point) * scale, with a scale and
//! zero point per output channel or for the whole tensor; dense weights lie transposed. The configuration says which
//! tensors of which shape must come out, so nothing is made that was not asked for.

use super::model::{Model, TensorData};
use super::write;
use crate::embed::EmbedError;
use crate::embed::config::Config;
use std::collections::HashMap;
use std::io::Write;

/// Writes the weights of the model in `file`, which has the shape `config`, as safetensors to `out`; with `head` those
/// of pooler and classifier too.
///
/// # Errors
/// [`EmbedError::Onnx`] when a tensor is missing or not as expected; `io` makes the error of a failed write.
pub(crate) fn int8_bert_to_safetensors(
    file: &[u8],
    config: &Config,
    head: bool,
    out: &mut dyn Write,
    io: impl FnOnce(std::io::Error) -> EmbedError,
) -> Result<(), EmbedError> {
    let model = Model::parse(file)?;
    let dense = dense_names(&model)?;
    let below = format!("{BELOW}embeddings.LayerNorm.weight");
    let prefix = if model.tensors.contains_key(below.as_str()) { BELOW } else { "" };
    let wanted = tensors(config, prefix, head);
    let mut made = |name: &str, shape: &[usize]| make(&model, &dense, name, shape);
    write::safetensors(&wanted, &mut made, out, io)
}

/// Where the encoder of a whole classifier lies.
const BELOW: &str = "bert.";

/// The standard names and shapes of a BERT encoder, each after `prefix`, and of what stands on it, sorted by name.
fn tensors(c: &Config, prefix: &str, head: bool) -> Vec<(String, Vec<usize>)> {
    let (h, f) = (c.hidden, c.intermediate);
    let mut all = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![c.vocab, h]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![c.positions, h]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![c.token_types, h]),
        ("embeddings.LayerNorm.weight".to_owned(), vec![h]),
        ("embeddings.LayerNorm.bias".to_owned(), vec![h]),
    ];
    for layer in 0..c.layers {
        let mut dense = |part: &str, rows: usize, cols: usize| {
            all.push((format!("encoder.layer.{layer}.{part}.weight"), vec![rows, cols]));
            all.push((format!("encoder.layer.{layer}.{part}.bias"), vec![rows]));
        };
        for part in ["query", "key", "value"] {
            dense(&format!("attention.self.{part}"), h, h);
        }
        dense("attention.output.dense", h, h);
        dense("intermediate.dense", f, h);
        dense("output.dense", h, f);
        for part in ["attention.output", "output"] {
            all.push((format!("encoder.layer.{layer}.{part}.LayerNorm.weight"), vec![h]));
            all.push((format!("encoder.layer.{layer}.{part}.LayerNorm.bias"), vec![h]));
        }
    }
    if head {
        all.push(("pooler.dense.weight".to_owned(), vec![h, h]));
        all.push(("pooler.dense.bias".to_owned(), vec![h]));
    }
    all.iter_mut().for_each(|(name, _)| name.insert_str(0, prefix));
    if head {
        all.push(("classifier.weight".to_owned(), vec![1, h]));
        all.push(("classifier.bias".to_owned(), vec![1]));
    }
    all.sort();
    all
}

/// From the standard name of a dense weight to the name that the quantiser gave it.
fn dense_names<'a>(model: &Model<'a>) -> Result<HashMap<String, &'a str>, EmbedError> {
    let mut names = HashMap::new();
    for node in model.nodes.iter().filter(|n| n.op == "MatMulInteger") {
        let Some(name) = node.name.strip_prefix('/') else { continue };
        let place = ["/MatMul", "/Gemm_MatMul"].iter().find_map(|end| Some(name.split_once(end)?.0)).unwrap_or(name);
        let Some(stored) = node.inputs.get(1).and_then(|n| n.strip_suffix("_quantized")) else {
            continue;
        };
        let name = format!("{}.weight", place.replace('/', "."));
        if names.insert(name, stored).is_some() {
            return Err(EmbedError::Onnx { what: format!("two products are called {}", node.name) });
        }
    }
    Ok(names)
}

/// The values of the standard tensor `name`.
fn make(model: &Model<'_>, dense: &HashMap<String, &str>, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
    if let Some(plain) = model.tensors.get(name) {
        return plain.f32s(shape);
    }
    let named = |e: EmbedError| EmbedError::Onnx { what: format!("{name}: {e}") };
    match (dense.get(name), shape) {
        (Some(stored), &[rows, cols]) => {
            let weight = dequantise(model, stored, cols, rows).map_err(named)?;
            Ok(transpose(&weight, cols, rows))
        }
        (None, &[rows, cols]) => dequantise(model, name, rows, cols).map_err(named),
        _ => Err(EmbedError::Onnx { what: format!("there is no {name}") }),
    }
}

/// A quantised matrix as it lies in the file, `rows` x `cols`, channels along the columns.
fn dequantise(model: &Model<'_>, stored: &str, rows: usize, cols: usize) -> Result<Vec<f32>, EmbedError> {
    let quantised = model.tensor(&format!("{stored}_quantized"))?.bytes(&[rows, cols])?;
    let scale = model.tensor(&format!("{stored}_scale"))?;
    let zero = model.tensor(&format!("{stored}_zero_point"))?;
    let per_channel = [cols];
    let dims: &[usize] = if scale.dims.is_empty() { &[] } else { &per_channel };
    let scales = scale.f32s(dims)?;
    let zeros = zero_points(zero, dims)?;
    if scales.iter().any(|s| !s.is_finite()) {
        return Err(EmbedError::Onnx { what: "a scale is not a number".into() });
    }
    let channel = |i: usize| if dims.is_empty() { 0 } else { i % cols };
    let value = |i: usize| (quantised.at(i) - zeros[channel(i)]) as f32 * scales[channel(i)];
    Ok((0..rows * cols).map(value).collect())
}

fn zero_points(zero: &TensorData<'_>, dims: &[usize]) -> Result<Vec<i32>, EmbedError> {
    let bytes = zero.bytes(dims)?;
    Ok((0..dims.iter().product()).map(|i| bytes.at(i)).collect())
}

/// `rows` x `cols` to `cols` x `rows`.
fn transpose(values: &[f32], rows: usize, cols: usize) -> Vec<f32> {
    let mut out = vec![0.0; values.len()];
    for (r, row) in values.chunks_exact(cols).enumerate() {
        for (c, &value) in row.iter().enumerate() {
            out[c * rows + r] = value;
        }
    }
    out
}
