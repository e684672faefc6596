//! What a model adds to the knowledge: vectors of questions and of entries, and what their similarities mean.

use crate::ann::Index;
use crate::embed::Encoder;
use crate::types::Calibration;
use std::sync::Arc;

/// A model with all that is made with it, shared by the requests that began with it.
pub struct Semantics {
    /// Turns questions into vectors.
    pub encoder: Arc<dyn Encoder>,
    /// Vectors of the packs' texts; an owner is an entry by its place, a part the place among its texts.
    pub canon: Index,
    /// The model's calibration.
    pub calibration: Calibration,
}
