//! The step of another session that did what a failure was to do, found by words.
//!
//! Each step that went well is a document: its input, and with less weight the inputs and errors of its session up to
//! it. The question is the failure's input and error, and its session up to there. Scored by BM25 (Robertson and
//! Zaragoza, "The Probabilistic Relevance Framework", 2009). Of steps of one session only the one counts that nothing
//! like it follows: whoever tries again was not done.

use super::super::session::Session;
use crate::text::tokens;
use crate::types::ToolOutcome;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The parameters of BM25 as they are usually chosen.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Rows of a session that count, up to the step.
const WINDOW: usize = 12;

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

#[derive(Debug, Clone)]
struct Step {
    session: String,
    sequence: u32,
    words: HashMap<String, f64>,
    length: f64,
}

/// Steps of sessions that went well, to be found.
#[derive(Debug, Clone, Default)]
pub struct Fixes {
    steps: Vec<Step>,
    /// Steps that hold a word, by number.
    holding: HashMap<String, Vec<usize>>,
    mean_length: f64,
}

impl Fixes {
    /// Reads sessions, each in order.
    pub fn of(sessions: &[Session<'_>]) -> Self {
        let mut out = Self::default();
        for rows in sessions {
            for at in settled(rows) {
                let words = words_up_to(rows, at);
                let length = words.values().sum();
                let number = out.steps.len();
                words.keys().for_each(|word| out.holding.entry(word.clone()).or_default().push(number));
                let (session, sequence) = (rows[at].session.clone(), rows[at].sequence);
                out.steps.push(Step { session, sequence, words, length });
            }
        }
        out.mean_length = out.steps.iter().map(|step| step.length).sum::<f64>() / out.steps.len().max(1) as f64;
        out
    }

    /// Steps of other sessions that may do what the failure at `failed` was to do, best first, at most `most`.
    pub fn find(&self, rows: &[&ToolOutcome], failed: usize, most: usize) -> Vec<Fix> {
        let Some(row) = rows.get(failed) else { return Vec::new() };
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        let asked: BTreeMap<String, f64> = words_up_to(rows, failed).into_iter().collect();
        for (word, weight) in asked {
            let Some(holding) = self.holding.get(&word) else { continue };
            let (n, df) = (self.steps.len() as f64, holding.len() as f64);
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            for &number in holding {
                let step = &self.steps[number];
                let tf = step.words.get(&word).copied().unwrap_or(0.0);
                let norm = K1 * (1.0 - B + B * step.length / self.mean_length.max(1.0));
                *scores.entry(number).or_default() += weight.min(1.0) * idf * tf * (K1 + 1.0) / (tf + norm);
            }
        }
        let mut out: Vec<Fix> = scores
            .into_iter()
            .map(|(number, score)| (&self.steps[number], score))
            .filter(|(step, _)| step.session != row.session)
            .map(|(step, score)| Fix { session: step.session.clone(), sequence: step.sequence, score })
            .collect();
        out.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| (&a.session, a.sequence).cmp(&(&b.session, b.sequence)))
        });
        out.truncate(most);
        out
    }
}

/// The words of a row's input and error, and of the rows before it.
fn words_up_to(rows: &[&ToolOutcome], at: usize) -> HashMap<String, f64> {
    let mut out = HashMap::new();
    for (back, row) in rows[..=at].iter().rev().take(WINDOW).enumerate() {
        let weight = if back == 0 { 1.0 } else { 0.5 };
        for word in tokens(&row.input).into_iter().chain(tokens(&row.error)) {
            let held: &mut f64 = out.entry(word).or_default();
            *held = held.max(weight);
        }
    }
    out
}

/// Rows that went well, and that no row like them follows which went well too.
fn settled(rows: &[&ToolOutcome]) -> Vec<usize> {
    let words: Vec<BTreeSet<String>> = rows.iter().map(|row| tokens(&row.input).into_iter().collect()).collect();
    let alike = |a: usize, b: usize| {
        let both = words[a].intersection(&words[b]).count();
        2 * both > words[a].len() + words[b].len() - both
    };
    let last = |at: &usize| !(at + 1..rows.len()).any(|later| rows[later].is_ok && alike(*at, later));
    (0..rows.len()).filter(|&at| rows[at].is_ok).filter(last).collect()
}
