//! Asks every question of a set, one after another, and keeps what came of it.
//!
//! One search per question gives both the ranking and what the product would have shown: the gate is asked afterwards,
//! of the relevance that each hit has, which is shifted where the index has a gate that fits it. Equal texts are each
//! ranked, because judgements name documents; one that is the question itself is left out, as BEIR does. The packs stay
//! silent, but remain part of every question's background, as in any search of documents alone. A ranking that was read
//! from a file is counted the same way, without a search.

use super::BenchError;
use super::grep::Grep;
use super::index::{BenchIndex, scope};
use super::metrics::{Graded, Judgements, Metric, metrics};
use super::ranking::Ranking;
use super::result::{Asked, GateFit, Machine, Placed, RunResult, round};
use super::runs::{Asks, Configuration, How};
use super::set::{Query, Set, field};
use super::stopwatch::Stopwatch;
use super::trec::Run;
use crate::engine::{Engine, Progress, Session};
use crate::query::{SearchOptions, Stage};
use crate::store::ItemFilter;
use crate::text::{single_line, timestamp};
use crate::types::{Hit, Kind, Semantic};
use std::collections::HashSet;
use std::path::Path;

/// Least depth of a ranking: what is not among so many counts as not found.
const LEAST_DEPTH: usize = 100;
/// Documents of each question that a result names.
const NAMED: usize = 5;
/// Digits behind the point of what a result keeps of a hit.
const DIGITS: i32 = 4;
/// Characters of a question that a result keeps.
const TEXT_CHARS: usize = 300;

/// How a set is measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Depths of the metrics.
    pub depths: Vec<usize>,
    /// The field of the metadata whose value question and documents must share.
    pub group_by: Option<String>,
    /// Whether grades above 1 count as 1.
    pub binary: bool,
    /// The machine.
    pub machine: Machine,
    /// Where the sets lie whose questions count as unanswerable.
    pub foreign: Vec<String>,
    /// Milliseconds since 1970.
    pub clock: fn() -> i64,
    /// The most memory that this process has held so far, in MiB, where the system tells.
    pub peak_mib: fn() -> Option<u64>,
}

impl Plan {
    /// The depth of a ranking.
    fn depth(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(0).max(LEAST_DEPTH)
    }
}

/// A document that was found.
struct Retrieved {
    id: String,
    score: f32,
    /// What is known of it; none if other software found it.
    why: Option<Why>,
}

/// What put a document where it is.
struct Why {
    relevance: f32,
    cosine: Option<f32>,
    words: Option<f32>,
    closeness: Option<f32>,
}

impl Retrieved {
    fn at(&self, rank: usize) -> Option<Placed> {
        let short = |value: f32| round(f64::from(value), DIGITS);
        let why = self.why.as_ref()?;
        Some(Placed {
            id: self.id.clone(),
            rank,
            cosine: why.cosine.map(short),
            words: why.words.map(short),
            closeness: why.closeness.map(short),
            relevance: short(why.relevance),
        })
    }
}

/// Measures one run over a set. `index` is needed by all runs but `regex`.
///
/// # Errors
/// [`BenchError`] when a search fails, or the model did not take part where it should.
pub fn measure(
    set: &Set,
    path: &Path,
    configuration: &Configuration,
    index: Option<&BenchIndex>,
    plan: &Plan,
    session: &Session<'_>,
) -> Result<(RunResult, Run), BenchError> {
    let mut asker = Asker::new(set, configuration, index, plan, plan.depth(), session)?;
    let what = format!("{} {}", set.name, configuration.name());
    let total = set.queries.len() + set.unanswerable.len();
    let with_stages = configuration.needs_index();
    let mut tally = Tally::new(set, plan, asker.gate);
    asker.own = tally.own.clone();
    let gate_fit = asker.gate_fit;
    for (done, (query, answerable)) in set.all().enumerate() {
        session.tell(Progress::Asking { what: &what, done, total });
        let mut watch = Stopwatch::start();
        let watched = session.heard_by(|step| match step {
            Progress::Search(stage) => watch.enter(stage),
            other => session.tell(other),
        });
        let found = asker.ask(query, &watched)?;
        drop(watched);
        let spent = watch.stop();
        let asked = tally.add(query, answerable, found);
        asked.ms = spent.iter().sum();
        asked.stages = if with_stages { spent.map(|ms| round(ms, 3)).into() } else { Vec::new() };
    }
    session.tell(Progress::Asking { what: &what, done: total, total });
    let (mut result, run) = tally.done(path, configuration.name());
    if with_stages {
        result.stages = Stage::ALL.map(|stage| stage.name().to_owned()).into();
    }
    let model = index.filter(|_| configuration.needs_model());
    result.model = model.and_then(|index| index.model.as_ref()).map(ToString::to_string);
    result.embedding = model.and_then(|index| index.embedding);
    result.embedded = result.embedding.map_or(0, |embedding| embedding.texts);
    result.gate_fit = Some(gate_fit);
    result.index_bytes = index.filter(|_| configuration.needs_index()).map(|index| index.bytes);
    result.peak_mib = (plan.peak_mib)();
    Ok((result, run))
}

/// Measures a ranking that was read, as if it had been found here.
pub fn measure_ranking(set: &Set, path: &Path, ranking: &Ranking, plan: &Plan) -> (RunResult, Run) {
    let with_unanswerable = ranking.knows_unanswerable(set);
    let mut tally = Tally::new(set, plan, 0.0);
    for (query, answerable) in set.all().filter(|(_, answerable)| *answerable || with_unanswerable) {
        let listed = ranking.run.get(&query.id).into_iter().flatten();
        let found = listed.map(|(id, score)| Retrieved { id: id.clone(), score: *score, why: None });
        tally.add(query, answerable, found.collect());
    }
    let (mut result, run) = tally.done(path, &ranking.name);
    result.ranking = Some(ranking.path.to_string_lossy().into_owned());
    (result, run)
}

/// What the questions of a run come to, as they are answered.
struct Tally<'a> {
    set: &'a Set,
    plan: &'a Plan,
    gate: f32,
    wanted: Vec<Metric>,
    /// Questions that are documents too.
    own: HashSet<&'a str>,
    left_out: usize,
    queries: Vec<Asked>,
    run: Run,
}

impl<'a> Tally<'a> {
    fn new(set: &'a Set, plan: &'a Plan, gate: f32) -> Self {
        let wanted = metrics(&plan.depths, set.is_graded() && !plan.binary);
        Self { set, plan, gate, wanted, own: set.own_documents(), left_out: 0, queries: Vec::new(), run: Run::new() }
    }

    /// Judges what was found, best first.
    fn add(&mut self, query: &Query, answerable: bool, mut found: Vec<Retrieved>) -> &mut Asked {
        if self.own.contains(query.id.as_str()) {
            let before = found.len();
            found.retain(|found| found.id != query.id);
            self.left_out += before - found.len();
        }
        found.truncate(self.plan.depth());
        let none = Judgements::new();
        let judged = self.set.judgements.get(&query.id).filter(|_| answerable).unwrap_or(&none);
        let ranking = Graded::new(judged, found.iter().map(|found| found.id.as_str()), self.plan.binary);
        let first = ranking.first();
        let shown = found.iter().take(SearchOptions::default().limit);
        let shown = shown.take_while(|found| found.why.as_ref().is_none_or(|why| why.relevance >= self.gate)).count();
        let values = self.wanted.iter().filter(|_| answerable).map(|metric| metric.of(&ranking)).collect();
        self.queries.push(Asked {
            id: query.id.clone(),
            text: single_line(&query.text, TEXT_CHARS),
            answerable,
            values,
            ms: 0.0,
            best: found.iter().filter_map(|found| Some(f64::from(found.why.as_ref()?.relevance))).fold(0.0, f64::max),
            shown,
            right: ranking.relevant(shown),
            first,
            top: found.iter().take(NAMED).map(|found| found.id.clone()).collect(),
            top_hit: found.first().and_then(|found| found.at(1)),
            right_hit: first.filter(|rank| *rank > 1).and_then(|rank| found.get(rank - 1)?.at(rank)),
            stages: Vec::new(),
        });
        self.run.insert(query.id.clone(), falling(found));
        let last = self.queries.len() - 1;
        &mut self.queries[last]
    }

    /// The result, without what only a search has.
    fn done(self, path: &Path, name: &str) -> (RunResult, Run) {
        let Self { set, plan, gate, wanted, left_out, queries, run, .. } = self;
        let result = RunResult {
            format: RunResult::FORMAT,
            set: set.name.clone(),
            split: set.split.clone(),
            set_digest: Some(set.digest()),
            made_at: Some(timestamp((plan.clock)())),
            path: path.to_string_lossy().into_owned(),
            run: name.to_owned(),
            ranking: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: None,
            machine: plan.machine.clone(),
            group_by: plan.group_by.clone(),
            binary: plan.binary,
            depths: plan.depths.clone(),
            gate: f64::from(gate),
            gate_fit: None,
            foreign: plan.foreign.clone(),
            documents: set.documents.len(),
            left_out,
            embedded: 0,
            embedding: None,
            index_bytes: None,
            peak_mib: None,
            metrics: wanted.iter().map(|metric| metric.name()).collect(),
            stages: Vec::new(),
            queries,
        };
        (result, run)
    }
}

/// Scores that fall at every place, so that whoever sorts by them gets the order that people see, ties or not.
fn falling(found: Vec<Retrieved>) -> Vec<(String, f32)> {
    let mut last = f32::INFINITY;
    let one = |found: Retrieved| {
        last = if found.score < last { found.score } else { last.next_down() };
        (found.id, last)
    };
    found.into_iter().map(one).collect()
}

/// Whatever answers the questions of a run.
struct Asker<'a> {
    what: What,
    depth: usize,
    /// Questions that are documents too: one more is looked for.
    own: HashSet<&'a str>,
    group_by: Option<&'a str>,
    /// The group of each document.
    groups: Vec<Option<String>>,
    /// Relevance that a hit must reach to be shown.
    gate: f32,
    gate_fit: GateFit,
    model: &'a str,
}

enum What {
    Grep(Grep),
    Search(Box<Engine>, Asks),
}

impl<'a> Asker<'a> {
    fn new(
        set: &'a Set,
        configuration: &Configuration,
        index: Option<&'a BenchIndex>,
        plan: &'a Plan,
        depth: usize,
        session: &Session<'_>,
    ) -> Result<Self, BenchError> {
        let group_by = plan.group_by.as_deref();
        let model = index.and_then(|index| index.model.as_ref()).map_or("", |model| model.name());
        let groups = set.documents.iter().map(|d| group_by.and_then(|name| field(&d.metadata, name))).collect();
        let mut asker = Self {
            what: What::Grep(Grep::new([])),
            depth,
            own: HashSet::new(),
            group_by,
            groups,
            gate: 0.0,
            gate_fit: GateFit::None,
            model,
        };
        match (configuration.how(), index) {
            (How::Search(asks), Some(index)) => {
                let engine = index.engine();
                asker.gate = engine.gate(asks.legs, session);
                let is_fitted = engine.has_fitted_gate(asks.legs, session)?;
                asker.gate_fit = if is_fitted { GateFit::Index } else { GateFit::Calibration };
                asker.what = What::Search(Box::new(engine), asks);
                // What is opened at the first question is not part of its time.
                let warm = Query { id: String::new(), text: "warm".to_owned(), metadata: serde_json::Value::Null };
                asker.ask(&warm, session)?;
            }
            _ => {
                let texts = set.documents.iter().map(|d| (d.id.as_str(), d.title.as_str(), d.text.as_str()));
                asker.what = What::Grep(Grep::new(texts));
            }
        }
        Ok(asker)
    }

    fn ask(&self, query: &Query, session: &Session<'_>) -> Result<Vec<Retrieved>, BenchError> {
        if query.text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let depth = self.depth + usize::from(self.own.contains(query.id.as_str()));
        let group = self.group_by.map(|name| field(&query.metadata, name));
        let (engine, asks) = match &self.what {
            What::Grep(grep) => {
                let admitted = |at: usize| group.as_ref().is_none_or(|group| self.groups[at] == *group);
                let found = grep.search(&query.text, depth, &admitted).into_iter();
                let one = |f: super::grep::GrepHit<'_>| {
                    let why = Why { relevance: f.share, cosine: None, words: Some(f.share), closeness: None };
                    Retrieved { id: f.id.to_owned(), score: f.score, why: Some(why) }
                };
                return Ok(found.map(one).collect());
            }
            What::Search(engine, asks) => (engine, *asks),
        };
        let options = SearchOptions {
            limit: depth,
            min_relevance: Some(0.0),
            filter: ItemFilter {
                kinds: vec![Kind::Chunk],
                scopes: group.map(|group| scope(group.as_deref())).into_iter().collect(),
                ..ItemFilter::default()
            },
            legs: asks.legs,
            roles: asks.roles,
            whole: asks.whole,
            repeats: true,
            texts: false,
            explain: true,
            rerank: asks.rerank,
            word_weight: asks.word_weight,
            feedback: asks.feedback,
            ..SearchOptions::default()
        };
        // Ages are those of the documents alone, whenever it is measured.
        let session = &session.heard_by(|step| session.tell(step)).with_clock(|| 0);
        let answer = engine.search(query.text.as_bytes(), &options, session)?;
        let Some(finding) = answer.results.into_iter().next() else { return Ok(Vec::new()) };
        if asks.legs.semantic && finding.semantic != Semantic::On {
            return Err(BenchError::NoModel { model: self.model.to_owned(), why: session.take_notes().join("; ") });
        }
        let one = |hit: Hit| {
            let explain = hit.explain.as_ref();
            let why = Why {
                relevance: hit.relevance,
                cosine: explain.and_then(|why| why.cosine),
                words: explain.and_then(|why| why.signals.keyword),
                closeness: explain.and_then(|why| why.closeness),
            };
            Retrieved { id: hit.id, score: hit.score, why: Some(why) }
        };
        Ok(finding.hits.into_iter().map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_fall_at_every_place() {
        let found = |score| Retrieved { id: String::new(), score, why: None };
        let scores: Vec<f32> = falling([0.5, 0.5, 0.5, 0.4, 0.0, 0.0].map(found).into()).iter().map(|f| f.1).collect();
        assert!(scores.windows(2).all(|pair| pair[1] < pair[0]), "{scores:?}");
        assert_eq!((scores[0], scores[3]), (0.5, 0.4));
    }
}
