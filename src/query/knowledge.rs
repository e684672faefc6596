//! The packs, ready to be asked: their patterns, their words, and which entries a filter admits.

use super::analyse::Problem;
use super::tells::{Tells, Told};
use crate::canon::{Canon, Stored};
use crate::lexical::{Bm25Scores, QueryTerms, TermImage, TermIndex, TermOrigin};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Entries whose masked texts are compared with the question's.
const FINGERPRINT_CANDIDATES: usize = 20;

/// Which entries may answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filters {
    /// The object kind, such as `aws_s3_bucket`.
    pub resource: Option<String>,
    /// Whose software.
    pub provider: Option<String>,
    /// One of these packs; all if there are none.
    pub packs: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
}

impl Filters {
    /// Whether every entry may answer.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn admit(&self, stored: &Stored) -> bool {
        // An entry is read only for a filter that asks about it.
        let is = |wanted: &Option<String>, have: &dyn Fn() -> Option<String>| {
            wanted.as_deref().is_none_or(|w| have().is_some_and(|h| h.eq_ignore_ascii_case(w)))
        };
        is(&self.resource, &|| stored.entry().resource.clone())
            && is(&self.provider, &|| stored.entry().provider.clone())
            && (self.packs.is_empty() || self.packs.iter().any(|pack| pack.eq_ignore_ascii_case(&stored.pack)))
            && self.tags.iter().all(|tag| stored.entry().tags.iter().any(|t| t.eq_ignore_ascii_case(tag)))
    }
}

/// The packs, ready to be asked from any thread.
pub struct Knowledge {
    canon: Canon,
    terms: OnceLock<TermIndex>,
    /// The texts of each entry, by its place; made when an error is first compared with the entry.
    tells: Vec<OnceLock<Tells>>,
    /// Where the term statistics are kept.
    kept: Option<PathBuf>,
}

impl Knowledge {
    /// Term statistics are made when first needed, and kept in the file `kept`.
    pub fn new(canon: Canon, kept: Option<PathBuf>) -> Self {
        let tells = canon.entries().iter().map(|_| OnceLock::new()).collect();
        Self { canon, terms: OnceLock::new(), tells, kept }
    }

    /// The packs.
    pub fn canon(&self) -> &Canon {
        &self.canon
    }

    /// BM25 of every entry that shares a word with these; documents are entries by their place.
    pub(super) fn scores(&self, terms: &QueryTerms) -> Bm25Scores {
        self.terms().score_all(terms)
    }

    /// How many entries hold a word.
    pub(super) fn holders(&self, word: &str) -> usize {
        self.terms().holders(word, &|_| true)
    }

    fn terms(&self) -> &TermIndex {
        self.terms.get_or_init(|| {
            let texts = (0..).zip(self.canon.entries().iter().map(|stored| stored.entry().keyword_text()));
            let origin = TermOrigin { state: format!("canon {}", self.canon.digest()), ..TermOrigin::default() };
            let image = match &self.kept {
                Some(path) => TermImage::open_or_make(path, &origin, texts),
                None => TermImage::of_texts(&origin, texts),
            };
            // Entries are numbered in order, and far fewer than an image can hold: there is nothing to fail.
            image.map(TermIndex::new).unwrap_or_default()
        })
    }

    /// Places of the entries that share most words with a text, best first, at most `most`: for browsing, without a
    /// gate.
    pub fn browse(&self, words: &str, most: usize) -> Vec<usize> {
        self.scores(&QueryTerms::of(words)).best(most).into_iter().map(|entry| entry as usize).collect()
    }

    /// The entry with a masked example or symptom equal to the problem's. Equal texts share their words, so only the
    /// entries that share most with it are compared.
    pub(super) fn same_fingerprint(&self, problem: &Problem, admitted: &dyn Fn(usize) -> bool) -> Option<usize> {
        let likely = self.scores(&QueryTerms::of(&problem.block.salient)).best(usize::MAX);
        let told = Told::new(&problem.block.fingerprint, &problem.block.salient);
        let candidates = likely.into_iter().map(|entry| entry as usize).filter(|&entry| admitted(entry));
        candidates
            .take(FINGERPRINT_CANDIDATES)
            .find(|&entry| self.tells[entry].get_or_init(|| Tells::new(&self.canon, entry)).has(&self.canon, &told))
    }
}
