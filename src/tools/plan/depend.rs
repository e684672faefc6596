//! Which tool needs which.
//!
//! The sureties rank kinds of evidence: they are not measured shares. Among edges of these kinds the rank alone decides
//! which edge of a cycle goes; beside an order that was seen in sessions the number counts too.

use super::super::words::{braced, name_words, singular};
use crate::types::Tool;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A result has the name and the type of a parameter.
pub const FIELD_AND_TYPE: f64 = 0.9;
/// A result has the name of a parameter; one of the two has no type.
pub const FIELD_NAME: f64 = 0.8;
/// A parameter refers to what a tool's name names: `movie_id`, and a search for movies.
pub const REFERENCE: f64 = 0.7;
/// Two tools about one thing have verbs that follow each other: to create comes before to delete.
pub const VERB_ORDER: f64 = 0.55;
/// A tool was called first in more than this share of the sessions that called both. Counts are smoothed as Laplace
/// did, so one session is not enough.
pub const LEAST_ORDER: f64 = 2.0 / 3.0;
/// Verbs by what comes first.
pub const VERBS: [&[&str]; 5] = [
    &["login", "authenticate", "connect", "open", "init", "start"],
    &["search", "find", "list", "query", "lookup", "browse", "download", "fetch"],
    &["get", "read", "show", "view", "create", "make", "add", "new", "build", "write"],
    &["update", "edit", "modify", "set", "change", "move", "copy", "sort", "filter", "convert", "index", "merge"],
    &["delete", "remove", "cancel", "close", "send", "share", "publish", "report", "upload", "logout", "stop"],
];
/// Verbs that end what they are about: afterwards nobody can read, change or end it. They give nothing that another
/// tool could need.
pub const ENDS: [&str; 23] = [
    "delete",
    "del",
    "remove",
    "rm",
    "rmdir",
    "unlink",
    "destroy",
    "drop",
    "erase",
    "purge",
    "wipe",
    "discard",
    "trash",
    "close",
    "cancel",
    "revoke",
    "uninstall",
    "terminate",
    "kill",
    "stop",
    "disconnect",
    "logout",
    "archive",
];
/// Words that a reference ends with.
const REFERENCES: [&str; 5] = ["id", "ids", "uuid", "guid", "handle"];

/// Why one tool is before another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Because {
    /// It gives a parameter of the other.
    Field {
        /// The parameter.
        name: String,
    },
    /// It finds or makes what a parameter of the other refers to.
    Reference {
        /// The parameter.
        name: String,
    },
    /// It was called first in most sessions that called both.
    Order {
        /// In how many.
        times: u32,
        /// Of how many.
        of: u32,
    },
    /// Their names say what is done to one thing, one after the other.
    Verbs,
}

impl Because {
    /// Whether something passes from the one tool to the other.
    pub fn is_flow(&self) -> bool {
        matches!(self, Self::Field { .. } | Self::Reference { .. })
    }
}

/// One tool before another, by their places.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dependency {
    pub from: usize,
    pub to: usize,
    pub surety: f64,
    pub because: Because,
}

/// A reason to put one tool before another. Most of them are dropped again, so their texts are borrowed.
#[derive(Clone, Copy)]
struct Evidence<'a> {
    from: usize,
    to: usize,
    surety: f64,
    because: Reason<'a>,
}

/// As [`Because`], with borrowed texts.
#[derive(Clone, Copy)]
enum Reason<'a> {
    Field(&'a str),
    Reference(&'a str),
    Order { times: u32, of: u32 },
    Verbs,
}

impl From<Evidence<'_>> for Dependency {
    fn from(evidence: Evidence<'_>) -> Self {
        let Evidence { from, to, surety, because } = evidence;
        let because = match because {
            Reason::Field(name) => Because::Field { name: name.to_owned() },
            Reason::Reference(name) => Because::Reference { name: name.to_owned() },
            Reason::Order { times, of } => Because::Order { times, of },
            Reason::Verbs => Because::Verbs,
        };
        Self { from, to, surety, because }
    }
}

/// Keeps the surest evidence of each pair: the first, if several are equally sure, and none, if both directions are
/// equally sure. The result is in the order of the ends.
fn surest(all: &[Evidence<'_>]) -> Vec<Dependency> {
    // Pairs of numbers are sorted, because they are smaller than evidence.
    let ends = |a: usize, b: usize| (a as u64) << 32 | b as u64;
    let pair = |(at, one): (usize, &Evidence<'_>)| (ends(one.from.min(one.to), one.from.max(one.to)), at);
    let mut pairs: Vec<(u64, usize)> = all.iter().enumerate().map(pair).collect();
    pairs.sort_unstable();
    let winners = pairs.chunk_by(|a, b| a.0 == b.0).filter_map(|both| winner(all, both));
    let mut winners: Vec<(u64, usize)> = winners.map(|at| (ends(all[at].from, all[at].to), at)).collect();
    winners.sort_unstable();
    winners.into_iter().map(|(_, at)| Dependency::from(all[at])).collect()
}

/// The place of the evidence that is kept of one pair. `both` holds all evidence of the pair, in the order of places.
fn winner(all: &[Evidence<'_>], both: &[(u64, usize)]) -> Option<usize> {
    let best = |is_up: bool| {
        let one_way = both.iter().map(|(_, at)| *at).filter(|at| (all[*at].from < all[*at].to) == is_up);
        one_way.reduce(|best, next| if all[next].surety > all[best].surety { next } else { best })
    };
    match (best(true), best(false)) {
        (Some(up), Some(down)) if all[up].surety == all[down].surety => None,
        (Some(up), Some(down)) => Some(if all[up].surety > all[down].surety { up } else { down }),
        (up, down) => up.or(down),
    }
}

/// What a tool takes: name in words, name as it is, type, for what must be given.
fn taken(tool: &Tool) -> Vec<(String, String, String)> {
    let fields = tool.parameters.iter().filter(|field| field.required);
    let mut out: Vec<(String, String, String)> =
        fields.map(|field| (name_words(&field.name).join(" "), field.name.clone(), field.kind.clone())).collect();
    for name in braced(&tool.name) {
        let words = name_words(name).join(" ");
        if !out.iter().any(|(known, _, _)| *known == words) {
            out.push((words, name.to_owned(), String::new()));
        }
    }
    out
}

fn subject(words: &str) -> Option<Vec<&str>> {
    let all: Vec<&str> = words.split(' ').collect();
    let (last, subject) = all.split_last()?;
    (REFERENCES.contains(last) && !subject.is_empty()).then(|| subject.to_vec())
}

/// The place of a tool's first verb that is in [`VERBS`], and its other words.
fn verb(words: &[String]) -> Option<(usize, Vec<&str>)> {
    let of = |word: &str| VERBS.iter().position(|verbs| verbs.contains(&word));
    let at = words.iter().position(|word| of(word).is_some())?;
    let others = words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, word)| word.as_str());
    Some((of(&words[at])?, others.collect()))
}

/// What a tool ends, as single words; none if it ends nothing. Its first verb decides: `get_delete_marker` reads.
fn ended(words: &[String]) -> Option<BTreeSet<&str>> {
    let is_verb = |word: &str| VERBS.iter().any(|verbs| verbs.contains(&word)) || ENDS.contains(&word);
    let at = words.iter().position(|word| is_verb(word)).filter(|at| ENDS.contains(&words[*at].as_str()))?;
    let others = words.iter().enumerate().filter(|(other, _)| *other != at);
    Some(others.map(|(_, word)| singular(word)).collect())
}

/// The things that a tool is about: the words of its name, and what its parameters refer to.
fn things<'a>(words: &'a [String], takes: &'a [(String, String, String)]) -> BTreeSet<&'a str> {
    let referred = takes.iter().filter_map(|(name, _, _)| subject(name)).flatten();
    words.iter().map(String::as_str).chain(referred).map(singular).collect()
}

/// What needs what, over all pairs in both directions; of two directions the surer one, and none where both are as
/// sure. Tools stand in the order of their keys.
pub(super) fn dependencies(tools: &[&Tool], seen: &[(usize, usize, u32)]) -> Vec<Dependency> {
    let names: Vec<Vec<String>> = tools.iter().map(|tool| name_words(&tool.name)).collect();
    let takes: Vec<Vec<(String, String, String)>> = tools.iter().map(|tool| taken(tool)).collect();
    let mut found: Vec<Evidence<'_>> = Vec::new();
    let mut add = |from: usize, to: usize, surety: f64, because| {
        if from != to {
            found.push(Evidence { from, to, surety, because });
        }
    };
    let ends: Vec<Option<BTreeSet<&str>>> = names.iter().map(|words| ended(words)).collect();
    let mut givers: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, tool) in tools.iter().enumerate().filter(|(at, _)| ends[*at].is_none()) {
        let fields = tool.results.iter().map(|field| (name_words(&field.name).join(" "), field.kind.as_str()));
        fields.for_each(|(name, kind)| givers.entry(name).or_default().push((at, kind)));
        let distinct: BTreeSet<&str> = names[at].iter().map(String::as_str).collect();
        distinct.into_iter().for_each(|word| named.entry(word).or_default().push(at));
    }
    for (to, fields) in takes.iter().enumerate() {
        for (words, name, kind) in fields {
            for (from, given) in givers.get(words).into_iter().flatten() {
                let surety = match (kind.as_str(), *given) {
                    ("", _) | (_, "") => FIELD_NAME,
                    (taken, given) if taken == given => FIELD_AND_TYPE,
                    _ => continue,
                };
                add(*from, to, surety, Reason::Field(name));
            }
            let Some(subject) = subject(words) else { continue };
            let holds = |from: &usize| {
                let all = subject.iter().all(|word| names[*from].iter().any(|own| own == word));
                all && !takes[*from].iter().any(|(other, _, _)| other == words)
            };
            let some = subject.first().and_then(|word| named.get(word));
            for from in some.into_iter().flatten().copied().filter(holds) {
                add(from, to, REFERENCE, Reason::Reference(name));
            }
        }
    }
    let counts: BTreeMap<(usize, usize), u32> = seen.iter().map(|(a, b, times)| ((*a, *b), *times)).collect();
    for ((from, to), times) in &counts {
        let of = times + counts.get(&(*to, *from)).copied().unwrap_or(0);
        let share = f64::from(times + 1) / f64::from(of + 2);
        if share > LEAST_ORDER {
            add(*from, *to, share, Reason::Order { times: *times, of });
        }
    }
    let verbs: Vec<Option<(usize, Vec<&str>)>> = names.iter().map(|words| verb(words)).collect();
    let mut about: BTreeMap<Vec<&str>, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, verb) in verbs.iter().enumerate() {
        if let Some((stage, thing)) = verb.as_ref().filter(|(_, thing)| !thing.is_empty()) {
            about.entry(thing.clone()).or_default().push((*stage, at));
        }
    }
    for same in about.values() {
        for (stage, from) in same {
            let later = same.iter().filter(|(other, _)| other > stage);
            later.for_each(|(_, to)| add(*from, *to, VERB_ORDER, Reason::Verbs));
        }
    }
    // What ends a thing comes after all that is done with it, or with a part of it.
    let about_things: Vec<BTreeSet<&str>> =
        names.iter().zip(&takes).map(|(words, takes)| things(words, takes)).collect();
    for (to, ended) in ends.iter().enumerate() {
        let Some(ended) = ended.as_ref().filter(|ended| !ended.is_empty()) else { continue };
        for (from, _) in about_things.iter().enumerate().filter(|(_, about)| ended.is_subset(about)) {
            // Of two that end something the part goes before the whole.
            if ends[from].as_ref().is_none_or(|part| ended.len() < part.len()) {
                add(from, to, VERB_ORDER, Reason::Verbs);
            }
        }
    }
    surest(&found)
}

/// What must be given that no edge gives: tool, parameter and type, in order.
pub(super) fn missing(tools: &[&Tool], kept: &[Dependency]) -> Vec<(usize, String, String)> {
    let mut given: BTreeSet<(usize, &str)> = BTreeSet::new();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); tools.len()];
    for edge in kept {
        before[edge.to].push(edge.from);
        if let Because::Field { name } | Because::Reference { name } = &edge.because {
            given.insert((edge.to, name));
        }
    }
    // One edge names one parameter; the same tool may give others.
    let results = |tool: &&Tool| tool.results.iter().map(|one| name_words(&one.name).join(" ")).collect();
    let gives: Vec<BTreeSet<String>> = tools.iter().map(results).collect();
    let mut out = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        for (words, name, kind) in taken(tool) {
            let from_before = before[at].iter().any(|from| gives[*from].contains(&words));
            if !given.contains(&(at, name.as_str())) && !from_before {
                out.push((at, name, kind));
            }
        }
    }
    out
}
