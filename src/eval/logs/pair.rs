//! For each log a stand-in for what the same job prints when it passes: the log of the same repository that is nearest
//! in time, without the lines that are marked as the reason of its failure.
//!
//! It flatters nothing: what tells of that other failure elsewhere in the log stays in, and a run that passed would not
//! print it.

use super::set::LabelledLog;
use crate::text::clean;
use crate::triage::Passing;
use std::collections::HashMap;

/// The stand-in of each log, in order; none for the only log of a repository.
pub fn passing_logs(logs: &[LabelledLog]) -> Vec<Option<Passing>> {
    let mut by_repo: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, log) in logs.iter().enumerate() {
        by_repo.entry(&log.repo).or_default().push(at);
    }
    let nearest = |at: usize| {
        let others = by_repo[logs[at].repo.as_str()].iter().copied().filter(|other| *other != at);
        others.min_by_key(|other| (distance(logs, at, *other), *other))
    };
    (0..logs.len()).map(|at| nearest(at).map(|other| without_marked(&logs[other]))).collect()
}

/// How far apart two logs are: build systems count their runs up, so an id tells when one was. Else by their places.
fn distance(logs: &[LabelledLog], one: usize, other: usize) -> u64 {
    let id = |at: usize| logs[at].id.parse::<u64>().ok();
    match (id(one), id(other)) {
        (Some(one), Some(other)) => one.abs_diff(other),
        _ => one.abs_diff(other) as u64,
    }
}

fn without_marked(log: &LabelledLog) -> Passing {
    let is_marked = |number: usize| log.marked.iter().any(|(first, last)| (*first..=*last).contains(&number));
    let left: Vec<&str> =
        log.text.split('\n').enumerate().filter(|(at, _)| !is_marked(at + 1)).map(|(_, line)| line).collect();
    let mut passing = Passing::default();
    passing.add(&clean(&left.join("\n")));
    passing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_the_same_repository_without_its_reason() {
        let log = |id: &str, repo: &str, text: &str| LabelledLog {
            id: id.to_owned(),
            repo: repo.to_owned(),
            text: text.to_owned(),
            marked: vec![(2, 2)],
        };
        let logs = [
            log("100", "a", "begin\nerror: far\nend"),
            log("107", "a", "start\nerror: one\nend"),
            log("109", "a", "near\nerror: two\nend"),
            log("108", "b", "other\nerror: three\nend"),
        ];
        let found = passing_logs(&logs);
        let second = found[1].as_ref().unwrap();
        assert_eq!(
            (second.has("near"), second.has("begin"), second.has("other")),
            (Some(true), Some(false), Some(false))
        );
        assert_eq!(second.has("error: two"), Some(false));
        assert!(found[0].as_ref().unwrap().has("start") == Some(true) && found[3].is_none());
    }
}
