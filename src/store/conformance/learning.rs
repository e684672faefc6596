//! Tools, and what is learnt about them.

use super::harness::{Maker, made};
use super::outcomes::outcome;
use crate::store::{
    CapabilityUse, StoredSuggestion, StoredTask, StoredThreshold, StoredTool, StoredTrace, SuggestionKind, WriteTools,
};
use crate::store::{KeepLearning, KeepOutcomes, ReadLearning, ReadTools, WriteOutcomes};
use crate::types::{Scope, Tool};

pub(super) fn here() -> Scope {
    Scope::repository("here")
}

pub(super) fn stored(scope: &str, name: &str) -> StoredTool {
    let description = format!("What {name} does, \0 and \u{1} too");
    StoredTool {
        scope: Scope::repository(scope),
        tool: Tool { name: name.to_owned(), description, ..Tool::default() },
        digest: "d".to_owned(),
        approved: String::new(),
        source: "tools.json".to_owned(),
        changed_at: 7,
    }
}

pub(super) fn tools_are_kept_by_scope_and_key<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let all = [stored("here", "b"), stored("here", "a"), stored("there", "a")];
    made.write(|batch| all.iter().try_for_each(|tool| batch.put_tool(tool)));
    assert_eq!(made.store.tools(&[here()]).unwrap(), [all[1].clone(), all[0].clone()], "by key");
    assert_eq!(made.store.tools(&[]).unwrap(), [], "none are of no scope");
    let approved = StoredTool { approved: "d".to_owned(), ..all[0].clone() };
    made.write(|batch| batch.put_tool(&approved));
    assert_eq!(made.store.tools(&[here()]).unwrap()[1], approved);
    assert!(made.write(|batch| batch.remove_tool(&here(), "b")));
    assert!(!made.write(|batch| batch.remove_tool(&here(), "b")));
    made.store.keep_task(&task("s", "v1:a", &[])).unwrap();
    assert_eq!(made.store.tool_scopes().unwrap(), [here(), Scope::repository("there")]);
    for (session, at, error) in [("a", 1, None), ("b", 2, Some("e")), ("o", 3, None), ("a", 4, Some("e"))] {
        made.store.record_outcome(&outcome(session, at, error), None).unwrap();
    }
    let calls = made.store.tool_calls(&[here()], 2).unwrap();
    let told: Vec<_> = calls.iter().map(|call| (call.session.as_str(), call.is_ok)).collect();
    assert_eq!(told, [("a", false), ("b", false)], "the last two, by session");
}

pub(super) fn suggestion(kind: SuggestionKind, tools: &[&str], score: f64) -> StoredSuggestion {
    let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
    StoredSuggestion { kind, tools, score, is_suggested: score > 0.5, is_accepted: None }
}

pub(super) fn task(session: &str, fingerprint: &str, suggestions: &[StoredSuggestion]) -> StoredTask {
    StoredTask {
        number: 0,
        scope: here(),
        session: session.to_owned(),
        after_row: 0,
        at: 5,
        task: "rotate the keys".to_owned(),
        fingerprint: fingerprint.to_owned(),
        used: Vec::new(),
        suggestions: suggestions.to_vec(),
    }
}

pub(super) fn tasks_and_thresholds_are_settled_once<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let store = &mut made.store;
    store.record_outcome(&outcome("s", 1, None), None).unwrap();
    let shown = [
        suggestion(SuggestionKind::Tool, &["z"], 0.9),
        suggestion(SuggestionKind::Tool, &["a"], 0.1),
        suggestion(SuggestionKind::Capability, &["a", "b"], 0.7),
    ];
    let number = store.keep_task(&task("s", "v1:a", &shown[..1])).unwrap();
    assert_eq!(store.keep_task(&task("s", "v1:a", &shown)).unwrap(), number, "the same was asked last");
    let other = store.keep_task(&task("s", "v1:b", &[])).unwrap();
    let open = store.tool_tasks(&[here()], false, 9).unwrap();
    assert_eq!(open.iter().map(|task| task.number).collect::<Vec<_>>(), [other, number], "the newest first");
    let names: Vec<&str> = open[1].suggestions.iter().map(|one| one.tools[0].as_str()).collect();
    assert_eq!((names, open[1].after_row), (vec!["z", "a", "a"], 1), "tools, then capabilities, each the best first");
    assert_eq!(open[1].suggestions[2], shown[2]);
    assert_eq!(store.task_borders(&here(), "s").unwrap(), [(number, 1), (other, 1)]);
    assert_eq!(store.tool_tasks(&[], false, 9).unwrap(), []);

    let threshold = StoredThreshold {
        kind: SuggestionKind::Tool,
        value: 0.3,
        outcomes: 1,
        turns: 0,
        since: 1,
        silent: 0,
        window: vec![true, false],
    };
    let mut settled = open[1].clone();
    settled.used = vec!["z".to_owned()];
    settled.suggestions[0].is_accepted = Some(true);
    let wrong = StoredThreshold { value: 0.4, ..threshold.clone() };
    assert!(!store.settle_task(&settled, &[(Some(wrong), threshold.clone())]).unwrap(), "it is not what it was");
    assert_eq!(store.tool_tasks(&[here()], false, 9).unwrap().len(), 2, "nothing is half done");
    assert!(store.settle_task(&settled, &[(None, threshold.clone())]).unwrap());
    assert!(!store.settle_task(&settled, &[]).unwrap(), "somebody was first");
    assert_eq!(store.tool_thresholds(&here()).unwrap(), std::slice::from_ref(&threshold));
    assert_eq!(store.tool_tasks(&[here()], true, 9).unwrap(), [settled]);
    let moved = StoredThreshold { value: 0.35, window: vec![true], ..threshold.clone() };
    let silent = store.tool_tasks(&[here()], false, 9).unwrap().remove(0);
    assert!(store.settle_task(&silent, &[(Some(threshold), moved.clone())]).unwrap());
    assert_eq!(store.tool_thresholds(&here()).unwrap(), [moved]);
    assert_eq!(store.tool_tasks(&[here()], false, 9).unwrap(), []);
    assert_eq!(made.write(|batch| batch.forget_outcomes("s")).tasks, 2);
    assert_eq!(made.store.tool_tasks(&[here()], true, 9).unwrap(), []);
}

pub(super) fn capabilities_are_counted_by_their_uses<M: Maker>(maker: &M) {
    let mut made = made(maker);
    for at in 1..4 {
        made.store.record_outcome(&outcome("s", at, None), None).unwrap();
    }
    let unread = made.store.sessions_to_learn(&here(), 9).unwrap();
    assert_eq!((unread.len(), unread[0].rows, unread[0].seen), (1, 3, 0));
    let calls = made.store.session_calls(&here(), "s", 2).unwrap();
    assert_eq!(calls.iter().map(|call| call.sequence).collect::<Vec<_>>(), [2, 3]);
    let used = |first_row: u32, tools: &[&str], is_ok: bool| CapabilityUse {
        first_row,
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        is_ok,
        at: first_row.into(),
    };
    let store = &mut made.store;
    // What failed first makes none; the same tools in another order are the same capability.
    let uses = [used(1, &["b", "a"], false), used(2, &["b", "a"], true), used(3, &["a", "b"], false)];
    assert!(store.keep_uses(&here(), &unread[0], 3, &uses).unwrap());
    assert!(!store.keep_uses(&here(), &unread[0], 3, &uses).unwrap(), "somebody else has read on");
    let found = store.capabilities(&[here()], 9).unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.tools.concat(), one.uses, one.ok, one.last_at)).collect();
    assert_eq!(told, [("ba".to_owned(), 2, 1, 3)]);
    assert_eq!(store.sessions_to_learn(&here(), 9).unwrap(), []);
    // The last task is told again, as another one.
    store.record_outcome(&outcome("s", 9, None), None).unwrap();
    let unread = store.sessions_to_learn(&here(), 9).unwrap();
    assert_eq!((unread[0].seen, unread[0].first_row), (3, 3));
    assert!(store.keep_uses(&here(), &unread[0], 3, &[used(3, &["c\0"], true)]).unwrap());
    let found = store.capabilities(&[here()], 9).unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.tools.concat(), one.uses, one.ok)).collect();
    assert_eq!(told, [("ba".to_owned(), 1, 1), ("c\0".to_owned(), 1, 1)], "used alike: by their tools");
    // A tool that goes takes its capabilities along.
    made.write(|batch| batch.remove_tool(&here(), "a"));
    assert_eq!(made.store.capabilities(&[here()], 9).unwrap().len(), 1);
    made.write(|batch| batch.remove_tool(&here(), "c\0"));
    assert_eq!(made.store.capabilities(&[here()], 9).unwrap(), []);
    assert!(made.store.capabilities(&[], 9).unwrap().is_empty());
}

pub(super) fn traces_are_the_newest_alone<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let store = &mut made.store;
    let number = store.keep_task(&task("s", "v1:a", &[suggestion(SuggestionKind::Tool, &["z"], 0.9)])).unwrap();
    let trace = |at: i64, task: Option<i64>| StoredTrace {
        number: 0,
        scope: here(),
        session: "s".to_owned(),
        at,
        task,
        question: "q\0".to_owned(),
        data: "{\"a\":[\"\\u0000\"]}".to_owned(),
        outcomes: Vec::new(),
    };
    for at in 1..5 {
        store.keep_trace(&trace(at, (at == 3).then_some(number)), 2).unwrap();
    }
    // Two of one task.
    for at in 5..7 {
        store.keep_trace(&trace(at, Some(number)), 2).unwrap();
    }
    let found = store.traces(&[here()], 9).unwrap();
    assert_eq!(found.iter().map(|trace| (trace.at, trace.outcomes.len())).collect::<Vec<_>>(), [(6, 1), (5, 1)]);
    for at in 3..5 {
        store.keep_trace(&trace(at, (at == 3).then_some(number)), 2).unwrap();
    }
    let found = store.traces(&[here()], 9).unwrap();
    assert_eq!(found.iter().map(|trace| trace.at).collect::<Vec<_>>(), [4, 3]);
    assert_eq!((found[1].outcomes.len(), found[0].outcomes.len(), found[0].question.as_str()), (1, 0, "q\0"));
    assert_eq!(store.traces(&[here()], 1).unwrap().len(), 1);
    assert_eq!(store.traces(&[], 9).unwrap(), []);
    store.drop_outcomes_before(4).unwrap();
    assert_eq!(store.traces(&[here()], 9).unwrap().len(), 1, "old ones go with old rows");
}
