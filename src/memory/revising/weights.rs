//! What `benches/memory/fit_revising.py --write` wrote.

/// Bias, then the weight of each feature.
pub(super) const WEIGHTS: [f32; 11] = [
    -4.75, // bias
    2.29,  // kind
    1.98,  // loose
    0.71,  // place
    1.24,  // common
    -2.07, // between
    1.31,  // latest
    1.42,  // change
    0.48,  // no_value
    -0.29, // length
    -0.43, // earlier_length
];
