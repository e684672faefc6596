//! What lookups and searches put before the gate: to calibrate it.

use super::SearchError;
use super::analyse::Problems;
use super::asking::Asking;
use super::collection::Query;
use super::collections::{CanonCollection, ItemCollection};
use super::knowledge::Knowledge;
use super::options::{LookupOptions, SearchOptions};
use super::rank::{Fused, fuse};
use super::relevance::{Background, Evidence, Ground};
use super::search::SearchContext;
use super::semantics::Semantics;
use crate::store::ItemFilter;
use crate::types::Kind;
use std::collections::HashSet;

/// The candidates of one question, before the gate.
#[derive(Debug, Clone, Default)]
pub struct Probed {
    /// What holds for all of them.
    pub ground: Ground,
    /// How near the question is to everything.
    pub background: Background,
    /// The question's unit vector.
    pub vector: Vec<f32>,
    /// Log-odds that the gate which fits the index adds to all candidates; they are not part of the evidence.
    pub shift: f32,
    /// Public ids and evidence, in no order.
    pub candidates: Vec<(String, Evidence)>,
}

/// The candidates of every question that neither a pattern nor a fingerprint settles.
///
/// # Errors
/// [`SearchError`] when the model fails.
pub fn probe(knowledge: &Knowledge, problems: Problems, semantics: &Semantics) -> Result<Vec<Probed>, SearchError> {
    let options = LookupOptions::default();
    let asking = Asking::new(knowledge, problems, &options);
    let vectors = asking.embed(semantics)?;
    let mut out = Vec::new();
    for (at, vector) in asking.questions().zip(vectors) {
        let question = asking.question(at);
        let collection = CanonCollection {
            knowledge,
            vectors: Some(&semantics.canon),
            filters: Some(&options.filters),
            rejected: HashSet::new(),
            generic: asking.generic(at),
            also: None,
            texts: knowledge.canon().entries().len(),
            used: &|_| None,
        };
        let query = Query {
            terms: Some(&question.terms),
            vector: Some(&vector),
            parts: &[],
            calibration: Some(&semantics.calibration),
            is_short: false,
            most: LookupOptions::CANDIDATES,
            stage: &|_| {},
        };
        let Fused { gathered, grounds, background } = fuse(&query, &[&collection], None, false)?;
        let found = gathered.into_iter().flat_map(|one| one.found);
        let entries = knowledge.canon().entries();
        let candidates = found.filter_map(|one| Some((entries.get(one.key as usize)?.id().to_owned(), one.evidence)));
        let (candidates, ground) = (candidates.collect(), grounds.first().copied().unwrap_or_default());
        out.push(Probed { ground, background, vector, shift: 0.0, candidates });
    }
    Ok(out)
}

/// What a search among indexed items alone puts before the gate, as if no gate had been fitted to them yet; what that
/// one adds is told beside.
///
/// # Errors
/// [`SearchError`] when the model or the database fails.
pub fn probe_items(
    context: SearchContext<'_>,
    items: &ItemCollection<'_>,
    question: &str,
) -> Result<Probed, SearchError> {
    use super::collection::Collection;
    let filter = ItemFilter { kinds: vec![Kind::Chunk], ..ItemFilter::default() };
    let options = SearchOptions { filter, ..SearchOptions::default() };
    let posed = context.pose(question, &options)?;
    let canon = posed.canon();
    let Fused { gathered, grounds, background } = fuse(&posed.query(), &[&canon, items], None, true)?;
    let found = gathered.into_iter().next_back().map(|one| one.found).unwrap_or_default();
    let shift = found.first().map_or(0.0, |one| one.evidence.hint);
    let keys: Vec<u64> = found.iter().map(|one| one.key).collect();
    let priors = items.priors(&keys, context.now_ms)?;
    let named =
        found.iter().zip(priors).filter_map(|(one, prior)| Some((prior?.uid, Evidence { hint: 0.0, ..one.evidence })));
    let (candidates, ground) = (named.collect(), grounds.last().copied().unwrap_or_default());
    let vector = posed.vectors.map(|vectors| vectors.whole).unwrap_or_default();
    Ok(Probed { ground, background, vector, shift, candidates })
}
