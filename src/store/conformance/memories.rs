//! Memories: the log of their events, and what follows from it.

use super::harness::{Made, Maker, item, made, uids};
use crate::store::{CountUsage, ItemFilter, ReadItems, ReadMemory, ReadUsage, StoredMemory};
use crate::store::{MemoryFilter, MemoryView, WriteBatch, WriteItems, WriteMemory, WriteStore};
use crate::types::{
    Author, Authority, Change, Item, Kind, Link, Memory, MemorySource, MemoryState, NewEvent, Relation, Scope, Wording,
};
use std::collections::BTreeSet;

pub(super) fn memory(id: &str, scope: &str, last_at: i64) -> Memory {
    Memory {
        id: id.to_owned(),
        kind: Kind::Fact,
        scope: Scope::repository(scope),
        authority: Authority::Personal,
        source: MemorySource::Said,
        author: Author::Program("agent\0one".to_owned()),
        state: MemoryState::Active,
        validated: false,
        held_by: Vec::new(),
        independent: true,
        raw_confidence: 50,
        sessions: BTreeSet::from(["s".to_owned()]),
        seen: 1,
        worked: 0,
        failed: 0,
        last_at,
        until: None,
        words: Wording { text: format!("The words of {id}, \0 and \u{1} too"), ..Wording::default() },
        dispute: None,
        superseded_by: None,
        links: Vec::new(),
        first_event: 1,
        created_at: 1,
        updated_at: 2,
    }
}

pub(super) fn served(memory: &Memory) -> Item {
    let attributes = serde_json::json!({ "words": memory.words.text });
    let (kind, scope) = (memory.kind, memory.scope.clone());
    Item { kind, scope, attributes, path: None, span: None, ..item(&memory.id, &memory.words.text) }
}

pub(super) fn event(memory: &str, at: i64) -> NewEvent {
    NewEvent {
        at,
        memory: memory.to_owned(),
        session: "s".to_owned(),
        author: Author::Person,
        change: Change::Confirmed,
        words: Wording { text: format!("Said at {at}"), ..Wording::default() },
    }
}

fn ids(found: &[Memory]) -> Vec<&str> {
    found.iter().map(|memory| memory.id.as_str()).collect()
}

pub(super) fn memories_follow_their_events<M: Maker>(maker: &M) {
    let mut made = made(maker);
    assert!(!made.store.has_memories().unwrap() && made.store.last_memory_event().unwrap() == 0);
    let first = made.write(|batch| batch.append_event(event("memory/a", 1)));
    let rest =
        made.write(|batch| Ok([batch.append_event(event("memory/b", 2))?, batch.append_event(event("memory/a", 3))?]));
    let all = [std::slice::from_ref(&first), &rest[..]].concat();
    assert_eq!(all.iter().map(|event| event.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(made.store.memory_events(0, 9).unwrap(), all);
    assert_eq!(made.store.memory_events(1, 1).unwrap(), [rest[0].clone()]);
    assert_eq!(made.store.events_of_memory("memory/a").unwrap(), [first, rest[1].clone()]);
    assert_eq!(made.store.last_memory_event().unwrap(), 3);

    let mut a = memory("memory/a", "here", 3);
    a.words.fingerprint = Some("v1:e".to_owned());
    let b = Memory {
        links: vec![
            Link { relation: Relation::DerivedFrom, to: a.id.clone() },
            Link { relation: Relation::Revises, to: "memory/c".to_owned() },
        ],
        ..memory("memory/b", "here", 2)
    };
    made.write(|batch| {
        batch.put_memory(&a, Some("key"), Some(&served(&a)))?;
        batch.put_memory(&b, None, None)?;
        assert_eq!(batch.memory_now("memory/a")?.as_ref(), Some(&a), "a batch sees what it did");
        assert_eq!((batch.derived_now("memory/a")?, batch.derived_now("memory/c")?), (vec![b.id.clone()], vec![]));
        Ok(())
    });
    let store = &made.store;
    assert_eq!((store.memory("memory/b").unwrap().as_ref(), store.memory("memory/x").unwrap()), (Some(&b), None));
    assert_eq!(
        (store.memories_linked_to("memory/c").unwrap(), store.has_memories().unwrap()),
        (vec![b.id.clone()], true)
    );
    let stored = store.stored_memory("memory/a").unwrap().unwrap();
    let expected =
        StoredMemory { data: StoredMemory::data_of(&a), match_key: Some("key".to_owned()), item: Some(served(&a)) };
    assert_eq!(stored, expected);
    assert_eq!(ids(&store.memories_matching("key").unwrap()), ["memory/a"]);
    let scopes = [Scope::repository("here"), Scope::global()];
    assert_eq!(ids(&store.memories_of_error("v1:e", &scopes).unwrap()), ["memory/a"]);
    assert_eq!(store.memories_of_error("v1:e", &[]).unwrap(), [], "none are of no scope");

    // One that reads as before keeps its item; another text has another one.
    let row = store.item_id("memory/a").unwrap().unwrap();
    let met = Memory { seen: 2, last_at: 9, ..a.clone() };
    made.write(|batch| batch.put_memory(&met, Some("key"), Some(&served(&met))));
    assert_eq!(
        (made.store.item_id("memory/a").unwrap(), made.store.memory("memory/a").unwrap()),
        (Some(row), Some(met))
    );
    a.words.text = "Corrected".to_owned();
    made.write(|batch| batch.put_memory(&a, Some("other"), Some(&served(&a))));
    assert_eq!(made.store.stored_memory("memory/a").unwrap().unwrap().item, Some(served(&a)));
    assert!(made.store.memories_matching("key").unwrap().is_empty());

    // An item that goes by another way leaves its memory; words that are forgotten leave their events.
    let row = made.store.item_id("memory/a").unwrap().unwrap();
    made.write(|batch| batch.remove_item(row));
    assert_eq!(made.store.stored_memory("memory/a").unwrap().unwrap().item, None);
    made.store.count_served(&["memory/a"], 1).unwrap();
    made.write(|batch| batch.forget_words("memory/a"));
    let words: Vec<bool> = made.store.memory_events(0, 9).unwrap().iter().map(|event| event.words.is_some()).collect();
    assert_eq!((words, made.store.usage(&["memory/a"]).unwrap().len()), (vec![false, true, false], 0));
    made.write(|batch| {
        batch.put_memory(&a, None, Some(&served(&a)))?;
        batch.clear_memories()
    });
    assert!(!made.store.has_memories().unwrap() && made.store.item_id("memory/a").unwrap().is_none());
    assert_eq!(
        (made.store.last_memory_event().unwrap(), made.store.memories_linked_to("memory/c").unwrap()),
        (3, vec![])
    );
}

pub(super) fn memories_are_listed_in_pages_and_by_view<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let held = Memory { held_by: vec!["x".to_owned()], ..memory("memory/d", "here", 4) };
    let gone = Memory { state: MemoryState::Forgotten, ..memory("memory/e", "here", 5) };
    let short = Memory { until: Some(100), kind: Kind::Tactic, ..memory("memory/f", "global", 4) };
    let all = [memory("memory/a", "here", 1), memory("memory/b", "there", 2), held, gone, short];
    let put = |batch: &<M::Store as WriteStore>::Batch<'_>| {
        all.iter().try_for_each(|one| batch.put_memory(one, None, Some(&served(one))))
    };
    made.write(put);
    let Made { store, .. } = &made;
    let scopes = vec![Scope::repository("here"), Scope::global()];
    let filter = MemoryFilter { scopes: scopes.clone(), ..MemoryFilter::default() };
    let listed = |filter: &MemoryFilter| {
        store.memories(filter, None, 9).unwrap().into_iter().map(|memory| memory.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(&filter), ["memory/d", "memory/f", "memory/a"], "the last first, then by id; none forgotten");
    assert_eq!(listed(&MemoryFilter { held: true, ..filter.clone() }), ["memory/d"]);
    assert_eq!(listed(&MemoryFilter { states: vec![MemoryState::Forgotten], ..filter.clone() }), ["memory/e"]);
    assert_eq!(listed(&MemoryFilter { kinds: vec![Kind::Tactic], ..filter.clone() }), ["memory/f"]);
    assert_eq!(listed(&MemoryFilter::default()), [""; 0], "none are of no scope");
    assert_eq!(ids(&store.memories(&filter, None, 1).unwrap()), ["memory/d"]);
    assert_eq!(ids(&store.memories(&filter, Some((4, "memory/d")), 9).unwrap()), ["memory/f", "memory/a"]);
    assert_eq!(store.memory_ids("memory/", 2).unwrap(), ["memory/a", "memory/b"]);
    assert_eq!((store.memory_ids("memory/f", 9).unwrap().len(), store.memory_ids("m%", 9).unwrap().len()), (1, 0));
    let counts = store.count_memories(Some(&scopes)).unwrap();
    let told: Vec<_> = counts.iter().map(|one| (one.kind, one.state, one.count)).collect();
    let expected = [
        (Kind::Fact, MemoryState::Active, 2),
        (Kind::Fact, MemoryState::Forgotten, 1),
        (Kind::Tactic, MemoryState::Active, 1),
    ];
    assert_eq!(told, expected);
    assert_eq!(store.count_memories(None).unwrap().iter().map(|one| one.count).sum::<usize>(), 5);

    let here = Scope::repository("here");
    let view = store.memory_view(Some(&here), 99).unwrap().unwrap();
    assert_eq!(view, MemoryView { home: Some(here.clone()), expired: None }, "b is of another repository");
    let later = store.memory_view(Some(&here), 100).unwrap().unwrap();
    assert_eq!(later.expired, Some(100));
    let seen = |view: &MemoryView| {
        let rows = store.admitted(&ItemFilter::default(), Some(view)).unwrap();
        uids(store, &rows)
    };
    assert_eq!(seen(&view), ["memory/a", "memory/d", "memory/e", "memory/f"]);
    assert_eq!(seen(&later), ["memory/a", "memory/d", "memory/e"]);
    let row = store.item_id("memory/b").unwrap().unwrap();
    let there = MemoryView { home: Some(Scope::repository("there")), expired: None };
    assert!(store.is_hidden(row, &view).unwrap() && !store.is_hidden(row, &there).unwrap());
    let batch = made.store.begin(&made.lock).unwrap();
    batch.clear_memories().unwrap();
    batch.commit().unwrap();
    assert_eq!(made.store.memory_view(None, 999).unwrap(), None, "nothing is hidden");
}
