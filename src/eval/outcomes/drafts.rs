//! How good drafted patterns are. A draft is made from half of the instances of a log statement; the other half and the
//! lines of all other statements are held out to judge it.

use crate::eval::LabelledLine;
use crate::outcome::draft::{draft, telling_line};
use regex::RegexBuilder;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Fewest different instances of a statement that is used: two to learn from and two to judge by.
const FEWEST: usize = 4;

/// What became of drafts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DraftFigures {
    /// Statements with enough different instances.
    pub statements: usize,
    /// Statements for which a draft was made that passes the check.
    pub drafted: usize,
    /// Drafts that match every held-out instance of their statement, and no other line.
    pub right: usize,
    /// Drafts that match all held-out instances.
    pub whole: usize,
    /// Drafts that match no line of another statement.
    pub clean: usize,
    /// Mean share of held-out instances that drafts match.
    pub recall: f64,
}

/// Drafts an entry for each statement of each system, from every second of its instances, and judges it.
pub fn measure_drafts(lines: &[LabelledLine]) -> DraftFigures {
    let mut systems: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    for line in lines {
        let of = systems.entry(&line.system).or_default().entry(&line.template).or_default();
        of.insert(telling_line(&line.content));
    }
    let mut out = DraftFigures::default();
    for (system, templates) in &systems {
        for (template, instances) in templates.iter().filter(|(_, instances)| instances.len() >= FEWEST) {
            let learnt: Vec<&str> = instances.iter().step_by(2).map(String::as_str).collect();
            let held_out: Vec<&str> = instances.iter().skip(1).step_by(2).map(String::as_str).collect();
            let elsewhere = || templates.iter().filter(|(name, _)| *name != template).map(|(_, lines)| lines);
            let seen: Vec<&str> = elsewhere().flat_map(|lines| lines.iter().step_by(2)).map(String::as_str).collect();
            out.statements += 1;
            let Ok(draft) = draft("drafts", system, &learnt, &seen, &[]) else { continue };
            let relaxed = draft.pattern.replace(' ', r"[ \t\n]+");
            let Ok(regex) = RegexBuilder::new(&relaxed).multi_line(true).build() else { continue };
            let matched = held_out.iter().filter(|line| regex.is_match(line)).count();
            // A line that stands in both is of both statements.
            let is_clean = !elsewhere().flatten().any(|line| !instances.contains(line) && regex.is_match(line));
            out.drafted += 1;
            out.recall += matched as f64 / held_out.len() as f64;
            out.whole += usize::from(matched == held_out.len());
            out.clean += usize::from(is_clean);
            out.right += usize::from(is_clean && matched == held_out.len());
        }
    }
    out.recall /= out.drafted.max(1) as f64;
    out
}
