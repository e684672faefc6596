//! A lookup, tier by tier: patterns, then fingerprints, then words and embeddings behind the gate. A later tier is
//! asked only where the earlier ones know nothing.

use super::analyse::{Problem, Problems, analyse};
use super::candidate::Candidate;
use super::collection::{Known, Query};
use super::collections::CanonCollection;
use super::explanation::{Outcome, of_judged, of_sure};
use super::gate::Rule;
use super::hit::{advice, passage};
use super::knowledge::Knowledge;
use super::options::LookupOptions;
use super::question::{Question, ROLES, embed};
use super::rank::{RankOptions, Ranking, rank};
use super::relevance::Ground;
use super::semantics::Semantics;
use super::{SearchError, Used};
use crate::canon::PatternHit;
use crate::embed::EmbedError;
use crate::lexical::QueryTerms;
use crate::text::{DecodeError, Log, single_line};
use crate::types::{Answer, Asked, Finding, Hit, Semantic, Tier};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

/// In the log of a run that failed, what is less likely the reason than this share of the likeliest is not answered: a
/// set-up that was forgiven, a clean-up.
const REASON_SHARE: f32 = 0.2;

/// Reads an input and cuts it into its problems, each with what the admitted entries' patterns say of it.
///
/// # Errors
/// [`DecodeError`] when the input is no text or cannot be read.
pub fn problems(
    knowledge: &Knowledge,
    log: &mut Log<'_>,
    options: &LookupOptions,
) -> Result<Problems, DecodeError> {
    let admitted = |entry: usize| options.filters.admit(&knowledge.canon().entries()[entry]);
    analyse(log, knowledge.canon(), &admitted)
}

/// What a lookup asks of.
#[derive(Clone, Copy)]
pub struct LookupContext<'a> {
    /// The packs.
    pub knowledge: &'a Knowledge,
    /// Called when a question needs the model, and not before; gives `None` when there is no usable one, and the answer
    /// says so.
    pub semantics: &'a dyn Fn() -> Option<&'a Semantics>,
    /// How often an entry was of use; asked about close hits alone: what is sure needs no counter.
    pub used: Used<'a>,
}

/// Answers the [`problems`] of an input.
///
/// # Errors
/// [`SearchError`] when the model fails on a question.
pub fn lookup(
    context: LookupContext<'_>,
    problems: Problems,
    options: &LookupOptions,
) -> Result<Answer, SearchError> {
    let asking = Asking::new(context.knowledge, problems, options);
    let questions = asking.questions().count();
    let semantics = if questions > 0 { (context.semantics)() } else { None };
    let mut vectors = semantics.map(|s| asking.embed(s)).transpose()?.unwrap_or_default().into_iter();
    let mut results = Vec::with_capacity(asking.chosen.len());
    for &at in &asking.chosen {
        let asked = asking.ask[at].then(|| Open { semantics: semantics.zip(vectors.next()), questions });
        results.push(finding(context, &asking, at, asked, options)?);
    }
    Ok(Answer { errors_found: asking.problems.len(), errors_shown: results.len(), results })
}

/// An input analysed: its problems, what is sure about them, and which of them are still to be asked.
pub(super) struct Asking {
    pub problems: Vec<Problem>,
    sure: Vec<Vec<Hit>>,
    ask: Vec<bool>,
    /// Problems that are answered, in the order of the input.
    chosen: Vec<usize>,
}

impl Asking {
    pub fn new(knowledge: &Knowledge, problems: Problems, options: &LookupOptions) -> Self {
        let admitted = |entry: usize| options.filters.admit(&knowledge.canon().entries()[entry]);
        let Problems { list: problems, is_run } = problems;
        let most = problems.iter().map(|problem| problem.block.likelihood).fold(0.0, f32::max);
        let is_reason = |problem: &Problem| !is_run || problem.block.likelihood >= REASON_SHARE * most;
        // One error that is known for sure is what the log is about; guesses about the rest would only bury it.
        let any_exact = problems.iter().any(|problem| is_reason(problem) && problem.is_exact());
        let sure: Vec<Vec<Hit>> = problems
            .iter()
            .map(|problem| match exact_hits(knowledge, problem, options) {
                _ if !is_reason(problem) => Vec::new(),
                hits if hits.is_empty() && !any_exact => {
                    fingerprint_hit(knowledge, problem, options, &admitted).into_iter().collect()
                }
                hits => hits,
            })
            .collect();
        let asked = |(hits, problem): (&Vec<Hit>, &Problem)| hits.is_empty() && !any_exact && is_reason(problem);
        let ask: Vec<bool> = sure.iter().zip(&problems).map(asked).collect();
        let chosen = match is_run {
            true => (0..problems.len().min(options.max_errors)).collect(),
            false => choose(knowledge, &problems, &sure, &ask, options.max_errors),
        };
        Self { problems, sure, ask, chosen }
    }

    /// Which problems are asked.
    pub fn questions(&self) -> impl Iterator<Item = usize> {
        self.chosen.iter().copied().filter(|&at| self.ask[at])
    }

    pub fn question(&self, at: usize) -> Question {
        Question::of_error(&self.problems[at].block.salient)
    }

    /// The questions' vectors, in order.
    pub fn embed(&self, semantics: &Semantics) -> Result<Vec<Vec<f32>>, EmbedError> {
        let questions: Vec<Question> = self.questions().map(|at| self.question(at)).collect();
        embed(&questions.iter().collect::<Vec<_>>(), ROLES, semantics.encoder.as_ref())
    }

    /// Generic patterns that match a problem, by entry: of several the first counts.
    pub fn generic(&self, at: usize) -> HashMap<usize, &PatternHit> {
        let hits = self.problems[at].hits.iter().rev();
        hits.filter(|hit| hit.generic).map(|hit| (hit.entry, hit)).collect()
    }
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
    let (problem, mut hits) = (&asking.problems[at], asking.sure[at].clone());
    let semantic = match &open {
        None => Semantic::NotNeeded,
        Some(open) if open.semantics.is_some() => Semantic::On,
        Some(_) => Semantic::Off,
    };
    let located = |id: &String| context.knowledge.canon().index_of(id);
    let admitted = |entry: &usize| options.filters.admit(&context.knowledge.canon().entries()[*entry]);
    let collection = CanonCollection {
        knowledge: context.knowledge,
        vectors: open.as_ref().and_then(|open| open.semantics.as_ref()).map(|(semantics, _)| &semantics.canon),
        filters: Some(&options.filters),
        generic: asking.generic(at),
        also: options.why_not.as_ref().and_then(located).filter(admitted),
        texts: context.knowledge.canon().entries().len(),
        used: context.used,
    };
    let ranking = match &open {
        Some(open) => Some(ranked(&collection, &asking.question(at), open, options)?),
        None => None,
    };
    if let Some(ranking) = &ranking {
        for candidate in ranking.candidates.iter().filter(|candidate| candidate.passes()) {
            hits.extend(close_hit(&collection, candidate, &ranking.grounds[0], options)?);
        }
    }
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
    };
    Ok(Finding { error, verdict: hits.first().map(|hit| hit.tier).into(), semantic, reranked: false, hits, why_not })
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
        calibration: open.semantics.as_ref().map(|(semantics, _)| &semantics.calibration),
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
    options: &LookupOptions,
) -> Result<Option<Hit>, SearchError> {
    use super::collection::Collection;
    let Some(known) = collection.read(&[candidate.key])?.pop().flatten() else { return Ok(None) };
    let explain = |matched| options.explain.then(|| of_judged(candidate, ground, matched));
    Ok(Some(match &known {
        Known::Entry(stored) => {
            let captures = collection.generic.get(&(candidate.key as usize)).map(|hit| hit.captures.clone());
            let mut hit = advice(stored, Tier::Close, candidate.judged.relevance, captures.unwrap_or_default());
            hit.score = candidate.score;
            let text = candidate.part.and_then(|part| stored.entry().text_of(part as usize));
            hit.explain = explain(text.map(|text| text.embedded()));
            hit
        }
        Known::Item(_) => passage(&known, candidate, &HashSet::new(), explain(None)),
    }))
}

/// Which problems are answered, in the order of the input: those with a sure hit first, then the likeliest.
fn choose(knowledge: &Knowledge, problems: &[Problem], sure: &[Vec<Hit>], ask: &[bool], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problems.len()).collect();
    if order.len() > most {
        let likelihood: Vec<f32> = (0..problems.len())
            .map(|at| {
                if !sure[at].is_empty() {
                    return 2.0;
                }
                if !ask[at] {
                    return 0.0;
                }
                let scores = knowledge.scores(&QueryTerms::of(&problems[at].block.salient));
                Ground { reach: scores.reach, ..Ground::default() }
                    .share(scores.by_document.iter().map(|(_, score)| *score).fold(0.0, f32::max))
            })
            .collect();
        order.sort_by(|&a, &b| likelihood[b].total_cmp(&likelihood[a]).then(a.cmp(&b)));
        order.truncate(most);
        order.sort_unstable();
    }
    order
}

/// What orders entries of which a specific pattern matches.
struct Exact {
    /// Whether the entry names a surface only: those that name a cause come first.
    general: Reverse<bool>,
    /// How much of its best pattern is plain text: of two that match, the one that says more is the surer.
    weight: usize,
    hit: Hit,
}

/// Entries of which a specific pattern matches: those that name a cause before those that name a surface, then the
/// pattern that says most first.
fn exact_hits(knowledge: &Knowledge, problem: &Problem, options: &LookupOptions) -> Vec<Hit> {
    let mut by_entry: BTreeMap<usize, Vec<&PatternHit>> = BTreeMap::new();
    for hit in problem.hits.iter().filter(|hit| !hit.generic) {
        by_entry.entry(hit.entry).or_default().push(hit);
    }
    let exact = |(entry, hits): (usize, Vec<&PatternHit>)| {
        let mut captures = BTreeMap::new();
        for hit in &hits {
            for (name, value) in &hit.captures {
                captures.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let stored = &knowledge.canon().entries()[entry];
        let mut hit = advice(stored, Tier::Exact, 1.0, captures);
        hit.explain = options.explain.then(|| of_sure(hits.first().map(|hit| hit.pattern.clone())));
        let weight = hits.iter().map(|hit| literal_weight(&hit.pattern)).max().unwrap_or(0);
        Exact { general: Reverse(stored.entry().general), weight, hit }
    };
    let mut found: Vec<Exact> = by_entry.into_iter().map(exact).collect();
    let surer = |a: &Exact, b: &Exact| (b.general, b.weight).cmp(&(a.general, a.weight));
    found.sort_by(|a, b| surer(a, b).then_with(|| a.hit.id.cmp(&b.hit.id)));
    found.into_iter().map(|exact| exact.hit).collect()
}

/// The entry that has the problem's masked text as an example or symptom, if there is one.
fn fingerprint_hit(
    knowledge: &Knowledge,
    problem: &Problem,
    options: &LookupOptions,
    admitted: &dyn Fn(usize) -> bool,
) -> Option<Hit> {
    let stored = &knowledge.canon().entries()[knowledge.same_fingerprint(problem, admitted)?];
    let mut hit = advice(stored, Tier::Fingerprint, 1.0, BTreeMap::new());
    hit.explain = options.explain.then(|| of_sure(None));
    Some(hit)
}

/// How much of a pattern is plain text, classes and group names aside.
fn literal_weight(pattern: &str) -> usize {
    let (mut weight, mut in_class, mut in_name) = (0, false, false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '<' => in_name = true,
            '>' => in_name = false,
            c => weight += usize::from(c.is_alphanumeric() && !in_class && !in_name),
        }
    }
    weight
}
