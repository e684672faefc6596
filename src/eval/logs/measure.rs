//! What is measured of the blocks that triage names.

use super::set::LabelledLog;
use crate::text::clean;
use crate::triage::{Candidate, Passing, Survey, Weights};
use serde::Serialize;
use std::sync::Once;
use std::time::{Duration, Instant};

/// How many of the first candidates are looked at.
const AMONG: usize = 3;

/// A labelled log whose blocks are known.
#[derive(Debug, Clone)]
pub struct SurveyedLog {
    /// Its id.
    pub id: String,
    /// The repository that was built.
    pub repo: String,
    /// Its blocks. Lines are numbers in the log, from 1.
    pub survey: Survey,
    /// The marked stretches, as lines from 1.
    pub marked: Vec<(usize, usize)>,
    /// Lines of the log.
    pub lines: usize,
    /// Whether all marked lines stand in the log that it was compared with; false if there was none.
    pub marked_seen: bool,
    /// How long finding the blocks and weighing them took, on one thread.
    pub took: Duration,
}

/// A log whose first block holds no marked line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedLog {
    /// Its id.
    pub id: String,
    /// First and last line of that block, from 1; none if the log has no block.
    pub first: Option<(usize, usize)>,
    /// The marked stretches, as lines from 1.
    pub marked: Vec<(usize, usize)>,
}

impl MissedLog {
    /// The log with what became of it, if it was missed.
    pub fn of(log: &SurveyedLog, outcome: &LogOutcome) -> Option<Self> {
        let first = outcome.first.map(|block| (block.first, block.last));
        (!outcome.overlap_1).then(|| Self { id: log.id.clone(), first, marked: log.marked.clone() })
    }
}

/// Finds the blocks of every log.
pub fn survey_logs(logs: &[LabelledLog]) -> Vec<SurveyedLog> {
    logs.iter().map(|log| survey_log(log, None)).collect()
}

/// The same, each compared with what its job prints when it passes; of those logs alone that have something to be
/// compared with.
pub fn survey_compared_logs(logs: &[LabelledLog], passing: &[Option<Passing>]) -> Vec<SurveyedLog> {
    let compared = |(log, passing): (&LabelledLog, &Option<Passing>)| Some(survey_log(log, Some(passing.as_ref()?)));
    logs.iter().zip(passing).filter_map(compared).collect()
}

fn survey_log(log: &LabelledLog, passing: Option<&Passing>) -> SurveyedLog {
    // What is compiled at first use counts with no log.
    static WARM: Once = Once::new();
    WARM.call_once(|| drop(Survey::of(&clean("one\ntwo"), None)));
    let cleaned = clean(&log.text);
    let start = Instant::now();
    let mut survey = Survey::of(&cleaned, passing);
    let took = start.elapsed();
    let number = |index: usize| cleaned.lines[index].number;
    for block in &mut survey.blocks {
        *block = Candidate {
            first: number(block.first),
            last: number(block.last),
            headline: number(block.headline),
            ..*block
        };
    }
    let is_marked = |number: usize| log.marked.iter().any(|(first, last)| (*first..=*last).contains(&number));
    let marked = (0..cleaned.lines.len()).filter(|at| is_marked(number(*at)));
    let seen: Vec<bool> = marked.filter_map(|at| passing?.has(cleaned.line(at))).collect();
    SurveyedLog {
        id: log.id.clone(),
        repo: log.repo.clone(),
        survey,
        marked: log.marked.clone(),
        lines: cleaned.lines.len(),
        marked_seen: !seen.is_empty() && seen.iter().all(|seen| *seen),
        took,
    }
}

impl SurveyedLog {
    fn is_marked(&self, line: usize) -> bool {
        self.marked.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// Harmonic mean of the share of the block's lines that are marked and the share of marked lines that lie in it.
    pub fn f1(&self, block: &Candidate) -> f64 {
        let common =
            |(first, last): &(usize, usize)| (last.min(&block.last) + 1).saturating_sub(*first.max(&block.first));
        let both: usize = self.marked.iter().map(common).sum();
        let marked: usize = self.marked.iter().map(|(first, last)| last - first + 1).sum();
        2.0 * both as f64 / (marked + block.last + 1 - block.first) as f64
    }

    /// What these weights make of it.
    pub fn outcome(&self, weights: &Weights) -> LogOutcome {
        let ranked = self.survey.ranked(weights);
        let among = |is: &dyn Fn(&Candidate) -> bool, most: usize| ranked.iter().take(most).any(is);
        let f1 = ranked.first().map_or(0.0, |first| self.f1(first));
        LogOutcome {
            hit_1: among(&|one| self.is_marked(one.headline), 1),
            hit_3: among(&|one| self.is_marked(one.headline), AMONG),
            start_1: among(&|one| self.is_marked(one.first), 1),
            overlap_1: f1 > 0.0,
            overlap_3: among(&|one| self.f1(one) > 0.0, AMONG),
            overlap_any: among(&|one| self.f1(one) > 0.0, usize::MAX),
            f1,
            first: ranked.first().copied(),
        }
    }
}

/// What became of one log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogOutcome {
    /// The headline of the first block is marked.
    pub hit_1: bool,
    /// That of one of the first three is.
    pub hit_3: bool,
    /// The first line of the first block is marked.
    pub start_1: bool,
    /// Some line of the first block is marked.
    pub overlap_1: bool,
    /// Some line of the first three is.
    pub overlap_3: bool,
    /// Some line of any block is.
    pub overlap_any: bool,
    /// See [`SurveyedLog::f1`], of the first block.
    pub f1: f64,
    /// The first block, as lines from 1.
    pub first: Option<Candidate>,
}

/// The mean over logs. Shares are in \[0, 1\], more is better.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LogFigures {
    /// Logs.
    pub logs: usize,
    /// Share whose first block's headline is marked.
    pub hit_1: f64,
    /// Share in which a headline of the first three blocks is marked.
    pub hit_3: f64,
    /// Share whose first block begins with a marked line.
    pub start_1: f64,
    /// Share whose first block holds a marked line.
    pub overlap_1: f64,
    /// Share in which one of the first three does.
    pub overlap_3: f64,
    /// Share in which any block does.
    pub overlap_any: f64,
    /// Mean F1 of lines between the first block and what is marked.
    pub f1: f64,
    /// Mean probability of the first block. Probabilities are right on average if it equals `overlap_1`.
    pub probability_1: f64,
    /// Share whose marked lines all stand in the log of a run that passed too; 0 if there is none.
    pub marked_seen: f64,
    /// Mean blocks a log.
    pub blocks: f64,
    /// Microseconds that finding the blocks took for each line, cleaning not counted.
    pub us_per_line: f64,
}

/// Measures logs with one set of weights.
pub fn measure_logs(logs: &[SurveyedLog], weights: &Weights) -> LogFigures {
    let pairs: Vec<_> = logs.iter().map(|log| (log, log.outcome(weights))).collect();
    mean_figures(&pairs)
}

/// The mean of what became of some logs.
pub fn mean_figures(of: &[(&SurveyedLog, LogOutcome)]) -> LogFigures {
    let mean =
        |value: &dyn Fn(&LogOutcome) -> f64| of.iter().map(|(_, one)| value(one)).sum::<f64>() / of.len().max(1) as f64;
    let share = |is: fn(&LogOutcome) -> bool| mean(&|one| f64::from(u8::from(is(one))));
    let lines: usize = of.iter().map(|(log, _)| log.lines).sum();
    let took: Duration = of.iter().map(|(log, _)| log.took).sum();
    let blocks: usize = of.iter().map(|(log, _)| log.survey.blocks.len()).sum();
    LogFigures {
        logs: of.len(),
        hit_1: share(|one| one.hit_1),
        hit_3: share(|one| one.hit_3),
        start_1: share(|one| one.start_1),
        overlap_1: share(|one| one.overlap_1),
        overlap_3: share(|one| one.overlap_3),
        overlap_any: share(|one| one.overlap_any),
        f1: mean(&|one| one.f1),
        probability_1: mean(&|one| one.first.map_or(0.0, |first| first.probability)),
        marked_seen: of.iter().filter(|(log, _)| log.marked_seen).count() as f64 / of.len().max(1) as f64,
        blocks: blocks as f64 / of.len().max(1) as f64,
        us_per_line: took.as_secs_f64() * 1e6 / lines.max(1) as f64,
    }
}
