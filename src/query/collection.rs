//! What a question can be put to. Entries of packs and indexed items are the first two; whoever adds a third implements
//! [`Collection`] and hands it to [`super::rank`], which treats all of them alike.
//!
//! A collection names candidates and says what speaks for each; it reads no texts to do so. What passed the gate is
//! read afterwards, by key.

use super::relevance::Evidence;
use super::{SearchError, Stage};
use crate::canon::Stored;
use crate::lexical::{QueryTerms, Reach, WeightedTerms};
use crate::text::TextHash;
use crate::types::{Calibration, Fit, Item, Scope};

/// A question as collections hear it.
pub(super) struct Query<'a> {
    /// What is looked for by words; none where words do not count.
    pub terms: Option<&'a QueryTerms>,
    /// Its unit vector; none without a model.
    pub vector: Option<&'a [f32]>,
    /// The unit vectors of its parts, where it has several.
    pub parts: &'a [Vec<f32>],
    /// The model's calibration; there if and only if there is a vector.
    pub calibration: Option<&'a Calibration>,
    /// Whether it is a few keywords.
    pub is_short: bool,
    /// Candidates that each of vectors and words may name.
    pub most: usize,
    /// Hears which part of the search begins.
    pub stage: &'a dyn Fn(Stage),
}

impl Query<'_> {
    /// How many of the nearest make up the question's background.
    pub fn neighbours(&self) -> usize {
        self.calibration.map_or(0, |calibration| calibration.neighbours)
    }
}

/// A candidate before it is judged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawCandidate {
    /// What the collection knows it by.
    pub key: u64,
    /// Place of its nearest text among its texts; none without a vector.
    pub part: Option<u32>,
    /// What speaks for it.
    pub evidence: Evidence,
    /// The signal of a pattern that points to it and proves nothing, in \[0, 1\].
    pub pattern: Option<f32>,
}

/// What a collection has for a question.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    /// Its candidates.
    pub found: Vec<RawCandidate>,
    /// The most that the question's words could reach in it.
    pub reach: Reach,
    /// Texts that the best was chosen among.
    pub texts: usize,
    /// What the question's words weigh in it; none where they do not count, or nothing is scored beside its own texts.
    pub weighted: Option<WeightedTerms>,
    /// Cosines of the nearest texts, whether they may answer or not: its share of the question's background.
    pub nearest: Vec<f32>,
}

/// What is known of a candidate beside its text, before that is read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Prior {
    /// Public id.
    pub uid: String,
    /// See [`super::score`].
    pub recency: Option<f32>,
    /// See [`super::score`].
    pub frequency: Option<f32>,
    /// Of title and body: items that share it are shown once. None for what is never shown twice.
    pub text: Option<TextHash>,
    /// The file it stands in.
    pub path: Option<String>,
    /// Where it counts; none for what counts everywhere by itself.
    pub scope: Option<Scope>,
}

/// A candidate with its text.
#[derive(Debug, Clone)]
pub(super) enum Known<'c> {
    /// An entry of a pack.
    Entry(&'c Stored),
    /// An item.
    Item(Box<Item>),
}

/// An id that a collection knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Located {
    pub key: u64,
    /// The id that it has now.
    pub uid: String,
    /// Whether it may answer this question.
    pub admitted: bool,
}

/// Knowledge of one sort, with the filter of one question.
pub(super) trait Collection {
    /// The candidates that vectors and words name, each with both signals.
    fn gather(&self, query: &Query<'_>) -> Result<Gathered, SearchError>;

    /// Whether its texts have vectors.
    fn has_vectors(&self) -> bool;

    /// The vector of a text of what has this key, of the first if no place is named; `None` without one.
    fn vector(&self, key: u64, part: Option<u32>) -> Result<Option<Vec<f32>>, SearchError>;

    /// How near each of these is to a unit vector, in their order, a cosine; `None` for one without a vector.
    fn similarity(&self, vector: &[f32], keys: &[u64]) -> Result<Vec<Option<f32>>, SearchError>;

    /// How its candidates are judged.
    fn fit<'c>(&self, calibration: &'c Calibration) -> &'c Fit;

    /// What is known of these; `None` for one that is gone.
    fn priors(&self, keys: &[u64], now_ms: i64) -> Result<Vec<Option<Prior>>, SearchError>;

    /// Reads these; `None` for one that is gone.
    fn read(&self, keys: &[u64]) -> Result<Vec<Option<Known<'_>>>, SearchError>;

    /// What has this public id.
    fn locate(&self, uid: &str) -> Result<Option<Located>, SearchError>;
}
