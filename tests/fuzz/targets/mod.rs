//! The readers of foreign bytes, one file for each family. A new reader gets a [`Target`] there, its line in [`ALL`]
//! and a folder of seeds.

mod ann;
mod bench;
mod canon;
mod config;
mod documents;
mod git;
mod hub;
mod log;
mod model;
mod onnx;
mod outcome;
mod pack;
mod planted;
mod store;
mod tools;
mod transfer;

use super::Target;

/// Every reader of what is not ours.
pub const ALL: &[Target] = &[
    documents::MARKDOWN,
    documents::RESTRUCTURED_TEXT,
    documents::ASCIIDOC,
    documents::HTML,
    documents::NOTEBOOK,
    documents::PLAIN,
    documents::SOURCE,
    documents::FRONT_MATTER,
    documents::INDEX,
    git::GIT,
    log::LOG,
    log::WORDS,
    outcome::REPORT,
    outcome::PROBLEMS,
    tools::LIST,
    tools::HELP,
    canon::LOOKUP,
    canon::PACK,
    canon::FILL,
    pack::FRAME,
    pack::TOKENS,
    pack::PHRASE,
    transfer::RECORDS,
    transfer::MARKDOWN_EXPORT,
    store::DATABASE,
    ann::IMAGE,
    ann::DERIVED,
    onnx::ONNX,
    model::SAFETENSORS,
    model::DIRECTORY,
    model::TOKENIZER,
    model::WORDPIECE,
    model::MANIFEST,
    model::INSTALLED,
    model::BUNDLE,
    hub::HUB,
    hub::WHEEL,
    bench::QRELS,
    bench::RANKING,
    bench::SET,
    bench::RESULT,
    bench::TABLES,
    bench::VECTORS,
    config::CONFIG,
    config::TRUST,
    config::CALIBRATION,
];

/// Readers with a fault that must be found.
pub const PLANTED: &[Target] = planted::ALL;
