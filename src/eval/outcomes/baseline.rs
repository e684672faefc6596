//! What predictions are held against: the ends that are commonest of all, of an action, and of an action with an error.
//! And for fixes, plain BM25 from the failure's input and error to the inputs of steps.

use crate::lexical::{QueryTerms, TermIndex};
use crate::outcome::predict::Target;
use crate::outcome::recovery::Recovery;
use crate::outcome::{Session, error_kind};
use crate::types::ToolOutcome;
use std::collections::{BTreeMap, HashMap};
use std::io;

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
    steps: Vec<&'a ToolOutcome>,
    index: TermIndex,
}

impl<'a> PlainWords<'a> {
    pub fn of(sessions: &[Session<'a>]) -> io::Result<Self> {
        let steps: Vec<&ToolOutcome> = sessions.iter().flatten().filter(|row| row.is_ok).copied().collect();
        let index = TermIndex::of_texts((0..).zip(steps.iter().map(|row| row.input.as_str())))?;
        Ok(Self { steps, index })
    }

    /// The steps of other sessions whose inputs have the most of a failure's words.
    pub fn find(&self, row: &ToolOutcome, most: usize) -> Vec<(String, u32)> {
        let asked = QueryTerms::of(&format!("{}\n{}", row.input, row.error));
        let ranked = self.index.score_all(&asked).best(self.steps.len());
        let steps = ranked.into_iter().filter_map(|id| self.steps.get(usize::try_from(id).ok()?));
        let others = steps.filter(|step| step.session != row.session);
        others.take(most).map(|step| (step.session.clone(), step.sequence)).collect()
    }
}
