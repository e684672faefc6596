//! The step of another session that did what a failure was to do, found by words.
//!
//! Each step that went well is a document of two fields: its own input, and the inputs and errors of its session up to
//! it. The first field is compared with the failure's input and error, the second with all of the failure's session up
//! to there. Each field is scored by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009) and
//! divided by the best score in it; the two are added. A step that was soon repeated in a similar form probably did not
//! do the job, so of equal steps the one without a successor comes first.

use super::super::session::Session;
use crate::text::tokens;
use crate::types::ToolOutcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The parameters of BM25 as they are usually chosen.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Rows of a session that count, up to the step.
const WINDOW: usize = 12;
/// Weight of a step that a similar one follows.
const UNSETTLED: f64 = 0.5;

/// A step that is proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// Its session.
    pub session: String,
    /// Its place there.
    pub sequence: u32,
    /// How well its words meet the question; only good for comparing.
    pub score: f64,
}

/// Texts as counts of words, with the texts that hold each.
#[derive(Debug, Clone, Default)]
struct Field {
    lengths: Vec<f64>,
    holding: HashMap<String, Vec<(usize, f64)>>,
}

impl Field {
    fn push(&mut self, words: Vec<String>) {
        let number = self.lengths.len();
        self.lengths.push(words.len() as f64);
        let mut counts: BTreeMap<String, f64> = BTreeMap::new();
        words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1.0);
        counts.into_iter().for_each(|(word, n)| self.holding.entry(word).or_default().push((number, n)));
    }

    /// The scores of texts that hold a word of the question, the best as 1.
    fn scores(&self, asked: BTreeSet<String>) -> BTreeMap<usize, f64> {
        let n = self.lengths.len() as f64;
        let mean = (self.lengths.iter().sum::<f64>() / n.max(1.0)).max(1.0);
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for holding in asked.iter().filter_map(|word| self.holding.get(word)) {
            let df = holding.len() as f64;
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            for (number, tf) in holding {
                let norm = K1 * (1.0 - B + B * self.lengths[*number] / mean);
                *scores.entry(*number).or_default() += idf * tf * (K1 + 1.0) / (tf + norm);
            }
        }
        let best = scores.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        scores.values_mut().for_each(|score| *score /= best);
        scores
    }
}

/// Steps of sessions that went well, to be found.
#[derive(Debug, Clone, Default)]
pub struct Fixes {
    /// Session, sequence, and whether nothing like it follows.
    steps: Vec<(String, u32, bool)>,
    own: Field,
    around: Field,
}

impl Fixes {
    /// Reads sessions, each in order.
    pub fn of(sessions: &[Session<'_>]) -> Self {
        let mut out = Self::default();
        for rows in sessions {
            let settled = settled(rows);
            for at in (0..rows.len()).filter(|&at| rows[at].is_ok) {
                out.own.push(tokens(&rows[at].input));
                out.around.push(words_up_to(rows, at));
                out.steps.push((rows[at].session.clone(), rows[at].sequence, settled.contains(&at)));
            }
        }
        out
    }

    /// Steps of other sessions that may do what the failure at `failed` was to do, best first, at most `most`.
    pub fn find(&self, rows: &[&ToolOutcome], failed: usize, most: usize) -> Vec<Fix> {
        let Some(row) = rows.get(failed) else { return Vec::new() };
        let asked = tokens(&row.input).into_iter().chain(tokens(&row.error)).collect();
        let mut scores = self.own.scores(asked);
        for (number, score) in self.around.scores(words_up_to(rows, failed).into_iter().collect()) {
            *scores.entry(number).or_default() += score;
        }
        let fix = |(number, score): (usize, f64)| {
            let (session, sequence, settled) = &self.steps[number];
            let score = if *settled { score } else { score * UNSETTLED };
            (*session != row.session).then(|| Fix { session: session.clone(), sequence: *sequence, score })
        };
        let mut out: Vec<Fix> = scores.into_iter().filter_map(fix).collect();
        out.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| (&a.session, a.sequence).cmp(&(&b.session, b.sequence)))
        });
        out.truncate(most);
        out
    }
}

/// The words of a row's input and error, and of the rows before it.
fn words_up_to(rows: &[&ToolOutcome], at: usize) -> Vec<String> {
    let rows = rows[..=at].iter().rev().take(WINDOW);
    rows.flat_map(|row| tokens(&row.input).into_iter().chain(tokens(&row.error))).collect()
}

/// Rows that went well, and that no row like them follows which went well too.
fn settled(rows: &[&ToolOutcome]) -> BTreeSet<usize> {
    let words: Vec<BTreeSet<String>> = rows.iter().map(|row| tokens(&row.input).into_iter().collect()).collect();
    let alike = |a: usize, b: usize| {
        let both = words[a].intersection(&words[b]).count();
        2 * both > words[a].len() + words[b].len() - both
    };
    let last = |at: &usize| !(at + 1..rows.len()).any(|later| rows[later].is_ok && alike(*at, later));
    (0..rows.len()).filter(|&at| rows[at].is_ok).filter(last).collect()
}
