//! The figures of a set of sessions.

use super::baseline::{Commonest, Equal, PlainWords};
use super::drafts::{DraftFigures, measure_drafts};
use super::md5::md5;
use super::set::{OutcomeSet, read_set};
use crate::eval::LabelledLine;
use crate::eval::retrieval::BenchError;
use crate::outcome::pattern::{PatternKind, patterns};
use crate::outcome::predict::{Fixes, Predictor};
use crate::outcome::recovery::{End, label};
use crate::outcome::{Session, error_kind, sessions};
use crate::types::Scope;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::Path;

/// How well ends are foretold. All are shares of the failures that were overcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EndFigures {
    /// Failures that were overcome, in the half that is judged.
    pub failures: usize,
    /// The end and its first action are the first that is named.
    pub hit_1: f64,
    /// They are among the first three.
    pub hit_3: f64,
    /// The first, if always the commonest of all were named.
    pub commonest_1: f64,
    /// If the commonest of the tool and head were.
    pub by_action_1: f64,
    /// If the commonest of tool, head and kind of error were.
    pub by_error_1: f64,
    /// The same among the first three.
    pub by_error_3: f64,
    /// Failures judged by sessions of other models.
    pub other_models: usize,
    /// The first end that is named is right.
    pub other_models_1: f64,
    /// The commonest of tool, head and kind of error is, in sessions of other models.
    pub other_models_by_error_1: f64,
}

/// How often a step of another session that solved the same task is found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FixFigures {
    /// Failures of tasks that another session solved.
    pub failures: usize,
    /// The first step solved it.
    pub hit_1: f64,
    /// One of the first five did.
    pub hit_5: f64,
    /// The same by plain BM25 over inputs.
    pub words_1: f64,
    /// The same by plain BM25 over inputs.
    pub words_5: f64,
}

/// All figures of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutcomeReport {
    /// Sessions.
    pub sessions: usize,
    /// Rows.
    pub rows: usize,
    /// Rows that failed.
    pub failures: usize,
    /// Failures with a label, and those whose end, actions and fix are as it says.
    pub labels: (usize, usize),
    /// By environment.
    pub ends: BTreeMap<String, EndFigures>,
    /// By environment.
    pub fixes: BTreeMap<String, FixFigures>,
    /// Patterns by kind.
    pub patterns: BTreeMap<String, usize>,
    /// Drafts of pack entries for kinds of errors.
    pub drafts: DraftFigures,
}

/// Measures the set in a folder.
///
/// # Errors
/// [`BenchError`] with file and line for what is not of the layout.
pub fn measure_outcomes(folder: &Path) -> Result<OutcomeReport, BenchError> {
    let set = read_set(folder)?;
    let all = sessions(&set.rows);
    let found = patterns(&Scope::global(), &set.rows);
    let count = |kind: PatternKind| found.iter().filter(|one| one.kind == kind).count();
    Ok(OutcomeReport {
        sessions: all.len(),
        rows: set.rows.len(),
        failures: set.rows.iter().filter(|row| !row.is_ok).count(),
        labels: labels(&set, &all),
        ends: ends(&set, &all),
        fixes: fixes(&set, &all).map_err(|source| BenchError::Io { path: folder.to_owned(), source })?,
        patterns: PatternKind::ALL.into_iter().map(|kind| (kind.name().to_owned(), count(kind))).collect(),
        drafts: drafts(&set),
    })
}

/// Drafts for the kinds of errors, each tool by itself.
fn drafts(set: &OutcomeSet) -> DraftFigures {
    let lines: Vec<LabelledLine> = set
        .rows
        .iter()
        .filter(|row| !row.is_ok && !row.error.trim().is_empty())
        .map(|row| LabelledLine {
            system: row.tool.clone(),
            template: error_kind(&row.error),
            content: row.error.clone(),
        })
        .collect();
    measure_drafts(&lines)
}

/// The environment of a session, or its first tool.
fn environment(set: &OutcomeSet, rows: &Session<'_>) -> String {
    let Some(first) = rows.first() else { return String::new() };
    set.about.get(&first.session).and_then(|about| about.env.clone()).unwrap_or_else(|| first.tool.clone())
}

/// How many failures have a label, and how many of these are labelled alike.
fn labels(set: &OutcomeSet, all: &[Session<'_>]) -> (usize, usize) {
    let (mut labelled, mut alike) = (0, 0);
    for rows in all {
        for one in label(rows) {
            let row = rows[one.failed];
            let Some(known) = set.labels.get(&(row.session.clone(), row.sequence)) else { continue };
            let via: Vec<(String, String)> =
                known.via.iter().map(|(tool, head)| (tool.clone(), head.clone().unwrap_or_default())).collect();
            let fix = one.fixed_by.map(|at| rows[at].sequence);
            labelled += 1;
            alike += usize::from(known.kind == one.end.name() && via == one.via && known.fix_seq == fix);
        }
    }
    (labelled, alike)
}

/// Whether a session is learnt from: by the lowest bit of the MD5 of its name.
fn is_learnt(session: &str) -> bool {
    md5(session)[15] & 1 == 1
}

fn ends(set: &OutcomeSet, all: &[Session<'_>]) -> BTreeMap<String, EndFigures> {
    let (learnt, judged): (Vec<Session<'_>>, Vec<Session<'_>>) =
        all.iter().cloned().partition(|rows| rows.first().is_some_and(|row| is_learnt(&row.session)));
    let commonest = commonest(set, &learnt);
    let predictor = Predictor::fit(&learnt);
    let mut out: BTreeMap<String, EndFigures> = BTreeMap::new();
    for rows in &judged {
        let environment = environment(set, rows);
        let none = Commonest::default();
        let counts = commonest.get(&environment).unwrap_or(&none);
        for one in label(rows).into_iter().filter(|one| one.end != End::Unrecovered) {
            let (of, target) = (out.entry(environment.clone()).or_default(), one.target());
            let named: Vec<_> = predictor.predict(rows, one.failed).into_iter().map(|one| one.target).collect();
            let is = |first: &[_], most: usize| f64::from(u8::from(first.iter().take(most).any(|one| *one == target)));
            let by_error = counts.first(rows[one.failed], Equal::ActionAndError);
            of.failures += 1;
            of.hit_1 += is(&named, 1);
            of.hit_3 += is(&named, 3);
            of.commonest_1 += is(&counts.first(rows[one.failed], Equal::Nothing), 1);
            of.by_action_1 += is(&counts.first(rows[one.failed], Equal::Action), 1);
            of.by_error_1 += is(&by_error, 1);
            of.by_error_3 += is(&by_error, 3);
        }
    }
    other_models(set, all, &mut out);
    for of in out.values_mut() {
        let all = of.failures.max(1) as f64;
        for sum in [
            &mut of.hit_1,
            &mut of.hit_3,
            &mut of.commonest_1,
            &mut of.by_action_1,
            &mut of.by_error_1,
            &mut of.by_error_3,
        ] {
            *sum /= all;
        }
        of.other_models_1 /= of.other_models.max(1) as f64;
        of.other_models_by_error_1 /= of.other_models.max(1) as f64;
    }
    out
}

/// The commonest ends of each environment.
fn commonest(set: &OutcomeSet, learnt: &[Session<'_>]) -> HashMap<String, Commonest> {
    let mut out: HashMap<String, Commonest> = HashMap::new();
    for rows in learnt {
        let of = out.entry(environment(set, rows)).or_default();
        label(rows).iter().filter(|one| one.end != End::Unrecovered).for_each(|one| of.add(rows[one.failed], one));
    }
    out
}

/// Every session judged by those of other models, where the models are known.
fn other_models(set: &OutcomeSet, all: &[Session<'_>], out: &mut BTreeMap<String, EndFigures>) {
    let model = |rows: &Session<'_>| set.about.get(&rows.first()?.session)?.model.clone();
    let models: BTreeSet<String> = all.iter().filter_map(model).collect();
    if models.len() < 2 {
        return;
    }
    for held_out in models {
        let (judged, learnt): (Vec<Session<'_>>, Vec<Session<'_>>) =
            all.iter().cloned().partition(|rows| model(rows).as_ref() == Some(&held_out));
        let (predictor, commonest) = (Predictor::fit(&learnt), commonest(set, &learnt));
        for rows in &judged {
            let environment = environment(set, rows);
            let counts = commonest.get(&environment);
            let of = out.entry(environment).or_default();
            for one in label(rows).into_iter().filter(|one| one.end != End::Unrecovered) {
                let first = predictor.predict(rows, one.failed).into_iter().next();
                let by_error =
                    counts.and_then(|counts| counts.first(rows[one.failed], Equal::ActionAndError).into_iter().next());
                of.other_models += 1;
                of.other_models_by_error_1 += f64::from(u8::from(by_error == Some(one.target())));
                of.other_models_1 += f64::from(u8::from(first.is_some_and(|first| first.target == one.target())));
            }
        }
    }
}

fn fixes(set: &OutcomeSet, all: &[Session<'_>]) -> io::Result<BTreeMap<String, FixFigures>> {
    let task = |session: &str| set.about.get(session).and_then(|about| about.task_key.as_deref());
    let mut solved: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (session, _) in &set.rewarded {
        if let Some(task) = task(session) {
            solved.entry(task).or_default().insert(session);
        }
    }
    let (steps, words) = (Fixes::of(all)?, PlainWords::of(all)?);
    let mut out: BTreeMap<String, FixFigures> = BTreeMap::new();
    for rows in all {
        let Some(own) = rows.first().map(|row| row.session.as_str()) else { continue };
        let Some(of_task) = task(own) else { continue };
        if !solved.get(of_task).is_some_and(|by| by.iter().any(|session| *session != own)) {
            continue;
        }
        let is = |(session, sequence): &(String, u32)| {
            task(session) == Some(of_task) && set.rewarded.contains(&(session.clone(), *sequence))
        };
        let of = out.entry(environment(set, rows)).or_default();
        for failed in (0..rows.len()).filter(|at| !rows[*at].is_ok) {
            let found: Vec<(String, u32)> =
                steps.find(rows, failed, 5).into_iter().map(|fix| (fix.session, fix.sequence)).collect();
            let plain = words.find(rows[failed], 5);
            let hit = |all: &[(String, u32)], most: usize| f64::from(u8::from(all.iter().take(most).any(is)));
            of.failures += 1;
            of.hit_1 += hit(&found, 1);
            of.hit_5 += hit(&found, 5);
            of.words_1 += hit(&plain, 1);
            of.words_5 += hit(&plain, 5);
        }
    }
    for of in out.values_mut() {
        let all = of.failures.max(1) as f64;
        [&mut of.hit_1, &mut of.hit_5, &mut of.words_1, &mut of.words_5].into_iter().for_each(|sum| *sum /= all);
    }
    Ok(out)
}
