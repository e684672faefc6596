//! The reference encoder: any supported architecture in f32 on the CPU, through candle.
//!
//! Owns the order of things: tokenise in parallel, plan batches, run them, pool, normalise, put the vectors back in
//! the order of the texts. Work runs in candle's own thread pool, so that a caller's pool is never blocked by it.

use super::arch::{self, Rows, Transformer};
use super::config::Config;
use super::encoder::{Precision, Running};
use super::fingerprint::{Digests, fingerprint};
use super::manifest::{Pooling, TOKENIZER, WEIGHTS};
use super::tokenize::{TextTokenizer, Tokens};
use super::weights::Weights;
use super::{EmbedError, Encoded, Encoder, Manifest, batch, pool};
use crate::types::{Fingerprint, Role};
use candle_core::Device;
use rayon::prelude::*;
use std::path::Path;

/// An encoder on candle.
pub struct CandleEncoder {
    model: Transformer,
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
        let network = || arch::load(&Weights::open(&dir.join(WEIGHTS))?, config);
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

    /// The unit vectors of one batch.
    fn run(&self, batch: &[usize], tokens: &[Tokens]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<&[u32]> = batch.iter().map(|&i| tokens[i].ids.as_slice()).collect();
        let rows = match self.pooling {
            Pooling::Cls => Rows::First,
            Pooling::Mean => Rows::All,
        };
        let hidden = self.model.forward(&texts, rows)?;
        let mut start = 0;
        batch
            .iter()
            .map(|&i| {
                let count = if rows == Rows::First { 1 } else { tokens[i].ids.len() };
                let mut vector = pool::pool(&hidden, start..start + count, self.dims, self.pooling);
                start += count;
                pool::normalise(&mut vector, i)?;
                Ok(vector)
            })
            .collect()
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
            let results = Device::Cpu.with_context(|| self.run(&batch, &tokens))?;
            for (&i, vector) in batch.iter().zip(results) {
                vectors[i] = vector;
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
