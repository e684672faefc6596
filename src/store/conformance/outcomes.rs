//! Runs of tools, counts of failures, batches and patterns.

use super::harness::{Made, Maker, made};
use crate::store::{BatchState, FOUND, OutcomeCursor, OutcomeFilter, PatternFilter, StoredPattern, WriteOutcomes};
use crate::store::{KeepOutcomes, ReadOutcomes};
use crate::types::{Scope, ToolOutcome};

pub(super) fn outcome(session: &str, at: i64, error: Option<&str>) -> ToolOutcome {
    ToolOutcome {
        call: None,
        session: session.to_owned(),
        sequence: 0,
        at,
        tool: "bash".to_owned(),
        head: "make".to_owned(),
        input: format!("make {at}"),
        input_fingerprint: format!("i{at}"),
        is_ok: error.is_none(),
        exit_code: error.map(|_| 2),
        error: error.map_or_else(String::new, |error| format!("{error} at {at}")),
        error_fingerprint: error.map(str::to_owned),
        duration_ms: Some(3),
        scope: Scope::repository(if session.starts_with('o') { "other" } else { "here" }),
    }
}

fn here() -> OutcomeFilter {
    OutcomeFilter { scopes: vec![Scope::repository("here")], ..OutcomeFilter::default() }
}

/// Rows are numbered, counted, listed in pages and within their scope, and counted alike from rows and from counts.
pub(super) fn outcomes_are_numbered_and_counted<M: Maker>(maker: &M) {
    let Made { mut store, lock: _lock, dir: _dir } = made(maker);
    let rows = [
        ("a", 1, None),
        ("b", 2, Some("e")),
        ("a", 3, Some("e")),
        ("a", 4, Some("f")),
        ("o", 5, Some("e")),
        ("a", 6, Some("e")),
    ];
    let numbers: Vec<u32> = rows
        .iter()
        .map(|(session, at, error)| store.record_outcome(&outcome(session, *at, *error), None).unwrap())
        .collect();
    assert_eq!(numbers, [1, 1, 2, 3, 1, 4]);
    let all = store.outcomes(&here(), None, 10).unwrap();
    assert_eq!(all.iter().map(|row| row.at).collect::<Vec<_>>(), [6, 4, 3, 2, 1]);
    assert_eq!(all[0], ToolOutcome { sequence: 4, ..outcome("a", 6, Some("e")) });
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let page = store.outcomes(&here(), after.as_ref(), 2).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(OutcomeCursor { at: last.at, session: last.session.clone(), sequence: last.sequence });
        paged.extend(page);
    }
    assert_eq!(paged, all);
    let counts = store.error_counts(&here(), 10).unwrap();
    let told: Vec<_> = counts.iter().map(|one| (one.error_fingerprint.as_str(), one.count, one.sessions)).collect();
    assert_eq!(told, [("e", 3, 2), ("f", 1, 1)]);
    assert_eq!((counts[0].first_at, counts[0].last_at, counts[0].example.as_str()), (2, 6, "e at 6"));
    assert_eq!(store.error_counts(&OutcomeFilter { since: Some(0), ..here() }, 10).unwrap(), counts);
    let since = store.error_counts(&OutcomeFilter { since: Some(4), ..here() }, 10).unwrap();
    assert_eq!(since.iter().map(|one| one.count).collect::<Vec<_>>(), [1, 1]);
    let of =
        |tool: &str| store.outcomes(&OutcomeFilter { tool: Some(tool.to_owned()), ..here() }, None, 10).unwrap().len();
    assert_eq!((of("BASH"), of("make"), of("cargo")), (5, 5, 0));
    assert_eq!(store.outcomes(&OutcomeFilter { failures: true, ..here() }, None, 10).unwrap().len(), 4);
    assert_eq!(store.outcomes(&OutcomeFilter::default(), None, 10).unwrap(), [], "none are of no scope");
    let within = store.session_outcomes("a", 2, 3).unwrap();
    assert_eq!(within.iter().map(|row| row.sequence).collect::<Vec<_>>(), [2, 3]);
    let counts = store.count_outcomes(Some(&here().scopes)).unwrap();
    assert_eq!((counts.rows, counts.sessions, counts.failures, counts.errors), (5, 2, 4, 2));
    assert_eq!(store.count_outcomes(None).unwrap().rows, 6);
}

/// Old rows go and stay counted; a forgotten session does not.
pub(super) fn outcomes_go_when_they_are_old_or_forgotten<M: Maker>(maker: &M) {
    let Made { store, lock, dir } = made(maker);
    let mut made = Made { store, lock, dir };
    for (session, at) in [("a", 1), ("b", 2), ("a", 3), ("b", 4), ("c", 2)] {
        made.store.record_outcome(&outcome(session, at, Some("e")), None).unwrap();
    }
    assert_eq!(made.store.drop_outcomes_before(3).unwrap(), 3);
    assert_eq!(made.store.drop_outcomes_before(3).unwrap(), 0);
    assert_eq!(made.store.outcome_session("c").unwrap(), None, "as if it had never been");
    let counts = made.store.count_outcomes(None).unwrap();
    assert_eq!((counts.rows, counts.sessions, counts.failures), (2, 2, 5));
    assert_eq!(made.store.record_outcome(&outcome("a", 9, Some("e")), None).unwrap(), 3, "no number is given twice");
    let pattern = |id: &str, session: &str| StoredPattern {
        id: id.to_owned(),
        scope: Scope::repository("here"),
        kind: "recovery".to_owned(),
        state: "found".to_owned(),
        confidence: 0.5,
        data: serde_json::json!({"evidence": [{"session": session}]}).to_string(),
        last_at: 5,
        memory: None,
    };
    let scope = Scope::repository("here");
    let all = [pattern("p", "a"), pattern("q", "b"), pattern("r", "ab")];
    made.store.put_outcome_patterns(&scope, &all, true).unwrap();
    let gone = made.write(|batch| batch.forget_outcomes("a"));
    assert_eq!((gone.rows, gone.errors, gone.patterns), (2, 1, 1));
    let left = made.store.outcome_patterns(&PatternFilter { scopes: here().scopes, ..PatternFilter::default() }, 9);
    assert_eq!(left.unwrap(), [pattern("q", "b"), pattern("r", "ab")]);
    let counts = made.store.error_counts(&here(), 9).unwrap();
    assert_eq!((counts[0].count, counts[0].sessions, counts[0].example.as_str()), (3, 2, "e at 4"));
    made.write(|batch| batch.forget_outcomes("b"));
    let counts = made.store.error_counts(&here(), 9).unwrap();
    assert_eq!((counts[0].count, counts[0].example.as_str()), (1, ""), "its text is gone, and c met it");
    made.write(|batch| batch.forget_outcomes("c"));
    assert_eq!(made.store.error_counts(&here(), 9).unwrap(), []);
    assert!(!made.store.has_outcomes().unwrap());
    assert_eq!(made.write(|batch| batch.forget_outcomes("a")), Default::default());
}

/// A pattern that somebody decided about stays after the next analysis. Any other goes when the analysis no longer
/// finds it.
pub(super) fn decisions_about_patterns_stay<M: Maker>(maker: &M) {
    let Made { mut store, lock: _lock, dir: _dir } = made(maker);
    let scope = Scope::repository("here");
    let pattern = |id: &str, confidence: f64| StoredPattern {
        id: id.to_owned(),
        scope: scope.clone(),
        kind: "recovery".to_owned(),
        state: FOUND.to_owned(),
        confidence,
        data: "{}".to_owned(),
        last_at: 5,
        memory: None,
    };
    let read = |store: &M::Store| {
        let filter = PatternFilter { scopes: vec![scope.clone()], ..PatternFilter::default() };
        store.outcome_patterns(&filter, 9).unwrap()
    };
    store.put_outcome_patterns(&scope, &[pattern("p", 0.5), pattern("q", 0.5), pattern("r", 0.5)], true).unwrap();
    assert!(store.decide_outcome_pattern("p", "promoted", Some("memory/1")).unwrap());
    assert!(store.decide_outcome_pattern("q", "rejected", None).unwrap());
    assert!(!store.decide_outcome_pattern("nope", "rejected", None).unwrap());
    store.put_outcome_patterns(&scope, &[pattern("p", 0.9)], true).unwrap();
    let promoted =
        StoredPattern { state: "promoted".to_owned(), memory: Some("memory/1".to_owned()), ..pattern("p", 0.9) };
    let rejected = StoredPattern { state: "rejected".to_owned(), ..pattern("q", 0.5) };
    assert_eq!(read(&store), [promoted, rejected], "r is found no more");
    // Where not all rows were compared, nothing goes.
    store.put_outcome_patterns(&scope, &[pattern("s", 0.5)], true).unwrap();
    store.put_outcome_patterns(&scope, &[], false).unwrap();
    assert_eq!(read(&store).len(), 3);
}

/// Whoever claims a batch has it alone: each row is in one.
pub(super) fn batches_are_claimed_once<M: Maker>(maker: &M)
where
    M::Store: 'static,
{
    let Made { mut store, dir, lock } = made(maker);
    for at in 0..3 {
        store.record_outcome(&outcome("a", at, None), None).unwrap();
    }
    assert_eq!(store.sessions_to_analyse(4, 9).unwrap(), []);
    let due = store.sessions_to_analyse(3, 9).unwrap();
    assert_eq!((due.len(), due[0].rows, due[0].analysed), (1, 3, 0));
    let workers: Vec<M::Store> = (0..4).map(|_| maker.reader(dir.path())).collect();
    let claimed: Vec<bool> = std::thread::scope(|scope| {
        let claim = |(number, mut store): (usize, M::Store)| {
            scope.spawn(move || store.claim_batch("a", 0, &format!("w{number}"), 7).unwrap().is_some())
        };
        let all: Vec<_> = workers.into_iter().enumerate().map(claim).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(claimed.iter().filter(|won| **won).count(), 1, "{claimed:?}");
    assert_eq!(store.claim_batch("a", 3, "w", 8).unwrap(), None, "there is no new row");
    store.record_outcome(&outcome("a", 9, None), None).unwrap();
    assert_eq!(store.claim_batch("a", 0, "w", 8).unwrap(), None, "a snapshot that is old");
    let second = store.claim_batch("a", 3, "w", 8).unwrap().unwrap();
    assert_eq!((second.from_row, second.to_row), (4, 4));
    assert!(store.finish_batch(second.number, BatchState::Done).unwrap());
    assert!(!store.finish_batch(second.number, BatchState::Failed).unwrap(), "it is done");
    let batches = store.outcome_batches("a").unwrap();
    let told: Vec<_> = batches.iter().map(|batch| (batch.from_row, batch.to_row, batch.state)).collect();
    assert_eq!(told, [(1, 3, BatchState::Claimed), (4, 4, BatchState::Done)]);
    drop(lock);
}
