//! Quantised weights in ONNX.

use crate::fuzz::{Target, about, outcome, sort_of};
use kenning::embed::onnx_to_safetensors;

pub const ONNX: Target = Target {
    name: "onnx",
    seeds: || vec![file(), b"\x3a\x04\x2a\x02\x42\x00".to_vec()],
    words: &[
        "_quantized",
        "_scale",
        "_zero_point",
        "MatMulInteger",
        "/MatMul",
        "\x08\x02",
        "\x10\x01",
        "\x3a",
        "\x2a",
        "\x42",
        "\x4a",
        "\x70\x01",
    ],
    longest: 64 << 10,
    reader: |_| Box::new(read),
};

/// The shape of what is made here.
pub const CONFIG: &str = r#"{"model_type":"bert","hidden_act":"gelu","vocab_size":3,"hidden_size":2,"num_hidden_layers":1,
    "num_attention_heads":1,"intermediate_size":4,"max_position_embeddings":2,"type_vocab_size":1,"layer_norm_eps":1e-12}"#;

fn read(input: &[u8]) -> u64 {
    let mut out = Vec::new();
    let made = onnx_to_safetensors(input, CONFIG.as_bytes(), input.len().is_multiple_of(5), &mut out);
    match made {
        Ok(()) => {
            let read = safetensors::SafeTensors::deserialize(&out).expect("what is written can be read");
            outcome(about(read.len()))
        }
        Err(error) => sort_of(&error),
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

/// A constant: its name, its element type (1: f32, 2: u8, 3: i8), its shape and its values.
fn constant(name: &str, kind: u64, dims: &[u64], values: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for dim in dims {
        varint(1 << 3, &mut out);
        varint(*dim, &mut out);
    }
    varint(2 << 3, &mut out);
    varint(kind, &mut out);
    bytes(8, name.as_bytes(), &mut out);
    bytes(9, values, &mut out);
    out
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A file with every weight of [`CONFIG`].
pub fn file() -> Vec<u8> {
    let mut graph = Vec::new();
    let mut put = |content: Vec<u8>| bytes(5, &content, &mut graph);
    for (name, rows) in [("word", 3u64), ("position", 2), ("token_type", 1)] {
        let name = format!("embeddings.{name}_embeddings.weight");
        put(constant(&format!("{name}_quantized"), 2, &[rows, 2], &vec![126; rows as usize * 2]));
        put(constant(&format!("{name}_scale"), 1, &[], &floats(&[0.5])));
        put(constant(&format!("{name}_zero_point"), 2, &[], &[128]));
    }
    for name in ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"] {
        put(constant(&format!("{name}.LayerNorm.weight"), 1, &[2], &floats(&[1.0, 2.0])));
        put(constant(&format!("{name}.LayerNorm.bias"), 1, &[2], &floats(&[0.1, 0.2])));
    }
    let dense = [
        ("attention/self/query", 2u64, 2u64),
        ("attention/self/key", 2, 2),
        ("attention/self/value", 2, 2),
        ("attention/output/dense", 2, 2),
        ("intermediate/dense", 2, 4),
        ("output/dense", 4, 2),
    ];
    let mut nodes = Vec::new();
    for (at, (place, inputs, outputs)) in dense.into_iter().enumerate() {
        let name = format!("onnx::MatMul_{at}");
        put(constant(&format!("{name}_quantized"), 3, &[inputs, outputs], &vec![3; (inputs * outputs) as usize]));
        put(constant(&format!("{name}_scale"), 1, &[outputs], &floats(&vec![0.25; outputs as usize])));
        put(constant(&format!("{name}_zero_point"), 3, &[outputs], &vec![1; outputs as usize]));
        let bias = format!("encoder.layer.0.{}.bias", place.replace('/', "."));
        put(constant(&bias, 1, &[outputs], &floats(&vec![0.5; outputs as usize])));
        let mut node = Vec::new();
        bytes(1, b"activation", &mut node);
        bytes(1, format!("{name}_quantized").as_bytes(), &mut node);
        bytes(3, format!("/encoder/layer.0/{place}/MatMul_quant").as_bytes(), &mut node);
        bytes(4, b"MatMulInteger", &mut node);
        nodes.push(node);
    }
    nodes.iter().for_each(|node| bytes(1, node, &mut graph));
    let mut out = Vec::new();
    bytes(7, &graph, &mut out);
    out
}
