//! Entries of packs. An entry has about ten texts and is as near as the nearest of them; its words are those of all.

use super::finder::vector_of;
use crate::ann::Index;
use crate::canon::{PackLayer, PatternHit, Stored};
use crate::lexical::{Bm25Scores, QueryTerms};
use crate::query::collection::{Collection, Gathered, Known, Located, Prior, Query, RawCandidate};
use crate::query::knowledge::{Filters, Knowledge};
use crate::query::relevance::Evidence;
use crate::query::{SearchError, Stage, Used};
use crate::types::{Calibration, Fit};
use std::collections::{HashMap, HashSet};

/// What a generic pattern adds to the log-odds of its entry; measured on the built-in set.
const GENERIC_LOG_ODDS: f32 = 2.0;
/// The `canon` signal of a generic pattern.
const GENERIC_SIGNAL: f32 = 0.5;
/// Entries that vectors name.
const NEAREST: usize = 64;

/// The entries of packs that may answer a question.
pub(in crate::query) struct CanonCollection<'a> {
    pub knowledge: &'a Knowledge,
    /// Vectors of the entries' texts; none without a model.
    pub vectors: Option<&'a Index>,
    /// Which entries may answer; none if no entry may, and all that counts is how near they are.
    pub filters: Option<&'a Filters>,
    /// Entries that are wrong for this question.
    pub rejected: HashSet<usize>,
    /// Generic patterns that match the question, by entry.
    pub generic: HashMap<usize, &'a PatternHit>,
    /// Entries that are judged whatever finds them.
    pub also: Option<usize>,
    /// Texts that the best counts as chosen among: a lookup counts the entries, a search its documents alone, by which
    /// its fits were made.
    pub texts: usize,
    /// How often an entry was of use.
    pub used: Used<'a>,
}

impl CanonCollection<'_> {
    fn entries(&self) -> &[Stored] {
        self.knowledge.canon().entries()
    }

    fn admits(&self, entry: usize) -> bool {
        !self.rejected.contains(&entry)
            && self.filters.is_some_and(|filters| self.entries().get(entry).is_some_and(|stored| filters.admit(stored)))
    }

    /// The entries that share most words with the question, those of generic patterns, and the one that was asked
    /// about.
    fn by_words(&self, scores: &Bm25Scores, most: usize) -> Vec<u64> {
        let mut named: Vec<usize> = scores.best(usize::MAX).into_iter().map(|entry| entry as usize).collect();
        named.retain(|entry| self.admits(*entry));
        named.truncate(most);
        named.extend(self.generic.keys().copied().filter(|entry| self.admits(*entry)).chain(self.also));
        named.sort_unstable();
        named.dedup();
        named.into_iter().map(|entry| entry as u64).collect()
    }

    /// The same by the words themselves.
    pub fn named(&self, terms: &QueryTerms, most: usize) -> Vec<u64> {
        self.by_words(&self.knowledge.scores(terms), most)
    }

    /// Candidates by vectors and those named already, each with its cosine, the nearest first.
    fn near(&self, vectors: &Index, vector: &[f32], named: &[u64], query: &Query<'_>) -> (Vec<RawCandidate>, Vec<f32>) {
        let neighbours = query.neighbours();
        let nearest = vectors.nearest_owners(vector, NEAREST.max(neighbours + 1), None);
        let background = nearest.iter().take(neighbours + 1).map(|near| near.similarity).collect();
        let by_vectors = match self.filters {
            Some(filters) if filters.is_empty() && self.rejected.is_empty() => nearest,
            Some(_) => {
                let rows = vectors.rows_where(|entry| self.admits(entry as usize));
                vectors.nearest_owners(vector, NEAREST, Some(&rows))
            }
            None => Vec::new(),
        };
        let known: HashSet<u64> = by_vectors.iter().map(|near| near.owner).collect();
        let rest: Vec<u64> = named.iter().copied().filter(|entry| !known.contains(entry)).collect();
        let rest = vectors.owners_similarity(vector, &rest).into_iter().flatten();
        let found = by_vectors.into_iter().chain(rest).map(|near| RawCandidate {
            key: near.owner,
            part: Some(near.part),
            evidence: Evidence { cosine: Some(near.similarity), ..Evidence::default() },
            pattern: None,
        });
        let mut found: Vec<RawCandidate> = found.collect();
        let cosine = |one: &RawCandidate| one.evidence.cosine.unwrap_or_default();
        found.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)).then(a.key.cmp(&b.key)));
        (found, background)
    }
}

impl Collection for CanonCollection<'_> {
    fn gather(&self, query: &Query<'_>) -> Result<Gathered, SearchError> {
        let terms = query.terms.filter(|_| self.filters.is_some());
        (query.stage)(if terms.is_some() { Stage::Words } else { Stage::Rest });
        let scores = terms.map(|terms| self.knowledge.scores(terms));
        let named = scores.as_ref().map_or_else(Vec::new, |scores| self.by_words(scores, query.most));
        let (mut found, nearest) = match self.vectors.zip(query.vector) {
            Some((vectors, vector)) => {
                (query.stage)(Stage::Vectors);
                self.near(vectors, vector, &named, query)
            }
            None => {
                let found = |key| RawCandidate { key, part: None, evidence: Evidence::default(), pattern: None };
                (named.into_iter().map(found).collect(), Vec::new())
            }
        };
        (query.stage)(Stage::Rest);
        let prior = query.calibration.zip(query.vector).and_then(|(c, vector)| Some(c.prior.as_ref()?.at(vector)));
        for one in &mut found {
            let entry = one.key as usize;
            let generic = self.generic.contains_key(&entry);
            one.pattern = generic.then_some(GENERIC_SIGNAL);
            one.evidence.words =
                query.terms.map(|_| scores.as_ref().and_then(|scores| scores.of(one.key)).unwrap_or(0.0));
            one.evidence.hint = if generic { GENERIC_LOG_ODDS } else { 0.0 };
            if self.entries().get(entry).is_some_and(|stored| stored.layer == PackLayer::Builtin) {
                one.evidence.hint += prior.unwrap_or(0.0);
            }
        }
        let reach = scores.map(|scores| scores.reach).unwrap_or_default();
        Ok(Gathered { found, reach, texts: self.texts, weighted: None, nearest })
    }

    fn has_vectors(&self) -> bool {
        self.vectors.is_some()
    }

    fn vector(&self, key: u64, part: Option<u32>) -> Result<Option<Vec<f32>>, SearchError> {
        Ok(self.vectors.and_then(|vectors| vector_of(vectors, key, part)))
    }

    fn similarity(&self, vector: &[f32], keys: &[u64]) -> Result<Vec<Option<f32>>, SearchError> {
        let near = self.vectors.map(|vectors| vectors.owners_similarity(vector, keys));
        let near = near.unwrap_or_else(|| vec![None; keys.len()]);
        Ok(near.into_iter().map(|near| near.map(|near| near.similarity)).collect())
    }

    fn fit<'c>(&self, calibration: &'c Calibration) -> &'c Fit {
        &calibration.entries
    }

    fn priors(&self, keys: &[u64], _now_ms: i64) -> Result<Vec<Option<Prior>>, SearchError> {
        let one = |key: &u64| {
            let uid = self.entries().get(*key as usize)?.id().to_owned();
            Some(Prior { frequency: (self.used)(&uid), uid, ..Prior::default() })
        };
        Ok(keys.iter().map(one).collect())
    }

    fn read(&self, keys: &[u64]) -> Result<Vec<Option<Known<'_>>>, SearchError> {
        Ok(keys.iter().map(|key| self.entries().get(*key as usize).map(Known::Entry)).collect())
    }

    fn locate(&self, uid: &str) -> Result<Option<Located>, SearchError> {
        let located = |entry: usize| {
            let uid = self.entries().get(entry)?.id().to_owned();
            Some(Located { key: entry as u64, uid, admitted: self.admits(entry) })
        };
        Ok(self.knowledge.canon().index_of(uid).and_then(located))
    }
}
