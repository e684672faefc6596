//! What every store must do, written against the traits alone: it runs on SQLite and on PostgreSQL.
//!
//! `conforms!` gets a way to open a store; each case begins with an empty one.

mod learning;
mod memories;
mod outcomes;

use super::{
    CountUsage, ItemFilter, LogChanges, PathFilter, ReadChanges, ReadEvents, ReadExternal, ReadForgotten, ReadItems,
    ReadNoise, ReadSources, ReadStore, ReadUsage, ReadVectors, ReadWords, Source, SourceKind, Stat, StoreError,
    WriteBatch, WriteEvents, WriteExternal, WriteForgotten, WriteItems, WriteNoise, WriteSources, WriteStore,
    WriteVectors, WriterLock, external_uid,
};
use crate::text::{TextHash, text_hash, tokens};
use crate::types::{
    Access, AttributeValue, Attributes, Authority, Comparison, Condition, CorpusNoise, ExternalItem, FIELDS,
    FamilyNoise, Fingerprint, Item, Kind, Literal, Scope, SignalNoise, Span, State, StoredItem,
};
use learning::{
    capabilities_are_counted_by_their_uses, tasks_and_thresholds_are_settled_once, tools_are_kept_by_scope_and_key,
    traces_are_the_newest_alone,
};
use memories::{memories_are_listed_in_pages_and_by_view, memories_follow_their_events};
use outcomes::{
    batches_are_claimed_once, decisions_about_patterns_stay, outcomes_are_numbered_and_counted,
    outcomes_go_when_they_are_old_or_forgotten,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

/// A kind of store: how one is opened in a folder.
trait Maker {
    type Store: WriteStore + Send;

    /// Opens the store of a folder, making it if there is none.
    fn open(&self, lock: &WriterLock) -> Self::Store;

    /// Opens it once more, to read.
    fn reader(&self, folder: &Path) -> Self::Store;
}

/// An empty store, the right to write to it, and its folder, which goes with it.
struct Made<S> {
    store: S,
    lock: WriterLock,
    dir: tempfile::TempDir,
}

fn made<M: Maker>(maker: &M) -> Made<M::Store> {
    let dir = tempfile::tempdir().unwrap();
    let lock = WriterLock::take(dir.path(), "test", Duration::from_secs(9)).unwrap();
    Made { store: maker.open(&lock), lock, dir }
}

impl<S: WriteStore> Made<S> {
    /// One batch, committed.
    fn write<T>(&mut self, work: impl FnOnce(&S::Batch<'_>) -> Result<T, StoreError>) -> T {
        let batch = self.store.begin(&self.lock).unwrap();
        let out = work(&batch).unwrap();
        batch.commit().unwrap();
        out
    }
}

fn source(path: &str) -> Source {
    Source {
        path: path.to_owned(),
        root: "/docs".to_owned(),
        kind: SourceKind::Markdown,
        scope: Scope::global(),
        sha256: [7; 32],
        stat: Stat { size: 3, mtime_ns: -4 },
        indexed_at: 5,
    }
}

fn item(uid: &str, body: &str) -> Item {
    Item {
        uid: uid.to_owned(),
        kind: Kind::Chunk,
        scope: Scope::global(),
        authority: Authority::Team,
        state: State::Active,
        title: format!("Title of {uid}"),
        body: body.to_owned(),
        attributes: serde_json::json!({"tags": ["Rust", uid], "provider": "Acme"}),
        path: Some("/docs/a.md".to_owned()),
        span: Some(Span { byte_start: 1, byte_end: 9, line_start: 1, line_end: 2 }),
        created_at: 11,
        updated_at: 12,
    }
}

fn uids(store: &dyn ReadStore, ids: &[i64]) -> Vec<String> {
    store.items(ids).unwrap().into_iter().map(|(_, item)| item.uid).collect()
}

/// Hashes of the texts that are embedded, in the order of the items.
fn hashes(store: &dyn ReadStore) -> Vec<TextHash> {
    let whole = store.embeddings().unwrap().into_iter().filter(|(_, part, _)| *part == 0);
    whole.map(|(item, _, hash)| (item, hash)).collect::<BTreeMap<_, _>>().into_values().collect()
}

/// Three items in one file: rows of the items, row of the file.
fn three<S: WriteStore>(made: &mut Made<S>) -> (Vec<i64>, i64) {
    made.write(|batch| {
        let file = batch.put_source(&source("/docs/a.md"))?;
        let bodies = ["the borrow checker refuses", "a lock is held", "the borrow ends with the lock"];
        let put = |(at, body): (usize, &&str)| batch.put_item(&item(&format!("chunk/{at}"), body), Some(file));
        Ok((bodies.iter().enumerate().map(put).collect::<Result<_, _>>()?, file))
    })
}

fn items_come_back_as_they_were_put<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let store = &made.store;
    assert_eq!(store.items(&ids[..1]).unwrap(), [(ids[0], item("chunk/0", "the borrow checker refuses"))]);
    assert_eq!(
        uids(store, &[ids[2], 999, ids[0]]),
        ["chunk/2", "chunk/0"],
        "in the order asked, what is gone left out"
    );
    assert_eq!(store.item_id("chunk/1").unwrap(), Some(ids[1]));
    assert_eq!(store.item_id("chunk/9").unwrap(), None);
    let anchors = store.anchors(file).unwrap();
    assert_eq!(anchors.iter().map(|anchor| anchor.id).collect::<Vec<_>>(), ids);
    assert!(anchors.iter().all(|anchor| anchor.active && anchor.span.is_some()));
    assert_eq!(store.inventory().unwrap().total(), 3);
    // The same public id with another text.
    let twin = made.write(|batch| batch.put_item(&item("chunk/0", "another text"), None));
    assert_eq!(uids(&made.store, &[twin]), ["chunk/0-2"]);
}

fn items_move_change_and_go<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let span = Span { byte_start: 40, byte_end: 50, line_start: 8, line_end: 9 };
    let described = Item { attributes: serde_json::json!({"tags": []}), ..item("chunk/1", "a lock is held") };
    made.write(|batch| {
        batch.move_item(ids[0], &span)?;
        batch.describe_item(ids[1], &described)?;
        batch.remove_item(ids[2])
    });
    let found = made.store.items(&ids).unwrap();
    assert_eq!((found[0].1.span, &found[1].1, found.len()), (Some(span), &described, 2));
    assert_eq!(made.store.item_id("chunk/2").unwrap(), None);
    let moved = Source { scope: Scope::repository("abc"), ..source("/docs/b.md") };
    made.write(|batch| batch.move_source(file, &moved));
    assert_eq!(made.store.sources().unwrap(), [(file, moved)]);
    let item = made.store.items(&ids[..1]).unwrap().remove(0).1;
    assert_eq!((item.path.as_deref(), item.scope.as_str()), (Some("/docs/b.md"), "abc"));
    made.write(|batch| batch.remove_source(file));
    assert!(made.store.sources().unwrap().is_empty() && made.store.items(&ids).unwrap().is_empty());
    assert_eq!(made.store.corpus().unwrap(), super::Corpus::default());
}

fn files_are_remembered<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (bare, brought) = made.write(|batch| {
        batch.put_repository("/docs", &Scope::repository("first"))?;
        let brought = Source { root: String::new(), ..source("/elsewhere.md") };
        Ok((batch.put_source(&source("/docs/z.md"))?, batch.put_source(&brought)?))
    });
    let store = &made.store;
    let paths: Vec<String> = store.sources().unwrap().into_iter().map(|(_, source)| source.path).collect();
    assert_eq!(paths, ["/docs/z.md", "/elsewhere.md"], "by path");
    assert_eq!(store.bare_sources().unwrap(), [bare, brought].into());
    assert!(store.is_imported("/elsewhere.md").unwrap() && !store.is_imported("/docs/z.md").unwrap());
    assert_eq!(store.repository("/docs").unwrap(), Some(Scope::repository("first")));
    assert_eq!((store.repository("/").unwrap(), store.cut_label().unwrap()), (None, None));
    made.write(|batch| batch.cut_anew("by lines"));
    assert_eq!(made.store.cut_label().unwrap().as_deref(), Some("by lines"));
    let sizes: Vec<i64> = made.store.sources().unwrap().iter().map(|(_, source)| source.stat.size).collect();
    assert_eq!(sizes, [-1, 3], "one that an import brought has no file to be cut");
    let again = Source { stat: Stat { size: 8, mtime_ns: 8 }, ..source("/docs/z.md") };
    assert_eq!(made.write(|batch| batch.put_source(&again)), bare, "the same path is the same file");
}

fn filters_admit_what_they_name<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let alone = made.write(|batch| {
        let file = batch.put_source(&source("/docs/sub_a/ä.md"))?;
        let fact = Item { kind: Kind::Fact, scope: Scope::repository("abc"), ..item("fact/1", "a fact") };
        batch.put_item(&Item { state: State::Disputed, ..item("chunk/8", "said to be wrong") }, Some(file))?;
        batch.put_item(&fact, Some(file))
    });
    let admitted = |filter: ItemFilter| made.store.admitted(&filter, None).unwrap();
    let any = ItemFilter::default;
    let all: Vec<i64> = ids.iter().copied().chain([alone]).collect();
    assert_eq!(admitted(any()), all, "active items, ascending");
    assert_eq!(admitted(ItemFilter { kinds: vec![Kind::Fact, Kind::Tool], ..any() }), [alone]);
    assert_eq!(admitted(ItemFilter { scopes: vec![Scope::global()], ..any() }), ids);
    assert_eq!(admitted(ItemFilter { tags: vec!["rust".to_owned(), "CHUNK/1".to_owned()], ..any() }), [ids[1]]);
    assert_eq!(admitted(ItemFilter { provider: Some("ACME".to_owned()), ..any() }), all);
    let under = |path: &str| ItemFilter { paths: vec![PathFilter::Under(path.to_owned())], ..any() };
    assert_eq!(admitted(under("/docs/")), all);
    assert_eq!(admitted(under("/docs/a.md")), ids);
    assert_eq!(admitted(under("/docs/sub")), [0; 0], "a folder's name counts as a whole");
    assert_eq!(admitted(under("/docs/sub%a")), [0; 0], "nothing in a path is a pattern");
    let glob = PathFilter::glob("*/[s]ub?a/*.md").unwrap();
    assert_eq!(admitted(ItemFilter { paths: vec![glob], ..any() }), [alone]);
    let without = |place: PathFilter| ItemFilter { without: vec![place], ..any() };
    assert_eq!(admitted(without(PathFilter::Under("/docs/a.md".to_owned()))), [alone]);
    assert_eq!(admitted(without(PathFilter::glob("*/sub_a/*").unwrap())), ids);
    assert_eq!(admitted(without(PathFilter::Under("/docs/sub".to_owned()))), all);
    let both = ItemFilter { paths: under("/docs").paths, ..without(PathFilter::Under("/docs/sub_a".to_owned())) };
    assert_eq!(admitted(both), ids);
    let ending = |ending: &str| ItemFilter { endings: vec!["rs".to_owned(), ending.to_owned()], ..any() };
    assert_eq!((admitted(ending("md")), admitted(ending("d")), admitted(ending("x"))), (all, vec![], vec![]));
    assert_eq!(admitted(ItemFilter { kinds: vec![Kind::Fact], tags: vec!["none".to_owned()], ..any() }), [0; 0]);
}

/// A condition read plainly, one attribute after the other: the twin of what a store makes of it.
fn holds(condition: &Condition, attributes: &Attributes) -> bool {
    let equal = |found: &AttributeValue, wanted: &Literal| match (found, wanted) {
        (AttributeValue::Text(found), Literal::Text(wanted)) => Some(found == wanted),
        (AttributeValue::List(found), Literal::Text(wanted)) => Some(found.contains(wanted)),
        (AttributeValue::Number(found), Literal::Number(wanted)) => Some(found == wanted),
        (AttributeValue::Boolean(found), Literal::Boolean(wanted)) => Some(found == wanted),
        _ => None,
    };
    let order = |found: &AttributeValue, wanted: &Literal| match (found, wanted) {
        (AttributeValue::Text(found), Literal::Text(wanted)) => Some(found.as_bytes().cmp(wanted.as_bytes())),
        (AttributeValue::Number(found), Literal::Number(wanted)) => found.partial_cmp(wanted),
        (AttributeValue::Boolean(found), Literal::Boolean(wanted)) => Some(found.cmp(wanted)),
        _ => None,
    };
    match condition {
        Condition::Exists(key) => attributes.get(key).is_some(),
        Condition::Within(key, allowed) => {
            attributes.get(key).is_some_and(|found| allowed.iter().any(|wanted| equal(found, wanted) == Some(true)))
        }
        Condition::Compare(key, comparison, wanted) => attributes.get(key).is_some_and(|found| match comparison {
            Comparison::Equal => equal(found, wanted) == Some(true),
            Comparison::Unequal => equal(found, wanted) == Some(false),
            Comparison::Less => order(found, wanted).is_some_and(Ordering::is_lt),
            Comparison::AtMost => order(found, wanted).is_some_and(Ordering::is_le),
            Comparison::Greater => order(found, wanted).is_some_and(Ordering::is_gt),
            Comparison::AtLeast => order(found, wanted).is_some_and(Ordering::is_ge),
        }),
        Condition::Not(condition) => !holds(condition, attributes),
        Condition::All(all) => all.iter().all(|one| holds(one, attributes)),
        Condition::Any(any) => any.iter().any(|one| holds(one, attributes)),
    }
}

/// Few keys and values, so that they meet.
fn keys() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a.b", "A"]).prop_map(str::to_owned)
}

fn texts() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "x", "X", "xy", "ä", "z' OR 1 --", "1", "x\0y"]).prop_map(str::to_owned)
}

fn numbers() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 1.0, -1.0, 0.1, 0.30000000000000004, 1e300, 5e-324, 9_007_199_254_740_993.0])
}

fn attributes() -> impl Strategy<Value = serde_json::Value> {
    let value = prop_oneof![
        texts().prop_map(serde_json::Value::from),
        numbers().prop_map(serde_json::Value::from),
        prop::bool::ANY.prop_map(serde_json::Value::from),
        prop::collection::vec(texts(), 0..3).prop_map(serde_json::Value::from),
    ];
    prop::collection::btree_map(keys(), value, 0..4).prop_map(|all| all.into_iter().collect())
}

fn conditions() -> impl Strategy<Value = Condition> {
    let literal = || {
        prop_oneof![
            texts().prop_map(Literal::Text),
            numbers().prop_map(Literal::Number),
            prop::bool::ANY.prop_map(Literal::Boolean),
        ]
    };
    let comparison = prop::sample::select(vec![
        Comparison::Equal,
        Comparison::Unequal,
        Comparison::Less,
        Comparison::AtMost,
        Comparison::Greater,
        Comparison::AtLeast,
    ]);
    let one = prop_oneof![
        keys().prop_map(Condition::Exists),
        (keys(), comparison, literal()).prop_map(|(key, sign, value)| Condition::Compare(key, sign, value)),
        (keys(), prop::collection::vec(literal(), 0..4)).prop_map(|(key, values)| Condition::Within(key, values)),
    ];
    one.prop_recursive(4, 24, 4, |inside| {
        prop_oneof![
            inside.clone().prop_map(|one| Condition::Not(Box::new(one))),
            prop::collection::vec(inside.clone(), 0..4).prop_map(Condition::All),
            prop::collection::vec(inside, 0..4).prop_map(Condition::Any),
        ]
    })
}

fn with_fields(uid: &str, fields: serde_json::Value) -> Item {
    Item { attributes: serde_json::json!({ FIELDS: fields }), path: None, span: None, ..item(uid, uid) }
}

fn conditions_admit_what_a_plain_reading_does<M: Maker>(maker: &M) {
    let case = (prop::collection::vec(attributes(), 1..12), prop::collection::vec(conditions(), 1..24));
    let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&case, |(all, conditions)| {
        let mut made = made(maker);
        let put = |batch: &<M::Store as WriteStore>::Batch<'_>| -> Result<Vec<i64>, StoreError> {
            let numbered = all.iter().enumerate();
            numbered.map(|(at, one)| batch.put_item(&with_fields(&format!("x/{at}"), one.clone()), None)).collect()
        };
        let ids = made.write(put);
        for condition in conditions {
            let read = all.iter().map(|fields| Attributes::read(fields).unwrap());
            let passing = ids.iter().zip(read).filter(|(_, fields)| holds(&condition, fields));
            let expected: Vec<i64> = passing.map(|(id, _)| *id).collect();
            let filter = ItemFilter { condition: Some(condition.clone()), ..ItemFilter::default() };
            prop_assert_eq!(made.store.admitted(&filter, None).unwrap(), expected, "{:?}", condition);
        }
        Ok(())
    });
    ran.unwrap();
}

fn attributes_change_and_go_with_their_items<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let file = made.write(|batch| batch.put_source(&source("/docs/a.md")));
    let one = |value: &str| with_fields("x/1", serde_json::json!({"lang": value, "list": ["a", "b"]}));
    let ids = made.write(|batch| Ok([batch.put_item(&one("rust"), Some(file))?, batch.put_item(&one("go"), None)?]));
    let having = |store: &M::Store, key: &str, value: &str| {
        let value = Literal::Text(value.to_owned());
        let condition = Some(Condition::Compare(key.to_owned(), Comparison::Equal, value));
        store.admitted(&ItemFilter { condition, ..ItemFilter::default() }, None).unwrap()
    };
    assert_eq!(having(&made.store, "list", "b"), ids);
    made.write(|batch| batch.describe_item(ids[0], &one("c")));
    assert_eq!((having(&made.store, "lang", "rust"), having(&made.store, "lang", "c")), (vec![], vec![ids[0]]));
    made.write(|batch| batch.forget_item(ids[0], 7));
    made.write(|batch| batch.remove_item(ids[1]));
    let any = ItemFilter { condition: Some(Condition::Exists("list".to_owned())), ..ItemFilter::default() };
    assert_eq!(made.store.admitted(&any, None).unwrap(), [0; 0]);
    // The deepest condition that a request may hold, and the longest.
    let exists = || Condition::Exists("lang".to_owned());
    let deep = (0..32).fold(exists(), |inside, _| Condition::Not(Box::new(Condition::All(vec![inside, exists()]))));
    let long = Condition::Any((0..600).map(|_| exists()).collect());
    for condition in [deep, long] {
        made.store.admitted(&ItemFilter { condition: Some(condition), ..ItemFilter::default() }, None).unwrap();
    }
}

fn only_what_may_be_seen_is_admitted<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let of = |scope: &str| Item { scope: Scope::repository(scope), ..item(scope, scope) };
    let ids = made.write(|batch| Ok([batch.put_item(&of("a"), None)?, batch.put_item(&of("b"), None)?]));
    let admitted = |seen: &[&str], asked: &[&str]| {
        let scopes = |names: &[&str]| names.iter().map(|name| Scope::repository(*name)).collect::<Vec<_>>();
        let access = Access::only(scopes(seen));
        made.store.admitted(&ItemFilter { access, scopes: scopes(asked), ..ItemFilter::default() }, None).unwrap()
    };
    assert_eq!((admitted(&["a"], &[]), admitted(&["a", "b"], &["b"])), (vec![ids[0]], vec![ids[1]]));
    assert_eq!((admitted(&["a"], &["b"]), admitted(&[], &[])), (vec![], vec![]));
}

fn items_of_programs_are_listed_by_id_and_deleted<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let own = |id: &str, scope: &str| {
        let scope = Scope::repository(scope);
        let item = ExternalItem {
            id: id.to_owned(),
            scope: scope.clone(),
            kind: Kind::Fact,
            title: String::new(),
            text: format!("The text of {id} in {scope}"),
            tags: vec!["t".to_owned()],
            provider: None,
            attributes: Attributes::default(),
        };
        item.into_item(external_uid(&scope, id), 1, 2)
    };
    let places = [("b", "x"), ("a", "y"), ("a", "x"), ("C", "x"), ("ä", "x")];
    made.write(|batch| {
        batch.put_item(&item("chunk/1", "of a file"), None)?;
        places.iter().try_for_each(|(id, scope)| batch.put_item(&own(id, scope), None).map(drop))
    });
    let listed = |store: &M::Store, filter: &ItemFilter, after: Option<(&str, &str)>, most: usize| {
        let after = after.map(|(id, scope)| (id, Scope::repository(scope)));
        let after = after.as_ref().map(|(id, scope)| (*id, scope));
        let rows = store.external_items(filter, after, most).unwrap();
        let found = store.items(&rows).unwrap().into_iter();
        found
            .map(|(_, item)| StoredItem::of(item).unwrap().item)
            .map(|item| format!("{} {}", item.id, item.scope))
            .collect::<Vec<_>>()
    };
    let all = ItemFilter::default();
    assert_eq!(listed(&made.store, &all, None, 9), ["C x", "a x", "a y", "b x", "ä x"], "and nothing of a file");
    assert_eq!(listed(&made.store, &all, Some(("a", "x")), 2), ["a y", "b x"]);
    assert_eq!(listed(&made.store, &all, Some(("aa", "")), 9), ["b x", "ä x"], "behind one that is gone");
    let seen = ItemFilter { access: Access::only(vec![Scope::repository("y")]), ..ItemFilter::default() };
    assert_eq!(listed(&made.store, &seen, None, 9), ["a y"]);
    assert_eq!(made.store.external_scopes("a").unwrap(), [Scope::repository("x"), Scope::repository("y")]);
    let row = made.store.item_id(&external_uid(&Scope::repository("x"), "a")).unwrap().unwrap();
    made.write(|batch| batch.delete_item(row));
    assert_eq!(listed(&made.store, &all, None, 9), ["C x", "a y", "b x", "ä x"]);
    assert_eq!((made.store.external_scopes("a").unwrap().len(), made.store.forgotten().unwrap().len()), (1, 0));
}

fn words_and_texts_are_those_of_active_items<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let disputed = Item { state: State::Disputed, ..item("chunk/8", "borrow") };
    let disputed = made.write(|batch| batch.put_item(&disputed, None));
    let store = &made.store;
    let texts = store.texts_of(&[ids[1], disputed, 999, ids[0]]).unwrap();
    assert_eq!(texts.iter().map(|text| text.id).collect::<Vec<_>>(), [ids[1], ids[0]]);
    assert_eq!((texts[0].title.as_str(), texts[0].body.as_str()), ("Title of chunk/1", "a lock is held"));
    assert_eq!(texts[0].text_hash, text_hash("Title of chunk/1\na lock is held"));
    let mut seen = Vec::new();
    let mut words = 0;
    let each = store.each_text(|text| {
        seen.push(text.id);
        words += tokens(&format!("{}\n{}", text.title, text.body)).len();
        Ok::<_, StoreError>(())
    });
    each.unwrap();
    assert_eq!(seen, ids, "in the order of rows");
    let corpus = store.corpus().unwrap();
    assert_eq!((corpus.items, corpus.words), (3, words));
    let stop = |_| Err(StoreError::Import { line: 3, what: "enough".to_owned() });
    assert!(matches!(store.each_text(stop), Err(StoreError::Import { line: 3, .. })));
}

/// A model of two components, and a vector for each of some texts.
fn vectors<S: WriteStore>(made: &mut Made<S>, texts: &[TextHash]) -> super::IndexModel {
    made.write(|batch| {
        let model = batch.put_model(&Fingerprint::stored("m@01".to_owned()), 2)?;
        batch.put_vectors(&model, texts.iter().map(|hash| (*hash, &[0.6, 0.8][..])))?;
        batch.use_model(&model.fingerprint, Some("old"))?;
        Ok(model)
    })
}

fn vectors_belong_to_texts_and_models<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    assert_eq!(made.store.index_model().unwrap(), None);
    assert_eq!(made.store.texts_without_vector(None).unwrap(), 3);
    let hashes = hashes(&made.store);
    let gone = text_hash("a text that no item has");
    let model = vectors(&mut made, &[hashes[0], hashes[1], gone]);
    let store = &made.store;
    assert_eq!(store.index_model().unwrap().as_ref(), Some(&model));
    assert_eq!(store.model(&model.fingerprint).unwrap().as_ref(), Some(&model));
    assert_eq!(store.pending_switch().unwrap(), Some(("old".to_owned(), "m".to_owned())));
    assert_eq!((store.embedded_texts().unwrap(), store.texts_without_vector(Some(&model)).unwrap()), (3, 1));
    assert!(store.has_vector(&model, &gone).unwrap() && !store.has_vector(&model, &hashes[2]).unwrap());
    let missing = store.unembedded(Some(&model), 9).unwrap();
    assert_eq!(missing, [(hashes[2], "Title of chunk/2\nthe borrow ends with the lock".to_owned())]);
    let mut seen = BTreeSet::new();
    let each = store.each_vector(&model, |hash, vector| {
        assert_eq!(vector, [0.6, 0.8]);
        seen.insert(*hash);
        Ok::<_, StoreError>(())
    });
    each.unwrap();
    assert_eq!(seen, store.vector_texts(&model).unwrap().into_iter().collect());
    assert_eq!(seen, [hashes[0], hashes[1], gone].into());
    let own = store.vectors_of(&model, &[ids[0], ids[2]]).unwrap();
    assert_eq!(own.embeddings, [(ids[0], 0, hashes[0]), (ids[2], 0, hashes[2])]);
    assert_eq!((own.rows.hashes, own.rows.data), (vec![hashes[0]], vec![0.6, 0.8]));
    assert_eq!(made.write(|batch| batch.end_switch().and_then(|()| batch.drop_unused_vectors())), 1);
    assert_eq!(made.store.pending_switch().unwrap(), None);
    assert!(!made.store.has_vector(&model, &gone).unwrap());
}

fn changes_since_a_generation_are_known<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let start = made.store.begin_generation().unwrap();
    assert_eq!(made.store.generation().unwrap(), start);
    assert_eq!(made.store.changed_since(start, 9).unwrap(), Some(Vec::new()));
    let hashes = hashes(&made.store);
    vectors(&mut made, &hashes[2..]);
    let added = made.write(|batch| {
        batch.remove_item(ids[0])?;
        batch.put_item(&item("chunk/7", "new"), None)
    });
    let changed = made.store.changed_since(start, 9).unwrap();
    assert_eq!(changed, Some(vec![ids[0], ids[2], added]), "each once, ascending");
    assert_eq!(made.store.changed_since(start, 2).unwrap(), None, "more than asked for");
    let other = crate::types::Generation { mark: start.mark ^ 1, ..start };
    assert_eq!(made.store.changed_since(other, 9).unwrap(), None, "of another history");
    let later = made.store.begin_generation().unwrap();
    made.store.forget_changes_before(later).unwrap();
    assert_eq!(made.store.logged_changes().unwrap(), 1);
    assert_eq!(made.store.changed_since(start, 9).unwrap(), None, "too old to be known");
    assert_eq!(made.store.changed_since(later, 9).unwrap(), Some(Vec::new()));
}

fn usage_is_counted_by_days<M: Maker>(maker: &M) {
    const DAY_MS: i64 = 86_400_000;
    let mut made = made(maker);
    let (ids, _) = three(&mut made);
    let changes = made.store.stamp().unwrap();
    for at in [5 * DAY_MS, 5 * DAY_MS + 9, 4 * DAY_MS, 7 * DAY_MS] {
        made.store.count_served(&["chunk/1", "pack/entry"], at).unwrap();
    }
    let usage = made.store.usage(&["chunk/1", "pack/entry", "chunk/0"]).unwrap();
    assert_eq!(usage.len(), 2);
    let of = usage["chunk/1"];
    assert_eq!((of.days, of.served, of.last_served), (2, 4, 7 * DAY_MS), "a clock that went back adds no day");
    assert_eq!(made.store.stamp().unwrap(), changes, "counters change no search's candidates");
    made.write(|batch| batch.put_source(&Source { root: String::new(), ..source("/docs/a.md") }));
    let priors = made.store.priors(&[ids[1], 999, ids[0]]).unwrap();
    let seen: Vec<(&str, u32)> = priors.iter().map(|prior| (prior.uid.as_str(), prior.days)).collect();
    assert_eq!(seen, [("chunk/1", 2), ("chunk/0", 0)]);
    let first = &priors[0];
    assert_eq!((first.id, first.updated_at, first.path.as_deref()), (ids[1], 12, Some("/docs/a.md")));
    assert!(first.imported && first.text_hash == text_hash("Title of chunk/1\na lock is held"));
}

fn the_stamp_changes_with_what_a_search_depends_on<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let mut last = made.store.stamp().unwrap();
    let mut differs = |made: &Made<M::Store>, what: &str| {
        let now = made.store.stamp().unwrap();
        assert_ne!(now, last, "{what}");
        last = now;
    };
    made.write(|batch| batch.put_item(&item("chunk/7", "new"), Some(file)));
    differs(&made, "a new item");
    let span = Span { byte_start: 40, byte_end: 50, line_start: 8, line_end: 9 };
    made.write(|batch| batch.move_item(ids[0], &span));
    differs(&made, "an item that stands elsewhere");
    made.write(|batch| batch.move_source(file, &source("/docs/b.md")));
    differs(&made, "a file with another name");
    made.write(|batch| batch.describe_item(ids[1], &item("chunk/1", "a lock is held")));
    differs(&made, "what is known of an item");
    let hash = hashes(&made.store)[0];
    let model = vectors(&mut made, &[hash]);
    differs(&made, "a vector");
    made.write(|batch| batch.end_switch());
    differs(&made, "a change of the model that is complete");
    made.write(|batch| batch.use_model(&model.fingerprint, Some("x")));
    differs(&made, "a change of the model");
    made.write(|batch| batch.forget_item(ids[0], 1));
    differs(&made, "an item that was forgotten");
    made.write(|batch| batch.remove_item(ids[1]));
    differs(&made, "an item that went");
    let before = made.store.stamp().unwrap();
    made.write(|batch| batch.log(1, "nothing", &serde_json::Value::Null));
    assert_eq!(made.store.stamp().unwrap(), before, "nothing that a search depends on");
}

fn what_was_measured_comes_back<M: Maker>(maker: &M) {
    let mut made = made(maker);
    assert_eq!(made.store.noise().unwrap(), None);
    let family = FamilyNoise::new((0..30).map(|at| at as f32 / -7.0).collect());
    let words = SignalNoise { short: vec![family], ..SignalNoise::default() };
    let noise = CorpusNoise { questions: "q".to_owned(), texts: 30, last: 31, both: None, words };
    let stamp = made.store.stamp().unwrap();
    made.write(|batch| batch.put_noise(Some(&noise)));
    assert_eq!(made.store.noise().unwrap(), Some(noise));
    assert_eq!(made.store.stamp().unwrap(), stamp, "nobody's snapshot of the texts is out of date");
    made.write(|batch| batch.put_noise(None));
    assert_eq!(made.store.noise().unwrap(), None);
}

fn what_is_forgotten_stays_away<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    made.store.count_served(&["chunk/0"], 1).unwrap();
    made.write(|batch| batch.forget_item(ids[0], 77));
    let store = &made.store;
    assert!(store.is_forgotten("chunk/0").unwrap() && !store.is_forgotten("chunk/1").unwrap());
    assert!(!store.has_text(ids[0]).unwrap() && store.has_text(ids[1]).unwrap());
    assert!(store.usage(&["chunk/0"]).unwrap().is_empty());
    assert!(store.priors(&ids[..1]).unwrap().is_empty() && store.texts_of(&ids[..1]).unwrap().is_empty());
    let passages = store.forgotten().unwrap();
    assert_eq!((passages.len(), passages[0].id.as_str(), passages[0].forgotten_at), (1, "chunk/0", Some(77)));
    assert_eq!((passages[0].path.as_deref(), passages[0].lines), (Some("/docs/a.md"), Some(2)));
    let (sketches, known) = store.sketches().unwrap();
    let found = sketches.find("the borrow checker refuses");
    assert_eq!(found.iter().map(|found| known[&found.which].as_str()).collect::<Vec<_>>(), ["chunk/0"]);
    let which = found[0].which;
    made.write(|batch| batch.keep_out(file, &[which]));
    assert_eq!(made.store.forgotten().unwrap()[0].kept_out_of, 1);
    assert_eq!(made.write(|batch| batch.forget_places_under(Path::new("/docs"))), 1);
    assert_eq!(made.store.forgotten().unwrap()[0].path, None);
    assert_eq!(made.write(|batch| batch.undo_forget("chunk/0")), Some(1));
    assert_eq!(made.write(|batch| batch.undo_forget("chunk/0")), None);
    assert_eq!(made.write(|batch| batch.forget_source(file)), 2);
    assert!(made.store.sources().unwrap().is_empty());
}

fn a_batch_is_all_or_nothing<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let before = (made.store.stamp().unwrap(), made.store.changes().unwrap());
    {
        let batch = made.store.begin(&made.lock).unwrap();
        batch.remove_source(file).unwrap();
        batch.put_item(&item("fact/1", "new"), None).unwrap();
        batch.log(1, "dropped", &serde_json::Value::Null).unwrap();
    }
    assert_eq!((made.store.stamp().unwrap(), made.store.changes().unwrap()), before);
    assert_eq!(made.store.items(&ids).unwrap().len(), 3);
    made.write(|batch| batch.log(1, "kept", &serde_json::json!({"items": 3})));
    assert!(made.store.changes().unwrap() > before.1);
}

fn a_snapshot_is_of_one_moment<M: Maker>(maker: &M) {
    let mut made = made(maker);
    let (ids, file) = three(&mut made);
    let reader = maker.reader(made.dir.path());
    let snapshot = reader.snapshot().unwrap();
    let before = reader.stamp().unwrap();
    made.write(|batch| batch.remove_source(file));
    assert_eq!(made.store.items(&ids).unwrap(), [], "who writes sees it");
    assert_eq!((reader.items(&ids).unwrap().len(), reader.stamp().unwrap()), (3, before.clone()));
    drop(snapshot);
    assert_eq!(reader.items(&ids).unwrap(), []);
    assert_ne!(reader.stamp().unwrap(), before);
}

/// Each of many batches puts two items and takes the two before away; readers in threads never see one without the
/// other.
fn readers_in_threads_see_whole_batches<M: Maker>(maker: &M) {
    let mut made = made(maker);
    three(&mut made);
    let readers = [maker.reader(made.dir.path()), maker.reader(made.dir.path())];
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for reader in readers {
            let done = &done;
            scope.spawn(move || {
                let mut seen = BTreeSet::new();
                while !done.load(std::sync::atomic::Ordering::Acquire) {
                    let _moment = reader.snapshot().unwrap();
                    let pairs: Vec<usize> =
                        (0..40).filter(|at| reader.item_id(&format!("left/{at}")).unwrap().is_some()).collect();
                    for at in &pairs {
                        assert!(reader.item_id(&format!("right/{at}")).unwrap().is_some(), "half a batch");
                    }
                    assert!(pairs.len() <= 1, "{pairs:?}");
                    assert_eq!(reader.corpus().unwrap().items, 3 + 2 * pairs.len());
                    seen.extend(pairs);
                }
                seen.len()
            });
        }
        let mut last: Vec<i64> = Vec::new();
        for at in 0..40 {
            last = made.write(|batch| {
                last.iter().try_for_each(|id| batch.remove_item(*id))?;
                let put = |side: &str| batch.put_item(&item(&format!("{side}/{at}"), "one of a pair"), None);
                Ok(vec![put("left")?, put("right")?])
            });
        }
        done.store(true, std::sync::atomic::Ordering::Release);
    });
}

/// A test of each case, for a store that `$maker` makes.
macro_rules! conforms {
    ($name:ident, $maker:expr) => {
        conforms!($name, $maker, [
            items_come_back_as_they_were_put,
            items_move_change_and_go,
            files_are_remembered,
            filters_admit_what_they_name,
            conditions_admit_what_a_plain_reading_does,
            attributes_change_and_go_with_their_items,
            only_what_may_be_seen_is_admitted,
            items_of_programs_are_listed_by_id_and_deleted,
            words_and_texts_are_those_of_active_items,
            vectors_belong_to_texts_and_models,
            changes_since_a_generation_are_known,
            usage_is_counted_by_days,
            the_stamp_changes_with_what_a_search_depends_on,
            what_was_measured_comes_back,
            what_is_forgotten_stays_away,
            a_batch_is_all_or_nothing,
            a_snapshot_is_of_one_moment,
            readers_in_threads_see_whole_batches,
            outcomes_are_numbered_and_counted,
            outcomes_go_when_they_are_old_or_forgotten,
            decisions_about_patterns_stay,
            batches_are_claimed_once,
            memories_follow_their_events,
            memories_are_listed_in_pages_and_by_view,
            tools_are_kept_by_scope_and_key,
            tasks_and_thresholds_are_settled_once,
            capabilities_are_counted_by_their_uses,
            traces_are_the_newest_alone,
        ]);
    };
    ($name:ident, $maker:expr, [$($case:ident),* $(,)?]) => {
        mod $name {
            $(
                #[test]
                fn $case() {
                    super::$case(&$maker);
                }
            )*
        }
    };
}

/// The store of [`Database`](super::Database).
struct Sqlite;

impl Maker for Sqlite {
    type Store = super::Database;

    fn open(&self, lock: &WriterLock) -> super::Database {
        super::Database::open_to_write(lock).unwrap()
    }

    fn reader(&self, folder: &Path) -> super::Database {
        super::Database::open(folder).unwrap().unwrap()
    }
}

conforms!(sqlite, super::Sqlite);

/// The store of [`SharedDatabase`](super::SharedDatabase): a database for each folder.
#[cfg(target_os = "linux")]
struct Postgres;

#[cfg(target_os = "linux")]
impl Maker for Postgres {
    type Store = super::SharedDatabase;

    fn open(&self, lock: &WriterLock) -> super::SharedDatabase {
        let address = super::postgres::testing::address_of(lock.folder());
        super::SharedDatabase::open_to_write(&address, &super::PostgresAccess::default()).unwrap()
    }

    fn reader(&self, folder: &Path) -> super::SharedDatabase {
        let address = super::postgres::testing::address_of(folder);
        super::SharedDatabase::open(&address, &super::PostgresAccess::default()).unwrap().unwrap()
    }
}

#[cfg(target_os = "linux")]
conforms!(postgres, super::Postgres);
