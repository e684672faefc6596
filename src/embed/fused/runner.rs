//! A network with its tokenizer, its threads and its working memory: from texts to what is made of their hidden states.
//!
//! Few texts are a question: they go through the network on the caller's thread, or split row by row over several. Many
//! are bulk: they are spread over the threads batch by batch, and yield to questions.

use super::forward::{Network, Rows, Workspace};
use super::workers::Workers;
use crate::embed::config::Config;
use crate::embed::encoder::{EncoderSettings, Precision, Running};
use crate::embed::fingerprint::Digests;
use crate::embed::manifest::{TOKENIZER, WEIGHTS};
use crate::embed::tokenize::{TextTokenizer, Tokens};
use crate::embed::weights::Weights;
use crate::embed::{EmbedError, batch};
use crate::vector::simd::Isa;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Mutex;

/// Tokens that one thread takes through the network at a time: enough rows to use each panel of weights often, few
/// enough that their values stay in the second cache.
const BATCH_TOKENS: usize = 256;

/// Fewest tokens of a part when one batch is split over threads; below, a hand-over costs more than it saves.
const PART_TOKENS: usize = 4;

/// What of a model lies on disk and how it is to be run.
pub(crate) struct LoadOptions<'a> {
    /// The model's files, which have been checked and have these digests.
    pub dir: &'a Path,
    pub digests: Digests<'a>,
    pub config: Config,
    pub max_tokens: usize,
    pub settings: &'a EncoderSettings,
    pub precision: Precision,
    /// A file for the packed weights, made if it is not there or does not fit.
    pub cache: Option<&'a Path>,
}

/// A network that runs.
pub(super) struct Runner {
    pub(super) tokenizer: TextTokenizer,
    network: Network,
    workers: Workers,
    /// Working memory that nobody uses at the moment: of as many batches as have run at once.
    workspaces: Mutex<Vec<Workspace>>,
}

impl Runner {
    /// Loads a model; `also` reads more of its weights.
    pub(super) fn load<T: Send>(
        options: &LoadOptions<'_>,
        also: impl FnOnce(&Weights) -> Result<T, EmbedError> + Send,
    ) -> Result<(Self, T), EmbedError> {
        let (config, settings) = (&options.config, options.settings);
        let workers = Workers::new(settings.threads, settings.question_threads());
        let kept = options.cache.map(|cache| cache.with_extension("").with_extension("words"));
        let words = || {
            let path = options.dir.join(TOKENIZER);
            TextTokenizer::compact(&path, options.digests.tokenizer, kept.as_deref(), options.max_tokens, config.vocab)
        };
        let network = || -> Result<(Network, T), EmbedError> {
            let weights = Weights::open(&options.dir.join(WEIGHTS))?;
            let isa = settings.isa.unwrap_or_else(Isa::detect);
            let network =
                Network::load(&weights, config, options.precision, options.digests.weights, options.cache, isa)?;
            Ok((network, also(&weights)?))
        };
        let (tokenizer, network) = workers.join(words, network);
        let (tokenizer, (network, more)) = (tokenizer?, network?);
        Ok((Self { tokenizer, network, workers, workspaces: Mutex::default() }, more))
    }

    pub(super) fn running(&self) -> Running {
        Running {
            encoder: "fused",
            precision: self.network.precision(),
            kernel: self.network.isa().name(),
            threads: self.workers.threads(),
        }
    }

    pub(super) fn dims(&self) -> usize {
        self.network.dims()
    }

    /// The tokens of each text.
    pub(super) fn tokens(
        &self,
        texts: &[&str],
        read: impl Fn(&str) -> Result<Tokens, EmbedError> + Sync,
    ) -> Result<Vec<Tokens>, EmbedError> {
        if texts.len() < 8 {
            texts.iter().map(|text| read(text)).collect()
        } else {
            self.workers.install(|| texts.par_iter().map(|text| read(text)).collect())
        }
    }

    /// Runs all texts; `finish` makes something of a batch from its hidden states, `keep` gets that on the caller's
    /// thread.
    pub(super) fn run<T: Send>(
        &self,
        tokens: &[Tokens],
        rows: Rows,
        finish: impl Fn(&[usize], &[f32]) -> Result<T, EmbedError> + Sync,
        mut keep: impl FnMut(&[usize], T),
    ) -> Result<(), EmbedError> {
        let batches = batch::plan(tokens, BATCH_TOKENS);
        let one = |batch: &[usize], parts: usize, between_layers: &(dyn Fn() + Sync)| {
            let texts: Vec<&Tokens> = batch.iter().map(|&i| &tokens[i]).collect();
            // A panic in another thread leaves the list usable: it only ever holds whole workspaces.
            let lock = || self.workspaces.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let mut workspace = lock().pop().unwrap_or_default();
            let hidden = self.network.forward(&texts, rows, &mut workspace, parts, between_layers);
            let made = finish(batch, &hidden);
            lock().push(workspace);
            made
        };
        if batches.len() < 2 * self.workers.threads() {
            for batch in &batches {
                let count: usize = batch.iter().map(|&i| tokens[i].ids.len()).sum();
                keep(batch, self.workers.run_question(count / PART_TOKENS, |parts| one(batch, parts, &|| ()))?);
            }
            return Ok(());
        }
        self.workers.run_bulk(
            batches.len(),
            |at, questions| one(&batches[at], 1, &|| questions.pause()),
            |at, made| -> Result<(), EmbedError> {
                keep(&batches[at], made?);
                Ok(())
            },
        )
    }
}
