//! What passed as a hit: advice in the answer of a lookup, a passage in that of a search.

use super::candidate::Candidate;
use super::collection::Known;
use super::score::score;
use super::snippet::snippet;
use crate::canon::{Fit, Stored, fill};
use crate::text::single_line;
use crate::types::{Advice, CausalRole, Content, Destructive, Explanation, Hit, Kind, Passage, Tier};
use std::collections::{BTreeMap, HashSet};

/// Longest snippet in characters.
const SNIPPET_CHARS: usize = 240;

/// An entry as what to do about the message that `fit` tells of. `captures` are what a pattern took from the input.
pub(super) fn advice(
    stored: &Stored,
    tier: Tier,
    relevance: f32,
    fit: &Fit,
    captures: BTreeMap<String, String>,
) -> Hit {
    let (declared, entry) = (stored.captures(), stored.entry());
    let steps = fit.steps(&entry.fix);
    let lost = (1..).zip(&steps).filter_map(|(step, (_, said))| Some(Destructive { step, loses: said.loses.clone()? }));
    Hit {
        id: stored.id().to_owned(),
        kind: Kind::Canon,
        title: stored.entry().title.clone(),
        content: Content::Advice(Advice {
            variants: fit.variants.iter().flatten().cloned().collect(),
            cause: fit.cause(&entry.cause),
            destructive: lost.collect(),
            fix: steps.iter().map(|(text, _)| fill(text, &declared, &captures)).collect(),
            other_steps: entry.fix.len() - steps.len(),
            references: entry.references.clone(),
            captures,
        }),
        score: score(relevance, None, None),
        relevance,
        tier,
        role: stored.entry().role,
        source: stored.source(),
        overrides_canon: stored.replaces.is_some(),
        override_reason: stored.replaces.map(|layer| {
            format!("the {} pack {} replaces the entry of {}", stored.layer.label(), stored.pack, layer.label())
        }),
        explain: None,
    }
}

/// A hit that nobody reads: its id and what it came to.
pub(super) fn bare(candidate: &Candidate, explain: Option<Explanation>) -> Hit {
    Hit {
        id: candidate.uid().to_owned(),
        kind: Kind::Chunk,
        title: String::new(),
        content: Content::Passage(Passage::default()),
        score: candidate.score,
        relevance: candidate.judged.relevance,
        tier: Tier::Close,
        role: CausalRole::Cause,
        source: String::new(),
        overrides_canon: false,
        override_reason: None,
        explain,
    }
}

/// Any knowledge as a stretch of text, cut to the lines that hold most of `words`.
pub(super) fn passage(
    known: &Known<'_>,
    candidate: &Candidate,
    words: &HashSet<&str>,
    explain: Option<Explanation>,
) -> Hit {
    let (kind, title, source, passage) = match known {
        Known::Entry(stored) => {
            let snippet = single_line(&stored.entry().whole_cause(), SNIPPET_CHARS);
            let passage = Passage { snippet, ..Passage::default() };
            (Kind::Canon, stored.entry().title.clone(), stored.source(), passage)
        }
        Known::Item(item) => {
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
    Hit { kind, title, content: Content::Passage(passage), source, ..bare(candidate, explain) }
}
