//! What predictions are held against: the ends that are commonest of all, of an action, and of an action with an error.
//! And for fixes, plain BM25 from the failure's input and error to the inputs of steps.

use crate::outcome::predict::Target;
use crate::outcome::recovery::Recovery;
use crate::outcome::{Session, error_kind};
use crate::text::tokens;
use crate::types::ToolOutcome;
use std::collections::{BTreeMap, HashMap};

/// Counts of ends by what is equal.
#[derive(Default)]
pub(super) struct Commonest {
    all: BTreeMap<Target, usize>,
    by_action: HashMap<(String, String), BTreeMap<Target, usize>>,
    by_error: HashMap<(String, String, String), BTreeMap<Target, usize>>,
}

/// What has to be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Equal {
    Nothing,
    Action,
    ActionAndError,
}

impl Commonest {
    pub fn add(&mut self, row: &ToolOutcome, one: &Recovery) {
        let target = one.target();
        *self.all.entry(target.clone()).or_default() += 1;
        *self.by_action.entry(action(row)).or_default().entry(target.clone()).or_default() += 1;
        *self.by_error.entry(with_error(row)).or_default().entry(target).or_default() += 1;
    }

    /// The three commonest ends, of the next wider group where there are none.
    pub fn first(&self, row: &ToolOutcome, equal: Equal) -> Vec<Target> {
        let (action, error) = (self.by_action.get(&action(row)), self.by_error.get(&with_error(row)));
        let counts = match equal {
            Equal::Nothing => None,
            Equal::Action => action,
            Equal::ActionAndError => error.or(action),
        };
        let mut counts: Vec<(&Target, &usize)> = counts.unwrap_or(&self.all).iter().collect();
        counts.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        counts.into_iter().take(3).map(|(target, _)| target.clone()).collect()
    }
}

fn action(row: &ToolOutcome) -> (String, String) {
    (row.tool.clone(), row.head.clone())
}

fn with_error(row: &ToolOutcome) -> (String, String, String) {
    (row.tool.clone(), row.head.clone(), error_kind(&row.error))
}

/// Inputs of all steps that went well.
pub(super) struct PlainWords<'a> {
    steps: Vec<(&'a ToolOutcome, HashMap<String, f64>, f64)>,
    holding: HashMap<String, Vec<usize>>,
    mean: f64,
}

impl<'a> PlainWords<'a> {
    pub fn of(sessions: &[Session<'a>]) -> Self {
        let mut out = Self { steps: Vec::new(), holding: HashMap::new(), mean: 1.0 };
        for row in sessions.iter().flatten().filter(|row| row.is_ok) {
            let mut words: HashMap<String, f64> = HashMap::new();
            tokens(&row.input).into_iter().for_each(|word| *words.entry(word).or_default() += 1.0);
            words.keys().for_each(|word| out.holding.entry(word.clone()).or_default().push(out.steps.len()));
            let length = words.values().sum();
            out.steps.push((row, words, length));
        }
        out.mean = out.steps.iter().map(|step| step.2).sum::<f64>() / out.steps.len().max(1) as f64;
        out
    }

    /// The steps of other sessions whose inputs have the most of a failure's words.
    pub fn find(&self, row: &ToolOutcome, most: usize) -> Vec<(String, u32)> {
        let (k1, b) = (1.2, 0.75);
        let mut words = tokens(&row.input);
        words.extend(tokens(&row.error));
        words.sort();
        words.dedup();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for word in words {
            let Some(holding) = self.holding.get(&word) else { continue };
            let (n, df) = (self.steps.len() as f64, holding.len() as f64);
            let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
            for &at in holding {
                let (_, words, length) = &self.steps[at];
                let tf = words.get(&word).copied().unwrap_or(0.0);
                let norm = k1 * (1.0 - b + b * length / self.mean.max(1.0));
                *scores.entry(at).or_default() += idf * tf * (k1 + 1.0) / (tf + norm);
            }
        }
        let mut ranked: Vec<(usize, f64)> =
            scores.into_iter().filter(|(at, _)| self.steps[*at].0.session != row.session).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked
            .into_iter()
            .take(most)
            .map(|(at, _)| (self.steps[at].0.session.clone(), self.steps[at].0.sequence))
            .collect()
    }
}
