//! The reference encoder: the models of `candle-transformers` in f32 on the CPU.
//!
//! It runs the shapes that the fused encoder does not, and tests hold the fused encoder to it. A batch holds texts of
//! one length only: then nothing is padded, and the models' padding masks, which change what a text's neighbours weigh,
//! are never needed. Work runs in candle's own thread pool, so that a caller's pool is never blocked by it. A new
//! architecture is a variant of [`Architecture`] and one of [`Model`].

use super::config::Config;
use super::encoder::{Precision, Running};
use super::fingerprint::{Digests, fingerprint};
use super::manifest::{Activation, Architecture, Pooling, TOKENIZER, WEIGHTS};
use super::tokenize::{TextTokenizer, Tokens};
use super::weights::Weights;
use super::{EmbedError, Encoded, Encoder, Manifest, batch, pool};
use crate::types::{Fingerprint, Role};
use candle_core::{DType, Device, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use candle_transformers::models::{bert, xlm_roberta};
use rayon::prelude::*;
use std::path::Path;

/// An encoder on candle.
pub struct CandleEncoder {
    model: Model,
    tokenizer: TextTokenizer,
    prefixes: [(String, usize); 2],
    pooling: Pooling,
    dims: usize,
    fingerprint: Fingerprint,
}

impl CandleEncoder {
    /// Loads the model in `dir`, whose files have been checked and have these digests.
    pub(crate) fn load(
        dir: &Path,
        manifest: &Manifest,
        config: &Config,
        digests: &Digests<'_>,
    ) -> Result<Self, EmbedError> {
        let words = || TextTokenizer::read(&dir.join(TOKENIZER), manifest.max_tokens, config.vocab);
        let network = || Model::load(Weights::open(&dir.join(WEIGHTS))?, config);
        crate::threads::ready();
        // candle makes a pool of its own at its first product, and panics where it cannot.
        crate::threads::can_start(candle_core::utils::get_num_threads()).map_err(EmbedError::no_threads)?;
        let (tokenizer, model) = Device::Cpu.with_context(|| rayon::join(words, network));
        let (tokenizer, model) = (tokenizer?, model?);
        let prefix = |role| -> Result<(String, usize), EmbedError> {
            let text = manifest.prefix(role).to_owned();
            let tokens = if text.is_empty() { 0 } else { tokenizer.count(&text)? };
            Ok((text, tokens))
        };
        Ok(Self {
            prefixes: [prefix(Role::Query)?, prefix(Role::Passage)?],
            pooling: manifest.pooling,
            dims: config.hidden,
            fingerprint: fingerprint(manifest, config, digests, Precision::F32.name()),
            model,
            tokenizer,
        })
    }

    /// The prefix of a role and its tokens.
    fn prefix_of(&self, role: Role) -> &(String, usize) {
        match role {
            Role::Query => &self.prefixes[0],
            Role::Passage => &self.prefixes[1],
        }
    }

    /// The unit vectors of texts of one length.
    fn run(&self, batch: &[usize], tokens: &[Tokens]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<&[u32]> = batch.iter().map(|&i| tokens[i].ids.as_slice()).collect();
        let length = texts.first().map_or(0, |text| text.len());
        let hidden = self.model.forward(&texts.concat(), (texts.len(), length))?;
        let vectors = batch.iter().enumerate().map(|(at, &i)| {
            let mut vector = pool::pool(&hidden, at * length..(at + 1) * length, self.dims, self.pooling);
            pool::normalise(&mut vector, i)?;
            Ok(vector)
        });
        vectors.collect()
    }
}

/// A network of `candle-transformers`.
enum Model {
    Bert(Box<bert::BertModel>),
    XlmRoberta(Box<xlm_roberta::XLMRobertaModel>),
}

impl Model {
    fn load(weights: Weights, config: &Config) -> Result<Self, EmbedError> {
        weights.check(config)?;
        let vb = VarBuilder::from_backend(Box::new(weights), DType::F32, Device::Cpu);
        Ok(match config.architecture {
            Architecture::Bert => Self::Bert(Box::new(bert::BertModel::load(vb, &bert_config(config))?)),
            Architecture::XlmRoberta => {
                Self::XlmRoberta(Box::new(xlm_roberta::XLMRobertaModel::new(&xlm_roberta_config(config), vb)?))
            }
        })
    }

    /// The hidden states of `texts` texts of `length` tokens each, row by row.
    fn forward(&self, ids: &[u32], (texts, length): (usize, usize)) -> candle_core::Result<Vec<f32>> {
        let ids = Tensor::from_slice(ids, (texts, length), &Device::Cpu)?;
        let (types, mask) = (ids.zeros_like()?, ids.ones_like()?);
        let hidden = match self {
            Self::Bert(model) => model.forward(&ids, &types, Some(&mask))?,
            Self::XlmRoberta(model) => model.forward(&ids, &mask, &types, None, None, None)?,
        };
        hidden.flatten_all()?.to_vec1()
    }
}

fn bert_config(c: &Config) -> bert::Config {
    bert::Config {
        vocab_size: c.vocab,
        hidden_size: c.hidden,
        num_hidden_layers: c.layers,
        num_attention_heads: c.heads,
        intermediate_size: c.intermediate,
        hidden_act: match c.activation {
            Activation::Gelu => bert::HiddenAct::Gelu,
            Activation::GeluTanh => bert::HiddenAct::GeluApproximate,
            Activation::Relu => bert::HiddenAct::Relu,
        },
        max_position_embeddings: c.positions,
        type_vocab_size: c.token_types,
        layer_norm_eps: f64::from(c.norm_eps),
        pad_token_id: c.pad_id as usize,
        ..bert::Config::default()
    }
}

fn xlm_roberta_config(c: &Config) -> xlm_roberta::Config {
    xlm_roberta::Config {
        vocab_size: c.vocab,
        hidden_size: c.hidden,
        num_hidden_layers: c.layers,
        num_attention_heads: c.heads,
        intermediate_size: c.intermediate,
        hidden_act: match c.activation {
            Activation::Gelu => candle_nn::Activation::Gelu,
            Activation::GeluTanh => candle_nn::Activation::GeluPytorchTanh,
            Activation::Relu => candle_nn::Activation::Relu,
        },
        max_position_embeddings: c.positions,
        type_vocab_size: c.token_types,
        layer_norm_eps: f64::from(c.norm_eps),
        pad_token_id: c.pad_id,
        position_embedding_type: "absolute".to_owned(),
        // Of training alone.
        attention_probs_dropout_prob: 0.0,
        hidden_dropout_prob: 0.0,
    }
}

/// What the models ask for comes from the mapped file, whatever its exporter put before the names.
impl SimpleBackend for Weights {
    fn get(&self, s: Shape, name: &str, _: Init, _: DType, device: &Device) -> candle_core::Result<Tensor> {
        let values = self.read(name, s.dims()).map_err(candle_core::Error::wrap)?;
        Tensor::from_vec(values, s, device)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> candle_core::Result<Tensor> {
        candle_core::bail!("{name} is read without a shape")
    }

    fn contains_tensor(&self, name: &str) -> bool {
        self.contains(name)
    }
}

impl Encoder for CandleEncoder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn running(&self) -> Running {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Running { encoder: "candle", precision: Precision::F32, kernel: "gemm", threads }
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn max_tokens(&self) -> usize {
        self.tokenizer.max_tokens()
    }

    fn prefix(&self, role: Role) -> &str {
        &self.prefix_of(role).0
    }

    fn overhead_tokens(&self, role: Role) -> usize {
        self.tokenizer.special_tokens() + self.prefix_of(role).1
    }

    fn encode(&self, texts: &[&str], role: Role, progress: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError> {
        let prefix = &self.prefix_of(role).0;
        let tokens: Vec<Tokens> = Device::Cpu.with_context(|| {
            texts.par_iter().map(|text| self.tokenizer.encode(prefix, text)).collect::<Result<_, _>>()
        })?;
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        let mut done = 0;
        for batch in batch::plan(&tokens, batch::BATCH_TOKENS) {
            for batch in batch.chunk_by(|&a, &b| tokens[a].ids.len() == tokens[b].ids.len()) {
                let results = Device::Cpu.with_context(|| self.run(batch, &tokens))?;
                for (&i, vector) in batch.iter().zip(results) {
                    vectors[i] = vector;
                }
            }
            done += batch.len();
            progress(done);
        }
        let all = vectors.into_iter().zip(tokens);
        Ok(all.map(|(vector, t)| Encoded { vector, tokens: t.ids.len(), truncated: t.truncated }).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.tokenizer.count(text)
    }
}
