//! Ranking and scoring where both lists lie elsewhere: from the parts that a question needs, as a [`TermIndex`] over
//! the same documents does, to the last bit.
//!
//! Whoever keeps the lists says how many documents there are and how many hold each term, gives the postings of the
//! terms that are searched, and the counts of the documents that are scored. A list may still hold documents that are
//! gone, or an earlier version of one: those are told apart by the number of their version, and left out when the best
//! are asked for.
//!
//! [`TermIndex`]: super::TermIndex

use super::saturation::Saturation;
use super::search::{LEAST_RANK, Ranked};
use super::{Bm25, PreparedQuery, QueryTerms, TermOverlap};
use std::collections::HashSet;
use std::mem;

/// How many times as many documents are asked about as before, where too few of the best were admitted.
const GROWTH: usize = 4;

/// A version of a document: its id, and a number that tells this version from others of the same id.
pub type DocumentVersion = (u64, u64);

/// A document that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredPosting {
    /// Which document.
    pub document: DocumentVersion,
    /// How often it holds the term.
    pub count: u32,
    /// How many tokens it has.
    pub length: u32,
}

/// A question over documents whose lists lie elsewhere.
#[derive(Debug, Clone)]
pub struct StoredQuery {
    hashes: Vec<u64>,
    prepared: PreparedQuery,
    saturation: Saturation,
}

impl StoredQuery {
    /// Of terms that stand in so many documents each, in the order of [`QueryTerms::hashes`], among documents with so
    /// many tokens together.
    pub fn new(terms: &QueryTerms, documents: usize, tokens: u64, frequencies: &[usize]) -> Self {
        let hashes = terms.hashes();
        let prepared = PreparedQuery::new(terms, &hashes, frequencies, Bm25::of(documents, tokens));
        Self { hashes, prepared, saturation: Saturation::without_table(documents, tokens) }
    }

    /// The terms as the documents weigh them, and what could be reached.
    pub fn prepared(&self) -> &PreparedQuery {
        &self.prepared
    }

    /// The hashes of all terms: what counts of documents are asked for by.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The hashes of the terms whose postings are needed to rank, rarest first.
    pub fn searched(&self) -> Vec<u64> {
        let hash = |(place, _): &(usize, f64)| self.hashes.get(*place).copied();
        self.prepared.searched().iter().filter_map(hash).collect()
    }

    /// Ranks every document of these postings, which are given term by term, in the order of [`Self::searched`].
    pub fn rank<P: IntoIterator<Item = StoredPosting>>(&self, postings: impl IntoIterator<Item = P>) -> Ranking {
        let mut gains: Vec<(DocumentVersion, f64)> = Vec::new();
        for ((_, idf), postings) in self.prepared.searched().iter().zip(postings) {
            let gain =
                |found: StoredPosting| (found.document, idf * self.saturation.compute(found.count, found.length));
            gains.extend(postings.into_iter().map(gain));
        }
        // Stable: what the terms add to a document is added up in their order, on which a sum of floats depends.
        gains.sort_by_key(|(document, _)| *document);
        let sum = |of_one: &[(DocumentVersion, f64)]| {
            let (id, version) = of_one[0].0;
            let rank = of_one.iter().fold(0.0, |sum, (_, gain)| sum + gain);
            (Ranked { rank, id }, version)
        };
        Ranking::of(gains.chunk_by(|a, b| a.0 == b.0).map(sum))
    }

    /// What a document shares with the question that has `length` tokens and holds each of the terms so many times, in
    /// the order of [`Self::hashes`].
    pub fn score(&self, length: u32, counts: &[u32]) -> TermOverlap {
        self.prepared.weighted().overlap_of(counts, length)
    }
}

/// Documents by their rank, which are looked at from the best on.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// In no order yet.
    rest: Vec<(Ranked, u64)>,
}

impl Ranking {
    fn of(all: impl Iterator<Item = (Ranked, u64)>) -> Self {
        Self { rest: all.filter(|(ranked, _)| ranked.rank >= LEAST_RANK).collect() }
    }

    /// How many there are, those that are gone too.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes the best of those that are left, best first.
    fn take(&mut self, many: usize) -> Vec<DocumentVersion> {
        let order = |a: &(Ranked, u64), b: &(Ranked, u64)| a.0.order(&b.0);
        let worse = if many < self.rest.len() {
            self.rest.select_nth_unstable_by(many, order);
            self.rest.split_off(many)
        } else {
            Vec::new()
        };
        let mut best = mem::replace(&mut self.rest, worse);
        best.sort_unstable_by(order);
        best.into_iter().map(|(ranked, version)| (ranked.id, version)).collect()
    }

    /// Ids of up to `most` documents that are admitted, best first. `admits` is given pages of them, best first and
    /// growing, and answers those that it admits, in any order; it must leave out versions that are gone.
    ///
    /// # Errors
    /// What `admits` fails with.
    pub fn best<E>(
        mut self,
        most: usize,
        mut admits: impl FnMut(&[DocumentVersion]) -> Result<Vec<DocumentVersion>, E>,
    ) -> Result<Vec<u64>, E> {
        let mut best = Vec::new();
        let mut many = most;
        while best.len() < most && !self.rest.is_empty() {
            let page = self.take(many);
            let admitted: HashSet<DocumentVersion> = admits(&page)?.into_iter().collect();
            best.extend(page.iter().filter(|document| admitted.contains(document)).map(|(id, _)| *id));
            many = many.saturating_mul(GROWTH);
        }
        best.truncate(most);
        Ok(best)
    }
}
