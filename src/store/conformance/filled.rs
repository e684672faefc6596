//! A store that holds something of everything.

use super::harness::{Made, Maker, hashes, item, made, three};
use super::learning::{here, stored, suggestion, task};
use super::memories::{event, memory, served};
use super::outcomes::outcome;
use super::vectors::vectors;
use crate::store::sql::RunSql;
use crate::store::sql::damage::put_link;
use crate::store::{
    CapabilityUse, CountUsage, Database, KeepLearning, KeepOutcomes, ReadLearning, StoredThreshold, StoredTrace,
    SuggestionKind, WriteEvents, WriteForgotten, WriteItems, WriteMemory, WriteTools, external_uid,
};
use crate::types::{Item, Kind, Scope, State};
use serde_json::json;

/// Runs a statement in a batch of its own.
pub(super) fn run(made: &mut Made<Database>, sql: &str) {
    made.write(|batch| batch.execute(sql, &[]));
}

/// An item that a program put in.
fn own() -> Item {
    Item {
        kind: Kind::Fact,
        attributes: json!({"external_id": "a", "fields": {"n": 0.1, "l": ["x", "y\0"], "b": true, "t": "text"}}),
        path: None,
        span: None,
        ..item(&external_uid(&Scope::global(), "a"), "of a program, \0 and \u{1} too")
    }
}

/// A file with two items and one that was forgotten, items of no file, vectors of the two, and whatever is learnt.
pub(super) fn filled<M: Maker<Store = Database>>(maker: &M) -> Made<Database> {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let hashes = hashes(&made.store);
    vectors(&mut made, &hashes[..2]);
    let a = memory("memory/a", "here", 3);
    made.write(|batch| {
        batch.put_item(&own(), None)?;
        batch.put_item(&Item { state: State::Disputed, ..item("fact/1", "two say other things") }, None)?;
        batch.forget_item(ids[2], 77)?;
        batch.log(5, "indexed", &json!({"files": 1}))?;
        batch.log(5, "indexed", &json!({"files": 2}))?;
        for (id, at) in [("memory/a", 1), ("memory/b", 2), ("memory/a", 3)] {
            batch.append_event(event(id, at))?;
        }
        batch.forget_words("memory/b")?;
        batch.put_memory(&a, Some("key"), Some(&served(&a)))?;
        batch.put_tool(&stored("here", "z"))?;
        put_link(batch, "chunk/0", "chunk/1")
    });
    let store = &mut made.store;
    store.count_served(&["chunk/0", "chunk/0", "memory/a"], 1).unwrap();
    for (session, at, error) in [("a", 1, None), ("a", 2, Some("e")), ("b", 3, Some("e"))] {
        store.record_outcome(&outcome(session, at, error), None).unwrap();
    }
    let shown = [suggestion(SuggestionKind::Tool, &["z"], 0.9), suggestion(SuggestionKind::Capability, &["z"], 0.7)];
    let number = store.keep_task(&task("a", "v1:a", &shown)).unwrap();
    let task = store.tool_tasks(&[here()], false, 9).unwrap().remove(0);
    let (kind, window) = (SuggestionKind::Tool, vec![true]);
    let threshold = StoredThreshold { kind, value: 0.3, outcomes: 1, turns: 0, since: 1, silent: 0, window };
    assert!(store.settle_task(&task, &[(None, threshold)]).unwrap());
    let unread = store.sessions_to_learn(&here(), 1).unwrap().remove(0);
    let uses = [CapabilityUse { first_row: 1, tools: vec!["z".to_owned()], is_ok: true, at: 1 }];
    assert!(store.keep_uses(&here(), &unread, 1, &uses).unwrap());
    let (session, data) = ("a".to_owned(), "{}".to_owned());
    let (scope, question, outcomes) = (here(), "q".to_owned(), Vec::new());
    let trace = StoredTrace { number: 0, scope, session, at: 1, task: Some(number), question, data, outcomes };
    store.keep_trace(&trace, 9).unwrap();
    made
}
