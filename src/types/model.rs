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

/// From what speaks for the candidates of a question to probabilities, for one sort of texts.
///
/// The log-odds that the closest candidate is right are
/// `offset + cosine * c + words * share - length * k / sqrt(reach) - crowd * background`: of its cosine `c`, of the
/// words it shares (BM25 `k`, and as a share of what the question could reach), less what a long question shares with
/// anything, and less how near it is to everything else; less `size` for each e-fold of texts beyond 2,000, because the
/// best of many is near by chance; less `unknown` for the share of the question's words that no text has; and, for a few
/// keywords, `ahead` for how far the closest text stands out from the next thirty. Every other candidate has `fall` less for each unit of closeness that it lies
/// behind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fit {
    /// Weight of words in closeness.
    pub weight: f32,
    /// Log-odds where everything else is 0.
    pub offset: f32,
    /// Weight of the closest one's cosine.
    pub cosine: f32,
    /// Weight of the share of words that the closest one holds.
    pub words: f32,
    /// Weight of what its words come to against the length of the question.
    pub length: f32,
    /// Weight of the mean cosine of the next nearest (the query side of CSLS, Conneau et al., "Word translation without
    /// parallel data", 2018, section 2.3).
    pub crowd: f32,
    /// Log-odds lost for each time that there are e times as many texts, beyond 2,000.
    #[serde(default)]
    pub size: f32,
    /// Log-odds lost by the share of the question's words that no text has.
    #[serde(default)]
    pub unknown: f32,
    /// Log-odds gained, by unit of closeness, by how far the closest text stands out; for a few keywords alone.
    #[serde(default)]
    pub ahead: f32,
    /// Log-odds lost by unit of closeness.
    pub fall: f32,
    /// From the cosine alone to the semantic signal, which is the probability where no word counts.
    pub semantic: Logistic,
    /// Relevance that a targeted read must reach, in \[0, 1\].
    pub gate: f32,
}

/// Whether a question is of the kind that the built-in packs answer, as log-odds that are linear in its vector:
/// somebody's trouble with what they cover, rather than a how-to, a success or a stranger's error. It knows nothing of
/// other packs, so their entries are judged without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prior {
    /// Log-odds for a vector of zeros.
    pub offset: f32,
    /// One for each component.
    pub weights: Vec<f32>,
}

impl Prior {
    /// The log-odds of a question with this unit vector.
    pub fn at(&self, vector: &[f32]) -> f32 {
        self.offset + self.weights.iter().zip(vector).map(|(weight, x)| weight * x).sum::<f32>()
    }
}

/// How a model variant's raw similarities become probabilities, fitted by `eval` on labelled data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// How many of the next nearest make up the background of a question.
    pub neighbours: usize,
    /// For entries of packs.
    pub entries: Fit,
    /// What is added for entries of the built-in packs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<Prior>,
    /// For indexed texts, which have one vector each and not several; without it the fit of entries serves for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<Fit>,
}

impl Calibration {
    /// What holds for indexed texts.
    pub fn of_documents(&self) -> &Fit {
        self.documents.as_ref().unwrap_or(&self.entries)
    }
}
