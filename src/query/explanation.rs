//! Why a hit stands where it stands, and why something is no hit.

use super::SearchError;
use super::candidate::Candidate;
use super::collection::{Collection, Located};
use super::rank::Ranking;
use super::relevance::Ground;
use super::score::{ELSEWHERE_WEIGHT, FREQUENCY_WEIGHT, RECENCY_WEIGHT};
use crate::screen::line;
use crate::types::{Explanation, Hit, Signals, WhyNot};
use std::collections::BTreeMap;

/// Of a hit that was sure: a pattern, or an equal text.
pub(super) fn of_sure(matched: Option<String>) -> Explanation {
    Explanation {
        signals: Signals { canon: Some(1.0), ..Signals::default() },
        cosine: None,
        closeness: None,
        similar: None,
        weights: weights(None),
        gate: 0.0,
        margin: 1.0,
        matched,
        rerank: None,
    }
}

/// Of a hit that was judged. `matched` is the text of an entry that was most alike.
pub(super) fn of_judged(candidate: &Candidate, ground: &Ground, matched: Option<String>) -> Explanation {
    let (signals, judged) = (candidate.signals(), &candidate.judged);
    let keyword = signals.keyword.map(|_| judged.lift * ground.keyword_weight());
    Explanation {
        signals,
        cosine: judged.cosine,
        closeness: Some(judged.closeness),
        similar: Some(judged.similar()),
        weights: {
            let mut weights = weights(keyword);
            if candidate.is_elsewhere {
                weights.insert("elsewhere", ELSEWHERE_WEIGHT);
            }
            weights
        },
        gate: candidate.gate,
        margin: judged.relevance - candidate.gate,
        matched,
        rerank: candidate.logit,
    }
}

fn weights(keyword: Option<f32>) -> BTreeMap<&'static str, f32> {
    let mut weights = BTreeMap::from([("recency", RECENCY_WEIGHT), ("frequency", FREQUENCY_WEIGHT)]);
    if let Some(keyword) = keyword {
        weights.insert("keyword", keyword);
    }
    weights
}

/// What became of a question, as far as it says why something is no hit.
pub(super) struct Outcome<'a> {
    pub collections: &'a [&'a dyn Collection],
    /// None where nothing was ranked, because something was known for sure.
    pub ranking: Option<&'a Ranking>,
    /// The hits in their order; those beyond the limit may be there too.
    pub hits: &'a [Hit],
    /// How many are shown.
    pub limit: usize,
    /// Whether the file of a path is still there.
    pub is_present: &'a dyn Fn(&str) -> bool,
}

impl Outcome<'_> {
    /// Why the knowledge with this id is not shown, or where it is.
    pub fn why_not(&self, id: &str) -> Result<WhyNot, SearchError> {
        let id = line(id).into_owned();
        let mut known = None;
        for (at, collection) in self.collections.iter().enumerate() {
            if let Some(located) = collection.locate(&id)? {
                known = Some((at, located));
                break;
            }
        }
        let Some((at, located)) = known else {
            let gate = self.ranking.and_then(|ranking| ranking.gates.last().copied()).unwrap_or(0.0);
            let reason = "nothing has this id".to_owned();
            return Ok(WhyNot { id, stage: "candidates", reason, relevance: None, gate, margin: None, signals: None });
        };
        let candidates = self.ranking.map_or(&[][..], |ranking| &ranking.candidates);
        let judged = candidates.iter().find(|one| one.collection == at && one.key == located.key);
        let place = self.hits.iter().position(|hit| hit.id == located.uid);
        let (stage, reason) = self.stage(place, judged, &located);
        let gate = judged.map(|one| one.gate).or_else(|| self.ranking?.gates.get(at).copied()).unwrap_or(0.0);
        // A hit that nobody judged is sure.
        let relevance = judged.map(|one| one.judged.relevance).or(place.map(|_| 1.0));
        Ok(WhyNot {
            id,
            stage,
            reason,
            relevance,
            gate,
            margin: relevance.map(|relevance| relevance - gate),
            signals: judged.map(Candidate::signals),
        })
    }

    fn stage(&self, place: Option<usize>, judged: Option<&Candidate>, located: &Located) -> (&'static str, String) {
        let gone = |one: &Candidate| {
            one.prior.as_ref().and_then(|prior| prior.path.as_deref()).is_some_and(|path| !(self.is_present)(path))
        };
        match (place, judged) {
            (Some(place), _) if place < self.limit => ("shown", format!("it is hit {}", place + 1)),
            (Some(place), _) => ("limit", format!("it is hit {}, {} are shown", place + 1, self.limit)),
            (None, Some(one)) if !one.passes() => {
                let short = one.gate - one.judged.relevance;
                ("gate", format!("its relevance is {short:.3} short of the gate"))
            }
            (None, Some(one)) if gone(one) => ("filters", "its file is gone".to_owned()),
            (None, Some(_)) => ("limit", "others come before it, or hold the same text".to_owned()),
            (None, None) if !located.admitted => ("filters", "a filter excludes it".to_owned()),
            (None, None) if self.ranking.is_none() && self.hits.is_empty() => {
                ("tier", "another error of the input is known for sure, so this one was not guessed at".to_owned())
            }
            (None, None) if self.ranking.is_none() => {
                ("tier", "another entry is known for sure, so similar ones were not looked for".to_owned())
            }
            (None, None) => ("candidates", "it is not near the question, or shares no word with it".to_owned()),
        }
    }
}
