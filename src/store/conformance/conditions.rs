//! Conditions on attributes, against a plain reading of them.

use super::harness::{Maker, item, made, source};
use crate::store::{ItemFilter, ReadItems, StoreError, WriteForgotten, WriteItems, WriteSources, WriteStore};
use crate::types::{AttributeValue, Attributes, Comparison, Condition, FIELDS, Item, Literal};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cmp::Ordering;

/// A condition read plainly, one attribute after the other: the twin of what a store makes of it.
pub(super) fn holds(condition: &Condition, attributes: &Attributes) -> bool {
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
pub(super) fn keys() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a.b", "A"]).prop_map(str::to_owned)
}

pub(super) fn texts() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "x", "X", "xy", "ä", "z' OR 1 --", "1", "x\0y"]).prop_map(str::to_owned)
}

pub(super) fn numbers() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 1.0, -1.0, 0.1, 0.30000000000000004, 1e300, 5e-324, 9_007_199_254_740_993.0])
}

pub(super) fn attributes() -> impl Strategy<Value = serde_json::Value> {
    let value = prop_oneof![
        texts().prop_map(serde_json::Value::from),
        numbers().prop_map(serde_json::Value::from),
        prop::bool::ANY.prop_map(serde_json::Value::from),
        prop::collection::vec(texts(), 0..3).prop_map(serde_json::Value::from),
    ];
    prop::collection::btree_map(keys(), value, 0..4).prop_map(|all| all.into_iter().collect())
}

pub(super) fn conditions() -> impl Strategy<Value = Condition> {
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

pub(super) fn with_fields(uid: &str, fields: serde_json::Value) -> Item {
    Item { attributes: serde_json::json!({ FIELDS: fields }), path: None, span: None, ..item(uid, uid) }
}

pub(super) fn conditions_admit_what_a_plain_reading_does<M: Maker>(maker: &M) {
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

pub(super) fn attributes_change_and_go_with_their_items<M: Maker>(maker: &M) {
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
