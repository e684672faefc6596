//! Cause before consequence, over the problems of an input: what a cause brought about is a line beside it, and not an
//! answer of its own.

use super::analyse::Problem;
use super::sure::Sure;
use crate::types::{CausalRole, Seen};

/// The problems of an input in the order in which they are answered.
pub(super) struct Link {
    /// Places of problems; those that another one explains are not among them.
    pub order: Vec<usize>,
    /// What was seen besides, of each problem.
    pub also_seen: Vec<Vec<Seen>>,
}

/// Orders problems and folds those that a cause explains into the problem of that cause.
///
/// - What names its cause (`caused_by`), and that cause is known elsewhere in the input, is folded into it. The cause
///   takes its place, wherever it stands and however unlikely it looked by itself.
/// - In a run that failed, what is no cause is folded into a likelier problem whose cause is known.
/// - A warning is folded into any problem whose cause is known; where there is none, and other problems, it is a line.
/// - What is no likely reason says nothing, unless something named it.
pub(super) fn link(
    problems: &[Problem],
    known: &mut [Vec<Sure>],
    is_run: bool,
    is_reason: &dyn Fn(&Problem) -> bool,
) -> Link {
    let all = 0..problems.len();
    let only_warns = |sure: &[Sure]| sure.iter().all(|one| one.hit.role == CausalRole::Warning);
    let knows_cause = |at: usize| known[at].first().is_some_and(Sure::is_cause);
    let named: Vec<Option<usize>> =
        all.clone().map(|at| if is_reason(&problems[at]) { cause_of(known, at) } else { None }).collect();
    let is_open = |at: usize| is_reason(&problems[at]) || named.contains(&Some(at));
    // A cause stands where the first of those stands that it explains.
    let place = |at: usize| named.iter().position(|cause| *cause == Some(at)).map_or(at, |first| first.min(at));
    let lead = all.clone().filter(|&at| knows_cause(at) && is_open(at)).min_by_key(|&at| place(at));
    let into = |at: usize| match named[at] {
        None if known[at].is_empty() || knows_cause(at) => None,
        None if only_warns(&known[at]) => lead,
        None if is_run => lead.filter(|&lead| place(lead) < at),
        named => named,
    };
    let into: Vec<Option<usize>> = all.clone().map(into).collect();
    // What is named may itself have been folded.
    let into: Vec<Option<usize>> = into.iter().map(|one| one.map(|at| into[at].unwrap_or(at))).collect();
    let mut order: Vec<usize> = all.clone().filter(|&at| into[at].is_none()).collect();
    order.sort_by_key(|&at| place(at));
    let open: Vec<bool> = all.clone().map(is_open).collect();
    let mut also_seen = vec![Vec::new(); problems.len()];
    for at in all {
        let line = open[at] && into[at].is_none() && only_warns(&known[at]) && problems.len() > 1;
        if let Some(into) = into[at].or(line.then_some(at)) {
            also_seen[into].extend(known[at].drain(..).map(|one| seen(&one, &problems[at])));
        } else if !open[at] {
            known[at].clear();
        }
    }
    Link { order, also_seen }
}

/// The problem whose first entry is named as a cause by the first one of this problem, and so on to the last that is
/// named; at most as many steps as there are problems, since packs may name each other in a circle.
fn cause_of(known: &[Vec<Sure>], at: usize) -> Option<usize> {
    let named = |at: usize| {
        let first = known[at].first()?;
        let brought_about = |other: &usize| known[*other].first().is_some_and(|other| first.is_caused_by(other));
        (0..known.len()).filter(|other| *other != at).find(brought_about)
    };
    let mut cause = named(at)?;
    for _ in 0..known.len() {
        match named(cause) {
            Some(deeper) if deeper != at => cause = deeper,
            _ => break,
        }
    }
    (cause != at && named(cause).is_none()).then_some(cause)
}

fn seen(one: &Sure, problem: &Problem) -> Seen {
    Seen { id: one.hit.id.clone(), title: one.hit.title.clone(), line_start: problem.lines.0 }
}

#[cfg(test)]
mod tests {
    use super::super::analyse::analyse;
    use super::super::knowledge::Knowledge;
    use super::super::options::LookupOptions;
    use super::super::sure::sure;
    use super::*;
    use crate::canon::{Canon, PackLayer, PackSource};
    use crate::text::Log;

    /// A pack of a cause, what it brings about, a wrapper, a warning, and a surface.
    fn knowledge() -> Knowledge {
        let text = serde_json::json!({"schema_version": 1, "pack": "p", "title": "P", "entries": [
            {"id": "p/disk", "title": "Disk full", "error_patterns": ["no space left on disk"], "cause": "c",
             "fix": ["f"]},
            {"id": "p/damaged", "title": "Damaged page", "error_patterns": ["could not write block"], "cause": "c",
             "fix": ["f"], "caused_by": ["p/disk"]},
            {"id": "p/ended", "title": "Ended", "error_patterns": ["process ended with an error"], "cause": "c",
             "fix": ["f"], "role": "consequence"},
            {"id": "p/old", "title": "Old option", "error_patterns": ["failed option is deprecated"], "cause": "c",
             "fix": ["f"], "role": "warning"},
            {"id": "p/any", "title": "Any error", "error_patterns": ["generic error"], "cause": "c", "fix": ["f"],
             "general": true}
        ]});
        let source = PackSource { layer: PackLayer::User, origin: "p.json".into(), text: text.to_string().into() };
        Knowledge::new(Canon::only(&[source]).0, None)
    }

    /// What is answered, in order, each with what was seen besides.
    fn answered(log: &str, is_run: bool) -> Vec<(Vec<String>, Vec<String>)> {
        let knowledge = knowledge();
        let problems = analyse(&mut Log::new(&mut log.as_bytes()), knowledge.canon(), &|_| true, None).unwrap().list;
        let options = LookupOptions::default();
        let mut known: Vec<Vec<Sure>> =
            problems.iter().map(|problem| sure(&knowledge, problem, &options, false)).collect();
        let link = link(&problems, &mut known, is_run, &|_| true);
        let ids = |at: &usize| {
            let hits = known[*at].iter().map(|one| one.hit.id.clone()).collect();
            (hits, link.also_seen[*at].iter().map(|seen| seen.id.clone()).collect())
        };
        link.order.iter().map(ids).collect()
    }

    fn line(hits: &[&str], seen: &[&str]) -> (Vec<String>, Vec<String>) {
        let own = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        (own(hits), own(seen))
    }

    const GAP: &str = "\n\nok\n\n\nok\n\n\nok\n\n";

    #[test]
    fn what_names_its_cause_comes_after_it_in_one_block() {
        let one = "ERROR: could not write block 3\nDETAIL: no space left on disk";
        assert_eq!(answered(one, false), [line(&["p/disk", "p/damaged"], &[])]);
        let other = "ERROR: process ended with an error\nERROR: no space left on disk";
        assert_eq!(answered(other, false)[0].0[0], "p/disk");
    }

    #[test]
    fn what_names_its_cause_is_folded_into_it() {
        let log = format!("ERROR: process ended with an error{GAP}ERROR: no space left on disk");
        assert_eq!(answered(&log, true).len(), 2, "what stands first in a run that failed is likelier");
        let log = format!("ERROR: no space left on disk{GAP}ERROR: process ended with an error");
        assert_eq!(answered(&log, true), [line(&["p/disk"], &["p/ended"])]);
        assert_eq!(answered(&log, false).len(), 2, "nothing says that the one brought about the other");
    }

    #[test]
    fn a_warning_is_a_line_beside_anything_else() {
        let log = format!("failed option is deprecated{GAP}ERROR: no space left on disk");
        let found = answered(&log, false);
        assert!(found.iter().all(|(hits, _)| !hits.contains(&"p/old".to_owned())), "{found:?}");
        assert!(found.iter().any(|(_, seen)| seen == &["p/old"]), "{found:?}");
        assert_eq!(answered("failed option is deprecated", false), [line(&["p/old"], &[])]);
    }

    #[test]
    fn what_is_true_of_any_error_comes_last() {
        let one = "ERROR: generic error: process ended with an error";
        assert_eq!(answered(one, false), [line(&["p/ended", "p/any"], &[])]);
    }
}
