//! How much relevance is enough. Relevance is a probability, so one gate serves every model once it is calibrated.

use super::candidate::Candidate;
use crate::types::Fit;

/// The gate of words alone, for answers without a model; fitted on the built-in set like the models' own.
const WORDS_ALONE_GATE: f32 = 0.6;

/// The gate of one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gates {
    /// Relevance that one question must reach, in \[0, 1\].
    pub single: f32,
}

/// How much less likely than the best hit something may be that is shown beside it. Noise is counted by input: once
/// something is shown, what is nearly as likely costs no silence.
const BESIDE: f32 = 0.1;

/// The gate of what is shown beside a hit of this relevance that has passed its own.
fn beside(gate: f32, best: f32) -> f32 {
    gate.min(best * BESIDE)
}

/// What a frame asks of what it is given. It is read by a program that can pass over what it does not need, but cannot
/// ask for what it lacks; so it asks less than a search, and little where somebody has said in which files to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ambient {
    /// How far below its own gate the best may be, in odds.
    near: f32,
    /// How much less likely than the best something may be.
    company: f32,
}

impl Ambient {
    /// Anything that is known may come. Where a search answers 5 % of foreign requests, frames answer 11 %, and 91 % of
    /// real questions where it answers 81 %; at a tenth of the odds they would answer half of the foreign ones
    /// (docs/benchmarks.md).
    pub const EVERYWHERE: Self = Self { near: 0.6, company: 0.004 };
    /// The same where there is no model: the gate of words is not fitted, and what words find they share.
    pub const WORDS_ALONE: Self = Self { near: 0.1, company: 0.004 };
    /// Somebody has named files or scopes.
    pub const NAMED: Self = Self { near: 0.02, company: 0.0001 };

    /// The gate where the best comes to `best` and would be shown by a search from `gate` on: above 1, which nothing
    /// reaches, if the best is too far from that.
    pub fn gate(self, gate: f32, best: f32) -> f32 {
        let odds = |share: f32| share / (1.0 - share).max(f32::EPSILON);
        if best > 0.0 && odds(best) >= odds(gate) * self.near { best * self.company } else { f32::INFINITY }
    }
}

/// Who reads what passes, and so what passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// A search: each reaches the gate of its collection.
    Each,
    /// A lookup: the likeliest reaches its gate, and beside it stands what is nearly as likely.
    Beside,
    /// A frame: the likeliest is near its gate, and with it comes what is a share as likely.
    Ambient(Ambient),
}

impl Rule {
    /// Sets the gate of each candidate, which has that of its collection so far. `fixed` if the caller insists on a
    /// relevance: it counts for all then, but for frames.
    pub fn apply(self, candidates: &mut [Candidate], fixed: bool) {
        let likelier = |a: &Candidate, b: &Candidate| {
            let (a, b) = (&a.judged, &b.judged);
            a.relevance.total_cmp(&b.relevance).then(a.closeness.total_cmp(&b.closeness))
        };
        // The first of equals.
        let best = candidates.iter().enumerate().rev().max_by(|a, b| likelier(a.1, b.1));
        let Some((best, relevance, gate)) = best.map(|(at, best)| (at, best.judged.relevance, best.gate)) else {
            return;
        };
        match self {
            Self::Each => {}
            Self::Beside if fixed || relevance < gate => {}
            Self::Beside => {
                let others = candidates.iter_mut().enumerate().filter(|(at, _)| *at != best);
                others.for_each(|(_, other)| other.gate = beside(other.gate, relevance));
            }
            Self::Ambient(ambient) => {
                let gate = ambient.gate(gate, relevance);
                candidates.iter_mut().for_each(|candidate| candidate.gate = gate);
            }
        }
    }
}

impl Rule {
    /// Keeps weak candidates from other repositories out of a frame. Text from another repository seldom helps with a
    /// task here, so each such candidate must pass the gate of its own collection. `gates` holds one gate for each
    /// collection.
    pub fn apply_elsewhere(self, candidates: &mut [Candidate], gates: &[f32]) {
        if !matches!(self, Self::Ambient(_)) {
            return;
        }
        for candidate in candidates.iter_mut().filter(|candidate| candidate.is_elsewhere) {
            candidate.gate = candidate.gate.max(gates[candidate.collection]);
        }
    }
}

impl Gates {
    /// The calibrated gate, or the one that the caller insists on.
    pub fn new(fit: Option<&Fit>, min_relevance: Option<f32>) -> Self {
        let calibrated = fit.map_or(WORDS_ALONE_GATE, |fit| fit.gate);
        Self { single: min_relevance.unwrap_or(calibrated).clamp(0.0, 1.0) }
    }

    /// The gate when `questions` are asked of one input. Noise is counted per input, and the best of many questions is
    /// high by chance: the odds that are needed grow with their number (Bonferroni).
    pub fn among(self, questions: usize) -> f32 {
        let odds = self.single / (1.0 - self.single).max(f32::EPSILON) * questions.max(1) as f32;
        odds / (1.0 + odds)
    }
}

#[cfg(test)]
mod tests {
    use super::super::relevance::Judged;
    use super::*;

    #[test]
    fn beside_what_passed_stands_what_is_nearly_as_likely() {
        assert_eq!(beside(0.4, 0.9), 0.9 * BESIDE);
        assert_eq!(beside(0.05, 0.9), 0.05, "never stricter than the gate itself");
    }

    #[test]
    fn a_frame_asks_less_where_somebody_has_said_where_to_look() {
        let (everywhere, named) = (Ambient::EVERYWHERE, Ambient::NAMED);
        assert_eq!((everywhere.gate(0.5, 0.9), named.gate(0.5, 0.9)), (0.9 * 0.004, 0.9 * 0.0001));
        assert_eq!((everywhere.gate(0.5, 0.25), named.gate(0.5, 0.25)), (f32::INFINITY, 0.25 * 0.0001));
        assert_eq!((named.gate(0.5, 0.01), named.gate(0.0, 0.0)), (f32::INFINITY, f32::INFINITY));
    }

    #[test]
    fn a_frame_takes_from_elsewhere_what_is_sure() {
        let one = |is_elsewhere| Candidate {
            collection: 0,
            key: 1,
            part: None,
            pattern: None,
            judged: Judged { relevance: 0.2, ..Judged::default() },
            gate: 0.004,
            score: 0.2,
            is_elsewhere,
            prior: None,
            logit: None,
        };
        let passing = |rule: Rule| {
            let mut both = [one(false), one(true)];
            rule.apply_elsewhere(&mut both, &[0.3]);
            both.map(|one| one.passes())
        };
        assert_eq!(passing(Rule::Ambient(Ambient::EVERYWHERE)), [true, false]);
        assert_eq!(passing(Rule::Each), [true, true]);
    }

    #[test]
    fn more_questions_need_more() {
        let gates = Gates::new(None, Some(0.5));
        assert_eq!(gates.among(1), 0.5);
        assert_eq!(gates.among(3), 0.75);
        assert_eq!(Gates::new(None, Some(0.0)).among(5), 0.0);
    }
}
