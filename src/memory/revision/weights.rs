//! What `benches/memory/fit_revision.py --weights` printed.

/// Bias, then the weight of each feature of a pair.
pub(super) const PAIR: [f32; 7] = [
    -9.480, // bias
    3.478,  // overlap
    2.941,  // order
    3.951,  // trigrams
    1.126,  // beginning
    1.591,  // same_subject
    0.639,  // rarest_common
];

/// Bias, then the weights of the closest's score and of its margin.
pub(super) const DECISION: [f32; 3] = [
    -2.535, // bias
    0.535,  // score
    0.846,  // margin
];

/// The second candidate never counts as worse than this, and a missing one as this.
pub(super) const LEAST_SCORE: f32 = -6.0;
/// A larger margin counts as this.
pub(super) const MOST_MARGIN: f32 = 8.0;
