//! The little of ONNX that is needed to read weights out of a quantised BERT.
//!
//! `wire` reads the protocol buffer encoding, `model` picks nodes and initialisers out of it, `convert` turns the
//! 8-bit weights back into f32 and `write` lays them out as safetensors. Input is hostile until its hash is known and
//! treated as such after: every length is checked before anything is allocated.

mod convert;
mod model;
#[cfg(test)]
mod tests;
mod wire;
mod write;

pub(crate) use convert::int8_bert_to_safetensors;
