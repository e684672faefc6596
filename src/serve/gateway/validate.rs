//! Whether arguments are what a tool's schema asks for: the part of JSON Schema (2020-12) that schemas of tools use.
//!
//! A library would bring some 25 crates, and look-around in patterns with them; a schema is a stranger's. So depth and
//! work are bounded here, patterns run in linear time, and what a keyword says that is not known here is left to the
//! server, which checks too.

use crate::engine::face::text::single_line;
use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// How deep a schema may refer and arguments may nest.
const DEPTH: usize = 64;
/// How many pairs of schema and value, names and listed values are looked at: some tenths of a second.
const STEPS: usize = 1_000_000;
/// Items that are compared with each other; longer lists are left to the server.
const COMPARED: usize = 500;
/// Most faults that are told.
const FAULTS: usize = 5;
/// Longest pattern, largest compiled one in bytes, and most of them in a check. Compiling is what takes long.
const PATTERN_LENGTH: usize = 2_000;
const PATTERN: usize = 1 << 20;
const PATTERNS: usize = 64;
/// Longest text of a schema that a fault repeats, in characters.
const TOLD: usize = 400;

/// What is wrong with the arguments, at most five sentences; none if nothing is.
///
/// # Errors
/// A sentence, if the schema itself cannot be used.
pub(super) fn faults(schema: &Map<String, Value>, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
    let is_object =
        |kind: &Value| kind == "object" || kind.as_array().is_some_and(|all| all.contains(&"object".into()));
    if schema.get("type").is_some_and(|kind| !is_object(kind)) {
        return Err("its schema asks for arguments that are no object".to_owned());
    }
    if schema.get("properties").is_some_and(|all| !all.is_object()) {
        return Err("its schema has properties that are no object".to_owned());
    }
    let root = Value::Object(schema.clone());
    let mut check = Check { root: &root, steps: 0, patterns: HashMap::new(), faults: Vec::new(), unusable: None };
    check.value(&root, &Value::Object(arguments.clone()), "arguments", 0);
    match check.unusable {
        Some(why) => Err(why),
        None => Ok(check.faults),
    }
}

struct Check<'s> {
    root: &'s Value,
    steps: usize,
    /// Compiled once; none for one that does not run in linear time.
    patterns: HashMap<&'s str, Option<Rc<Regex>>>,
    faults: Vec<String>,
    unusable: Option<String>,
}

impl<'s> Check<'s> {
    fn fault(&mut self, at: &str, what: &str) {
        if self.faults.len() < FAULTS {
            self.faults.push(single_line(&format!("{at} {what}"), TOLD));
        }
    }

    /// Counts work; whether it may go on.
    fn spend(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > STEPS {
            self.unusable.get_or_insert_with(|| "its schema and the arguments are too large together".to_owned());
        }
        self.unusable.is_none()
    }

    /// A pattern that is compiled; none if it is left to the server.
    fn compiled(&mut self, pattern: &'s str) -> Option<Rc<Regex>> {
        if let Some(known) = self.patterns.get(pattern) {
            return known.clone();
        }
        if self.patterns.len() == PATTERNS {
            self.unusable.get_or_insert_with(|| format!("its schema has more than {PATTERNS} patterns"));
            return None;
        }
        let is_short = pattern.len() <= PATTERN_LENGTH;
        let made = is_short.then(|| RegexBuilder::new(pattern).size_limit(PATTERN).build().ok()).flatten();
        self.patterns.entry(pattern).or_insert(made.map(Rc::new)).clone()
    }

    /// Whether a value is as a schema asks, told nowhere.
    fn fits(&mut self, schema: &'s Value, value: &Value, depth: usize) -> bool {
        let before = std::mem::take(&mut self.faults);
        self.value(schema, value, "it", depth);
        std::mem::replace(&mut self.faults, before).is_empty()
    }

    fn value(&mut self, schema: &'s Value, value: &Value, at: &str, depth: usize) {
        if depth > DEPTH {
            self.unusable.get_or_insert_with(|| "its schema or the arguments are nested too deep".to_owned());
        }
        if !self.spend(1) {
            return;
        }
        let schema = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return self.fault(at, "is not allowed"),
            Value::Object(schema) => schema,
            _ => {
                self.unusable = Some("its schema holds something that is no schema".to_owned());
                return;
            }
        };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            match reference.strip_prefix('#').and_then(|path| self.root.pointer(path)) {
                Some(inside) => self.value(inside, value, at, depth + 1),
                None => self.unusable = Some("its schema refers to something that is not in it".to_owned()),
            }
        }
        self.kind(schema, value, at);
        self.combined(schema, value, at, depth);
        match value {
            Value::Object(all) => self.object(schema, all, at, depth),
            Value::Array(all) => self.array(schema, all, at, depth),
            Value::String(text) => self.text(schema, text, at),
            Value::Number(_) => self.number(schema, value, at),
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn kind(&mut self, schema: &'s Map<String, Value>, value: &Value, at: &str) {
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(kind, value)) {
            self.fault(at, &format!("is no {}", kinds.join(" or ")));
        }
        if let Some(Value::Array(all)) = schema.get("enum")
            && self.spend(all.len())
            && !all.iter().any(|one| same(one, value))
        {
            let known: Vec<String> = all.iter().take(20).map(Value::to_string).collect();
            self.fault(at, &format!("is none of {}", known.join(", ")));
        }
        if let Some(one) = schema.get("const")
            && !same(one, value)
        {
            self.fault(at, &format!("is not {one}"));
        }
    }

    fn combined(&mut self, schema: &'s Map<String, Value>, value: &Value, at: &str, depth: usize) {
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        for inside in list("allOf").into_iter().flatten() {
            self.value(inside, value, at, depth + 1);
        }
        if let Some(all) = list("anyOf")
            && !all.iter().any(|inside| self.fits(inside, value, depth + 1))
        {
            self.fault(at, "is of none of the forms that it may have");
        }
        if let Some(all) = list("oneOf") {
            let fit = all.iter().filter(|inside| self.fits(inside, value, depth + 1)).count();
            if fit != 1 {
                self.fault(at, &format!("is of {fit} of the forms of which it must have one"));
            }
        }
        if let Some(inside) = schema.get("not")
            && self.fits(inside, value, depth + 1)
        {
            self.fault(at, "is of a form that is not allowed");
        }
    }

    fn object(&mut self, schema: &'s Map<String, Value>, all: &Map<String, Value>, at: &str, depth: usize) {
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if !self.spend(required.len()) {
            return;
        }
        for name in required.iter().filter_map(Value::as_str) {
            if !all.contains_key(name) {
                self.fault(at, &format!("lack {name:?}"));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let patterns = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        let patterns: Vec<(Option<Rc<Regex>>, &'s Value)> =
            patterns.map(|(pattern, inside)| (self.compiled(pattern), inside)).collect();
        // A name that a pattern may mean that is left to the server is no name too many.
        let is_sure = patterns.iter().all(|(pattern, _)| pattern.is_some());
        for (name, value) in all {
            let inside = format!("{at}.{name}");
            let mut is_named = !is_sure;
            if !self.spend(patterns.len()) {
                return;
            }
            if let Some(schema) = properties.and_then(|all| all.get(name)) {
                is_named = true;
                self.value(schema, value, &inside, depth + 1);
            }
            let meant = |pattern: &Option<Rc<Regex>>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(name));
            for (_, schema) in patterns.iter().filter(|(pattern, _)| meant(pattern)) {
                is_named = true;
                self.value(schema, value, &inside, depth + 1);
            }
            match schema.get("additionalProperties") {
                Some(Value::Bool(false)) if !is_named => self.fault(at, &format!("have no field {name:?}")),
                Some(schema) if !is_named => self.value(schema, value, &inside, depth + 1),
                _ => {}
            }
        }
        self.count(schema, ["minProperties", "maxProperties"], all.len(), at, "fields");
    }

    fn array(&mut self, schema: &'s Map<String, Value>, all: &[Value], at: &str, depth: usize) {
        // Until 2019 a tuple was a list of `items`, and what came behind it were `additionalItems`.
        let (first, rest) = match schema.get("items") {
            Some(Value::Array(first)) => (Some(first), schema.get("additionalItems")),
            rest => (schema.get("prefixItems").and_then(Value::as_array), rest),
        };
        for (number, value) in all.iter().enumerate() {
            if let Some(schema) = first.and_then(|first| first.get(number)).or(rest) {
                self.value(schema, value, &format!("{at}[{number}]"), depth + 1);
            }
        }
        self.count(schema, ["minItems", "maxItems"], all.len(), at, "items");
        let is_repeated = |(number, one): (usize, &Value)| all[..number].iter().any(|other| same(one, other));
        if schema.get("uniqueItems") == Some(&Value::Bool(true))
            && all.len() <= COMPARED
            && self.spend(all.len() * all.len() / 2)
            && all.iter().enumerate().any(is_repeated)
        {
            self.fault(at, "has an item twice");
        }
    }

    fn text(&mut self, schema: &'s Map<String, Value>, text: &str, at: &str) {
        self.count(schema, ["minLength", "maxLength"], text.chars().count(), at, "characters");
        // A pattern that does not run in linear time is left to the server.
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && self.compiled(pattern).is_some_and(|pattern| !pattern.is_match(text))
        {
            self.fault(at, &format!("does not match {pattern:?}"));
        }
    }

    fn number(&mut self, schema: &Map<String, Value>, value: &Value, at: &str) {
        let Some(number) = value.as_f64() else { return };
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        for (name, is_wrong) in [
            ("minimum", bound("minimum").is_some_and(|least| number < least)),
            ("maximum", bound("maximum").is_some_and(|most| number > most)),
            ("exclusiveMinimum", bound("exclusiveMinimum").is_some_and(|least| number <= least)),
            ("exclusiveMaximum", bound("exclusiveMaximum").is_some_and(|most| number >= most)),
        ] {
            if is_wrong {
                self.fault(at, &format!("breaks its {name}, {}", schema[name]));
            }
        }
        if let Some(of) = bound("multipleOf").filter(|of| *of > 0.0) {
            let parts = number / of;
            if (parts - parts.round()).abs() > 1e-9 * parts.abs().max(1.0) {
                self.fault(at, &format!("is no multiple of {of}"));
            }
        }
    }

    fn count(&mut self, schema: &Map<String, Value>, [least, most]: [&str; 2], count: usize, at: &str, what: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
        if bound(least).is_some_and(|least| (count as u64) < least) {
            self.fault(at, &format!("has {count} {what}, fewer than {}", schema[least]));
        }
        if bound(most).is_some_and(|most| count as u64 > most) {
            self.fault(at, &format!("has {count} {what}, more than {}", schema[most]));
        }
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        // 1.0 is an integer too.
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        // What is not known here is for the server to judge.
        _ => true,
    }
}

/// Equal as JSON Schema has it: 1 is 1.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(name, x)| y.get(name).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn told(schema: &Value, arguments: &Value) -> Vec<String> {
        faults(schema.as_object().unwrap(), arguments.as_object().unwrap()).unwrap()
    }

    #[test]
    fn each_keyword_refuses_what_it_names() {
        for (schema, good, bad) in [
            (json!({"type": "string"}), json!("a"), json!(1)),
            (json!({"type": ["string", "null"]}), json!(null), json!(1)),
            (json!({"type": "integer"}), json!(2.0), json!(2.5)),
            (json!({"enum": ["a", 1]}), json!(1.0), json!("b")),
            (json!({"const": {"a": 1}}), json!({"a": 1.0}), json!({"a": 2})),
            (json!({"minimum": 2, "exclusiveMaximum": 5}), json!(2), json!(5)),
            (json!({"exclusiveMinimum": 2, "maximum": 5}), json!(5), json!(2)),
            (json!({"multipleOf": 0.1}), json!(0.3), json!(0.35)),
            (json!({"minLength": 2, "maxLength": 3}), json!("\u{e9}\u{e9}"), json!("abcd")),
            (json!({"pattern": "^a+$"}), json!("aa"), json!("ab")),
            (json!({"minItems": 1, "maxItems": 2}), json!([1]), json!([])),
            (json!({"items": {"type": "string"}}), json!(["a"]), json!(["a", 1])),
            (json!({"prefixItems": [{"type": "string"}], "items": false}), json!(["a"]), json!(["a", 1])),
            (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 1.0])),
            (json!({"items": [{"type": "string"}], "additionalItems": false}), json!(["a"]), json!(["a", 1])),
            (json!({"items": [{"type": "string"}]}), json!(["a", 1]), json!([1])),
            (json!({"required": ["a"]}), json!({"a": 1}), json!({"b": 1})),
            (json!({"properties": {"a": {}}, "additionalProperties": false}), json!({"a": 1}), json!({"b": 1})),
            (json!({"additionalProperties": {"type": "string"}}), json!({"a": "x"}), json!({"a": 1})),
            (
                json!({"patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
                json!({"xa": "x"}),
                json!({"xa": 1}),
            ),
            (json!({"allOf": [{"type": "string"}, {"minLength": 2}]}), json!("ab"), json!("a")),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!(null), json!(1)),
            (json!({"oneOf": [{"type": "number"}, {"minimum": 5}]}), json!(1), json!(6)),
            (json!({"not": {"type": "string"}}), json!(1), json!("a")),
            (json!({"minProperties": 1}), json!({"a": 1}), json!({})),
            (json!(false), json!(null), json!(null)),
        ] {
            let whole = json!({"type": "object", "properties": {"x": schema}});
            if schema != json!(false) {
                assert_eq!(told(&whole, &json!({ "x": good })), Vec::<String>::new(), "{schema}");
            }
            assert!(!told(&whole, &json!({ "x": bad })).is_empty(), "{schema} lets {bad} through");
        }
    }

    #[test]
    fn references_lead_inside_and_end() {
        let schema = json!({
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}}},
        });
        assert!(told(&schema, &json!({"tree": {"next": {"next": {"n": 1}}}})).is_empty());
        assert_eq!(told(&schema, &json!({"tree": {"next": {"n": "a"}}})).len(), 1);
        let circle = json!({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"$ref": "#/$defs/b"}}});
        let error = |schema: &Value| faults(schema.as_object().unwrap(), json!({"a": 1}).as_object().unwrap());
        assert!(error(&circle).is_err());
        assert!(error(&json!({"properties": {"a": {"$ref": "https://example.com/x"}}})).is_err());
        assert!(error(&json!({"type": "string"})).is_err() && error(&json!({"properties": 3})).is_err());
        assert!(error(&json!({"properties": {"a": 3}})).is_err());
        // Wide and deep enough to take a long time, if nobody counted.
        let mut wide = json!({"type": "integer"});
        for _ in 0..40 {
            wide = json!({"allOf": [wide.clone(), wide]});
            if wide.to_string().len() > 200_000 {
                break;
            }
        }
        let names: Map<String, Value> = (0..100).map(|at| (at.to_string(), json!(1))).collect();
        let schema = json!({ "additionalProperties": wide });
        assert!(faults(schema.as_object().unwrap(), &names).is_err());
    }

    /// A schema is a stranger's: what it costs to check by it is bounded, whatever it says.
    #[test]
    fn what_would_take_long_is_refused() {
        let check = |inside: Value, count: usize| {
            let schema = json!({"properties": {"x": {"items": inside}}});
            let items: Vec<Value> = (0..count).map(|at| json!({"a": at.to_string()})).collect();
            faults(schema.as_object().unwrap(), json!({ "x": items }).as_object().unwrap())
        };
        let names: Vec<String> = (0..100_000).map(|at| format!("n{at}")).collect();
        assert!(check(json!({ "required": names }), 1_000).is_err());
        assert!(check(json!({ "enum": names }), 1_000).is_err());
        let patterns = |count: usize| {
            let of = |at: usize| (format!("(\\w{{90}}){{90}}{at}"), json!({}));
            json!({ "patternProperties": (0..count).map(of).collect::<Map<_, _>>() })
        };
        // Compiled once, not for each item.
        assert_eq!(check(patterns(2), 50_000), Ok(Vec::new()));
        assert!(check(patterns(PATTERNS + 1), 1).unwrap_err().contains("patterns"));
        // What a pattern means that cannot be judged here is not refused.
        let left = json!({"patternProperties": {"^(?=a)": {}}, "additionalProperties": false});
        assert_eq!(check(left, 1), Ok(Vec::new()));
        let many: Vec<usize> = (0..2_000).collect();
        assert!(told(&json!({"properties": {"x": {"uniqueItems": true}}}), &json!({ "x": many })).is_empty());
    }

    /// A part of a schema, as deep as `depth`.
    fn any_schema(depth: u32) -> BoxedStrategy<Value> {
        let kinds = ["string", "integer", "number", "boolean", "null", "array", "object"];
        let leaf = prop_oneof![
            Just(json!(true)),
            proptest::sample::select(kinds.to_vec()).prop_map(|kind| json!({ "type": kind })),
            proptest::sample::subsequence(kinds.to_vec(), 1..3).prop_map(|kinds| json!({ "type": kinds })),
            any_value(1).prop_map(|value| json!({ "const": value })),
            proptest::collection::vec(any_value(1), 1..4).prop_map(|all| json!({ "enum": all })),
            (-2..3i32, 0..3i32).prop_map(|(least, more)| json!({"minimum": least, "maximum": least + more})),
            (-2..3i32).prop_map(|bound| json!({"exclusiveMinimum": bound, "multipleOf": 2})),
            (0..2u32, 1..3u32).prop_map(|(least, most)| json!({"minLength": least, "maxLength": most})),
            proptest::sample::select(vec!["a", "^a", "b$", "^[ab]+$"]).prop_map(|text| json!({ "pattern": text })),
            (0..3u32).prop_map(|count| json!({"minItems": count, "uniqueItems": true})),
            (0..3u32).prop_map(|count| json!({"maxItems": count, "minProperties": 1})),
            proptest::sample::subsequence(vec!["a", "b"], 1..3).prop_map(|names| json!({ "required": names })),
            Just(json!({"$ref": "#/$defs/d"})),
        ];
        if depth == 0 {
            return leaf.boxed();
        }
        let inside = || any_schema(depth - 1);
        let pair = || proptest::collection::vec(inside(), 1..3);
        prop_oneof![
            4 => leaf,
            1 => pair().prop_map(|all| json!({ "anyOf": all })),
            1 => pair().prop_map(|all| json!({ "oneOf": all })),
            1 => pair().prop_map(|all| json!({ "allOf": all })),
            1 => inside().prop_map(|one| json!({ "not": one })),
            1 => inside().prop_map(|one| json!({ "items": one })),
            1 => (inside(), inside()).prop_map(|(one, rest)| json!({"prefixItems": [one], "items": rest})),
            2 => (inside(), inside()).prop_map(|(a, more)| {
                json!({"type": "object", "properties": {"a": a}, "additionalProperties": more})
            }),
            1 => inside().prop_map(|a| json!({"properties": {"a": a}, "additionalProperties": false})),
            1 => inside().prop_map(|a| json!({"patternProperties": {"^a": a}, "additionalProperties": false})),
        ]
        .boxed()
    }

    fn any_value(depth: u32) -> BoxedStrategy<Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Value::from),
            (-3..4i32).prop_map(Value::from),
            (-3..4i32).prop_map(|half| json!(f64::from(half) / 2.0)),
            "[ab]{0,3}".prop_map(Value::from),
        ];
        if depth == 0 {
            return leaf.boxed();
        }
        let inside = || any_value(depth - 1);
        let names = proptest::sample::select(vec!["a", "ab", "b"]);
        prop_oneof![
            3 => leaf,
            1 => proptest::collection::vec(inside(), 0..3).prop_map(Value::from),
            2 => proptest::collection::vec((names, inside()), 0..3)
                .prop_map(|all| all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
        .boxed()
    }

    /// What a library of others says.
    fn judged_by_another(schema: &Value, arguments: &Value) -> bool {
        let (mut all, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        compiler.set_default_draft(boon::Draft::V2020_12);
        compiler.add_resource("mem:///schema.json", schema.clone()).unwrap();
        let index = compiler.compile("mem:///schema.json", &mut all).unwrap();
        all.validate(arguments, index).is_ok()
    }

    proptest! {
        /// The verdict is that of a library of others, for any schema of the keywords that both know.
        #[test]
        fn another_library_says_the_same(x in any_schema(2), defined in any_schema(0), value in any_value(2)) {
            let defined = if defined.get("$ref").is_some() { json!(true) } else { defined };
            let schema = json!({"type": "object", "properties": {"x": x}, "$defs": {"d": defined}});
            let arguments = json!({ "x": value });
            prop_assert_eq!(told(&schema, &arguments).is_empty(), judged_by_another(&schema, &arguments), "{} {}", schema, arguments);
        }

        /// Any schema and any arguments have an end, and arguments that a schema lists as its only value pass.
        #[test]
        fn any_document_is_judged(text in "[\\{\\}\\[\\]\",:a-c0-2]{0,40}", name in "[a-z]{1,4}", value in any::<i32>()) {
            if let Ok(Value::Object(schema)) = serde_json::from_str::<Value>(&text) {
                let _ = faults(&schema, &schema);
            }
            let schema = json!({"properties": {&name: {"const": value}}, "required": [&name]});
            let (right, wrong) = (json!({&name: value}), json!({&name: i64::from(value) + 1}));
            let (of_right, of_wrong) = (told(&schema, &right), told(&schema, &wrong));
            prop_assert!(of_right.is_empty() && !of_wrong.is_empty());
        }
    }
}
