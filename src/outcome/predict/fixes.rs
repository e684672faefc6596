//! The step of another session that did what a failure was to do, found by words.
//!
//! Each step that went well is a document of two fields: its own input, and the inputs and errors of its session up to
//! it. The first field is compared with the failure's input and error, the second with all of the failure's session up
//! to there. Each field is scored by BM25 ([`crate::lexical`]) and divided by the best score in it; the two are added. A
//! step that was soon repeated in a similar form probably did not do the job, so of equal steps the one without a
//! successor comes first.

use super::super::session::Session;
use crate::lexical::{QueryTerms, TermIndex};
use crate::text::tokens;
use crate::types::ToolOutcome;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Rows of a session that count, up to the step.
const WINDOW: usize = 12;
/// Weight of a step that a similar one follows.
const UNSETTLED: f32 = 0.5;

/// A step that is proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// Its session.
    pub session: String,
    /// Its place there.
    pub sequence: u32,
    /// How well its words meet the question; only good for comparing.
    pub score: f32,
}

/// Steps of sessions that went well, to be found.
#[derive(Debug, Default)]
pub struct Fixes {
    /// Session, sequence, and whether nothing like it follows.
    steps: Vec<(String, u32, bool)>,
    own: TermIndex,
    around: TermIndex,
}

impl Fixes {
    /// Reads sessions, each in order.
    ///
    /// # Errors
    /// As [`TermIndex::of_texts`].
    pub fn of(sessions: &[Session<'_>]) -> io::Result<Self> {
        let (mut steps, mut own, mut around) = (Vec::new(), Vec::new(), Vec::new());
        for rows in sessions {
            let settled = settled(rows);
            for at in (0..rows.len()).filter(|&at| rows[at].is_ok) {
                own.push(rows[at].input.as_str());
                around.push(text_up_to(rows, at));
                steps.push((rows[at].session.clone(), rows[at].sequence, settled.contains(&at)));
            }
        }
        let (own, around) = (TermIndex::of_texts((0..).zip(own))?, TermIndex::of_texts((0..).zip(around))?);
        Ok(Self { steps, own, around })
    }

    /// Steps of other sessions that may do what the failure at `failed` was to do, best first, at most `most`.
    pub fn find(&self, rows: &[&ToolOutcome], failed: usize, most: usize) -> Vec<Fix> {
        let Some(row) = rows.get(failed) else { return Vec::new() };
        let mut scores: BTreeMap<u64, f32> = BTreeMap::new();
        for (index, asked) in [(&self.own, text_of(row)), (&self.around, text_up_to(rows, failed))] {
            let found = index.score_all(&QueryTerms::of(&asked)).by_document;
            let best = found.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
            found.into_iter().for_each(|(id, score)| *scores.entry(id).or_default() += score / best);
        }
        let fix = |(id, score): (u64, f32)| {
            let (session, sequence, settled) = self.steps.get(usize::try_from(id).ok()?)?;
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

/// A row's input and error.
fn text_of(row: &ToolOutcome) -> String {
    format!("{}\n{}", row.input, row.error)
}

/// The same of a row and of the rows before it.
fn text_up_to(rows: &[&ToolOutcome], at: usize) -> String {
    let texts: Vec<String> = rows[..=at].iter().rev().take(WINDOW).map(|row| text_of(row)).collect();
    texts.join("\n")
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
