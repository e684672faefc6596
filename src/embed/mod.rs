//! From a model's name to unit vectors.
