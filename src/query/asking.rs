//! An input analysed: what is sure about each of its problems, which of them are answered in which order, and which are
//! still to be asked of words and embeddings.

use super::analyse::{Problem, Problems};
use super::chain::{Link, link};
use super::knowledge::Knowledge;
use super::options::LookupOptions;
use super::question::{Question, ROLES, embed};
use super::relevance::Ground;
use super::semantics::Semantics;
use super::sure::{Sure, sure};
use crate::canon::PatternHit;
use crate::embed::EmbedError;
use crate::lexical::QueryTerms;
use crate::types::Seen;
use std::collections::{HashMap, HashSet};

/// In the log of a run that failed, what is less likely the reason than this share of the likeliest is not answered: a
/// set-up that was forgiven, a clean-up.
const REASON_SHARE: f32 = 0.2;
/// The same for what names no cause: what is true of any error of its kind, a consequence, a guess.
const HINT_SHARE: f32 = 0.5;

/// The problems of an input on their way to an answer.
pub(super) struct Asking {
    pub problems: Vec<Problem>,
    /// What is sure about each.
    pub sure: Vec<Vec<Sure>>,
    /// What was seen besides, of each.
    pub also_seen: Vec<Vec<Seen>>,
    /// Which of them are to be asked of words and embeddings.
    pub ask: Vec<bool>,
    /// Problems that are answered, in the order of the answer.
    pub chosen: Vec<usize>,
}

impl Asking {
    pub fn new(knowledge: &Knowledge, problems: Problems, options: &LookupOptions) -> Self {
        let Problems { list: problems, is_run } = problems;
        let most = problems.iter().map(|problem| problem.block.likelihood).fold(0.0, f32::max);
        let reaches = |problem: &Problem, share: f32| !is_run || problem.block.likelihood >= share * most;
        let is_reason = |problem: &Problem| reaches(problem, REASON_SHARE);
        // One error that is known for sure is what the log is about; guesses about the rest would only bury it.
        let any_exact = problems.iter().any(|problem| is_reason(problem) && problem.is_exact());
        let compared = likeliest(&problems, options.max_errors);
        let compare = |at: usize, problem: &Problem| !any_exact && is_reason(problem) && compared.contains(&at);
        let mut known: Vec<Vec<Sure>> = problems
            .iter()
            .enumerate()
            .map(|(at, problem)| sure(knowledge, problem, options, compare(at, problem)))
            .collect();
        for (problem, known) in problems.iter().zip(&mut known) {
            if !reaches(problem, HINT_SHARE) && !known.iter().any(Sure::is_cause) {
                known.clear();
            }
        }
        let Link { order, also_seen } = link(&problems, &mut known, is_run, &is_reason);
        // What is true of any error of its kind is no cause, and yet surer than any guess: measured, it is the right
        // answer in three of four cases where a guess would stand before it.
        let settled = order.iter().any(|&at| !known[at].is_empty());
        let open = |at: usize| !settled && reaches(&problems[at], HINT_SHARE);
        let ask: Vec<bool> = (0..problems.len()).map(open).collect();
        let mut asking = Self { problems, sure: known, also_seen, ask, chosen: order };
        if !is_run {
            asking.known_first();
            asking.prefer_known(knowledge, options.max_errors);
        }
        asking.chosen.truncate(options.max_errors);
        asking
    }

    /// Orders the problems of an input in which no build system says where a run ended: a cause that is known first,
    /// what is true of any error of its kind after what is true of this one; of equals the likeliest.
    fn known_first(&mut self) {
        let known = |at: usize| match self.sure[at].first() {
            Some(first) if first.is_cause() => 0,
            Some(first) if first.is_specific() => 1,
            Some(first) if first.hit.role.is_cause() => 2,
            Some(_) => 3,
            None => 4,
        };
        let likelihood = |at: usize| self.problems[at].block.likelihood;
        self.chosen.sort_by(|&a, &b| known(a).cmp(&known(b)).then(likelihood(b).total_cmp(&likelihood(a))));
    }

    /// Where more is wrong than is shown: what is sure goes first, then what words say most about.
    fn prefer_known(&mut self, knowledge: &Knowledge, most: usize) {
        if self.chosen.len() <= most {
            return;
        }
        let likelihood = |at: usize| {
            if !self.sure[at].is_empty() {
                return 2.0;
            }
            if !self.ask[at] {
                return 0.0;
            }
            let scores = knowledge.scores(&QueryTerms::of(&self.problems[at].block.salient));
            Ground { reach: scores.reach, ..Ground::default() }
                .share(scores.by_document.iter().map(|(_, score)| *score).fold(0.0, f32::max))
        };
        let mut ranked: Vec<(f32, usize)> = self.chosen.iter().map(|&at| (likelihood(at), at)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.truncate(most);
        self.chosen.retain(|at| ranked.iter().any(|(_, one)| one == at));
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

/// Places of the problems that are compared with known texts, which costs more than to match patterns: twice as many of
/// the likeliest as are shown.
fn likeliest(problems: &[Problem], shown: usize) -> HashSet<usize> {
    let mut places: Vec<usize> = (0..problems.len()).collect();
    places.sort_by(|&a, &b| problems[b].block.likelihood.total_cmp(&problems[a].block.likelihood));
    places.into_iter().take(2 * shown).collect()
}
