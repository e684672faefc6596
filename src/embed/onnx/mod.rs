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

use super::EmbedError;
use super::config::Config;
use super::manifest::{CONFIG, WEIGHTS};
use std::io::Write;
use std::path::Path;

/// Turns the weights of a BERT that was quantised dynamically to 8 bits, in ONNX, into safetensors in f32. `config` is
/// its `config.json`; `head` asks for its pooler and classifier too.
///
/// # Errors
/// [`EmbedError`] for a configuration that is not supported, for weights that do not fit it, and when `out` fails.
pub fn onnx_to_safetensors(onnx: &[u8], config: &[u8], head: bool, out: &mut dyn Write) -> Result<(), EmbedError> {
    let config = Config::parse(config, Path::new(CONFIG))?;
    int8_bert_to_safetensors(onnx, &config, head, out, EmbedError::io(Path::new(WEIGHTS)))
}
