//! The fast encoder: BERT-like networks on the CPU in one pass of our own, in int8 or f32.
//!
//! `image` holds the weights packed as the kernels of [`crate::vector::simd`] read them, `forward` is the pass, `crew`
//! the threads. This file owns the order of things: tokenise, cut into batches, run each, pool, normalise. Many texts
//! are spread over the threads batch by batch, each running the whole network alone; few texts are split row by row.
//! A few come first: bulk gives way
//! to them between two batches. Either way every row goes through the same arithmetic, so a vector is the same to the last bit whatever else was
//! encoded with it and on however many threads.

mod crew;
mod forward;
mod image;

use super::config::Config;
use super::encoder::{EncoderSettings, Precision, Running};
use super::fingerprint::{Digests, fingerprint};
use super::manifest::{Pooling, TOKENIZER, WEIGHTS};
use super::tokenize::{TextTokenizer, Tokens};
use super::weights::Weights;
use super::{EmbedError, Encoded, Encoder, Manifest, batch, pool};
use crate::types::{Fingerprint, Role};
use crate::vector::simd::Isa;
use crew::Crew;
use forward::{Network, Room, Rows};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Mutex;

/// Tokens that one thread takes through the network at a time: enough rows to use each panel of weights often, few
/// enough that their values stay in the second cache.
const BATCH_TOKENS: usize = 256;

/// Fewest tokens of a part when one batch is split over threads; below, a hand-over costs more than it saves.
const PART_TOKENS: usize = 4;

/// Whether the kernels can run a network of this shape.
pub(crate) fn runs(c: &Config) -> bool {
    let head = c.hidden / c.heads;
    head.is_multiple_of(16) && c.hidden.is_multiple_of(64) && c.intermediate.is_multiple_of(4)
}

/// The fast encoder: our own forward pass in int8 or f32.
pub struct FusedEncoder {
    network: Network,
    tokenizer: TextTokenizer,
    prefixes: [(String, usize); 2],
    pooling: Pooling,
    fingerprint: Fingerprint,
    crew: Crew,
    /// Working memory that nobody uses at the moment.
    rooms: Mutex<Vec<Room>>,
}

impl FusedEncoder {
    /// Loads the model in `dir`, whose files have been checked and have these digests. `cache` is a file for the
    /// packed weights, made here if it is not there or does not fit.
    pub(crate) fn load(
        dir: &Path,
        manifest: &Manifest,
        config: Config,
        digests: &Digests<'_>,
        settings: &EncoderSettings,
        precision: Precision,
        cache: Option<&Path>,
    ) -> Result<Self, EmbedError> {
        let crew = Crew::new(settings.threads);
        let identity = fingerprint(manifest, &config, digests, precision.name());
        let kept = cache.map(|cache| cache.with_extension("").with_extension("words"));
        let words = || {
            let path = dir.join(TOKENIZER);
            TextTokenizer::compact(&path, digests.tokenizer, kept.as_deref(), manifest.max_tokens, config.vocab)
        };
        let network = || {
            let weights = Weights::open(&dir.join(WEIGHTS))?;
            let isa = settings.isa.unwrap_or_else(Isa::detect);
            Network::load(&weights, &config, precision, digests.weights, cache, isa)
        };
        let (tokenizer, network) = crew.answer(|| rayon::join(words, network))?;
        let tokenizer = tokenizer?;
        let prefix = |role| -> Result<(String, usize), EmbedError> {
            let text = manifest.prefix(role).to_owned();
            let tokens = if text.is_empty() { 0 } else { tokenizer.count(&text)? };
            Ok((text, tokens))
        };
        Ok(Self {
            network: network?,
            prefixes: [prefix(Role::Query)?, prefix(Role::Passage)?],
            tokenizer,
            pooling: manifest.pooling,
            fingerprint: identity,
            crew,
            rooms: Mutex::default(),
        })
    }

    /// The prefix of a role and its tokens.
    fn prefix_of(&self, role: Role) -> &(String, usize) {
        match role {
            Role::Query => &self.prefixes[0],
            Role::Passage => &self.prefixes[1],
        }
    }

    /// The unit vectors of one batch, its rows split into `parts`.
    fn run(&self, batch: &[usize], tokens: &[Tokens], parts: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<&[u32]> = batch.iter().map(|&i| tokens[i].ids.as_slice()).collect();
        let rows = match self.pooling {
            Pooling::Cls => Rows::First,
            Pooling::Mean => Rows::All,
        };
        // A panic in another thread leaves the list usable: it only ever holds whole rooms.
        let lock = || self.rooms.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut room = lock().pop().unwrap_or_default();
        let hidden = self.network.forward(&texts, rows, &mut room, parts);
        let dims = self.network.dims();
        let mut start = 0;
        let vectors = batch
            .iter()
            .map(|&i| {
                let count = if rows == Rows::First { 1 } else { tokens[i].ids.len() };
                let mut vector = pool::pool(&hidden, start..start + count, dims, self.pooling);
                start += count;
                pool::normalise(&mut vector, i)?;
                Ok(vector)
            })
            .collect();
        lock().push(room);
        vectors
    }
}

impl Encoder for FusedEncoder {
    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn running(&self) -> Running {
        Running {
            encoder: "fused",
            precision: self.network.precision(),
            kernel: self.network.isa().name(),
            threads: self.crew.threads(),
        }
    }

    fn dims(&self) -> usize {
        self.network.dims()
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
        let read = |text: &&str| self.tokenizer.encode(prefix, text);
        let tokens: Vec<Tokens> = if texts.len() < 8 {
            texts.iter().map(read).collect::<Result<_, _>>()?
        } else {
            self.crew.install(|| texts.par_iter().map(read).collect::<Result<_, _>>())??
        };
        let batches = batch::plan(&tokens, BATCH_TOKENS);
        let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); texts.len()];
        let mut done = 0;
        let mut keep = |batch: &[usize], made: Vec<Vec<f32>>| {
            for (&i, vector) in batch.iter().zip(made) {
                vectors[i] = vector;
            }
            done += batch.len();
            progress(done);
        };
        if batches.len() < 2 * self.crew.threads() {
            for batch in &batches {
                let count: usize = batch.iter().map(|&i| tokens[i].ids.len()).sum();
                let parts = self.crew.threads().min(count / PART_TOKENS).max(1);
                let made = self.crew.answer(|| self.run(batch, &tokens, parts))??;
                keep(batch, made);
            }
        } else {
            self.crew.spread(
                batches.len(),
                |at| self.run(&batches[at], &tokens, 1),
                |at, made| -> Result<(), EmbedError> {
                    keep(&batches[at], made?);
                    Ok(())
                },
            )?;
        }
        let all = vectors.into_iter().zip(tokens);
        Ok(all.map(|(vector, t)| Encoded { vector, tokens: t.ids.len(), truncated: t.truncated }).collect())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.tokenizer.count(text)
    }
}
