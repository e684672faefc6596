//! A plan: what is to be done to which resource, and which refers to which.

use crate::types::Action;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Everything that Terraform looked at, unchanged resources too.
    #[serde(rename = "resource_changes")]
    pub changes: Vec<Change>,
    configuration: Configuration,
}

/// What is planned for a resource.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Change {
    /// Where it stands, with module and index.
    pub address: String,
    /// `managed` or `data`.
    mode: String,
    /// Its type, such as `aws_s3_bucket`.
    #[serde(rename = "type")]
    pub kind: String,
    change: Values,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Values {
    actions: Vec<String>,
    before: Value,
    after: Value,
    after_unknown: Value,
    replace_paths: Vec<Vec<Value>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Configuration {
    root_module: Module,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Module {
    resources: Vec<Configured>,
    module_calls: BTreeMap<String, Call>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Call {
    module: Module,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Configured {
    address: String,
    expressions: Value,
}

impl Change {
    /// What is done to it; none if nothing is, or it is only read.
    pub fn action(&self) -> Option<Action> {
        let has = |action: &str| self.change.actions.iter().any(|one| one == action);
        match (has("create"), has("delete"), has("update")) {
            _ if self.mode == "data" => None,
            (true, true, _) => Some(Action::Replace),
            (true, false, _) => Some(Action::Create),
            (false, true, _) => Some(Action::Delete),
            (false, false, true) => Some(Action::Update),
            _ => None,
        }
    }

    /// Whether it is there after the run.
    pub fn stays(&self) -> bool {
        self.mode != "data" && self.action() != Some(Action::Delete)
    }

    /// Its attributes as they are.
    pub fn before(&self) -> &Value {
        &self.change.before
    }

    /// Its attributes as they are to be.
    pub fn after(&self) -> &Value {
        &self.change.after
    }

    /// What of them is known only after the run: `true` in place of a value.
    pub fn unknown(&self) -> &Value {
        &self.change.after_unknown
    }

    /// Whether an attribute, or one within it, is a reason that the resource is replaced.
    pub fn is_replaced_for(&self, path: &str) -> bool {
        let first = |names: &Vec<Value>| names.first().and_then(Value::as_str).map(str::to_owned);
        let wanted = path.split('.').next().unwrap_or_default();
        self.change.replace_paths.iter().filter_map(first).any(|name| name == wanted)
    }

    /// The address without indices: as the configuration has it.
    pub fn configured(&self) -> String {
        without_indices(&self.address)
    }
}

/// An address without what stands in brackets.
fn without_indices(address: &str) -> String {
    let (mut out, mut quoted, mut depth) = (String::new(), false, 0);
    for c in address.chars() {
        match c {
            '"' if depth > 0 => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted && depth > 0 => depth -= 1,
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

/// Which resource of a configuration refers to which, by address without indices.
pub(super) type References = BTreeMap<String, BTreeSet<String>>;

impl Plan {
    /// Which resource refers to which.
    pub(super) fn references(&self) -> References {
        let mut out = References::new();
        collect(&self.configuration.root_module, "", &mut out);
        out
    }
}

fn collect(module: &Module, prefix: &str, out: &mut References) {
    for resource in &module.resources {
        let to = out.entry(format!("{prefix}{}", resource.address)).or_default();
        named(&resource.expressions, &mut |reference| {
            let mut parts = without_indices(reference);
            // `type.name.attribute`: the resource is the first two.
            if let Some((at, _)) = parts.match_indices('.').nth(1) {
                parts.truncate(at);
            }
            to.insert(format!("{prefix}{parts}"));
        });
    }
    for (name, call) in &module.module_calls {
        collect(&call.module, &format!("{prefix}module.{name}."), out);
    }
}

/// Every reference in an expression.
fn named(expression: &Value, hear: &mut dyn FnMut(&str)) {
    match expression {
        Value::Array(list) => list.iter().for_each(|one| named(one, hear)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("references", Value::Array(list)) => list.iter().filter_map(Value::as_str).for_each(&mut *hear),
                    _ => named(value, hear),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_those_of_the_configuration() {
        let plan: Plan = serde_json::from_value(json!({"configuration": {"root_module": {
            "resources": [{"address": "a.x", "expressions": {"group": [{"ids": {"references": ["b.y[0].id", "b.y[0]"]}}]}}],
            "module_calls": {"net": {"module": {"resources": [
                {"address": "b.y", "expressions": {"of": {"references": ["var.z", "a.x"]}}}]}}}}}}))
        .unwrap();
        let all = plan.references();
        assert_eq!(all["a.x"], ["b.y".to_owned()].into());
        assert_eq!(all["module.net.b.y"], ["module.net.a.x".to_owned(), "module.net.var.z".to_owned()].into());
    }

    #[test]
    fn indices_are_no_part_of_the_configuration() {
        assert_eq!(without_indices("module.m[\"a]b\"].x.y[0]"), "module.m.x.y");
        assert_eq!(without_indices("x.y"), "x.y");
    }

    #[test]
    fn actions_are_read_together() {
        let action = |mode: &str, actions: &[&str]| {
            let change = json!({"mode": mode, "change": {"actions": actions}});
            serde_json::from_value::<Change>(change).unwrap().action()
        };
        assert_eq!(action("managed", &["create", "delete"]), Some(Action::Replace));
        assert_eq!(action("managed", &["no-op"]), None);
        assert_eq!(action("data", &["read"]), None);
        assert_eq!(action("managed", &["delete"]), Some(Action::Delete));
    }
}
