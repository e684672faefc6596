//! A candidate that was judged, on its way to a hit.

use super::collection::Prior;
use super::relevance::Judged;
use crate::types::Signals;

/// A candidate with what it comes to.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// Place of its collection.
    pub collection: usize,
    /// What the collection knows it by.
    pub key: u64,
    /// Place of its nearest text among its texts.
    pub part: Option<u32>,
    /// The signal of a pattern that points to it.
    pub pattern: Option<f32>,
    pub judged: Judged,
    /// Relevance that it must reach.
    pub gate: f32,
    /// What orders what passed; without priors where nobody query for them.
    pub score: f32,
    /// Whether it is of another scope than the one that is preferred.
    pub is_elsewhere: bool,
    /// None for one that did not pass, unless it was asked for.
    pub prior: Option<Prior>,
    /// What the cross-encoder said, if it was asked.
    pub logit: Option<f32>,
}

impl Candidate {
    /// Whether it is relevant enough.
    pub fn passes(&self) -> bool {
        self.judged.relevance >= self.gate
    }

    /// Its public id; empty for one whose priors were not read.
    pub fn uid(&self) -> &str {
        self.prior.as_ref().map_or("", |prior| &prior.uid)
    }

    pub fn signals(&self) -> Signals {
        Signals {
            canon: self.pattern,
            semantic: self.judged.semantic,
            keyword: self.judged.keyword,
            recency: self.prior.as_ref().and_then(|prior| prior.recency),
            frequency: self.prior.as_ref().and_then(|prior| prior.frequency),
        }
    }
}
