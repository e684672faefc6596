//! From a model's name to unit vectors.
//!
//! A [`Manifest`] says what a model is and where its files come from; the [`ModelStore`] finds, fetches, imports and
//! verifies them; an [`Encoder`] turns texts into vectors, a [`Reranker`] reads a question and a text together. Nothing
//! here reads the environment, the home directory or the clock, or prints: paths, proxies and tokens come in as
//! settings, progress goes out through callbacks. Only [`ModelStore::pull`] uses the network.

mod batch;
mod builtin;
mod bundle;
mod candle;
mod config;
mod encoder;
mod error;
mod event;
mod fingerprint;
mod fused;
mod hash;
mod hub;
mod kind;
mod layout;
mod lock;
mod manifest;
mod names;
mod onnx;
mod package;
mod pool;
mod query_cache;
mod settings;
mod store;
mod tokenize;
mod weights;
mod wordpiece;

pub use builtin::{DEFAULT_MODEL, DEFAULT_RERANKER};
pub use candle::CandleEncoder;
pub use encoder::{Choice, DEFAULT_QUESTION_THREADS, Encoded, Encoder, EncoderSettings, Precision, Reranker, Running};
pub use error::EmbedError;
pub use event::PullEvent;
pub use fused::FusedEncoder;
pub use kind::ModelKind;
pub use manifest::{
    Activation, Architecture, CONFIG, Convert, FileSpec, InlineFile, Manifest, Member, Pooling, Source, TOKENIZER,
    WEIGHTS,
};
pub use onnx::onnx_to_safetensors;
pub use query_cache::{CACHE_BYTES, QueryCache};
pub use settings::{HUB_ENDPOINT, HubSettings, PipSettings, ProxySettings, StoreSettings};
pub use store::{
    BundleExtras, BundledVectors, FileCheck, Installed, Leftovers, ModelFault, ModelStore, Origin, State, Unbundled,
};
