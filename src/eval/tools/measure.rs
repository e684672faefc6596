//! The figures of a set.

use super::discovery::{Gain, Hidden, Ranked, gain, ranked};
use super::plans::{PlanFigures, plan_figures};
use super::set::{ToolSet, read_set};
use crate::engine::{AskedVectors, Engine, EngineError, Session};
use crate::error::{Diagnose, ErrorKind};
use crate::eval::retrieval::BenchError;
use crate::query::DEFAULT_MAX_NOISE;
use crate::tools::discover::{Finder, Legs, Mix, Past, Task, ToolGate, ToolTexts, Used, embedded_text};
use crate::tools::graph::ToolGraph;
use crate::types::Role;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// All figures of a set.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolReport {
    /// Tools.
    pub tools: usize,
    /// Requests.
    pub requests: usize,
    /// Histories, and those whose request is known.
    pub histories: (usize, usize),
    /// Share of all pairs of tools that were used together.
    pub density: f64,
    /// Weights of text and graph, and how sharply past tasks are told apart; learnt from the histories.
    pub mix: (f64, f64, f64),
    /// The tools of requests.
    pub found: Vec<Ranked>,
    /// Recall at 5 with all signals against the best single one.
    pub gain: Option<Gain>,
    /// The tools of requests that follow on others, with the calls before.
    pub later: Vec<Ranked>,
    /// The same of these.
    pub later_gain: Option<Gain>,
    /// A hidden tool, with the others given.
    pub hidden: Vec<Hidden>,
    /// Its reciprocal place with all signals against the best single one.
    pub hidden_gain: Option<Gain>,
    /// Share of the requests that pass the gate, and of the foreign questions, each half judged by a gate that was set
    /// by the other.
    pub gate: (f64, f64),
    /// Plans; none where no order is known.
    pub plans: Option<PlanFigures>,
}

/// A set that cannot be read, or an engine that fails.
#[derive(Debug, thiserror::Error)]
pub enum ToolBenchError {
    /// The set.
    #[error(transparent)]
    Set(#[from] BenchError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Diagnose for ToolBenchError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Set(error) => error.kind(),
            Self::Engine(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Set(error) => error.hint(),
            Self::Engine(error) => error.hint(),
        }
    }
}

const WORDS: Legs = Legs { words: true, meaning: false, graph: false };
const MEANING: Legs = Legs { words: false, meaning: true, graph: false };
const BOTH: Legs = Legs { words: true, meaning: true, graph: false };
/// How the ways to rank are called.
const RUNS: [(&str, Legs); 4] =
    [("words", WORDS), ("meaning", MEANING), ("both, without graph", BOTH), ("all", Legs::ALL)];

/// A set with its vectors.
struct Embedded {
    set: ToolSet,
    tools: Vec<Vec<f32>>,
    tasks: Vec<AskedVectors>,
    past: Option<Past>,
}

impl Embedded {
    fn task<'a>(&'a self, at: usize, used: &'a [usize], in_order: bool) -> Task<'a> {
        Task {
            text: &self.set.queries[at].text,
            vector: Some(&self.tasks[at].whole),
            clauses: &self.tasks[at].clauses,
            used: Used { tools: used, in_order },
        }
    }
}

/// Measures the set in a folder.
///
/// # Errors
/// [`ToolBenchError`] with file and line for what is not of the layout, and without a model.
pub fn measure_tools(folder: &Path, engine: &Engine, session: &Session<'_>) -> Result<ToolReport, ToolBenchError> {
    let set = read_set(folder)?;
    let io = |source| BenchError::Io { path: folder.to_owned(), source };
    let texts: Vec<String> = set.tools.iter().map(embedded_text).collect();
    let tools = vectors(engine, &texts, session)?;
    let questions: Vec<&str> = set.queries.iter().map(|query| query.text.as_str()).collect();
    let tasks = engine.embed_questions(&questions, session)?;
    let asked: Vec<String> = set.histories.iter().filter_map(|history| history.text.clone()).collect();
    let is_asked = !asked.is_empty() && asked.len() == set.histories.len();
    let calls = set.calls(None);
    let graph = ToolGraph::of(set.tools.len(), calls.iter().map(Vec::as_slice));
    let past = match is_asked {
        true => {
            let sessions = graph.sessions().to_vec();
            Some(Past { vectors: vectors(engine, &asked, session)?, texts: asked.clone(), sessions })
        }
        false => None,
    };
    let all = Embedded { set, tools, tasks, past };
    let words = ToolTexts::of(&all.set.tools).map_err(io)?;
    let finder = Finder::new(&all.set.tools, Some(&all.tools), &words, &graph, all.past.as_ref()).map_err(io)?;
    let Mix { text, graph: weight, sharpness } = finder.mix();
    let mut report = ToolReport {
        tools: all.set.tools.len(),
        requests: all.set.queries.len(),
        histories: (all.set.histories.len(), asked.len()),
        density: graph.density(),
        mix: (text, weight, sharpness),
        ..ToolReport::default()
    };
    let foreign = engine.foreign_evidence(&finder, true, session)?;
    report.gate = gate(&all, &finder, &foreign);
    let gate = ToolGate::of(foreign, DEFAULT_MAX_NOISE);
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    if all.set.has_turns() {
        turns(&all, &words, &mut report).map_err(io)?;
    } else {
        let every: Vec<usize> = (0..all.set.queries.len()).collect();
        report.found = RUNS
            .map(|(name, legs)| run(&all, name, &every, |at| finder.scores(&all.task(at, &[], false), legs)))
            .to_vec();
        report.gain = gain_of(&report.found);
        chosen = every.iter().map(|at| finder.chosen(&all.task(*at, &[], false), gate)).collect();
        if !all.set.histories.is_empty() {
            report.hidden = hidden(&all, &finder);
            let each = |at: usize| report.hidden.get(at).map_or(&[][..], |one| one.each.as_slice());
            let singles =
                [("words", each(0)), ("meaning", each(1)), ("both, without graph", each(2)), ("graph", each(3))];
            report.hidden_gain = gain(each(4), &singles);
        }
    }
    if all.set.queries.iter().any(|query| query.edges.as_ref().is_some_and(|edges| !edges.is_empty())) {
        let find = |at: usize| chosen.get(at).cloned().unwrap_or_default();
        report.plans = Some(plan_figures(&all.set, graph.sessions(), find));
    }
    Ok(report)
}

/// Share of the requests that pass, and of foreign questions.
fn gate(all: &Embedded, finder: &Finder<'_>, foreign: &[f64]) -> (f64, f64) {
    let share = |passing: usize, of: usize| passing as f64 / of.max(1) as f64;
    let half = |odd: usize| foreign.iter().copied().skip(odd).step_by(2).collect::<Vec<f64>>();
    let noise = |odd: usize| {
        let gate = ToolGate::of(half(1 - odd), DEFAULT_MAX_NOISE);
        half(odd).into_iter().filter(|best| gate.passes(*best)).count()
    };
    let gate = ToolGate::of(foreign.to_vec(), DEFAULT_MAX_NOISE);
    let best = |at: usize| {
        let evidence = finder.evidence(&all.set.queries[at].text, Some(&all.tasks[at].whole), Legs::ALL);
        evidence.into_iter().fold(f64::NEG_INFINITY, f64::max)
    };
    let passing = (0..all.set.queries.len()).filter(|at| gate.passes(best(*at))).count();
    (share(passing, all.set.queries.len()), share(noise(0) + noise(1), foreign.len()))
}

fn vectors(engine: &Engine, texts: &[String], session: &Session<'_>) -> Result<Vec<Vec<f32>>, EngineError> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = engine.embed_texts(&texts, Role::Passage, &mut || {}, session)?;
    Ok(found.texts.into_iter().map(|one| one.vector).collect())
}

fn run(all: &Embedded, name: &str, which: &[usize], scores: impl Fn(usize) -> Vec<f64>) -> Ranked {
    let of = |at: &usize| (ranked(&scores(*at), &[]), all.set.queries[*at].tools.as_slice());
    Ranked::of(name, &which.iter().map(of).collect::<Vec<_>>())
}

fn gain_of(runs: &[Ranked]) -> Option<Gain> {
    let (all, singles) = runs.split_last()?;
    let singles: Vec<(&str, &[f64])> =
        singles.iter().take(2).map(|one| (one.run.as_str(), one.each.as_slice())).collect();
    gain(&all.each, &singles)
}

/// Requests that follow on others: each with a graph that does not know its conversation.
fn turns(all: &Embedded, words: &ToolTexts, report: &mut ToolReport) -> std::io::Result<()> {
    let mut by_conversation: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (at, query) in all.set.queries.iter().enumerate() {
        by_conversation.entry(query.conversation.as_deref()).or_default().push(at);
    }
    let mut scores: [Vec<Vec<f64>>; 5] = std::array::from_fn(|_| vec![Vec::new(); all.set.queries.len()]);
    for (conversation, which) in by_conversation {
        let calls = all.set.calls(conversation);
        let graph = ToolGraph::of(all.set.tools.len(), calls.iter().map(Vec::as_slice));
        let finder = Finder::new(&all.set.tools, Some(&all.tools), words, &graph, None)?;
        for at in which {
            for (place, (_, legs)) in RUNS.into_iter().enumerate() {
                scores[place][at] = finder.scores(&all.task(at, &[], true), legs);
            }
            scores[4][at] = finder.scores(&all.task(at, &all.set.queries[at].before, true), Legs::ALL);
        }
    }
    let every: Vec<usize> = (0..all.set.queries.len()).collect();
    let later: Vec<usize> = every.iter().copied().filter(|at| !all.set.queries[*at].before.is_empty()).collect();
    let names = RUNS.map(|(name, _)| name).into_iter().chain(["all, with calls before"]);
    for (place, name) in names.enumerate() {
        report.found.push(run(all, name, &every, |at| scores[place][at].clone()));
        report.later.push(run(all, name, &later, |at| scores[place][at].clone()));
    }
    report.gain = gain_of(&report.found);
    report.later_gain = gain_of(&report.later);
    Ok(())
}

/// Each tool of a request hidden in turn.
fn hidden(all: &Embedded, finder: &Finder<'_>) -> Vec<Hidden> {
    let graph_alone = |used: &[usize]| {
        let share = 1.0 / used.len() as f64;
        finder.conditional().together(&used.iter().map(|tool| (*tool, share)).collect::<Vec<_>>())
    };
    let mut places: [Vec<usize>; 5] = Default::default();
    for (at, query) in all.set.queries.iter().enumerate().filter(|(_, query)| query.tools.len() > 1) {
        let single: Vec<Vec<f64>> =
            RUNS[..3].iter().map(|(_, legs)| finder.scores(&all.task(at, &[], false), *legs)).collect();
        for hidden in &query.tools {
            let mut others: Vec<usize> = query.tools.iter().copied().filter(|tool| tool != hidden).collect();
            // In no order of calls: the order of the request would tell where it is missing.
            others.sort_unstable();
            let mixed = finder.scores(&all.task(at, &others, false), Legs::ALL);
            let graph = graph_alone(&others);
            let all = single.iter().chain([&graph, &mixed]);
            for (places, scores) in places.iter_mut().zip(all) {
                let place = ranked(scores, &others).iter().position(|tool| tool == hidden);
                places.push(place.map_or(scores.len(), |place| place + 1));
            }
        }
    }
    let names = ["words", "meaning", "both, without graph", "graph", "all"];
    names.into_iter().zip(&places).map(|(name, places)| Hidden::of(name, places)).collect()
}
