//! Kenning finds what is already known, and stays silent when nothing is.
//!
//! The layers, from the ground up, are described in `ARCHITECTURE.md`; a module imports lower layers only, and
//! `tests/layers.rs` holds it to that.

pub mod ann;
pub mod canon;
pub mod chunk;
pub mod cli;
pub mod config;
pub mod embed;
pub mod engine;
pub mod error;
pub mod eval;
pub mod git;
pub mod ingest;
pub mod lexical;
pub mod lock;
pub mod map;
pub mod memory;
pub mod outcome;
pub mod pack;
pub mod platform;
pub mod process;
pub mod query;
pub mod recent;
pub mod render;
pub mod screen;
pub mod serve;
pub mod setup;
pub mod store;
pub mod terraform;
pub mod text;
pub mod threads;
pub mod tools;
pub mod triage;
pub mod types;
pub mod vector;
