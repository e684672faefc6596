//! Kenning finds what is already known, and stays silent when nothing is.
//!
//! The layers, from the ground up, are described in `ARCHITECTURE.md`; a module imports lower layers only, and
//! `tests/layers.rs` holds it to that.

pub mod embed;
pub mod error;
pub mod map;
pub mod types;
