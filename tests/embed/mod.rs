//! Tests of `kenning::embed`.

mod arch; // our forward pass against candle's models, batches, limits
mod bundle; // models in one file: round trips, damaged and hostile files
mod cache; // the hub's cache as other tools read and write it
mod directory; // sentence-transformers directories: reading, importing, refusing
mod fused; // the fast encoder against the reference, itself on other threads and instructions, its file
mod golden; // real weights against other software
mod hub; // downloads from a hub on loopback
mod package; // models out of Python packages
mod rerank; // cross-encoders against a reference and other software
mod staging; // imports that are killed
mod store; // records, changed and damaged files, verify, remove
