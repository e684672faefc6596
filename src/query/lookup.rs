//! A lookup, tier by tier: patterns, then fingerprints, then words and embeddings behind the gate. A later tier is
//! asked only where the earlier ones know nothing.

use super::analyse::{Problems, analyse};
use super::asking::Asking;
use super::candidate::Candidate;
use super::collection::{Collection, Known, Query};
use super::collections::CanonCollection;
use super::excerpt::AskedWords;
use super::explanation::{Outcome, of_judged};
use super::gate::Rule;
use super::hit::{advice, passage};
use super::knowledge::Knowledge;
use super::named::BY_WORDS;
use super::nearest::nearest;
use super::options::{LookupOptions, SearchOptions};
use super::question::Question;
use super::rank::{RankOptions, Ranking, rank};
use super::relevance::Ground;
use super::semantics::Semantics;
use super::sure::platform;
use super::{SearchError, Used};
use crate::ann::Index;
use crate::canon::PatternHit;
use crate::text::{DecodeError, Log, single_line};
use crate::types::{Answer, Asked, Finding, Hit, Platform, Semantic, Tier};
use std::collections::HashSet;

/// Reads an input and cuts it into its problems, each with what the admitted entries' patterns say of it.
///
/// # Errors
/// [`DecodeError`] when the input is no text or cannot be read.
pub fn problems(knowledge: &Knowledge, log: &mut Log<'_>, options: &LookupOptions) -> Result<Problems, DecodeError> {
    let admitted = |entry: usize| options.filters.admit(&knowledge.canon().entries()[entry]);
    let mut problems = analyse(log, knowledge.canon(), &admitted, options.passing.as_deref())?;
    for problem in &mut problems.list {
        let fingerprint = &problem.block.fingerprint;
        let id = |hit: &PatternHit| knowledge.canon().entries()[hit.entry].id();
        problem.hits.retain(|hit| !options.feedback.rejects(fingerprint, id(hit)));
    }
    Ok(problems)
}

/// Opens the model for a lookup; `None` if there is no usable one. Its argument finds the entries that share words with
/// the questions, by their places.
pub type OpenSemantics<'a> = dyn Fn(&dyn Fn() -> Vec<usize>) -> Option<&'a Semantics> + 'a;

/// What a lookup asks of.
#[derive(Clone, Copy)]
pub struct LookupContext<'a> {
    /// The packs.
    pub knowledge: &'a Knowledge,
    /// Called when a question needs the model, and not before; the answer says so when there is none.
    pub semantics: &'a OpenSemantics<'a>,
    /// How often an entry was of use; asked about close hits alone: what is sure needs no counter.
    pub used: Used<'a>,
}

/// Answers the [`problems`] of an input.
///
/// # Errors
/// [`SearchError`] when the model fails on a question.
pub fn lookup(context: LookupContext<'_>, problems: Problems, options: &LookupOptions) -> Result<Answer, SearchError> {
    let asking = Asking::new(context.knowledge, problems, options);
    let questions = asking.questions().count();
    let by_words = || by_words(context, &asking, options);
    let semantics = if questions > 0 { (context.semantics)(&by_words) } else { None };
    let mut vectors = semantics.map(|s| asking.embed(s)).transpose()?.unwrap_or_default().into_iter();
    let mut results = Vec::with_capacity(asking.chosen.len());
    for &at in &asking.chosen {
        let asked = asking.ask[at].then(|| Open { semantics: semantics.zip(vectors.next()), questions });
        results.push(finding(context, &asking, at, asked, options)?);
    }
    let results = once_each(results);
    Ok(Answer { errors_found: asking.problems.len(), errors_shown: results.len(), results })
}

/// Places of the entries that share most words with the questions, ascending.
fn by_words(context: LookupContext<'_>, asking: &Asking, options: &LookupOptions) -> Vec<usize> {
    let LookupContext { knowledge, used, .. } = context;
    let of_one = |at| {
        let collection = collection((knowledge, used), asking, at, None, options);
        collection.named(&asking.question(at).terms, BY_WORDS)
    };
    let mut all: Vec<usize> = asking.questions().flat_map(of_one).map(|entry| entry as usize).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The entries that may answer one problem.
fn collection<'a>(
    (knowledge, used): (&'a Knowledge, Used<'a>),
    asking: &'a Asking,
    at: usize,
    vectors: Option<&'a Index>,
    options: &'a LookupOptions,
) -> CanonCollection<'a> {
    let located = |id: &String| knowledge.canon().index_of(id);
    let admitted = |entry: &usize| options.filters.admit(&knowledge.canon().entries()[*entry]);
    CanonCollection {
        knowledge,
        vectors,
        filters: Some(&options.filters),
        rejected: rejected(knowledge, asking, at, options),
        generic: asking.generic(at),
        also: options.why_not.as_ref().and_then(located).filter(admitted),
        texts: knowledge.canon().entries().len(),
        used,
    }
}

/// Places of the entries that somebody said are wrong for this problem.
fn rejected(knowledge: &Knowledge, asking: &Asking, at: usize, options: &LookupOptions) -> HashSet<usize> {
    let ids = options.feedback.rejected(&asking.problems[at].block.fingerprint);
    ids.into_iter().filter_map(|id| knowledge.canon().index_of(id)).collect()
}

/// An entry answers once, however many errors it explains: the first of them counts the others.
fn once_each(findings: Vec<Finding>) -> Vec<Finding> {
    let mut out: Vec<Finding> = Vec::with_capacity(findings.len());
    for mut finding in findings {
        let same = |other: &&mut Finding| {
            finding.hits.first().is_some_and(|hit| other.hits.first().is_some_and(|first| first.id == hit.id))
        };
        if let Some(other) = out.iter_mut().find(same) {
            other.error.repeated += finding.error.repeated;
            continue;
        }
        let shown = |id: &str| out.iter().any(|other| other.hits.iter().any(|hit| hit.id == id));
        finding.hits.retain(|hit| !shown(&hit.id));
        out.push(finding);
    }
    out
}

/// A problem that nothing sure is known about.
struct Open<'a> {
    /// The model and the question's vector; none without a model.
    semantics: Option<(&'a Semantics, Vec<f32>)>,
    /// Questions that the input asks in all.
    questions: usize,
}

/// What is known about one problem: what is sure, or what passes the gate. `open` if it is to be asked.
fn finding(
    context: LookupContext<'_>,
    asking: &Asking,
    at: usize,
    open: Option<Open<'_>>,
    options: &LookupOptions,
) -> Result<Finding, SearchError> {
    let (problem, sure) = (&asking.problems[at], &asking.sure[at]);
    let semantic = match &open {
        None => Semantic::NotNeeded,
        Some(open) if open.semantics.is_some() => Semantic::On,
        Some(_) => Semantic::Off,
    };
    let vectors = open.as_ref().and_then(|open| open.semantics.as_ref()).map(|(semantics, _)| &semantics.canon);
    let collection = collection((context.knowledge, context.used), asking, at, vectors, options);
    let ranking = match &open {
        Some(open) => Some(ranked(&collection, &asking.question(at), open, options)?),
        None => None,
    };
    let mut hits: Vec<Hit> = sure.iter().map(|one| one.hit.clone()).collect();
    if let Some(ranking) = &ranking {
        for candidate in ranking.candidates.iter().filter(|candidate| candidate.passes()) {
            let platform = platform(problem, options);
            hits.extend(close_hit(&collection, candidate, &ranking.grounds[0], platform, options)?);
        }
    }
    let candidates = match &ranking {
        Some(ranking) if hits.is_empty() => nearest(&[&collection], ranking, &|_| true, options.explain)?,
        _ => Vec::new(),
    };
    let outcome = Outcome {
        collections: &[&collection],
        ranking: ranking.as_ref(),
        hits: &hits,
        limit: options.limit,
        is_present: &|_| true,
    };
    let why_not = options.why_not.as_deref().map(|id| outcome.why_not(id)).transpose()?;
    hits.truncate(options.limit);
    let error = Asked {
        headline: single_line(&problem.block.headline, 300),
        line_start: problem.lines.0,
        line_end: problem.lines.1,
        repeated: problem.block.repeated,
        fingerprint: problem.block.fingerprint.clone(),
        likelihood: problem.block.likelihood.min(1.0),
    };
    let rejected = options.feedback.rejected(&problem.block.fingerprint).into_iter().map(str::to_owned).collect();
    let verdict = hits.first().map(|hit| hit.tier).into();
    let also_seen = asking.also_seen[at].clone();
    let failed = Vec::new();
    Ok(Finding { error, verdict, semantic, reranked: false, hits, failed, also_seen, rejected, candidates, why_not })
}

fn ranked(
    collection: &CanonCollection<'_>,
    question: &Question,
    open: &Open<'_>,
    options: &LookupOptions,
) -> Result<Ranking, SearchError> {
    let query = Query {
        terms: Some(&question.terms),
        vector: open.semantics.as_ref().map(|(_, vector)| vector.as_slice()),
        parts: &[],
        calibration: open.semantics.as_ref().map(|(semantics, _)| &semantics.calibration),
        is_short: false,
        most: LookupOptions::CANDIDATES,
        stage: &|_| {},
    };
    let options = RankOptions {
        rule: Rule::Beside,
        min_relevance: options.min_relevance,
        questions: open.questions,
        word_weight: None,
        // Moving the question towards what it finds first was measured too, and gains nothing here.
        feedback: false,
        whole: false,
        prefer: None,
        why_not: options.why_not.as_deref(),
        now_ms: 0,
    };
    rank(&query, &[collection], options)
}

/// What passed the gate, as a hit; `None` if it is gone.
fn close_hit(
    collection: &CanonCollection<'_>,
    candidate: &Candidate,
    ground: &Ground,
    platform: Option<Platform>,
    options: &LookupOptions,
) -> Result<Option<Hit>, SearchError> {
    let Some(known) = collection.read(&[candidate.key])?.pop().flatten() else { return Ok(None) };
    let explain = |matched| options.explain.then(|| of_judged(candidate, ground, matched));
    Ok(Some(match &known {
        Known::Entry(stored) => {
            let matched = collection.generic.get(&(candidate.key as usize));
            let fit = stored.entry().fit(matched.map(|hit| hit.pattern.as_str()), platform);
            let captures = matched.map(|hit| hit.captures.clone()).unwrap_or_default();
            let mut hit = advice(stored, Tier::Close, candidate.judged.relevance, &fit, captures);
            hit.score = candidate.score;
            let text = candidate.part.and_then(|part| stored.entry().text_of(part as usize));
            hit.explain = explain(text.map(|text| text.embedded()));
            hit
        }
        Known::Item(_) => passage(&known, candidate, &AskedWords::new(), &SearchOptions::default(), explain(None)),
    }))
}
