//! What the layers need to know of an embedding model without knowing how it runs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Identifies everything that decides a passage vector: weights, architecture, pooling, passage prefix, normalisation,
/// maximum length and precision. Printed as `name@16 hex digits`. Vectors of two fingerprints are never compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Joins the model's name and the first 16 hex digits of the digest over what decides a vector.
    pub fn new(name: &str, digest_hex: &str) -> Self {
        Self(format!("{name}@{}", &digest_hex[..digest_hex.len().min(16)]))
    }

    /// One that was printed before.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The model's name, without the digest.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('@').map_or(&self.0, |(name, _)| name)
    }

    /// The whole text, `name@digest`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which side of a search a text stands on. Models with prefixes encode the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// What is asked.
    Query,
    /// What is found.
    Passage,
}

/// `1 / (1 + exp(-(slope * x + offset)))`, from any real to (0, 1). Monotone rising for a positive slope.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// Steepness, greater than 0.
    pub slope: f32,
    /// Added before the squashing.
    pub offset: f32,
}

impl Logistic {
    /// The value at `x`, in (0, 1).
    pub fn at(self, x: f32) -> f32 {
        1.0 / (1.0 + (-(self.slope * x + self.offset)).exp())
    }
}

/// From cosines to probabilities, for one sort of texts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// Share of the background that is taken off a similarity, in \[0, 1\].
    pub background_weight: f32,
    /// From cosine less weighted background to the semantic signal.
    pub semantic: Logistic,
    /// From `similar` to the probability of being relevant.
    pub relevance: Logistic,
}

impl Calibration {
    /// What holds for indexed texts.
    pub fn of_documents(&self) -> Fit {
        self.documents.unwrap_or_else(|| self.of_entries())
    }

    /// What holds for entries of packs.
    pub fn of_entries(&self) -> Fit {
        let Self { background_weight, semantic, relevance, .. } = *self;
        Fit { background_weight, semantic, relevance }
    }
}

/// How a model variant's raw similarities become probabilities, fitted by `eval` on labelled data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// How many of the next nearest entries make up the background of a question (the query side of CSLS, Conneau et
    /// al., 2018).
    pub neighbours: usize,
    /// Share of the background that is taken off a similarity, in \[0, 1\].
    pub background_weight: f32,
    /// From cosine less weighted background to the semantic signal.
    pub semantic: Logistic,
    /// From `similar` (semantic and keyword mixed) to the probability of being relevant.
    pub relevance: Logistic,
    /// The same for indexed texts, which have one vector each and not several; without it the fit of entries serves for
    /// both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Fit>,
    /// Relevance that a targeted read must reach, in \[0, 1\].
    pub gate: f32,
}
