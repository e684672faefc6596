//! Small models with random weights, written to a directory as sentence-transformers writes them.
//!
//! Two layers, 32 wide, a vocabulary of 64: enough for every path of the network, made in a millisecond. The same seed
//! gives the same bytes.

use kenning::embed::{Architecture, FileSpec, Manifest, ModelKind, Source};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// What kind of model to make.
#[derive(Debug, Clone)]
pub struct Tiny {
    pub architecture: Architecture,
    pub pooling: &'static str,
    pub activation: &'static str,
    pub positions: usize,
    pub max_seq_length: Option<usize>,
    pub prompts: Value,
    pub seed: u64,
    /// Width, heads and width between the halves of the feed-forward block.
    pub shape: (usize, usize, usize),
    /// Whether a pooler and a classifier with one output stand on it, as in a file of a whole classifier.
    pub head: bool,
}

/// The width, unless a test says otherwise.
pub const HIDDEN: usize = 32;
pub const VOCAB: usize = 64;
const LAYERS: usize = 2;

impl Tiny {
    pub fn bert() -> Self {
        Self {
            architecture: Architecture::Bert,
            pooling: "cls",
            activation: "gelu",
            positions: 24,
            max_seq_length: None,
            prompts: json!({}),
            seed: 1,
            shape: (HIDDEN, 4, 48),
            head: false,
        }
    }

    /// One that embeds all packs in seconds. It runs in the fast pass and reads only the first 24 tokens of a text.
    pub fn quick() -> Self {
        Self { shape: (64, 4, 96), ..Self::bert() }
    }

    /// One that reads as much of a text as real ones do. It runs in the reference encoder, which is slow, so tests have
    /// time to kill a process that indexes.
    pub fn indexer() -> Self {
        Self { positions: 512, ..Self::bert() }
    }

    pub fn xlm_roberta() -> Self {
        Self { architecture: Architecture::XlmRoberta, pooling: "mean", positions: 26, seed: 2, ..Self::bert() }
    }

    /// A cross-encoder of a shape that the fast pass runs.
    pub fn reranker() -> Self {
        Self { shape: (64, 4, 96), head: true, seed: 3, ..Self::bert() }
    }

    pub fn config(&self) -> Value {
        json!({
            "model_type": self.architecture.name(), "hidden_act": self.activation, "vocab_size": VOCAB,
            "hidden_size": self.shape.0, "num_hidden_layers": LAYERS, "num_attention_heads": self.shape.1,
            "intermediate_size": self.shape.2, "max_position_embeddings": self.positions,
            "type_vocab_size": if self.architecture == Architecture::Bert { 2 } else { 1 },
            "pad_token_id": if self.architecture == Architecture::Bert { 0 } else { 1 },
            "layer_norm_eps": 1e-5, "position_embedding_type": "absolute",
            "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "initializer_range": 0.02,
        })
    }

    /// Words w0 ... and the letters, special tokens as the architecture has them.
    pub fn tokenizer(&self) -> Value {
        let special = match self.architecture {
            Architecture::Bert => ["[PAD]", "[UNK]", "[CLS]", "[SEP]"],
            Architecture::XlmRoberta => ["<s>", "<pad>", "</s>", "<unk>"],
        };
        let (first, last, unknown) = match self.architecture {
            Architecture::Bert => (2, 3, 1),
            Architecture::XlmRoberta => (0, 2, 3),
        };
        let words = (0..VOCAB - special.len()).map(|i| format!("w{i}"));
        let vocab: BTreeMap<String, usize> =
            special.iter().map(|s| (*s).to_owned()).chain(words).enumerate().map(|(i, w)| (w, i)).collect();
        let added: Vec<Value> = special
            .iter()
            .enumerate()
            .map(|(id, content)| {
                json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                       "normalized": false, "special": true})
            })
            .collect();
        let token = |id: usize| json!({"SpecialToken": {"id": special[id], "type_id": 0}});
        let ids = |id: usize| json!({"id": special[id], "ids": [id], "tokens": [special[id]]});
        json!({
            "version": "1.0",
            // Overruled: Kenning cuts where the manifest says, and pads nothing.
            "truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
            "padding": {"strategy": {"Fixed": 20}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                        "pad_type_id": 0, "pad_token": special[0]},
            "added_tokens": added, "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
            "post_processor": {"type": "TemplateProcessing",
                "single": [token(first), {"Sequence": {"id": "A", "type_id": 0}}, token(last)],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                "special_tokens": {special[first]: ids(first), special[last]: ids(last)}},
            "decoder": null,
            "model": {"type": "WordLevel", "vocab": vocab, "unk_token": special[unknown]}
        })
    }

    /// Names and shapes of the tensors.
    fn shapes(&self) -> Vec<(String, Vec<usize>)> {
        let (hidden, _, intermediate) = self.shape;
        let types = if self.architecture == Architecture::Bert { 2 } else { 1 };
        let mut all = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![VOCAB, hidden]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![self.positions, hidden]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![types, hidden]),
            ("embeddings.LayerNorm.weight".to_owned(), vec![hidden]),
            ("embeddings.LayerNorm.bias".to_owned(), vec![hidden]),
        ];
        for layer in 0..LAYERS {
            let mut add = |part: &str, shape: &[usize]| {
                all.push((format!("encoder.layer.{layer}.{part}.weight"), shape.to_vec()));
                all.push((format!("encoder.layer.{layer}.{part}.bias"), vec![shape[0]]));
            };
            for part in ["self.query", "self.key", "self.value", "output.dense"] {
                add(&format!("attention.{part}"), &[hidden, hidden]);
            }
            add("attention.output.LayerNorm", &[hidden]);
            add("intermediate.dense", &[intermediate, hidden]);
            add("output.dense", &[hidden, intermediate]);
            add("output.LayerNorm", &[hidden]);
        }
        if self.head {
            all.push(("pooler.dense.weight".to_owned(), vec![hidden, hidden]));
            all.push(("pooler.dense.bias".to_owned(), vec![hidden]));
            all.iter_mut().for_each(|(name, _)| name.insert_str(0, "bert."));
            all.push(("classifier.weight".to_owned(), vec![1, hidden]));
            all.push(("classifier.bias".to_owned(), vec![1]));
        }
        all
    }

    /// The weights file; `edit` may change a tensor's values.
    pub fn weights(&self, edit: impl Fn(&str, &mut Vec<f32>)) -> Vec<u8> {
        let mut state = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = self
            .shapes()
            .into_iter()
            .map(|(name, shape)| {
                // Wide networks need smaller weights, or every softmax is all or nothing.
                let spread = 0.8 * (HIDDEN as f32 / self.shape.0 as f32).sqrt();
                let shift = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
                let mut values: Vec<f32> = (0..shape.iter().product()).map(|_| random() * spread + shift).collect();
                edit(&name, &mut values);
                (name, shape, values.iter().flat_map(|v| v.to_le_bytes()).collect())
            })
            .collect();
        let views = tensors.iter().map(|(name, shape, bytes)| {
            (name, safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape.clone(), bytes).unwrap())
        });
        safetensors::serialize(views, None).unwrap()
    }

    /// Everything that sentence-transformers would save.
    pub fn write(&self, dir: &Path) {
        let put = |name: &str, bytes: &[u8]| {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        let text = |value: Value| serde_json::to_vec(&value).unwrap();
        put("config.json", &text(self.config()));
        put("tokenizer.json", &text(self.tokenizer()));
        put("model.safetensors", &self.weights(|_, _| {}));
        put(
            "modules.json",
            &text(json!([
                {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
                {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
            ])),
        );
        let pooling = json!({
            "word_embedding_dimension": self.shape.0, "pooling_mode_cls_token": self.pooling == "cls",
            "pooling_mode_mean_tokens": self.pooling == "mean", "pooling_mode_max_tokens": self.pooling == "max",
        });
        put("1_Pooling/config.json", &text(pooling));
        if let Some(length) = self.max_seq_length {
            put("sentence_bert_config.json", &text(json!({"max_seq_length": length, "do_lower_case": false})));
        }
        put("config_sentence_transformers.json", &text(json!({"prompts": self.prompts})));
    }

    /// The three files that a model needs.
    pub fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("config.json", serde_json::to_vec(&self.config()).unwrap()),
            ("tokenizer.json", serde_json::to_vec(&self.tokenizer()).unwrap()),
            ("model.safetensors", self.weights(|_, _| {})),
        ]
    }

    /// A manifest that pins these files, to be had from `sources`.
    pub fn manifest(&self, name: &str, sources: Vec<Source>) -> Manifest {
        let pin = |(path, bytes): (&str, Vec<u8>)| FileSpec {
            path: path.into(),
            size: Some(bytes.len() as u64),
            sha256: Some(super::sha256(&bytes)),
        };
        Manifest {
            name: name.into(),
            description: "for tests".into(),
            licence: "MIT".into(),
            kind: if self.head { ModelKind::Reranker } else { ModelKind::Encoder },
            architecture: self.architecture,
            activation: kenning::embed::Activation::Gelu,
            pooling: kenning::embed::Pooling::Cls,
            dims: self.shape.0,
            max_tokens: 24,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            precision: kenning::embed::Precision::F32,
            fallback: None,
            calibration: None,
            files: self.files().into_iter().map(pin).collect(),
            sources,
        }
    }
}
