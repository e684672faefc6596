//! What is named where nothing passes the gate: candidates that came near to it.

use super::SearchError;
use super::candidate::Candidate;
use super::collection::{Collection, Known};
use super::explanation::of_judged;
use super::rank::Ranking;
use super::read::read;
use crate::text::single_line;
use crate::types::{External, Nearest};

/// A candidate is named where it is at least this share as relevant as its gate asks.
const NEAR_GATE: f32 = 0.3;
/// How many are named.
const NEAREST: usize = 3;
/// Candidates that are read to find these: several may hold the same text, or lie in files that are gone.
const READ: usize = 12;
/// Longest title in characters.
const TITLE_CHARS: usize = 240;

/// What came near to the gate, or whatever came nearest if it is to explain itself; nearest first, each title and place
/// once; nothing from files that are gone.
pub(super) fn nearest(
    collections: &[&dyn Collection],
    ranking: &Ranking,
    is_present: &dyn Fn(&str) -> bool,
    explain: bool,
) -> Result<Vec<Nearest>, SearchError> {
    // Whoever asks why there is nothing wants to see how far off the nearest is.
    let near = |candidate: &&Candidate| explain || candidate.judged.relevance >= NEAR_GATE * candidate.gate;
    let found: Vec<&Candidate> = ranking.candidates.iter().filter(near).take(READ).collect();
    let mut out: Vec<Nearest> = Vec::new();
    for (known, candidate) in read(collections, &found)?.into_iter().zip(found) {
        let Some(near) = known.map(|known| named(&known, candidate.judged.relevance)) else { continue };
        let explanation = explain.then(|| of_judged(candidate, &ranking.grounds[candidate.collection], None));
        let near = Nearest { explain: explanation, ..near };
        let twin = |other: &Nearest| (&other.title, &other.path) == (&near.title, &near.path);
        if out.len() < NEAREST && !out.iter().any(twin) && near.path.as_deref().is_none_or(is_present) {
            out.push(near);
        }
    }
    Ok(out)
}

fn named(known: &Known<'_>, relevance: f32) -> Nearest {
    match known {
        Known::Entry(stored) => Nearest {
            id: stored.id().to_owned(),
            title: stored.entry().title.clone(),
            path: None,
            line_start: None,
            item: None,
            relevance,
            explain: None,
        },
        Known::Item(item) => Nearest {
            id: item.uid.clone(),
            title: single_line(&item.title, TITLE_CHARS),
            path: item.path.clone(),
            line_start: item.span.map(|span| span.line_start),
            item: External::of(item),
            relevance,
            explain: None,
        },
    }
}
