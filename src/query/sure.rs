//! What is sure about a problem without a model: entries whose specific pattern matches in it, or whose example it is.

use super::analyse::Problem;
use super::explanation::of_sure;
use super::hit::advice;
use super::knowledge::Knowledge;
use super::options::LookupOptions;
use crate::canon::PatternHit;
use crate::types::{CausalRole, Hit, Platform, Tier};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// An entry that surely belongs to a problem.
#[derive(Debug, Clone)]
pub(super) struct Sure {
    pub hit: Hit,
    /// Ids of entries that typically cause it.
    pub caused_by: Vec<String>,
    /// How much of its best pattern is plain text: of two that match, the one that says more is the surer.
    weight: usize,
}

impl Sure {
    /// Whether the cause is known with it.
    pub fn is_cause(&self) -> bool {
        self.is_specific() && self.hit.role == CausalRole::Cause
    }

    /// Whether that one is its cause and stands before it. What is true of any error of its kind stands before a
    /// consequence alone: it says less than a cause that names it.
    pub fn is_caused_by(&self, other: &Self) -> bool {
        let says_more = self.hit.role.is_cause() && other.hit.tier == Tier::General;
        other.hit.role != CausalRole::Warning && self.caused_by.contains(&other.hit.id) && !says_more
    }

    /// Whether it says something of this error, and not only of all errors of the kind.
    pub fn is_specific(&self) -> bool {
        self.hit.tier != Tier::General && self.hit.role != CausalRole::Warning
    }
}

/// What is sure about a problem, best first: patterns, and where none matches and `compare` is set, equal texts.
pub(super) fn sure(knowledge: &Knowledge, problem: &Problem, options: &LookupOptions, compare: bool) -> Vec<Sure> {
    let by_pattern = by_pattern(knowledge, problem, options);
    if by_pattern.is_empty() && compare {
        return by_fingerprint(knowledge, problem, options).into_iter().collect();
    }
    by_pattern
}

/// Entries of which a specific pattern matches. A cause comes before what it brings about, what is true of any error of
/// its kind after what is true of this one, and a warning last; of equals the pattern that says most is first.
fn by_pattern(knowledge: &Knowledge, problem: &Problem, options: &LookupOptions) -> Vec<Sure> {
    let mut by_entry: BTreeMap<usize, Vec<&PatternHit>> = BTreeMap::new();
    for hit in problem.hits.iter().filter(|hit| !hit.generic) {
        by_entry.entry(hit.entry).or_default().push(hit);
    }
    let known = |(entry, hits): (usize, Vec<&PatternHit>)| {
        let mut captures = BTreeMap::new();
        for hit in &hits {
            for (name, value) in &hit.captures {
                captures.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let stored = &knowledge.canon().entries()[entry];
        let tier = if stored.entry().general { Tier::General } else { Tier::Exact };
        let matched = hits.iter().map(|hit| hit.pattern.as_str());
        let fit = stored.entry().fit(matched, platform(problem, options));
        let mut hit = advice(stored, tier, 1.0, &fit, captures);
        hit.explain = options.explain.then(|| of_sure(hits.first().map(|hit| hit.pattern.clone())));
        let weight = hits.iter().map(|hit| literal_weight(&hit.pattern)).max().unwrap_or(0);
        Sure { hit, caused_by: stored.entry().caused_by.clone(), weight }
    };
    let mut found: Vec<Sure> = by_entry.into_iter().map(known).collect();
    let place = |one: &Sure| (one.hit.role == CausalRole::Warning, one.hit.tier, one.hit.role, Reverse(one.weight));
    found.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.hit.id.cmp(&b.hit.id)));
    causes_first(found)
}

/// Puts each entry before those that name it as their cause.
fn causes_first(found: Vec<Sure>) -> Vec<Sure> {
    let mut out: Vec<Sure> = Vec::with_capacity(found.len());
    for one in found {
        let at = out.iter().position(|other| other.is_caused_by(&one));
        out.insert(at.unwrap_or(out.len()), one);
    }
    out
}

/// The entry that has the problem's masked text as an example or symptom, if there is one.
fn by_fingerprint(knowledge: &Knowledge, problem: &Problem, options: &LookupOptions) -> Option<Sure> {
    let fingerprint = problem.block.fingerprint.as_str();
    let admitted = |entry: usize| {
        let stored = &knowledge.canon().entries()[entry];
        options.filters.admit(stored) && !options.feedback.rejects(fingerprint, stored.id())
    };
    // What worked for the same error is known, whatever its examples say.
    let confirmed = options.feedback.confirmed(fingerprint).into_iter().filter_map(|id| knowledge.canon().index_of(id));
    let entry = match confirmed.into_iter().find(|entry| admitted(*entry)) {
        Some(entry) => entry,
        None => knowledge.same_fingerprint(problem, &admitted)?,
    };
    let stored = &knowledge.canon().entries()[entry];
    let tier = if stored.entry().general { Tier::General } else { Tier::Fingerprint };
    let fit = stored.entry().fit([], platform(problem, options));
    let mut hit = advice(stored, tier, 1.0, &fit, BTreeMap::new());
    hit.explain = options.explain.then(|| of_sure(None));
    Some(Sure { hit, caused_by: stored.entry().caused_by.clone(), weight: 0 })
}

/// Where a problem was met: where its text says, or where the command that printed it ran.
pub(super) fn platform(problem: &Problem, options: &LookupOptions) -> Option<Platform> {
    problem.platform.or(options.platform)
}

/// How much of a pattern is plain text, classes and group names aside.
fn literal_weight(pattern: &str) -> usize {
    let (mut weight, mut in_class, mut in_name) = (0, false, false);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '<' => in_name = true,
            '>' => in_name = false,
            c => weight += usize::from(c.is_alphanumeric() && !in_class && !in_name),
        }
    }
    weight
}
