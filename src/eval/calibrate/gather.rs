//! The labelled questions that a fit is made on: cases of lookups, or sets of documents.

use crate::engine::EngineSettings;
use crate::engine::{Engine, EngineError, Progress, Session};
use crate::eval::cases::{Case, CaseKind};
use crate::eval::retrieval::{BenchError, Query, Set, prepare};
use crate::query::relevance::{Background, Evidence, Ground};
use crate::text::sha256_hex;
use serde::Serialize;

/// Candidates of a question that are kept.
const KEPT: usize = 40;
/// Questions of a set that are asked for what they should find, and as many for what they should not.
const ASKED: usize = 400;

/// One question, and which of its candidates are right.
#[derive(Debug, Clone, Serialize)]
pub struct Question {
    /// The case, or the set's question.
    pub id: String,
    /// Whether nothing should be shown.
    pub unanswerable: bool,
    /// How many questions its input asks; the gate rises with it.
    pub among: usize,
    /// What holds for all candidates.
    pub ground: Ground,
    /// How near the question is to everything.
    pub background: Background,
    /// Its vector, where one is fitted on.
    #[serde(skip)]
    pub vector: Vec<f32>,
    /// Log-odds that the gate which fits the index adds now; a new fit does without.
    pub shift: f32,
    /// The closest.
    pub candidates: Vec<Labelled>,
}

/// What speaks for a candidate, and whether it is right.
#[derive(Debug, Clone, Serialize)]
pub struct Labelled {
    /// The entry or item.
    pub id: String,
    /// What speaks for it.
    pub evidence: Evidence,
    /// Whether it answers the question.
    pub right: bool,
}

impl Question {
    fn new(
        id: &str,
        unanswerable: bool,
        among: usize,
        ground: Ground,
        background: Background,
        vector: Vec<f32>,
        candidates: impl Iterator<Item = Labelled>,
    ) -> Self {
        let id = id.to_owned();
        let mut question =
            Self { id, unanswerable, among, ground, background, vector, shift: 0.0, candidates: candidates.collect() };
        question.candidates = question.by_closeness().map(|(one, _)| one.clone()).take(KEPT).collect();
        question
    }

    /// What speaks for the candidates, in their order.
    pub fn evidence(&self) -> Vec<Evidence> {
        self.candidates.iter().map(|one| one.evidence).collect()
    }

    /// The candidates with their closeness, the closest first.
    pub fn by_closeness(&self) -> impl Iterator<Item = (&Labelled, f32)> {
        let mut order: Vec<(&Labelled, f32)> =
            self.candidates.iter().map(|one| (one, self.ground.closeness(&one.evidence))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.into_iter()
    }
}

/// Asks all cases that no pattern and no fingerprint settles; the candidates come as the lookup itself scores them.
///
/// # Errors
/// [`EngineError`] when there is no model or it fails.
pub fn case_questions(engine: &Engine, cases: &[Case], session: &Session<'_>) -> Result<Vec<Question>, EngineError> {
    let mut out = Vec::new();
    for case in cases.iter().filter(|case| case.kind == CaseKind::Unanswerable || !case.expect.is_empty()) {
        let probed = engine.probe(&case.text, session)?;
        let among = probed.len();
        for found in probed {
            let labelled = found.candidates.into_iter().map(|(id, evidence)| Labelled {
                right: case.expect.contains(&id),
                evidence,
                id,
            });
            let unanswerable = case.kind == CaseKind::Unanswerable;
            out.push(Question::new(
                &case.id,
                unanswerable,
                among,
                found.ground,
                found.background,
                found.vector,
                labelled,
            ));
        }
    }
    Ok(out)
}

/// Asks questions of every set of its own documents, and of the documents of every set what they cannot answer: its
/// unanswerable questions and those of the other sets.
///
/// # Errors
/// [`BenchError`] when there is no model, or an index cannot be made or asked.
pub fn set_questions(
    sets: &[Set],
    settings: &EngineSettings,
    session: &Session<'_>,
) -> Result<Vec<Question>, BenchError> {
    let mut out = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let index = prepare(set, None, settings, true, session)?;
        let engine = index.engine();
        let judged = set.queries.iter().filter(|query| set.judgements.contains_key(&query.id));
        let known = sample(judged, ASKED);
        let foreign = sets.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, set)| &set.queries);
        let mut unknown = sample(set.unanswerable.iter(), ASKED / 2);
        unknown.extend(sample(foreign, ASKED - unknown.len()));
        let all: Vec<(&Query, bool)> = known
            .into_iter()
            .map(|query| (query, false))
            .chain(unknown.into_iter().map(|query| (query, true)))
            .collect();
        let (what, total) = (format!("{} calibrate", set.name), all.len());
        for (done, (query, unanswerable)) in all.into_iter().enumerate() {
            session.tell(Progress::Asking { what: &what, done, total });
            let Some(found) = engine.probe_items(query.text.trim(), session)? else { continue };
            let right = |uid: &str| {
                let judgements = set.judgements.get(&query.id).filter(|_| !unanswerable);
                judgements.and_then(|judged| judged.get(uid)).is_some_and(|grade| *grade > 0)
            };
            let labelled =
                found.candidates.into_iter().map(|(id, evidence)| Labelled { evidence, right: right(&id), id });
            let question =
                Question::new(&query.id, unanswerable, 1, found.ground, found.background, Vec::new(), labelled);
            out.push(Question { shift: found.shift, ..question });
        }
        session.tell(Progress::Asking { what: &what, done: total, total });
    }
    Ok(out)
}

/// At most `most` of the questions, always the same, in no order of theirs.
fn sample<'q>(queries: impl Iterator<Item = &'q Query>, most: usize) -> Vec<&'q Query> {
    let mut all: Vec<(String, &Query)> = queries
        .filter(|query| !query.text.trim().is_empty())
        .map(|query| (sha256_hex(query.text.as_bytes()), query))
        .collect();
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    all.truncate(most);
    all.into_iter().map(|(_, query)| query).collect()
}
