//! A search over everything: entries of the packs and indexed items in one ranking, behind one gate.

use super::candidates::{Asking, Candidate, Documents, SearchError, SearchOptions, What, rank};
use super::lookup::{Knowledge, Semantics, explanation};
use super::rerank::{READ, order};
use super::snippet::snippet;
use super::stage::{OnStage, Stage};
use crate::embed::{EmbedError, Reranker};
use crate::screen::line;
use crate::store::{ReadItems, StoreError};
use crate::text::{fingerprint, mask, single_line};
use crate::types::{Answer, Asked, Content, Explanation, Finding, Hit, Kind, Passage, Semantic, Tier, Verdict, WhyNot};
use std::collections::{HashMap, HashSet};

/// Longest snippet in characters.
const SNIPPET_CHARS: usize = 240;

/// Searches everything for `question` at `now_ms`. The first of `models` is `None` when there is none that is usable, the
/// second when no cross-encoder is to be asked. `stage` hears what is being
/// done.
///
/// # Errors
/// [`SearchError`] when a model or the database fails.
pub fn search(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    question: &str,
    options: &SearchOptions,
    (semantics, reranker): (Option<&Semantics>, Option<&dyn Reranker>),
    now_ms: i64,
    stage: OnStage<'_>,
) -> Result<Answer, SearchError> {
    let ranked = rank(knowledge, documents, question, options, semantics, now_ms, stage)?;
    let (asked, mut candidates) = (ranked.asked, ranked.candidates);
    let reranked = match reranker {
        Some(reranker) => rerank(&mut candidates, reranker, question, knowledge, options.explain)?,
        None => false,
    };
    stage(Stage::Rest);
    let passed = || candidates.iter().filter(|candidate| candidate.passes());
    let hits = select(knowledge, documents, &asked, passed(), ranked.keyword_weights, options);
    let why_not =
        options.why_not.as_deref().map(|id| why_not(id, knowledge, documents, &candidates, &hits, ranked.item_gate));
    let semantic = if asked.vector.is_some() { Semantic::On } else { Semantic::Off };
    let fingerprint = fingerprint(&mask(question));
    let finding = Finding {
        error: Asked {
            headline: single_line(question, 300),
            line_start: 1,
            line_end: question.lines().count().max(1),
            repeated: 1,
            fingerprint,
        },
        verdict: Verdict::from(hits.first().map(|hit| hit.tier)),
        semantic,
        reranked,
        hits,
        why_not: why_not.transpose()?,
    };
    Ok(Answer { schema_version: 1, errors_found: 1, errors_shown: 1, took_ms: 0.0, results: vec![finding] })
}

/// Lets a cross-encoder read the first candidates that pass and orders them by what it says and their closeness. Their
/// scores are dealt out anew in that order; everything else stays as it was. It is not asked where at most one passes,
/// unless that one is to be explained.
fn rerank(
    candidates: &mut [Candidate],
    reranker: &dyn Reranker,
    question: &str,
    knowledge: &Knowledge,
    explain: bool,
) -> Result<bool, EmbedError> {
    let passing = candidates.iter().enumerate().filter(|(_, candidate)| candidate.passes());
    let places: Vec<usize> = passing.map(|(place, _)| place).take(READ).collect();
    if places.len() < if explain { 1 } else { 2 } {
        return Ok(false);
    }
    let texts: Vec<String> = places.iter().map(|&place| candidates[place].text(knowledge)).collect();
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

/// What is shown: each text once, nothing from files that are gone.
fn select<'c>(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    asked: &Asking<'_>,
    passed: impl Iterator<Item = &'c Candidate>,
    keyword_weights: [f32; 2],
    options: &SearchOptions,
) -> Vec<Hit> {
    let words: HashSet<&str> = asked.words.iter().map(|(word, _)| word).collect();
    let mut shown: HashMap<(&str, &str), usize> = HashMap::new();
    let mut hits: Vec<Hit> = Vec::new();
    for candidate in passed {
        if let What::Item(item) = &candidate.what {
            if let (Some(path), Some(documents)) = (&item.path, documents)
                && !(documents.present)(path)
            {
                continue;
            }
            let twin = shown.get(&(item.title.as_str(), item.body.as_str())).filter(|_| !options.repeats);
            if let Some(&at) = twin {
                if let Some(Content::Passage(passage)) = hits.get_mut(at).map(|hit| &mut hit.content) {
                    passage.also_in += 1;
                }
                continue;
            }
            shown.insert((&item.title, &item.body), hits.len());
        }
        // Beyond the limit only other places of what is shown are counted.
        if hits.len() < options.limit {
            hits.push(hit(knowledge, candidate, &words, keyword_weights, options.explain));
        }
    }
    hits
}

fn hit(
    knowledge: &Knowledge,
    candidate: &Candidate,
    words: &HashSet<&str>,
    keyword_weights: [f32; 2],
    explain: bool,
) -> Hit {
    let (kind, title, source, passage) = match &candidate.what {
        What::Entry(index) => {
            let stored = &knowledge.canon().entries()[*index];
            let snippet = single_line(&stored.entry().cause, SNIPPET_CHARS);
            let passage = Passage { snippet, ..Passage::default() };
            (Kind::Canon, stored.entry().title.clone(), stored.source(), passage)
        }
        What::Item(item) => {
            let passage = Passage {
                snippet: snippet(&item.body, words, SNIPPET_CHARS),
                path: item.path.clone(),
                line_start: item.span.map(|span| span.line_start),
                line_end: item.span.map(|span| span.line_end),
                state: None,
                also_in: 0,
            };
            (item.kind, single_line(&item.title, SNIPPET_CHARS), "index".to_owned(), passage)
        }
    };
    Hit {
        id: candidate.uid.clone(),
        kind,
        title,
        content: Content::Passage(passage),
        score: candidate.score,
        relevance: candidate.judged.relevance,
        tier: Tier::Close,
        source,
        overrides_canon: false,
        override_reason: None,
        explain: explain.then(|| {
            let weight = keyword_weights[usize::from(kind != Kind::Canon)];
            let known = (&candidate.judged, weight);
            let explanation = explanation(candidate.signals.clone(), Some(known), candidate.gate, None);
            Explanation { rerank: candidate.logit, ..explanation }
        }),
    }
}

fn why_not(
    id: &str,
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    candidates: &[Candidate],
    hits: &[Hit],
    gate: f32,
) -> Result<WhyNot, StoreError> {
    let id = line(id).into_owned();
    let scored = candidates.iter().find(|candidate| candidate.uid == id);
    let (stage, reason) = if let Some(place) = hits.iter().position(|hit| hit.id == id) {
        ("shown", format!("it is hit {}", place + 1))
    } else if let Some(candidate) = scored {
        let path = match &candidate.what {
            What::Item(item) => item.path.as_deref(),
            What::Entry(_) => None,
        };
        let gone = path.zip(documents).is_some_and(|(path, documents)| !(documents.present)(path));
        let short = candidate.gate - candidate.judged.relevance;
        if short > 0.0 {
            ("gate", format!("its relevance is {short:.3} short of the gate"))
        } else if gone {
            ("filters", "its file is gone".to_owned())
        } else {
            ("limit", "others come before it, or hold the same text".to_owned())
        }
    } else {
        let known = match documents {
            Some(documents) => documents.database.item_id(&id)?.is_some(),
            None => false,
        } || knowledge.canon().index_of(&id).is_some();
        match known {
            true => (
                "candidates",
                "a filter excludes it, or it is neither near the question nor shares its words".to_owned(),
            ),
            false => ("candidates", "nothing has this id".to_owned()),
        }
    };
    Ok(WhyNot {
        id,
        stage,
        reason,
        relevance: scored.map(|s| s.judged.relevance),
        gate: scored.map_or(gate, |s| s.gate),
        margin: scored.map(|s| s.judged.relevance - s.gate),
        signals: scored.map(|s| s.signals.clone()),
    })
}
