//! Attributes by path.

use serde_json::Value;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found<'a> {
    /// A value, perhaps null.
    Value(&'a Value),
    /// Something that is known only after the run.
    Unknown,
    /// Nothing.
    Missing,
}

impl Found<'_> {
    /// Whether it says something: not null, empty or false.
    pub fn is_set(self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Missing => false,
            Self::Value(value) => match value {
                Value::Null | Value::Bool(false) => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(list) => !list.is_empty(),
                Value::Object(fields) => !fields.is_empty(),
                Value::Bool(true) | Value::Number(_) => true,
            },
        }
    }
}

/// What stands at a path of names joined by dots, `*` for every element. `unknown` has `true` where a value is not known.
pub(super) fn at<'a>(values: &'a Value, unknown: &'a Value, path: &str) -> Vec<Found<'a>> {
    let mut places = vec![(Some(values), Some(unknown))];
    for name in path.split('.') {
        let mut next = Vec::new();
        for (value, unknown) in places {
            if unknown == Some(&Value::Bool(true)) {
                next.push((None, unknown));
                continue;
            }
            if name == "*" {
                let count = |value: Option<&Value>| match value {
                    Some(Value::Array(list)) => list.len(),
                    _ => 0,
                };
                let element = |of: Option<&'a Value>, index: usize| of.and_then(|of| of.get(index));
                for index in 0..count(value).max(count(unknown)) {
                    next.push((element(value, index), element(unknown, index)));
                }
                if let Some(Value::Object(fields)) = value {
                    next.extend(fields.iter().map(|(key, one)| (Some(one), unknown.and_then(|all| all.get(key)))));
                }
                continue;
            }
            let step = |of: Option<&'a Value>| match (of?, name.parse::<usize>()) {
                (Value::Array(list), Ok(index)) => list.get(index),
                (value, _) => value.get(name),
            };
            next.push((step(value), step(unknown)));
        }
        places = next;
    }
    let found = |(value, unknown): (Option<&'a Value>, Option<&Value>)| match (value, unknown) {
        (_, Some(Value::Bool(true))) => Found::Unknown,
        // A list or map of which nothing is known yet is empty only so far.
        (value, Some(unknown)) if is_open(unknown) && !value.is_some_and(|value| Found::Value(value).is_set()) => {
            Found::Unknown
        }
        (Some(value), _) => Found::Value(value),
        (None, _) => Found::Missing,
    };
    places.into_iter().map(found).collect()
}

/// Whether something in it is known only after the run.
fn is_open(unknown: &Value) -> bool {
    match unknown {
        Value::Bool(open) => *open,
        Value::Array(list) => list.iter().any(is_open),
        Value::Object(fields) => fields.values().any(is_open),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_lead_through_lists_and_unknown_values() {
        let values = json!({"name": "a", "rule": [{"days": 3}, {"days": null}], "tags": {"x": "y"}});
        let unknown = json!({"id": true, "rule": [{}, {"days": true}], "all": true});
        let found = |path: &str| at(&values, &unknown, path);
        assert_eq!(found("name"), [Found::Value(&json!("a"))]);
        assert_eq!(found("rule.*.days"), [Found::Value(&json!(3)), Found::Unknown]);
        assert_eq!(found("rule.0.days"), [Found::Value(&json!(3))]);
        assert_eq!(found("id"), [Found::Unknown]);
        assert_eq!(found("all.below.it"), [Found::Unknown]);
        assert_eq!(found("tags.*"), [Found::Value(&json!("y"))]);
        assert_eq!(found("none"), [Found::Missing]);
        assert_eq!(at(&json!({"names": []}), &json!({"names": [true]}), "names"), [Found::Unknown]);
        assert!(!Found::Value(&json!([])).is_set() && !Found::Missing.is_set() && Found::Value(&json!(0)).is_set());
    }
}
