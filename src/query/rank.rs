//! The one way from a question to what answers it: gather, fuse, judge, gate, order. Lookups, searches and frames
//! differ in their collections and in their rule for the gate, and read only what passed it.

use super::SearchError;
use super::candidate::Candidate;
use super::collection::{Collection, Gathered, Query};
use super::fuse::{grounds, move_towards_closest};
use super::gate::{Gates, Rule};
use super::relevance::{Background, Evidence, Ground, WORD_WEIGHT};
use super::score::{from_elsewhere, score};
use super::stage::Stage;
use crate::lexical::WeightedTerms;
use crate::types::Scope;
use std::collections::HashSet;

/// How candidates are ranked.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankOptions<'a> {
    /// What passes.
    pub rule: Rule,
    /// Relevance to ask for in place of the calibrated gates, in \[0, 1\].
    pub min_relevance: Option<f32>,
    /// Questions of the same input that are query, this one counted.
    pub questions: usize,
    /// Weight of words in place of the calibrated one.
    pub word_weight: Option<f32>,
    /// Whether the question is moved towards what it found first.
    pub feedback: bool,
    /// Whether priors of what did not pass are wanted too.
    pub whole: bool,
    /// An id whose place is to be explained.
    pub why_not: Option<&'a str>,
    /// Whose items come first at about the same relevance.
    pub prefer: Option<&'a Scope>,
    /// Now, milliseconds since 1970.
    pub now_ms: i64,
}

/// Everything that could answer a question, best first.
pub(super) struct Ranking {
    pub candidates: Vec<Candidate>,
    /// What holds for the candidates of each collection.
    pub grounds: Vec<Ground>,
    /// What the question's words weigh in each collection.
    pub weighted: Vec<Option<WeightedTerms>>,
    /// Relevance that a candidate of each collection must reach by itself.
    pub gates: Vec<f32>,
}

/// What every collection has for a question, with all evidence, before it is judged.
pub(super) struct Fused {
    pub gathered: Vec<Gathered>,
    pub grounds: Vec<Ground>,
    pub background: Background,
}

/// Gathers and fuses.
pub(super) fn fuse(
    query: &Query<'_>,
    collections: &[&dyn Collection],
    word_weight: Option<f32>,
    feedback: bool,
) -> Result<Fused, SearchError> {
    let gathered: Result<Vec<Gathered>, SearchError> = collections.iter().map(|one| one.gather(query)).collect();
    let mut gathered = gathered?;
    (query.stage)(Stage::Fuse);
    let fitted = |one: &&dyn Collection| query.calibration.map_or(WORD_WEIGHT, |fits| one.fit(fits).weight);
    let weights: Vec<f32> = collections.iter().map(|one| word_weight.unwrap_or_else(|| fitted(one))).collect();
    let grounds = grounds(&gathered, &weights, query.is_short);
    if let Some(vector) = query.vector.filter(|_| feedback) {
        move_towards_closest(collections, &mut gathered, &grounds, vector)?;
    }
    let nearest = gathered.iter().flat_map(|one| one.nearest.iter().copied()).collect();
    Ok(Fused { background: Background::new(nearest, query.neighbours()), gathered, grounds })
}

/// Ranks everything that these collections have for a question.
///
/// # Errors
/// [`SearchError`] when what is stored cannot be read.
pub(super) fn rank(
    query: &Query<'_>,
    collections: &[&dyn Collection],
    options: RankOptions<'_>,
) -> Result<Ranking, SearchError> {
    let Fused { gathered, grounds, background } = fuse(query, collections, options.word_weight, options.feedback)?;
    let mut candidates = Vec::new();
    let mut gates = Vec::new();
    for (at, (collection, one)) in collections.iter().zip(&gathered).enumerate() {
        let fit = query.calibration.map(|fits| collection.fit(fits));
        let gate = Gates::new(fit, options.min_relevance).among(options.questions);
        let evidence: Vec<Evidence> = one.found.iter().map(|found| found.evidence).collect();
        let judged = grounds[at].judge(&evidence, &background, fit);
        candidates.extend(one.found.iter().zip(judged).map(|(found, judged)| Candidate {
            collection: at,
            key: found.key,
            part: found.part,
            pattern: found.pattern,
            judged,
            gate,
            score: score(judged.relevance, None, None),
            is_elsewhere: false,
            prior: None,
            logit: None,
        }));
        gates.push(gate);
    }
    options.rule.apply(&mut candidates, options.min_relevance.is_some());
    (query.stage)(Stage::Rest);
    read_priors(&mut candidates, collections, options)?;
    options.rule.apply_elsewhere(&mut candidates, &gates);
    (query.stage)(Stage::Fuse);
    // Scores near 0 or 1 run out of digits before the closeness that they are made from does.
    candidates.sort_by(|a, b| {
        let closer = || b.judged.closeness.total_cmp(&a.judged.closeness);
        b.score.total_cmp(&a.score).then_with(closer).then_with(|| a.uid().cmp(b.uid()))
    });
    (query.stage)(Stage::Rest);
    let weighted = gathered.into_iter().map(|one| one.weighted).collect();
    Ok(Ranking { candidates, grounds, weighted, gates })
}

/// Reads the priors of what passed and gives it its score; what is gone meanwhile goes.
fn read_priors(
    candidates: &mut Vec<Candidate>,
    collections: &[&dyn Collection],
    options: RankOptions<'_>,
) -> Result<(), SearchError> {
    for (at, collection) in collections.iter().enumerate() {
        let asked_about = match options.why_not {
            Some(uid) => collection.locate(uid)?.map(|located| located.key),
            None => None,
        };
        let wanted =
            |one: &Candidate| one.collection == at && (options.whole || one.passes() || Some(one.key) == asked_about);
        let places: Vec<usize> = (0..candidates.len()).filter(|&place| wanted(&candidates[place])).collect();
        let keys: Vec<u64> = places.iter().map(|&place| candidates[place].key).collect();
        let mut gone = HashSet::new();
        for (&place, prior) in places.iter().zip(collection.priors(&keys, options.now_ms)?) {
            let candidate = &mut candidates[place];
            match prior {
                Some(prior) => {
                    candidate.score = score(candidate.judged.relevance, prior.recency, prior.frequency);
                    // An entry of a pack is at home everywhere.
                    candidate.is_elsewhere = options.prefer.zip(prior.scope.as_ref()).is_some_and(|(a, b)| a != b);
                    if candidate.is_elsewhere {
                        candidate.score = from_elsewhere(candidate.score);
                    }
                    candidate.prior = Some(prior);
                }
                None => drop(gone.insert(candidate.key)),
            }
        }
        if !gone.is_empty() {
            candidates.retain(|one| one.collection != at || !gone.contains(&one.key));
        }
    }
    Ok(())
}
