//! From a model's name to unit vectors.
//!
//! A [`Manifest`] says what a model is and where its files come from; the [`ModelStore`] finds, fetches, imports and
//! verifies them; an [`Encoder`] turns texts into vectors, a [`Reranker`] reads a question and a text together. Nothing here reads the environment, the home directory or
//! the clock, or prints: paths, proxies and tokens come in as settings, progress goes out through callbacks. Only
//! [`ModelStore::pull`] uses the network.

mod batch;
mod builtin;
mod candle;
mod config;
mod encoder;
mod error;
mod fingerprint;
mod fused;
mod hash;
mod hub;
mod layout;
mod manifest;
mod onnx;
mod package;
mod pool;
mod query_cache;
mod store;
mod tokenize;
mod weights;
mod wordpiece;

pub use builtin::{DEFAULT_MODEL, DEFAULT_RERANKER};
pub use candle::CandleEncoder;
pub use encoder::{Choice, DEFAULT_QUESTION_THREADS, Encoded, Encoder, EncoderSettings, Precision, Reranker, Running};
pub use error::EmbedError;
pub use fused::FusedEncoder;
pub use manifest::{
    Activation, Architecture, CONFIG, Convert, FileSpec, Given, Manifest, Member, ModelKind, Pooling, Source,
    TOKENIZER, WEIGHTS,
};
pub use onnx::onnx_to_safetensors;
pub use query_cache::{CACHE_BYTES, QueryCache};
pub use store::{
    FileCheck, HUB_ENDPOINT, HubSettings, Installed, Leftovers, ModelFault, ModelStore, Origin, PipSettings,
    ProxySettings, PullEvent, State, StoreSettings,
};
