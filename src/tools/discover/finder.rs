//! Finds tools: all signals of one task, and what they come to.

use super::gate::ToolGate;
use super::mix::{Mix, SAMPLES, Sample, learn};
use super::needs::Needs;
use super::past::Past;
use super::reason::Reason;
use super::softmax;
use super::text::{MEANING, NAMES, ToolTexts, WORDS};
use crate::tools::graph::{Conditional, ToolGraph};
use crate::tools::learn::Signals;
use crate::types::Tool;
use crate::vector::{dot, dot_rows};
use std::io;

/// Share of what the clauses of a task say in what the graph begins with; the rest is what the whole says. In the order
/// itself clauses have no say: they lack what the sentence is about, and with them recall at 10 falls by up to 0.06
/// (docs/scoring.md).
pub const IN_CLAUSES: f64 = 0.2;
/// How many times as many candidates are looked at as are wanted, by the density of the graph up to which that holds.
/// From the requirements: a dense graph connects more that no word connects.
pub const EXPANSIONS: [(f64, f64); 3] = [(0.01, 1.5), (0.10, 2.0), (1.0, 3.0)];
/// A tool that is named in a reason was at least so likely beside those it is compared with.
const TELLS: f64 = 2.0;
/// How likely a tool of a plan is at least, as a share of the likeliest. The mean F1 of the tools over three sets is
/// greatest there (docs/scoring.md).
pub const CHOSEN: f64 = 0.1;
/// Most tools of a plan: more are a list, not a plan.
pub const MOST_CHOSEN: usize = 12;
/// Fewer past tasks than this count with the weights that hold without any: a handful would be learnt by heart.
pub const LEAST_PAST: usize = 20;
/// Samples to learn weights from, times tools: with more than 500 tools fewer are looked at, so that a request takes no
/// longer than with 500.
const SAMPLED: usize = 125_000;
/// Reasons of one tool.
const REASONS: usize = 3;

/// Which signals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legs {
    /// Words.
    pub words: bool,
    /// Meaning.
    pub meaning: bool,
    /// The graph, needs and past tasks.
    pub graph: bool,
}

impl Legs {
    /// All.
    pub const ALL: Self = Self { words: true, meaning: true, graph: true };
}

/// Tools that a session has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used<'a> {
    /// The tools.
    pub tools: &'a [usize],
    /// Whether they stand in the order of the calls, so that the last one says what follows.
    pub in_order: bool,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Task<'a> {
    /// In words.
    pub text: &'a str,
    /// Its unit vector; none without a model.
    pub vector: Option<&'a [f32]>,
    /// Its clauses, if it has several, with their unit vectors.
    pub clauses: &'a [(String, Option<Vec<f32>>)],
    /// What was used so far.
    pub used: Used<'a>,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its place.
    pub tool: usize,
    /// Its score, a logarithm; only good for comparing.
    pub score: f64,
    /// What words and meaning say of it, in log-odds; comparable between tasks.
    pub evidence: f64,
    /// Why.
    pub reasons: Vec<Reason>,
}

/// How many times as many candidates are looked at as are wanted.
pub fn expansion(density: f64) -> f64 {
    EXPANSIONS.into_iter().find(|(below, _)| density < *below).map_or(EXPANSIONS[2].1, |(_, times)| times)
}

/// Finds tools among these.
#[derive(Debug)]
pub struct Finder<'a> {
    tools: &'a [Tool],
    /// The vectors of all tools in one block, so that a task is compared with all at once; none without a model.
    rows: Option<Vec<f32>>,
    texts: &'a ToolTexts,
    needs: Needs,
    graph: &'a ToolGraph,
    of: Conditional<'a>,
    past: Option<&'a Past>,
    mix: Mix,
}

/// What is said of all tools.
struct Weighed {
    score: Vec<f64>,
    text: Vec<f64>,
    likely: Vec<f64>,
    near: Vec<f64>,
    past: Option<Vec<f64>>,
}

impl<'a> Finder<'a> {
    /// Of tools with their unit vectors, if there is a model, their graph, and past tasks, if any are known.
    ///
    /// # Errors
    /// As [`ToolTexts::of`].
    pub fn new(
        tools: &'a [Tool],
        vectors: Option<&'a [Vec<f32>]>,
        texts: &'a ToolTexts,
        graph: &'a ToolGraph,
        past: Option<&'a Past>,
    ) -> io::Result<Self> {
        let of = Conditional::of(graph);
        let needs = Needs::of(tools);
        let rows = vectors.map(<[Vec<f32>]>::concat);
        let mut out = Self { tools, rows, texts, needs, graph, of, past, mix: Mix::default() };
        if let Some(past) = past.filter(|past| past.sessions.len() >= LEAST_PAST) {
            let most = (SAMPLED / tools.len().max(1)).clamp(LEAST_PAST, SAMPLES);
            let step = past.sessions.len().div_ceil(most).max(1);
            let sample = |session: usize| {
                let vector = past.vectors.get(session)?;
                let text = out.evidence(past.texts.get(session)?, Some(vector), Legs::ALL);
                let cosines = past.vectors.iter().map(|other| dot(vector, other)).collect();
                Some(Sample { session, text, cosines })
            };
            let samples: Vec<Sample> = (0..past.sessions.len()).step_by(step).filter_map(sample).collect();
            out.mix = learn(&samples, &past.sessions, &out.of);
        }
        Ok(out)
    }

    /// How much each signal has to say.
    pub fn mix(&self) -> Mix {
        self.mix
    }

    /// What is known of the graph.
    pub fn conditional(&self) -> &Conditional<'a> {
        &self.of
    }

    /// What words and meaning say of each tool, in log-odds.
    pub fn evidence(&self, text: &str, vector: Option<&[f32]>, legs: Legs) -> Vec<f64> {
        let mut out = vec![0.0; self.tools.len()];
        if legs.words {
            let (words, names) = self.texts.words(text);
            out.iter_mut().zip(words.iter().zip(&names)).for_each(|(sum, (words, name))| {
                *sum += WORDS * words + NAMES * name;
            });
        }
        if let (true, Some(vector), Some(rows)) = (legs.meaning, vector, &self.rows) {
            let mut cosines = vec![0.0f32; self.tools.len()];
            dot_rows(vector, rows, &mut cosines);
            out.iter_mut().zip(cosines).for_each(|(sum, cosine)| *sum += MEANING * f64::from(cosine));
        }
        out
    }

    /// The score of each tool, a logarithm. Used tools have one too.
    pub fn scores(&self, task: &Task<'_>, legs: Legs) -> Vec<f64> {
        self.weigh(task, legs).score
    }

    /// How likely each tool is beside the others; sums to 1.
    pub fn shares(&self, task: &Task<'_>) -> Vec<f64> {
        softmax(&self.scores(task, Legs::ALL))
    }

    /// What each signal says of these tools, for those who want to know what a decision rested on.
    pub fn signals(&self, task: &Task<'_>, tools: &[usize]) -> Vec<Signals> {
        let weighed = self.weigh(task, Legs::ALL);
        let shares = softmax(&weighed.score);
        let of = |tool: &usize| Signals {
            tool: self.tools[*tool].key(),
            evidence: weighed.text[*tool],
            text: weighed.likely[*tool],
            near: weighed.near[*tool],
            past: weighed.past.as_ref().map(|past| past[*tool]),
            score: weighed.score[*tool],
            share: shares[*tool],
            ..Signals::default()
        };
        tools.iter().filter(|tool| **tool < self.tools.len()).map(of).collect()
    }

    fn weigh(&self, task: &Task<'_>, legs: Legs) -> Weighed {
        let text = self.evidence(task.text, task.vector, legs);
        let likely = softmax(&text);
        if !legs.graph {
            return Weighed { score: text.clone(), text, near: likely.clone(), likely, past: None };
        }
        let demand = self.needs.demand(&likely, &text);
        let mut score: Vec<f64> = likely
            .iter()
            .zip(&demand)
            .map(|(own, needed)| self.mix.text * (own + needed).max(f64::MIN_POSITIVE).ln())
            .collect();
        let past = self.past.zip(task.vector).map(|(past, vector)| {
            let cosines: Vec<f32> = past.vectors.iter().map(|other| dot(vector, other)).collect();
            Past::likely(&cosines, &past.sessions, &self.of, self.mix.sharpness, None)
        });
        if let Some(past) = &past {
            score.iter_mut().zip(past).for_each(|(sum, likely)| *sum += likely.ln());
        }
        if self.graph.sessions().is_empty() {
            return Weighed { score, text, near: likely.clone(), likely, past };
        }
        for (sum, used) in score.iter_mut().zip(self.used(task.used)) {
            *sum += self.mix.graph * used;
        }
        let near = self.of.together(&self.seeds(&softmax(&score), task, legs));
        score.iter_mut().zip(&near).for_each(|(sum, near)| *sum += self.mix.graph * near.ln());
        Weighed { score, text, likely, near, past }
    }

    /// What sessions used beside the used tools: the mean of what they used with each and, where the order is known, of
    /// what they called right after the last, as logarithms.
    fn used(&self, used: Used<'_>) -> Vec<f64> {
        let mut set: Vec<usize> = used.tools.iter().copied().filter(|tool| *tool < self.tools.len()).collect();
        let Some(last) = set.last().copied() else { return vec![0.0; self.tools.len()] };
        set.sort_unstable();
        set.dedup();
        let share = 1.0 / set.len() as f64;
        let with = self.of.together(&set.into_iter().map(|tool| (tool, share)).collect::<Vec<_>>());
        if !used.in_order {
            return with.into_iter().map(f64::ln).collect();
        }
        with.into_iter().zip(self.of.after(last)).map(|(with, after)| (with.ln() + after.ln()) / 2.0).collect()
    }

    /// The likely tools of the task and of its clauses. Each clause counts the same, so that a need that is told in few
    /// words is not drowned by the others.
    fn seeds(&self, likely: &[f64], task: &Task<'_>, legs: Legs) -> Vec<(usize, f64)> {
        let mut out: Vec<f64> = likely.to_vec();
        if task.clauses.len() > 1 {
            out.iter_mut().for_each(|value| *value *= 1.0 - IN_CLAUSES);
            let share = IN_CLAUSES / task.clauses.len() as f64;
            for (text, vector) in task.clauses {
                let of = softmax(&self.evidence(text, vector.as_deref(), legs));
                out.iter_mut().zip(of).for_each(|(sum, likely)| *sum += share * likely);
            }
        }
        // What is left out weighs less than a millionth each.
        out.into_iter().enumerate().filter(|(_, weight)| *weight > 1e-6).collect()
    }

    /// The best tools for a task, at most `most`, best first, with their reasons; used ones are left out. Equal scores
    /// stand in the order of the tools.
    pub fn find(&self, task: &Task<'_>, most: usize) -> Vec<Found> {
        let weighed = self.weigh(task, Legs::ALL);
        let mut order: Vec<usize> = (0..self.tools.len()).filter(|tool| !task.used.tools.contains(tool)).collect();
        let looked_at = (most as f64 * expansion(self.graph.density())).ceil() as usize;
        let ranked = |by: &[f64]| {
            let mut order = order.clone();
            order.sort_by(|a, b| by[*b].total_cmp(&by[*a]).then(a.cmp(b)));
            order.truncate(looked_at);
            order
        };
        let candidates = [ranked(&weighed.text), ranked(&weighed.near), ranked(&weighed.score)].concat();
        order.retain(|tool| candidates.contains(tool));
        order.sort_by(|a, b| weighed.score[*b].total_cmp(&weighed.score[*a]).then(a.cmp(b)));
        order.truncate(most);
        let (words, names) = self.texts.words(task.text);
        let found = |tool: usize| Found {
            tool,
            score: weighed.score[tool],
            evidence: weighed.text[tool],
            reasons: self.reasons(tool, task, &weighed, (words[tool], names[tool])),
        };
        order.into_iter().map(found).collect()
    }

    /// The tools that a plan for a task is made of, best first: those that pass the gate by themselves, or that sessions
    /// or needs bring in.
    pub fn chosen(&self, task: &Task<'_>, gate: ToolGate) -> Vec<usize> {
        let found = self.find(task, MOST_CHOSEN);
        let least = found.first().map_or(0.0, |best| best.score) + CHOSEN.ln();
        let fits = |one: &Found| gate.passes(one.evidence) || one.reasons.iter().any(Reason::is_of_graph);
        found.into_iter().filter(|one| one.score >= least && fits(one)).map(|one| one.tool).collect()
    }

    /// Why a tool is proposed: what the graph says first, because nobody sees that in the description.
    fn reasons(&self, tool: usize, task: &Task<'_>, weighed: &Weighed, (words, name): (f64, f64)) -> Vec<Reason> {
        let mut out = Vec::new();
        let base = self.of.base()[tool];
        let nodes = self.graph.nodes();
        if let Some(&last) = task.used.tools.last().filter(|last| task.used.in_order && **last < nodes.len()) {
            let times = nodes[last].then.get(&tool).copied().unwrap_or(0);
            if times > 0 {
                out.push(Reason::Follows { tool: last, times, of: nodes[last].calls });
            }
        }
        let beside = match task.used.tools {
            [] => weighed.likely.as_slice(),
            _ => &[],
        };
        let likely =
            beside.iter().enumerate().filter(|(other, _)| *other != tool).map(|(other, share)| (other, *share));
        let with = task.used.tools.iter().map(|used| (*used, 1.0)).chain(likely);
        let best = with
            .filter_map(|(other, share)| {
                let node = nodes.get(other)?;
                let sessions = node.with.get(&tool).copied()?;
                let share_of = f64::from(sessions) / f64::from(node.sessions.max(1));
                Some((share * share_of, share_of, other, sessions, node.sessions))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.2.cmp(&a.2)));
        if let Some((_, share, other, sessions, of)) = best
            && share > TELLS * base
        {
            out.push(Reason::UsedWith { tool: other, sessions, of });
        }
        if let Some((what, taker)) = self.needs.given_by(tool, &weighed.likely)
            && weighed.likely[taker] > TELLS / self.tools.len() as f64
        {
            out.push(Reason::Gives { what: what.to_owned(), tool: taker });
        }
        if weighed.past.as_ref().is_some_and(|past| past[tool] > TELLS * base) {
            out.push(Reason::Past);
        }
        if name > 0.0 {
            out.push(Reason::Name);
        }
        if words > 0.0 {
            out.push(Reason::Words);
        }
        if let (Some(vector), Some(rows)) = (task.vector, &self.rows)
            && let Some(own) = rows.chunks_exact(vector.len()).nth(tool)
        {
            out.push(Reason::Meaning { cosine: dot(vector, own) });
        }
        out.truncate(REASONS);
        out
    }
}
