//! What is known about a task: everything that is of use, with its text, to be chosen from under a budget.

use super::SearchError;
use super::candidate::Candidate;
use super::collection::Known;
use super::gate::{Ambient, Rule};
use super::options::SearchOptions;
use super::parts::Parts;
use super::read::read;
use super::recalled::{Recalled, entry_text};
use super::search::SearchContext;
use super::stage::Stage;
use crate::types::{Item, Kind, Signals};

/// Share of words below which nobody would say that they speak for something.
const WORDS_SPEAK: f32 = 0.1;

/// What is recalled.
#[derive(Debug, Clone, Default)]
pub struct RecallOptions {
    /// How it is searched for.
    pub search: SearchOptions,
    /// Tokens that may be read again, part by part, of the chunks that pass: the best first.
    pub read: usize,
    /// Whether what does not pass is wanted too.
    pub considered: bool,
}

/// What a task recalls.
#[derive(Debug, Clone, Default)]
pub struct Recall {
    /// What passed, best first; everything that was considered, if it was asked for.
    pub all: Vec<Recalled>,
    /// Whether the model took part.
    pub semantic: bool,
}

/// Recalls what is known about `task`. The gate is ambient: if the best is too far from what a search would show
/// nothing is recalled; else with it comes what is a share as likely.
///
/// # Errors
/// [`SearchError`] when the model or the database fails.
pub fn recall(context: SearchContext<'_>, task: &str, options: &RecallOptions) -> Result<Recall, SearchError> {
    let posed = context.pose(task, &options.search)?;
    let canon = posed.canon();
    let collections = posed.collections(&canon);
    let filter = &options.search.filter;
    let named = !filter.paths.is_empty() || !filter.scopes.is_empty();
    let ambient = match &posed.vectors {
        _ if named => Ambient::NAMED,
        Some(_) => Ambient::EVERYWHERE,
        None => Ambient::WORDS_ALONE,
    };
    let ranking = posed.rank(&collections, Rule::Ambient(ambient), options.considered)?;
    let wanted = ranking.candidates.iter().filter(|candidate| options.considered || candidate.passes());
    let wanted: Vec<&Candidate> = wanted.collect();
    let mut all = Vec::with_capacity(wanted.len());
    for (candidate, known) in wanted.iter().zip(read(&collections, &wanted)?) {
        let Some(known) = known else { continue };
        let vector = match known {
            Known::Item(_) => collections[candidate.collection].vector(candidate.key, None)?,
            Known::Entry(_) => None,
        };
        all.push(recalled(candidate, known, vector));
    }
    let semantic = posed.vectors.is_some();
    // Items are the last collection, if there are any.
    let (weighed, ground) = (ranking.weighted.into_iter().next_back().flatten(), ranking.grounds.last().copied());
    if options.read > 0
        && let (Some(vectors), Some(semantics)) = (posed.vectors, posed.context.semantics)
        && let (Some(weighed), Some(ground)) = (weighed, ground)
    {
        (context.stage)(Stage::Embed);
        Parts { semantics, vector: vectors.whole, weighed, ground }.read(&mut all, options.read)?;
        (context.stage)(Stage::Rest);
    }
    Ok(Recall { all, semantic })
}

fn recalled(candidate: &Candidate, known: Known<'_>, vector: Option<Vec<f32>>) -> Recalled {
    let (kind, title, text, path, span) = match known {
        Known::Entry(stored) => {
            let entry = stored.entry();
            (Kind::Canon, entry.title.clone(), entry_text(entry), None, None)
        }
        Known::Item(item) => {
            let Item { kind, title, body, path, span, .. } = *item;
            (kind, title, body, path, span)
        }
    };
    Recalled {
        uid: candidate.uid().to_owned(),
        kind,
        title,
        text,
        path,
        span,
        relevance: candidate.judged.relevance,
        score: candidate.score,
        passes: candidate.passes(),
        reason: reason(&candidate.signals()),
        vector,
        parts: Vec::new(),
    }
}

fn reason(signals: &Signals) -> &'static str {
    let words = signals.keyword.is_some_and(|share| share >= WORDS_SPEAK);
    match (signals.semantic.is_some(), words) {
        (true, true) => "both",
        (true, false) => "meaning",
        (false, _) => "words",
    }
}
