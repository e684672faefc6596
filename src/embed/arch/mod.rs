//! The forward passes, by architecture.
//!
//! BERT and XLM-RoBERTa are one network that counts positions differently, so one file serves both. A new architecture
//! is a new file, a variant of [`super::manifest::Architecture`] and a line in [`load`].

mod math;
mod ops;
mod transformer;

pub(crate) use transformer::{Rows, Transformer};

use super::EmbedError;
use super::config::Config;
use super::manifest::Architecture;
use super::weights::Weights;

/// Builds the network of `config` from `weights`.
pub(crate) fn load(weights: &Weights, config: &Config) -> Result<Transformer, EmbedError> {
    match config.architecture {
        Architecture::Bert | Architecture::XlmRoberta => Transformer::load(weights, config),
    }
}
