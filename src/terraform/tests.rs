//! Conditions on made plans.

use super::judge::judge;
use super::plan::Plan;
use crate::canon::{Canon, PackLayer, PackSource};
use crate::types::{PlanFinding, Risk};
use serde_json::{Value, json};

/// What is found in a plan by one entry with these conditions.
fn found(conditions: Value, changes: Value, configuration: Value) -> Vec<PlanFinding> {
    let pack = json!({"schema_version": 2, "pack": "p", "title": "P", "entries": [{"id": "p/a", "title": "A",
        "error_patterns": ["bucket (?P<bucket>\\S+) exists"], "cause": "c", "fix": ["Look: `aws s3 ls {bucket}`."],
        "plan": conditions}]});
    let source = PackSource { layer: PackLayer::User, origin: "p.json".into(), text: pack.to_string().into() };
    let (canon, problems) = Canon::only(&[source]);
    assert!(problems.is_empty(), "{problems:?}");
    let plan: Plan =
        serde_json::from_value(json!({"resource_changes": changes, "configuration": {"root_module": configuration}}))
            .unwrap();
    judge(&plan, canon.entries().iter())
}

fn change(address: &str, actions: &[&str], before: Value, after: Value) -> Value {
    let kind = address.split('.').next().unwrap();
    json!({"address": address, "mode": "managed", "type": kind,
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": {"arn": true}}})
}

fn condition(more: Value) -> Value {
    let mut condition = json!({"resource": ["b"], "actions": ["create", "update", "delete", "replace"],
        "risk": "high", "text": "{name} goes wrong."});
    more.as_object().unwrap().iter().for_each(|(field, value)| condition[field] = value.clone());
    json!([condition])
}

/// Whether a condition holds of one change of a resource `b.x`.
fn holds(more: Value, actions: &[&str], before: Value, after: Value) -> bool {
    !found(condition(more), json!([change("b.x", actions, before, after)]), json!({})).is_empty()
}

#[test]
fn a_finding_names_values_and_counts() {
    let changes = json!([
        change("b.x[0]", &["create"], Value::Null, json!({"name": "logs\u{1b}[2J", "bucket": "logs"})),
        change("b.x[1]", &["create"], Value::Null, json!({"name": "other", "bucket": "other"})),
        change("c.x", &["create"], Value::Null, json!({})),
        change("b.y", &["no-op"], json!({}), json!({})),
    ]);
    let all = found(condition(json!({})), changes, json!({}));
    assert_eq!(all.len(), 1);
    let one = &all[0];
    assert_eq!((one.address.as_str(), one.count, one.risk, one.id.as_deref()), ("b.x", 2, Risk::High, Some("p/a")));
    assert!(one.text.starts_with("logs") && one.text.ends_with(" goes wrong.") && !one.text.contains('\u{1b}'));
    assert_eq!(one.fix, ["Look: `aws s3 ls logs`."]);
}

#[test]
fn tests_read_the_side_that_counts() {
    let test = |test: Value| json!({"all": [test]});
    let named = test(json!({"path": "name", "matches": "^[a-z]+$"}));
    assert!(holds(named.clone(), &["create"], Value::Null, json!({"name": "logs"})));
    assert!(!holds(named.clone(), &["create"], Value::Null, json!({"name": "logs-81723"})));
    assert!(holds(named.clone(), &["delete"], json!({"name": "logs"}), Value::Null));
    assert!(!holds(named, &["update"], json!({"name": "logs"}), json!({"name": null})));
    let changes = test(json!({"path": "size", "changes": true}));
    assert!(holds(changes.clone(), &["update"], json!({"size": 1}), json!({"size": 2})));
    assert!(!holds(changes, &["update"], json!({"size": 1}), json!({"size": 1})));
    let unknown = test(json!({"path": "arn", "is": "unknown"}));
    assert!(holds(unknown.clone(), &["create"], Value::Null, json!({})));
    assert!(!holds(unknown, &["delete"], json!({"arn": "a"}), json!({})));
    let unset = test(json!({"path": "rule.*.days", "is": "unset"}));
    assert!(holds(unset.clone(), &["create"], Value::Null, json!({"rule": []})));
    assert!(holds(unset.clone(), &["create"], Value::Null, json!({"rule": [{"days": 3}, {"days": null}]})));
    assert!(!holds(unset, &["create"], Value::Null, json!({"rule": [{"days": 3}]})));
    let long = test(json!({"path": "name", "over": 3.0}));
    assert!(holds(long.clone(), &["create"], Value::Null, json!({"name": "four"})));
    assert!(!holds(long, &["create"], Value::Null, json!({"name": "ten"})));
    let one_of = json!({"none": [{"path": "class", "one_of": ["a", 7]}]});
    assert!(!holds(one_of.clone(), &["create"], Value::Null, json!({"class": 7})));
    assert!(holds(one_of, &["create"], Value::Null, json!({"class": "b"})));
}

#[test]
fn a_reason_of_a_replacement_is_asked_for() {
    let all = |paths: Value| {
        let mut change = change("b.x", &["delete", "create"], json!({"zone": "a"}), json!({"zone": "b"}));
        change["change"]["replace_paths"] = paths;
        found(condition(json!({"all": [{"path": "zone", "replaces": true}]})), json!([change]), json!({})).len()
    };
    assert_eq!((all(json!([["zone"]])), all(json!([["name"]]))), (1, 0));
}

#[test]
fn what_belongs_to_a_resource_refers_to_it_or_holds_its_name() {
    let more = json!({"without": ["owner"]});
    let own = || change("b.x", &["create"], Value::Null, json!({"bucket": "logs"}));
    let with =
        |other: Value, configuration: Value| found(condition(more.clone()), json!([own(), other]), configuration);
    let owner = |bucket: &str, action: &str| change("owner.x", &[action], json!({}), json!({"bucket": bucket}));
    assert_eq!(with(owner("other", "create"), json!({})).len(), 1);
    assert_eq!(with(owner("logs", "create"), json!({})).len(), 0);
    assert_eq!(with(owner("logs", "delete"), json!({})).len(), 1);
    let refers =
        json!({"resources": [{"address": "owner.x", "expressions": {"bucket": {"references": ["b.x.id", "b.x"]}}}]});
    assert_eq!(with(owner("other", "create"), refers).len(), 0);
}

#[test]
fn a_circle_of_resources_is_found() {
    let changes = json!([
        change("b.x", &["create"], Value::Null, json!({})),
        change("b.y", &["create"], Value::Null, json!({})),
        change("b.z", &["create"], Value::Null, json!({})),
    ]);
    let refers = |from: &str, to: &str| json!({"address": from, "expressions": {"of": {"references": [format!("{to}.id"), to]}}});
    let configuration = json!({"resources": [refers("b.x", "b.y"), refers("b.y", "b.x"), refers("b.z", "b.x")]});
    let all = found(condition(json!({"circle": true})), changes, configuration);
    assert_eq!(all.iter().map(|one| one.address.as_str()).collect::<Vec<_>>(), ["b.x", "b.y"]);
}

#[test]
fn an_expression_that_does_not_compile_never_holds() {
    assert!(!holds(json!({"all": [{"path": "name", "matches": "("}]}), &["create"], Value::Null, json!({"name": "("})));
}
