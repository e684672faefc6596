//! What `benches/memory/fit_revising.py --write` wrote.

/// Bias, then the weight of each feature.
pub(super) const WEIGHTS: [f32; 11] = [
    -4.62, // bias
    2.22,  // kind
    1.95,  // loose
    0.73,  // place
    1.33,  // common
    -2.17, // between
    1.27,  // latest
    1.42,  // change
    0.51,  // no_value
    -0.29, // length
    -0.54, // earlier_length
];
