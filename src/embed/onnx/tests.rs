//! Conversion of hand-made ONNX bytes: the right values, and no panic for wrong ones.

use super::int8_bert_to_safetensors;
use crate::embed::config::Config;
use crate::embed::manifest::{Activation, Architecture};
use crate::embed::{EmbedError, hash};
use proptest::prelude::*;
use safetensors::SafeTensors;
use std::path::Path;

fn config() -> Config {
    Config {
        architecture: Architecture::Bert,
        activation: Activation::Gelu,
        vocab: 3,
        hidden: 2,
        layers: 1,
        heads: 1,
        intermediate: 4,
        positions: 2,
        token_types: 1,
        pad_id: 0,
        norm_eps: 1e-12,
    }
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn bytes(field: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

/// A constant with its values in the raw field.
fn raw(name: &str, kind: u64, dims: &[u64], values: &[u8]) -> Vec<u8> {
    let mut t = Vec::new();
    dims.iter().for_each(|d| number(1, *d, &mut t));
    number(2, kind, &mut t);
    bytes(8, name.as_bytes(), &mut t);
    bytes(9, values, &mut t);
    t
}

fn floats(name: &str, dims: &[u64], values: &[f32]) -> Vec<u8> {
    raw(name, 1, dims, &values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
}

/// A file with every weight of [`config`]: tables quantised as a whole (u8), dense weights per channel (i8).
fn file() -> Vec<u8> {
    file_of(false)
}

/// The same, or that of a whole classifier: the encoder below `bert`, pooler and classifier on it.
fn file_of(head: bool) -> Vec<u8> {
    let (below, slash) = if head { ("bert.", "/bert") } else { ("", "") };
    let mut graph = Vec::new();
    let mut constant = |t: Vec<u8>| bytes(5, &t, &mut graph);
    for (name, rows) in [("word", 3u64), ("position", 2), ("token_type", 1)] {
        let name = format!("{below}embeddings.{name}_embeddings.weight");
        let values: Vec<u8> = (0..rows as u8 * 2).map(|i| 126 + i).collect();
        constant(raw(&format!("{name}_quantized"), 2, &[rows, 2], &values));
        // Scalars, in the fields of their types: packed floats and packed integers.
        let mut scale = Vec::new();
        number(2, 1, &mut scale);
        bytes(8, format!("{name}_scale").as_bytes(), &mut scale);
        bytes(4, &0.5f32.to_le_bytes(), &mut scale);
        constant(scale);
        let mut zero = Vec::new();
        number(2, 2, &mut zero);
        bytes(8, format!("{name}_zero_point").as_bytes(), &mut zero);
        bytes(5, &[0x80, 0x01], &mut zero); // 128
        constant(zero);
    }
    for name in ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"] {
        constant(floats(&format!("{below}{name}.LayerNorm.weight"), &[2], &[1.0, 2.0]));
        constant(floats(&format!("{below}{name}.LayerNorm.bias"), &[2], &[0.1, 0.2]));
    }
    let dense = [
        ("attention/self/query", 2u64, 2u64),
        ("attention/self/key", 2, 2),
        ("attention/self/value", 2, 2),
        ("attention/output/dense", 2, 2),
        ("intermediate/dense", 2, 4),
        ("output/dense", 4, 2),
    ];
    let inside = dense.into_iter().enumerate().map(|(i, (place, inputs, outputs))| {
        let bias = format!("{below}encoder.layer.0.{}.bias", place.replace('/', "."));
        let node = format!("{slash}/encoder/layer.0/{place}/MatMul_quant");
        (format!("onnx::MatMul_{i}"), node, bias, inputs, outputs)
    });
    // Whoever quantised it made products of what was a Gemm, and transposed its weights without another name.
    let on_top = [("bert.pooler.dense", "/bert/pooler/dense", 2, 2), ("classifier", "/classifier", 2, 1)];
    let on_top = on_top.into_iter().filter(|_| head).map(|(name, node, inputs, outputs)| {
        (format!("{name}.weight"), format!("{node}/Gemm_MatMul_quant"), format!("{name}.bias"), inputs, outputs)
    });
    let mut nodes = Vec::new();
    for (name, place, bias, inputs, outputs) in inside.chain(on_top) {
        let values: Vec<u8> = (0..(inputs * outputs) as i8).map(|v| (v - 3) as u8).collect();
        constant(raw(&format!("{name}_quantized"), 3, &[inputs, outputs], &values));
        let scales: Vec<f32> = (0..outputs).map(|c| 0.25 * (c + 1) as f32).collect();
        constant(floats(&format!("{name}_scale"), &[outputs], &scales));
        constant(raw(&format!("{name}_zero_point"), 3, &[outputs], &vec![1; outputs as usize]));
        constant(floats(&bias, &[outputs], &vec![0.5; outputs as usize]));
        let mut node = Vec::new();
        bytes(1, b"activation", &mut node);
        bytes(1, format!("{name}_quantized").as_bytes(), &mut node);
        bytes(3, place.as_bytes(), &mut node);
        bytes(4, b"MatMulInteger", &mut node);
        nodes.push(node);
    }
    nodes.iter().for_each(|n| bytes(1, n, &mut graph));
    let mut file = Vec::new();
    number(1, 6, &mut file);
    bytes(7, &graph, &mut file);
    file
}

fn convert(file: &[u8]) -> Result<Vec<u8>, EmbedError> {
    convert_with(file, false)
}

fn convert_with(file: &[u8], head: bool) -> Result<Vec<u8>, EmbedError> {
    let mut out = Vec::new();
    int8_bert_to_safetensors(file, &config(), head, &mut out, EmbedError::io(Path::new("out")))?;
    Ok(out)
}

#[test]
fn values_names_and_shapes() {
    let out = convert(&file()).unwrap();
    let tensors = SafeTensors::deserialize(&out).unwrap();
    assert_eq!(tensors.len(), 5 + 16);
    let of = |name: &str| {
        let view = tensors.tensor(name).unwrap();
        let values = view.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>();
        (view.shape().to_vec(), values)
    };
    // (126 .. 131 - 128) / 2
    let words = of("embeddings.word_embeddings.weight");
    assert_eq!(words, (vec![3, 2], vec![-1.0, -0.5, 0.0, 0.5, 1.0, 1.5]));
    // q = [[-3, -2], [-1, 0]], less 1, times 0.25 and 0.5 by column, transposed.
    let query = of("encoder.layer.0.attention.self.query.weight");
    assert_eq!(query, (vec![2, 2], vec![-1.0, -0.5, -1.5, -0.5]));
    assert_eq!(of("encoder.layer.0.intermediate.dense.weight").0, [4, 2]);
    assert_eq!(of("encoder.layer.0.output.dense.weight").0, [2, 4]);
    assert_eq!(of("encoder.layer.0.output.dense.bias").1, [0.5, 0.5]);
}

#[test]
fn a_classifier_has_its_pooler_and_a_prefix() {
    let out = convert_with(&file_of(true), true).unwrap();
    let tensors = SafeTensors::deserialize(&out).unwrap();
    assert_eq!(tensors.len(), 5 + 16 + 4);
    let of = |name: &str| {
        let view = tensors.tensor(name).unwrap();
        let values = view.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>();
        (view.shape().to_vec(), values)
    };
    assert_eq!(of("bert.embeddings.word_embeddings.weight").1, [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5]);
    assert_eq!(of("bert.pooler.dense.weight"), (vec![2, 2], vec![-1.0, -0.5, -1.5, -0.5]), "outputs first");
    assert_eq!(of("bert.pooler.dense.bias").1, [0.5, 0.5]);
    // q = [-3, -2], less 1, times 0.25.
    assert_eq!(of("classifier.weight"), (vec![1, 2], vec![-1.0, -0.75]));
    assert_eq!(of("classifier.bias"), (vec![1], vec![0.5]));
    // Whoever wants the encoder alone gets that, and whoever wants more than there is gets an error.
    assert_eq!(SafeTensors::deserialize(&convert(&file_of(true)).unwrap()).unwrap().len(), 21);
    let error = convert_with(&file(), true).unwrap_err();
    assert!(error.to_string().contains("classifier"), "{error}");
}

/// The manifest pins the bytes of a conversion, so they must never change: not with a dependency, not by accident.
#[test]
fn the_bytes_are_always_the_same() {
    let digest = hash::of_bytes(&convert(&file()).unwrap());
    assert_eq!(digest, hash::of_bytes(&convert(&file()).unwrap()));
    assert_eq!(digest, "cd79b4b1c6079a32111b28a0c28369e56c32c97957ff7c2350e46e6aebc91fd5");
}

#[test]
fn every_cut_is_an_error() {
    let file = file();
    for n in 0..file.len() {
        assert!(matches!(convert(&file[..n]), Err(EmbedError::Onnx { .. })), "cut at {n}");
    }
}

#[test]
fn says_what_is_missing() {
    let text = file();
    let needle = b"encoder.layer.0.output.LayerNorm.bias";
    let at = text.windows(needle.len()).position(|w| w == needle).unwrap();
    let mut other = text.clone();
    other[at] = b'x';
    let error = convert(&other).unwrap_err();
    assert!(error.to_string().contains("encoder.layer.0.output.LayerNorm.bias"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Changed bytes give an error or a file of the right form; never a panic, never a giant allocation.
    #[test]
    fn mutations_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = file();
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        if let Ok(out) = convert(&bytes) {
            prop_assert_eq!(SafeTensors::deserialize(&out).unwrap().len(), 21);
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(convert(&bytes).is_err());
    }
}
