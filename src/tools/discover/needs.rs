//! What likely tools need: whoever reads the credits of a movie needs its id, and so a tool that finds movies.

use super::super::words::{braced, name_words};
use super::softmax;
use crate::types::Tool;
use std::collections::{BTreeMap, BTreeSet};

/// How much of a tool's probability the tools get that give what it needs. Between 0.3 and 2 the recall at 5 of
/// REST interfaces changes by less than 0.01; at 0 it is 0.04 lower (docs/scoring.md).
pub const NEEDED: f64 = 0.5;
/// Last words of parameters that refer to a thing which another tool gives.
const REFERENCES: [&str; 5] = ["id", "ids", "uuid", "guid", "handle"];

/// Who needs a reference, and who could give it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Need {
    takers: Vec<usize>,
    givers: Vec<usize>,
}

/// All references that some tools take and others give.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    all: Vec<(String, Need)>,
}

/// Names of the references that a call of the tool must give.
fn references(tool: &Tool) -> BTreeSet<String> {
    let fields = tool.parameters.iter().filter(|field| field.required).map(|field| field.name.as_str());
    let refers = |name: &&str| name_words(name).last().is_some_and(|last| REFERENCES.contains(&last.as_str()));
    fields.chain(braced(&tool.name)).filter(refers).map(|name| name_words(name).join(" ")).collect()
}

/// The things that a name speaks of: its words. In a path a part with hyphens names one thing, so it gives no words: an
/// `issue-type` is no issue.
fn named_things(name: &str) -> BTreeSet<String> {
    let is_whole = |part: &&str| !part.contains('-');
    match name.split_once(" /") {
        Some((_, path)) => path.split('/').filter(is_whole).flat_map(name_words).collect(),
        None => name_words(name).into_iter().collect(),
    }
}

impl Needs {
    /// Of these tools. A tool gives what a reference names if that stands in its name, or among its results, and it
    /// takes no reference itself.
    pub fn of(tools: &[Tool]) -> Self {
        let taken: Vec<BTreeSet<String>> = tools.iter().map(references).collect();
        let named: Vec<BTreeSet<String>> = tools.iter().map(|tool| named_things(&tool.name)).collect();
        let given = |tool: &Tool, name: &str| tool.results.iter().any(|one| name_words(&one.name).join(" ") == name);
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (tool, names) in taken.iter().enumerate() {
            names.iter().for_each(|name| by_name.entry(name).or_default().push(tool));
        }
        let mut all = Vec::new();
        for (name, takers) in by_name {
            let subject: Vec<&str> = name.split(' ').filter(|word| !REFERENCES.contains(word)).collect();
            let gives = |tool: &usize| {
                let says = !subject.is_empty() && subject.iter().all(|word| named[*tool].contains(*word));
                taken[*tool].is_empty() && (says || given(&tools[*tool], name))
            };
            let givers: Vec<usize> = (0..tools.len()).filter(gives).collect();
            if !givers.is_empty() {
                all.push((name.to_owned(), Need { takers, givers }));
            }
        }
        Self { all }
    }

    /// What each tool gets besides its own probability: each reference is needed as much as its takers are likely, and
    /// of its givers each gets as much as what is known of it, `evidence`, makes it likely among them.
    pub fn demand(&self, likely: &[f64], evidence: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; likely.len()];
        for (_, need) in &self.all {
            let needed: f64 = need.takers.iter().map(|tool| likely[*tool]).sum();
            let among = softmax(&need.givers.iter().map(|tool| evidence[*tool]).collect::<Vec<_>>());
            need.givers.iter().zip(among).for_each(|(tool, share)| out[*tool] += NEEDED * needed * share);
        }
        out
    }

    /// A reference that this tool gives and the likeliest of `likely` takes, with that.
    pub fn given_by(&self, tool: usize, likely: &[f64]) -> Option<(&str, usize)> {
        let of = self.all.iter().filter(|(_, need)| need.givers.contains(&tool));
        let takers = of.flat_map(|(name, need)| need.takers.iter().map(move |taker| (name.as_str(), *taker)));
        takers.max_by(|a, b| likely[a.1].total_cmp(&likely[b.1]).then(b.1.cmp(&a.1)))
    }
}
