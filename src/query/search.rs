//! A search over everything: entries of the packs and indexed items in one ranking, behind one gate.

use super::candidate::Candidate;
use super::collection::{Collection, Known, Query};
use super::collections::{CanonCollection, Files, ItemCollection};
use super::excerpt::AskedWords;
use super::explanation::{Outcome, of_judged};
use super::gate::Rule;
use super::hit::{bare, item_excerpt, passage};
use super::knowledge::{Filters, Knowledge};
use super::nearest::nearest;
use super::options::{Legs, SearchOptions};
use super::question::{Question, QuestionVectors, embed_with_parts, is_short};
use super::rank::{RankOptions, Ranking, rank};
use super::read::read;
use super::rerank::{READ, order};
use super::semantics::Semantics;
use super::stage::{OnStage, Stage};
use super::{SearchError, Used};
use crate::embed::Reranker;
use crate::lexical::QueryTerms;
use crate::text::{TextHash, fingerprint, mask, single_line};
use crate::types::{Answer, Asked, Content, Explanation, Finding, Hit, Semantic, Verdict};
use std::collections::{HashMap, HashSet};

/// Passages of one file that may stand before those of others.
const MOST_OF_A_FILE: usize = 2;

/// What a search asks of, all of one moment.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// The packs.
    pub knowledge: &'a Knowledge,
    /// The indexed items; none if nothing was ever indexed.
    pub items: Option<&'a ItemCollection<'a>>,
    /// The model; none when there is none that is usable.
    pub semantics: Option<&'a Semantics>,
    /// How often an entry was of use.
    pub used: Used<'a>,
    /// Now, milliseconds since 1970.
    pub now_ms: i64,
    /// Hears which part of the search begins.
    pub stage: OnStage<'a>,
}

/// A question with what all its collections hear of it.
pub(super) struct Posed<'a> {
    pub context: SearchContext<'a>,
    pub terms: QueryTerms,
    /// None where meaning does not count.
    pub vectors: Option<QuestionVectors>,
    is_short: bool,
    filters: Option<Filters>,
    options: &'a SearchOptions,
}

impl<'a> SearchContext<'a> {
    /// How many texts that may answer hold each of these words.
    pub(super) fn holders(&self, words: &[&str]) -> Result<Vec<usize>, SearchError> {
        let mut holders: Vec<usize> = words.iter().map(|word| self.knowledge.holders(word)).collect();
        if let Some(items) = self.items {
            let of_items = items.finder.holders(words)?;
            holders.iter_mut().zip(of_items).for_each(|(all, of_items)| *all += of_items);
        }
        Ok(holders)
    }

    /// Reads and embeds a question.
    pub(super) fn pose(self, question: &str, options: &'a SearchOptions) -> Result<Posed<'a>, SearchError> {
        let mut asked = Question::new(question);
        if options.whole {
            question.clone_into(&mut asked.text);
            asked.parts.clear();
        }
        let semantics = self.semantics.filter(|_| options.legs.semantic);
        let vectors = semantics.map(|semantics| {
            (self.stage)(Stage::Embed);
            embed_with_parts(&[&asked], options.roles, semantics.encoder.as_ref())
        });
        let vectors = vectors.transpose()?.and_then(|vectors| vectors.into_iter().next());
        Ok(self.posed(asked, is_short(question), vectors, options))
    }

    /// A question that was read and embedded before; without a vector meaning does not count.
    pub(super) fn posed(
        self,
        asked: Question,
        is_short: bool,
        vectors: Option<QuestionVectors>,
        options: &'a SearchOptions,
    ) -> Posed<'a> {
        let semantics = self.semantics.filter(|_| vectors.is_some());
        let filters = options.canon_filters();
        Posed { context: Self { semantics, ..self }, terms: asked.terms, vectors, is_short, filters, options }
    }
}

impl<'a> Posed<'a> {
    /// The question as collections hear it.
    pub fn query(&self) -> Query<'_> {
        Query {
            terms: self.options.legs.keyword.then_some(&self.terms),
            vector: self.vectors.as_ref().map(|vectors| vectors.whole.as_slice()),
            parts: self.vectors.as_ref().map_or(&[], |vectors| vectors.parts.as_slice()),
            calibration: self.context.semantics.map(|semantics| &semantics.calibration),
            is_short: self.is_short,
            most: self.options.candidates(),
            stage: self.context.stage,
        }
    }

    /// The entries that may answer.
    pub fn canon(&self) -> CanonCollection<'_> {
        CanonCollection {
            knowledge: self.context.knowledge,
            vectors: self.context.semantics.map(|semantics| &semantics.canon),
            filters: self.filters.as_ref(),
            rejected: HashSet::new(),
            generic: HashMap::new(),
            also: None,
            texts: 0,
            used: self.context.used,
        }
    }

    /// Everything that may answer: entries first, then items.
    pub fn collections<'c>(&'c self, canon: &'c CanonCollection<'c>) -> Vec<&'c dyn Collection> {
        let items = self.context.items.map(|items| items as &dyn Collection);
        std::iter::once(canon as &dyn Collection).chain(items).collect()
    }

    /// Ranks these by a rule; `whole` if what does not pass is wanted with its priors too.
    pub fn rank(&self, collections: &[&dyn Collection], rule: Rule, whole: bool) -> Result<Ranking, SearchError> {
        let options = RankOptions {
            rule,
            min_relevance: self.options.min_relevance,
            questions: 1,
            word_weight: self.options.word_weight,
            feedback: self.options.feedback,
            whole,
            why_not: self.options.why_not.as_deref(),
            prefer: self.options.prefer.as_ref(),
            now_ms: self.context.now_ms,
        };
        rank(&self.query(), collections, options)
    }
}

/// Searches everything for `question`. `reranker` is none when no cross-encoder is to be asked.
///
/// # Errors
/// [`SearchError`] when a model or the database fails.
pub fn search(
    context: SearchContext<'_>,
    question: &str,
    options: &SearchOptions,
    reranker: Option<&dyn Reranker>,
) -> Result<Answer, SearchError> {
    let posed = context.pose(question, options)?;
    answer(&posed, question, None, reranker)
}

/// A vector that is searched by, in place of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct NearTo {
    /// Of unit length, with as many components as the model's.
    pub vector: Vec<f32>,
    /// What stands in the answer in place of the question.
    pub name: String,
    /// The row of an item that does not count: the one whose vector it is.
    pub without: Option<i64>,
}

/// Searches everything for what is near to a vector. Words do not count, and nothing is near without a model. The gates
/// are fitted to questions in words, so here there is none but the one that is asked for: what is nearest is shown.
///
/// # Errors
/// As [`search`].
pub fn search_near(context: SearchContext<'_>, near: &NearTo, options: &SearchOptions) -> Result<Answer, SearchError> {
    // The vector is the whole question: it is not moved, and no word is looked for.
    let legs = Legs { semantic: true, keyword: false };
    let min_relevance = options.min_relevance.or(Some(0.0));
    let options = SearchOptions { legs, min_relevance, feedback: false, ..options.clone() };
    let vectors = QuestionVectors { whole: near.vector.clone(), parts: Vec::new() };
    let posed = context.posed(Question::new(""), true, Some(vectors), &options);
    answer(&posed, &near.name, near.without.map(|row| row as u64), None)
}

/// Answers a question. The item with the key `without` is left out.
fn answer(
    posed: &Posed<'_>,
    question: &str,
    without: Option<u64>,
    reranker: Option<&dyn Reranker>,
) -> Result<Answer, SearchError> {
    let (context, options) = (posed.context, posed.options);
    let canon = posed.canon();
    let collections = posed.collections(&canon);
    let mut ranking = posed.rank(&collections, Rule::Each, false)?;
    if let Some(key) = without {
        // Entries are the first collection, items the second.
        ranking.candidates.retain(|one| one.collection == 0 || one.key != key);
    }
    let reranked = match reranker {
        Some(reranker) => rerank(&mut ranking.candidates, reranker, question, &collections, options.explain)?,
        None => false,
    };
    (context.stage)(Stage::Rest);
    let showing = Showing { posed, collections: &collections, ranking: &ranking };
    let hits = showing.select()?;
    let outcome = Outcome {
        collections: &collections,
        ranking: Some(&ranking),
        hits: &hits,
        limit: options.limit,
        is_present: &|path| context.items.is_none_or(|items| items.files.is_present(path)),
    };
    let why_not = options.why_not.as_deref().map(|id| outcome.why_not(id)).transpose()?;
    let candidates = match options.texts && hits.is_empty() {
        true => nearest(&collections, &ranking, outcome.is_present, options.explain)?,
        false => Vec::new(),
    };
    let finding = Finding {
        error: Asked {
            headline: single_line(question, 300),
            line_start: 1,
            line_end: question.lines().count().max(1),
            repeated: 1,
            fingerprint: fingerprint(&mask(question)),
            likelihood: 1.0,
        },
        verdict: Verdict::from(hits.first().map(|hit| hit.tier)),
        semantic: if posed.vectors.is_some() { Semantic::On } else { Semantic::Off },
        reranked,
        hits,
        failed: Vec::new(),
        also_seen: Vec::new(),
        rejected: Vec::new(),
        candidates,
        why_not,
    };
    Ok(Answer { errors_found: 1, errors_shown: 1, results: vec![finding] })
}

/// Lets a cross-encoder read the first candidates that pass and orders them by what it says and their closeness. Their
/// scores are dealt out anew in that order; everything else stays as it was. It is not asked where at most one passes,
/// unless that one is to be explained.
fn rerank(
    candidates: &mut [Candidate],
    reranker: &dyn Reranker,
    question: &str,
    collections: &[&dyn Collection],
    explain: bool,
) -> Result<bool, SearchError> {
    let passing = candidates.iter().enumerate().filter(|(_, candidate)| candidate.passes());
    let mut places: Vec<usize> = passing.map(|(place, _)| place).take(READ).collect();
    let known = read(collections, &places.iter().map(|&place| &candidates[place]).collect::<Vec<_>>())?;
    let mut texts = Vec::with_capacity(places.len());
    let mut known = known.into_iter();
    places.retain(|_| match known.next().flatten() {
        Some(known) => {
            texts.push(known.reranked_text());
            true
        }
        None => false,
    });
    if places.len() < if explain { 1 } else { 2 } {
        return Ok(false);
    }
    let logits = reranker.score(question, &texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let closeness: Vec<f32> = places.iter().map(|&place| candidates[place].judged.closeness).collect();
    let scores: Vec<f32> = places.iter().map(|&place| candidates[place].score).collect();
    for (&place, logit) in places.iter().zip(&logits) {
        candidates[place].logit = Some(*logit);
    }
    // Whose turn it is goes into the place; who was there waits where the other came from.
    let mut now: Vec<usize> = (0..places.len()).collect();
    for (at, old) in order(&closeness, &logits).into_iter().enumerate() {
        let from = now.iter().position(|who| *who == old).unwrap_or(at);
        candidates.swap(places[at], places[from]);
        now.swap(at, from);
    }
    for (&place, score) in places.iter().zip(scores) {
        candidates[place].score = score;
    }
    Ok(true)
}

impl Known<'_> {
    /// What a cross-encoder reads of it.
    fn reranked_text(&self) -> String {
        match self {
            Known::Entry(stored) => format!("{}. {}", stored.entry().title, stored.entry().embedded_cause()),
            Known::Item(item) => item.text(),
        }
    }
}

/// A ranking on its way to hits.
struct Showing<'a> {
    posed: &'a Posed<'a>,
    collections: &'a [&'a dyn Collection],
    ranking: &'a Ranking,
}

/// A candidate that is shown, and how many others hold the same text.
struct Shown<'a> {
    candidate: &'a Candidate,
    also_in: usize,
}

impl<'a> Showing<'a> {
    fn is_present(&self, candidate: &Candidate) -> bool {
        if !self.posed.options.texts {
            return true;
        }
        let path = candidate.prior.as_ref().and_then(|prior| prior.path.as_deref());
        let files: Option<&dyn Files> = self.posed.context.items.map(|items| items.files);
        path.zip(files).is_none_or(|(path, files)| files.is_present(path))
    }

    /// The candidates that pass, best first; of a question in sentences those after the second of a file come after
    /// all others: somebody who describes their trouble is helped by another file rather than by a third passage of one
    /// that did not have it. Keywords often have their answer in one file alone.
    fn passing(&self) -> Vec<&'a Candidate> {
        let passing = self.ranking.candidates.iter().filter(|candidate| candidate.passes());
        if self.posed.is_short || self.posed.options.repeats {
            return passing.collect();
        }
        let mut of_file: HashMap<&str, usize> = HashMap::new();
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for candidate in passing {
            let path = candidate.prior.as_ref().and_then(|prior| prior.path.as_deref());
            let before = path.map_or(0, |path| {
                let count = of_file.entry(path).or_default();
                *count += 1;
                *count - 1
            });
            if before < MOST_OF_A_FILE { &mut first } else { &mut later }.push(candidate);
        }
        first.append(&mut later);
        first
    }

    /// What is shown: each text once, nothing from files that are gone.
    fn select(&self) -> Result<Vec<Hit>, SearchError> {
        let options = self.posed.options;
        let mut by_text: HashMap<TextHash, usize> = HashMap::new();
        let mut shown: Vec<Shown<'a>> = Vec::new();
        for candidate in self.passing() {
            let text = candidate.prior.as_ref().and_then(|prior| prior.text).filter(|_| !options.repeats);
            let twin = text.and_then(|text| by_text.get(&text).copied());
            // Beyond the limit only other places of what is shown are counted.
            if twin.is_none() && shown.len() >= options.limit || !self.is_present(candidate) {
                continue;
            }
            match twin {
                Some(twin) => shown[twin].also_in += 1,
                None => {
                    by_text.extend(text.map(|text| (text, shown.len())));
                    shown.push(Shown { candidate, also_in: 0 });
                }
            }
        }
        if !options.texts {
            let hit = |one: &Shown<'_>| bare(one.candidate, self.explain(one.candidate));
            return Ok(shown.iter().map(hit).collect());
        }
        let known = read(self.collections, &shown.iter().map(|one| one.candidate).collect::<Vec<_>>())?;
        let words = self.asked_words();
        let hits = shown.iter().zip(known).filter_map(|(one, known)| Some(self.hit(one, &known?, &words)));
        Ok(hits.collect())
    }

    /// The words of the question, each with how much it tells among the indexed texts.
    fn asked_words(&self) -> AskedWords<'a> {
        let mut words: AskedWords<'a> = self.posed.terms.iter().collect();
        // Only indexed texts have excerpts, so entries give no weights.
        if let Some(weighted) = self.ranking.weighted.iter().flatten().next() {
            words.extend(self.posed.terms.iter().map(|(word, _)| word).zip(weighted.weights()));
        }
        words
    }

    fn explain(&self, candidate: &Candidate) -> Option<Explanation> {
        let ground = &self.ranking.grounds[candidate.collection];
        self.posed.options.explain.then(|| of_judged(candidate, ground, None))
    }

    fn hit(&self, shown: &Shown<'_>, known: &Known<'_>, words: &AskedWords<'_>) -> Hit {
        let candidate = shown.candidate;
        let options = self.posed.options;
        let mut hit = passage(known, candidate, words, options, self.explain(candidate));
        if let (Content::Passage(passage), Known::Item(item)) = (&mut hit.content, known) {
            passage.also_in = shown.also_in;
            let standing = self.posed.context.items.and_then(|items| items.files.standing(item));
            let now = standing.and_then(|(_, span)| span);
            passage.state = standing.map(|(standing, _)| standing);
            if let Some(span) = now {
                (passage.line_start, passage.line_end) = (Some(span.line_start), Some(span.line_end));
            }
            let files = self.posed.context.items.map(|items| items.files);
            passage.excerpt =
                options.excerpt.zip(files).map(|(lines, files)| item_excerpt(item, words, options, lines, now, files));
        }
        hit
    }
}
