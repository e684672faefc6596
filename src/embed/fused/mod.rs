//! The fast encoder: BERT-like networks on the CPU in one pass of our own, in int8 or f32.
//!
//! `image` holds the weights packed as the kernels of [`crate::vector::simd`] read them, `forward` is the pass,
//! `workers` the threads, `runner` the order of things: tokenise, cut into batches, run each. This file makes unit
//! vectors of what comes out, `rerank` numbers. Every row goes through the same arithmetic, so a vector is the same to
//! the last bit whatever else was encoded with it and on however many threads.

mod forward;
mod image;
mod rerank;
mod runner;
mod workers;

pub(crate) use rerank::FusedReranker;
pub(crate) use runner::LoadOptions;

use super::config::Config;
use super::encoder::Running;
use super::fingerprint::fingerprint;
use super::manifest::Pooling;
use super::tokenize::Tokens;
use super::{EmbedError, Encoded, Encoder, Manifest, pool};
use crate::types::{Fingerprint, Role};
use forward::Rows;
use runner::Runner;

/// Whether the kernels can run a network of this shape.
pub(crate) fn runs(c: &Config) -> bool {
    let head = c.hidden / c.heads;
    head.is_multiple_of(16) && c.hidden.is_multiple_of(64) && c.intermediate.is_multiple_of(4)
}

/// The fast encoder: our own forward pass in int8 or f32.
pub struct FusedEncoder {
    runner: Runner,
    prefixes: [(String, usize); 2],
    pooling: Pooling,
    fingerprint: Fingerprint,
}

impl FusedEncoder {
    /// Loads a model that `manifest` describes.
    pub(crate) fn load(options: &LoadOptions<'_>, manifest: &Manifest) -> Result<Self, EmbedError> {
        let (runner, ()) = Runner::load(options, |_| Ok(()))?;
        let prefix = |role| -> Result<(String, usize), EmbedError> {
            let text = manifest.prefix(role).to_owned();
            let tokens = if text.is_empty() { 0 } else { runner.tokenizer.count(&text)? };
            Ok((text, tokens))
        };
        Ok(Self {
            prefixes: [prefix(Role::Query)?, prefix(Role::Passage)?],
            pooling: manifest.pooling,
            fingerprint: fingerprint(manifest, &options.config, &options.digests, options.precision.name()),
            runner,
        })
    }

    /// The prefix of a role and its tokens.
    fn prefix_of(&self, role: Role) -> &(String, usize) {
        match role {
            Role::Query => &self.prefixes[0],
            Role::Passage => &self.prefixes[1],
        }
    }

    /// The vectors of all `tokens`. They may be those of `texts` texts several times over, one role after the other;
    /// errors name the text.
    fn run(
        &self,
        tokens: Vec<Tokens>,
        texts: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Encoded>, EmbedError> {
        let rows = match self.pooling {
            Pooling::Cls => Rows::First,
            Pooling::Mean => Rows::All,
        };
        let finish = |batch: &[usize], hidden: &[f32]| -> Result<Vec<Vec<f32>>, EmbedError> {
            let mut start = 0;
            let vectors = batch.iter().map(|&i| {
                let count = if rows == Rows::First { 1 } else { tokens[i].ids.len() };
                let mut vector = pool::pool(hidden, start..start + count, self.runner.dims(), self.pooling);
                start += count;
                pool::normalise(&mut vector, i % texts)?;
                Ok(vector)
            });
            vectors.collect()
        };
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); tokens.len()];
        let mut done = 0;
        self.runner.run(&tokens, rows, finish, |batch, made| {
            for (&i, vector) in batch.iter().zip(made) {
                vectors[i] = vector;
            }
            done += batch.len();
            progress(done);
        })?;
        let all = vectors.into_iter().zip(tokens);
        Ok(all.map(|(vector, t)| Encoded { vector, tokens: t.ids.len(), truncated: t.truncated }).collect())
    }
}

impl Encoder for FusedEncoder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn running(&self) -> Running {
        self.runner.running()
    }

    fn dims(&self) -> usize {
        self.runner.dims()
    }

    fn max_tokens(&self) -> usize {
        self.runner.tokenizer.max_tokens()
    }

    fn prefix(&self, role: Role) -> &str {
        &self.prefix_of(role).0
    }

    fn overhead_tokens(&self, role: Role) -> usize {
        self.runner.tokenizer.special_tokens() + self.prefix_of(role).1
    }

    fn encode(&self, texts: &[&str], role: Role, progress: &mut dyn FnMut(usize)) -> Result<Vec<Encoded>, EmbedError> {
        let prefix = &self.prefix_of(role).0;
        let tokens = self.runner.tokens(texts, |text| self.runner.tokenizer.encode(prefix, text))?;
        self.run(tokens, texts.len(), progress)
    }

    fn encode_roles(&self, texts: &[&str], roles: &[Role]) -> Result<Vec<Vec<Encoded>>, EmbedError> {
        let mut distinct: Vec<&str> = Vec::new();
        for role in roles {
            if !distinct.contains(&self.prefix(*role)) {
                distinct.push(self.prefix(*role));
            }
        }
        let mut tokens = Vec::with_capacity(distinct.len() * texts.len());
        for prefix in &distinct {
            tokens.extend(self.runner.tokens(texts, |text| self.runner.tokenizer.encode(prefix, text))?);
        }
        let all = self.run(tokens, texts.len(), &mut |_| {})?;
        let side = |role: &Role| {
            let prefix = self.prefix(*role);
            let at = distinct.iter().take_while(|other| **other != prefix).count() * texts.len();
            all[at..at + texts.len()].to_vec()
        };
        Ok(roles.iter().map(side).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.runner.tokenizer.count(text)
    }
}
