//! A cross-encoder: question and text go through the network together, and a number comes out (Nogueira and Cho, 2019).
//!
//! The network is the encoder's; on the first token stand BERT's pooler (a dense layer and tanh) and a classifier with
//! one output, both in f32 whatever the network runs in: they are a thousandth of the work.

use super::forward::Rows;
use super::runner::{LoadOptions, Runner};
use crate::embed::weights::Weights;
use crate::embed::{EmbedError, Reranker};
use crate::vector::dot;

/// The fast cross-encoder: our own forward pass in int8 or f32.
pub(crate) struct FusedReranker {
    runner: Runner,
    head: Head,
}

/// What stands on the network.
struct Head {
    /// `hidden` x `hidden`, outputs first.
    pooler: Vec<f32>,
    pooler_bias: Vec<f32>,
    classifier: Vec<f32>,
    bias: f32,
}

impl Head {
    fn read(weights: &Weights, hidden: usize) -> Result<Self, EmbedError> {
        Ok(Self {
            pooler: weights.read("pooler.dense.weight", &[hidden, hidden])?,
            pooler_bias: weights.read("pooler.dense.bias", &[hidden])?,
            classifier: weights.read("classifier.weight", &[1, hidden])?,
            bias: weights.read("classifier.bias", &[1])?[0],
        })
    }

    /// The logit of one pair from the hidden state of its first token.
    fn logit(&self, first: &[f32]) -> f32 {
        let outputs = self.pooler.chunks_exact(first.len()).zip(&self.pooler_bias);
        let pooled: Vec<f32> = outputs.map(|(row, bias)| (dot(row, first) + bias).tanh()).collect();
        dot(&self.classifier, &pooled) + self.bias
    }
}

impl FusedReranker {
    /// Loads a model whose kind is that of a reranker.
    pub(crate) fn load(options: &LoadOptions<'_>) -> Result<Self, EmbedError> {
        let (runner, head) = Runner::load(options, |weights| Head::read(weights, options.config.hidden))?;
        Ok(Self { runner, head })
    }
}

impl Reranker for FusedReranker {
    fn score(&self, question: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        let tokenizer = &self.runner.tokenizer;
        let question = tokenizer.question(question)?;
        let tokens = self.runner.tokens(texts, |text| tokenizer.pair(&question, text))?;
        let mut logits = vec![0.0; texts.len()];
        let finish = |batch: &[usize], hidden: &[f32]| -> Result<Vec<f32>, EmbedError> {
            let logits = hidden.chunks_exact(self.runner.dims()).map(|first| self.head.logit(first));
            let logits = batch.iter().zip(logits).map(|(&index, logit)| match logit.is_finite() {
                true => Ok(logit),
                false => Err(EmbedError::BadVector { index, what: "it holds values that are not numbers" }),
            });
            logits.collect()
        };
        self.runner.run(&tokens, Rows::First, finish, |batch, made| {
            batch.iter().zip(made).for_each(|(&at, logit)| logits[at] = logit);
        })?;
        Ok(logits)
    }
}
