//! What is kept on disk. For now one derived file: the vectors of texts that do not change, by text hash and model.
//!
//! Nothing here knows what the texts are. Invariant: a vector is only ever read under the fingerprint it was written with.

mod vector_file;

pub use vector_file::{StoreError, TextHash, VectorFile, text_hash};
