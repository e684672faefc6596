//! What `benches/memory/fit_revising.py --write` wrote.

/// Bias, then the weight of each feature.
pub(super) const WEIGHTS: [f32; 11] = [
    -4.77, // bias
    2.29,  // kind
    2.04,  // loose
    0.73,  // place
    1.25,  // common
    -2.07, // between
    1.33,  // latest
    1.40,  // change
    0.50,  // no_value
    -0.29, // length
    -0.43, // earlier_length
];
