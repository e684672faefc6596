//! What is known about a task: everything that is of use, with its text, to be chosen from under a budget.

use super::candidates::{Candidate, Documents, SearchError, SearchOptions, What, rank};
use super::gate::Ambient;
use super::lookup::{Knowledge, Semantics};
use super::parts::{Part, Parts};
use super::stage::{OnStage, Stage};
use crate::types::{Item, Kind, Signals, Span};

/// Share of words below which nobody would say that they speak for something.
const WORDS_SPEAK: f32 = 0.1;

/// Something that may be of use.
#[derive(Debug, Clone)]
pub struct Recalled {
    /// Public id.
    pub uid: String,
    /// What kind of item it is.
    pub kind: Kind,
    /// Heading path, or the title of an entry.
    pub title: String,
    /// Its text.
    pub text: String,
    /// The file it stands in.
    pub path: Option<String>,
    /// Where in the file, as it was indexed.
    pub span: Option<Span>,
    /// Probability of being of use, in \[0, 1\].
    pub relevance: f32,
    /// What orders: relevance, lifted a little by recency and frequency; in \[0, 1\].
    pub score: f32,
    /// Whether it is relevant enough.
    pub passes: bool,
    /// What speaks for it.
    pub reason: &'static str,
    /// Its unit vector; none for an entry of a pack.
    pub vector: Option<Vec<f32>>,
    /// How much of use its parts are, in their order; none if it was not read part by part.
    pub parts: Vec<Part>,
}

/// What is recalled.
#[derive(Debug, Clone, Default)]
pub struct RecallOptions {
    /// How it is searched for.
    pub search: SearchOptions,
    /// Tokens that may be read again, part by part, of the chunks that pass: the best first.
    pub read: usize,
}

/// What a task recalls.
#[derive(Debug, Clone, Default)]
pub struct Recall {
    /// Everything that was considered, best first.
    pub all: Vec<Recalled>,
    /// Whether the model took part.
    pub semantic: bool,
}

/// Recalls what is known about `task` at `now_ms`. The gate is ambient: if the best is too far from what a search would
/// show nothing is recalled; else with it comes what is a share as likely.
///
/// # Errors
/// [`SearchError`] when the model or the database fails.
pub fn recall(
    knowledge: &Knowledge,
    documents: Option<&Documents<'_>>,
    task: &str,
    RecallOptions { search: options, read }: &RecallOptions,
    semantics: Option<&Semantics>,
    now_ms: i64,
    stage: OnStage<'_>,
) -> Result<Recall, SearchError> {
    let ranked = rank(knowledge, documents, task, options, semantics, now_ms, stage)?;
    // The gates of entries and items differ; what counts is the best against its own.
    let best = ranked.candidates.iter().max_by(|a, b| a.judged.relevance.total_cmp(&b.judged.relevance));
    let named = !options.filter.paths.is_empty() || !options.filter.scopes.is_empty();
    let ambient = if named { Ambient::NAMED } else { Ambient::EVERYWHERE };
    let gate = best.map_or(f32::INFINITY, |best| ambient.gate(best.gate, best.judged.relevance));
    let vectors = documents.and_then(|documents| documents.vectors);
    let all = ranked.candidates.into_iter().map(|candidate| {
        let vector = vectors.zip(candidate.row).and_then(|(vectors, row)| vectors.vector(row));
        recalled(candidate, knowledge, gate, vector.map(|row| row.to_vec()))
    });
    let mut all: Vec<Recalled> = all.collect();
    let semantic = ranked.asked.vector.is_some();
    if *read > 0
        && let (Some(vector), Some(weighed), Some(semantics)) = (ranked.asked.vector, ranked.weighed, semantics)
    {
        stage(Stage::Embed);
        Parts { semantics, vector, weighed, ground: ranked.item_ground }.read(&mut all, *read)?;
        stage(Stage::Rest);
    }
    Ok(Recall { all, semantic })
}

fn recalled(candidate: Candidate, knowledge: &Knowledge, gate: f32, vector: Option<Vec<f32>>) -> Recalled {
    let passes = candidate.judged.relevance >= gate;
    let reason = reason(&candidate.signals);
    let (kind, title, text, path, span) = match candidate.what {
        What::Entry(index) => {
            let entry = knowledge.canon().entries()[index].entry();
            (Kind::Canon, entry.title.clone(), advice(&entry.cause, &entry.fix), None, None)
        }
        What::Item(item) => {
            let Item { kind, title, body, path, span, .. } = *item;
            (kind, title, body, path, span)
        }
    };
    Recalled {
        uid: candidate.uid,
        kind,
        title,
        text,
        path,
        span,
        relevance: candidate.judged.relevance,
        score: candidate.score,
        passes,
        reason,
        vector,
        parts: Vec::new(),
    }
}

/// An entry as a text: why, and what to do.
fn advice(cause: &str, fix: &[String]) -> String {
    let steps = fix.iter().enumerate().map(|(at, step)| format!("\n{}. {step}", at + 1));
    format!("{cause}\n{}", steps.collect::<String>())
}

fn reason(signals: &Signals) -> &'static str {
    let words = signals.keyword.is_some_and(|share| share >= WORDS_SPEAK);
    match (signals.semantic.is_some(), words) {
        (true, true) => "both",
        (true, false) => "meaning",
        (false, _) => "words",
    }
}
