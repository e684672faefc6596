//! The model's own description of its shape, `config.json`.
//!
//! Only what decides the forward pass is read, and every value that this module cannot honour is refused by name. The
//! manifest's expectations (architecture, activation, width, length) are compared here, so that the wrong files never
//! make plausible vectors.

use super::manifest::{Activation, Architecture, LEAST_TOKENS};
use super::{EmbedError, Manifest};
use crate::map::open::{self, Links};
use crate::types::limits::MODEL_JSON;
use serde::Deserialize;
use std::path::Path;

/// The shape of a BERT-like encoder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    pub architecture: Architecture,
    pub activation: Activation,
    pub vocab: usize,
    pub hidden: usize,
    pub layers: usize,
    pub heads: usize,
    pub intermediate: usize,
    /// Rows of the position table.
    pub positions: usize,
    pub token_types: usize,
    pub pad_id: u32,
    pub norm_eps: f32,
}

#[derive(Deserialize)]
struct Raw {
    model_type: Option<String>,
    hidden_act: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    #[serde(default)]
    pad_token_id: Option<u32>,
    layer_norm_eps: f64,
    position_embedding_type: Option<String>,
    #[serde(default)]
    is_decoder: bool,
}

/// Larger shapes than any encoder has; a configuration beyond them is damaged, not large. What is within them is
/// compared with the weights before memory is asked for.
const MOST: [(&str, usize); 7] = [
    ("vocab_size", 1 << 24),
    ("hidden_size", 1 << 16),
    ("num_hidden_layers", 1 << 10),
    ("num_attention_heads", 1 << 16),
    ("intermediate_size", 1 << 18),
    ("max_position_embeddings", 1 << 24),
    ("type_vocab_size", 1 << 16),
];

impl Raw {
    /// Checks that the numbers fit together; the error says which do not.
    fn check_sizes(&self) -> Result<(), String> {
        let sizes = [
            self.vocab_size,
            self.hidden_size,
            self.num_hidden_layers,
            self.num_attention_heads,
            self.intermediate_size,
            self.max_position_embeddings,
            self.type_vocab_size,
        ];
        if let Some(((name, most), value)) = MOST.iter().zip(sizes).find(|((_, most), v)| *v == 0 || v > most) {
            return Err(format!("{name} = {value}; 1 to {most} are allowed"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let (hidden, heads) = (self.hidden_size, self.num_attention_heads);
            return Err(format!("hidden_size = {hidden} is not a multiple of num_attention_heads = {heads}"));
        }
        if !(self.layer_norm_eps > 0.0 && self.layer_norm_eps < 1.0) {
            return Err(format!("layer_norm_eps = {}; it lies between 0 and 1", self.layer_norm_eps));
        }
        Ok(())
    }
}

impl Config {
    /// Reads `config.json` at `path`.
    ///
    /// # Errors
    /// When it cannot be read or asks for something that is not supported.
    pub(crate) fn read(path: &Path) -> Result<Self, EmbedError> {
        let text = open::read(path, Links::Follow, MODEL_JSON).map_err(EmbedError::io(path))?;
        Self::parse(&text, path)
    }

    pub(crate) fn parse(text: &[u8], path: &Path) -> Result<Self, EmbedError> {
        let bad = |what: String| EmbedError::BadConfig { path: path.into(), what };
        let raw: Raw = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        let architecture = match raw.model_type.as_deref() {
            Some("bert") => Architecture::Bert,
            Some("xlm-roberta") => Architecture::XlmRoberta,
            other => {
                let found = other.unwrap_or("(no model_type)").to_owned();
                return Err(EmbedError::UnsupportedArchitecture { path: path.into(), found });
            }
        };
        let activation = match raw.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" => Activation::GeluTanh,
            "relu" => Activation::Relu,
            other => return Err(EmbedError::UnsupportedActivation { path: path.into(), found: other.into() }),
        };
        if let Some(kind) = raw.position_embedding_type.as_deref().filter(|k| *k != "absolute") {
            return Err(EmbedError::Unsupported { path: path.into(), what: format!("position_embedding_type {kind}") });
        }
        if raw.is_decoder {
            return Err(EmbedError::Unsupported { path: path.into(), what: "a decoder (is_decoder)".into() });
        }
        raw.check_sizes().map_err(&bad)?;
        let pad_id = raw.pad_token_id.unwrap_or(match architecture {
            Architecture::Bert => 0,
            Architecture::XlmRoberta => 1,
        });
        let config = Self {
            architecture,
            activation,
            vocab: raw.vocab_size,
            hidden: raw.hidden_size,
            layers: raw.num_hidden_layers,
            heads: raw.num_attention_heads,
            intermediate: raw.intermediate_size,
            positions: raw.max_position_embeddings,
            token_types: raw.type_vocab_size,
            pad_id,
            norm_eps: raw.layer_norm_eps as f32,
        };
        if config.longest() < LEAST_TOKENS {
            let (positions, first) = (config.positions, config.first_position());
            let least = first.saturating_add(LEAST_TOKENS);
            return Err(bad(format!(
                "max_position_embeddings = {positions} leaves no room for a text; it must be at least {least}"
            )));
        }
        Ok(config)
    }

    /// The position of the first token.
    pub(crate) fn first_position(&self) -> usize {
        match self.architecture {
            Architecture::Bert => 0,
            Architecture::XlmRoberta => (self.pad_id as usize).saturating_add(1),
        }
    }

    /// Most tokens that have a position.
    pub(crate) fn longest(&self) -> usize {
        self.positions.saturating_sub(self.first_position())
    }

    /// Compares with what the manifest expects.
    ///
    /// # Errors
    /// [`EmbedError::Conflict`] for the first field that differs.
    pub(crate) fn agree(&self, manifest: &Manifest, path: &Path) -> Result<(), EmbedError> {
        let conflict = |field, expected: String, found: String| {
            Err(EmbedError::Conflict { path: path.into(), field, expected, found })
        };
        if self.architecture != manifest.architecture {
            return conflict("model_type", manifest.architecture.name().into(), self.architecture.name().into());
        }
        if self.activation != manifest.activation {
            return conflict("hidden_act", manifest.activation.name().into(), self.activation.name().into());
        }
        if self.hidden != manifest.dims {
            return conflict("hidden_size", manifest.dims.to_string(), self.hidden.to_string());
        }
        if manifest.max_tokens > self.longest() {
            let expected = format!("room for {} tokens", manifest.max_tokens);
            return conflict("max_position_embeddings", expected, self.positions.to_string());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BGE: &str = r#"{"model_type":"bert","hidden_act":"gelu","vocab_size":30522,"hidden_size":384,
        "num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":1536,"max_position_embeddings":512,
        "type_vocab_size":2,"pad_token_id":0,"layer_norm_eps":1e-12,"position_embedding_type":"absolute"}"#;

    fn parse(text: &str) -> Result<Config, EmbedError> {
        Config::parse(text.as_bytes(), Path::new("config.json"))
    }

    #[test]
    fn reads_and_compares() {
        let config = parse(BGE).unwrap();
        assert_eq!((config.hidden, config.heads, config.longest()), (384, 12, 512));
        let manifest = Manifest::builtin_named("bge-small-en-v1.5").unwrap();
        config.agree(manifest, Path::new("config.json")).unwrap();
        let other = parse(&BGE.replace("\"gelu\"", "\"gelu_new\"")).unwrap();
        let error = other.agree(manifest, Path::new("config.json")).unwrap_err();
        assert!(matches!(error, EmbedError::Conflict { field: "hidden_act", .. }), "{error}");
    }

    #[test]
    fn xlm_roberta_counts_positions_from_two() {
        let text = BGE.replace("\"bert\"", "\"xlm-roberta\"").replace("\"pad_token_id\":0", "\"pad_token_id\":1");
        let config = parse(&text.replace(":512", ":514")).unwrap();
        assert_eq!((config.first_position(), config.longest()), (2, 512));
    }

    #[test]
    fn refuses_what_it_cannot_honour() {
        for (from, to) in [
            ("\"bert\"", "\"roformer\""),
            ("\"gelu\"", "\"silu\""),
            ("\"absolute\"", "\"relative_key\""),
            ("384", "385"),
            ("1e-12", "0"),
            ("30522", "99999999999"),
        ] {
            assert!(parse(&BGE.replace(from, to)).is_err(), "{to}");
        }
    }
}
