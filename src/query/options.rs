//! How lookups and searches are done.

use super::knowledge::Filters;
use super::question::ROLES;
use crate::store::ItemFilter;
use crate::triage::Passing;
use crate::types::{Access, FeedbackLog, Kind, Platform, Role, Scope};
use std::sync::Arc;

/// Candidates that each of vectors and words may name; as many as are to be shown, if that is more.
const CANDIDATES: usize = 200;

/// How a lookup is done.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupOptions {
    /// Hits per error.
    pub limit: usize,
    /// Errors per input.
    pub max_errors: usize,
    /// Relevance to ask for in place of the calibrated gate, in \[0, 1\].
    pub min_relevance: Option<f32>,
    /// Which entries may answer.
    pub filters: Filters,
    /// Whether hits explain themselves.
    pub explain: bool,
    /// An item whose absence is to be explained.
    pub why_not: Option<String>,
    /// Where the command that printed the input ran, if that is known; what the input says of it comes first.
    pub platform: Option<Platform>,
    /// What the same job printed when it passed.
    pub passing: Option<Arc<Passing>>,
    /// Whose memories may answer.
    pub access: Access,
    /// What people said of answers: an entry that worked for the same error answers it, one that was wrong does not.
    pub feedback: Arc<FeedbackLog>,
}

impl Default for LookupOptions {
    fn default() -> Self {
        Self {
            limit: 3,
            max_errors: 5,
            min_relevance: None,
            filters: Filters::default(),
            explain: false,
            why_not: None,
            platform: None,
            passing: None,
            access: Access::default(),
            feedback: Arc::default(),
        }
    }
}

impl LookupOptions {
    /// Candidates that each of vectors and words may name.
    pub(super) const CANDIDATES: usize = CANDIDATES;
}

/// Which signals a search is made of. All of them, unless their parts are to be measured one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legs {
    /// The embeddings.
    pub semantic: bool,
    /// The words.
    pub keyword: bool,
}

impl Default for Legs {
    fn default() -> Self {
        Self { semantic: true, keyword: true }
    }
}

/// How a search is done.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchOptions {
    /// Hits.
    pub limit: usize,
    /// Relevance to ask for in place of the calibrated gate, in \[0, 1\].
    pub min_relevance: Option<f32>,
    /// Which items may answer.
    pub filter: ItemFilter,
    /// Whose files come before those of others at about the same relevance; none where all are alike.
    pub prefer: Option<Scope>,
    /// With how many lines around it what says most is shown as it stands in its file; none where nobody looks at it.
    pub excerpt: Option<usize>,
    /// Whether hits have their whole text.
    pub full: bool,
    /// Whether hits explain themselves.
    pub explain: bool,
    /// An item whose absence is to be explained.
    pub why_not: Option<String>,
    /// Which signals count.
    pub legs: Legs,
    /// As which sides of a search the question is embedded; its vector is their mean.
    pub roles: &'static [Role],
    /// Whether the question's text is embedded as it stands, and not what of it carries meaning.
    pub whole: bool,
    /// Whether a text that several items hold is shown for each of them, and not once.
    pub repeats: bool,
    /// Whether what is shown is read; without, hits have ids and scores alone, and their files may be gone.
    pub texts: bool,
    /// Whether a cross-encoder reads the first candidates and has a say in their order.
    pub rerank: bool,
    /// Weight of words in place of the calibrated one.
    pub word_weight: Option<f32>,
    /// Whether the question is moved towards what it found first.
    pub feedback: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: 5,
            min_relevance: None,
            filter: ItemFilter::default(),
            prefer: None,
            excerpt: None,
            full: false,
            explain: false,
            why_not: None,
            legs: Legs::default(),
            roles: ROLES,
            whole: false,
            repeats: false,
            texts: true,
            rerank: false,
            word_weight: None,
            feedback: true,
        }
    }
}

impl SearchOptions {
    /// The filter of entries; none if no entry may answer: they lie in no file, count everywhere and have no
    /// attributes.
    pub(super) fn canon_filters(&self) -> Option<Filters> {
        let filter = &self.filter;
        let kind = filter.kinds.is_empty() || filter.kinds.contains(&Kind::Canon);
        let scope = filter.scopes.is_empty() || filter.scopes.iter().any(|scope| scope.as_str() == "global");
        let filters = Filters { provider: filter.provider.clone(), tags: filter.tags.clone(), ..Filters::default() };
        let anywhere = filter.paths.is_empty() && filter.endings.is_empty() && filter.condition.is_none();
        (kind && scope && anywhere).then_some(filters)
    }

    pub(super) fn candidates(&self) -> usize {
        CANDIDATES.max(self.limit)
    }
}
