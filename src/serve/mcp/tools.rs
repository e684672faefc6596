//! The tools: what they are called, what they take, what runs them.

use super::answers::{disputed, frame, looked_up, remembered, searched, status};
use crate::engine::face::failure::{Diagnose, Face};
use crate::serve::requests::{
    DisputeRequest, LookupRequest, PackRequest, RememberRequest, RequestError, SearchRequest, StatusRequest,
};
use crate::serve::{Caller, Service, Speaker};
use rmcp::model::{Tool, ToolAnnotations};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Names of all tools, in the order in which they are listed.
pub(super) const NAMES: [&str; 6] = ["lookup", "search", "pack", "status", "remember", "dispute"];

/// The question of a search.
const QUERY: &str = "query";

/// Runs a tool: its arguments, who calls it, and who speaks. An error is a text for them.
pub(super) type Call = fn(&Service, Value, Caller<'_>, Speaker<'_>) -> Result<String, String>;

/// Whether a tool changes what is known.
pub(super) fn writes(name: &str) -> bool {
    matches!(name, "remember" | "dispute")
}

/// What runs the tool of this name.
pub(super) fn call_of(name: &str) -> Option<Call> {
    Some(match name {
        "lookup" => |service, arguments, caller, _| {
            let request = read::<LookupRequest>(arguments)?;
            let filtered = request.is_filtered();
            Ok(looked_up(&service.lookup(request, caller).map_err(told)?, filtered))
        },
        "search" => |service, arguments, caller, _| {
            let mut request = read::<SearchRequest>(arguments)?;
            request.context.get_or_insert(0);
            let filtered = request.is_filtered();
            Ok(searched(&service.search(request, caller).map_err(told)?, filtered, &service.here()))
        },
        "pack" => |service, arguments, caller, _| {
            Ok(frame(service.pack(read::<PackRequest>(arguments)?, caller).map_err(told)?))
        },
        "status" => |service, arguments, caller, _| {
            read::<StatusRequest>(arguments)?;
            Ok(status(&service.status(caller).map_err(told)?))
        },
        "remember" => |service, arguments, caller, speaker| {
            let request = read::<RememberRequest>(arguments)?;
            Ok(remembered(&service.remember(request, speaker, caller).map_err(told)?))
        },
        "dispute" => |service, arguments, caller, speaker| {
            let request = read::<DisputeRequest>(arguments)?;
            Ok(disputed(&service.dispute(request, speaker, caller).map_err(told)?))
        },
        _ => return None,
    })
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| format!("wrong arguments: {error}"))
}

/// An error, as it is told.
pub(super) fn told(error: RequestError) -> String {
    match error.hint_for(Face::Agent) {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

/// All tools. The order never changes: clients keep what they were told.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool::<LookupRequest>(
            NAMES[0],
            "Known cause and fix of an error message or of a failed log, or nothing. Paste what was printed; the \
             likeliest reason comes first.",
            &["text", "limit", "max_errors", "provider"],
        ),
        tool::<SearchRequest>(
            NAMES[1],
            "Passages of the indexed documents and source code, and known errors, that answer a question, with file \
             and lines; or nothing. It compares meaning and words.",
            &["query", "limit", "paths", "exclude", "types", "scopes", "context", "full", "min_relevance"],
        ),
        tool::<PackRequest>(
            NAMES[2],
            "One text with what is known about a task, cited with file and lines, within a budget of tokens. Passages \
             that are unlikely to help are left out.",
            &["task", "budget", "include", "exclude", "scopes"],
        ),
        tool::<StatusRequest>(
            NAMES[3],
            "What is indexed, with which model, and how many files have changed since. Call it if answers are missing \
             or old.",
            &[],
        ),
        writer::<RememberRequest>(
            NAMES[4],
            "Keep what was learnt here: a fix and whether it worked, a fact, a preference. What is known already is \
             updated in its place.",
            &["text", "kind", "error", "worked", "because", "service", "region", "category", "pattern", "update"],
        ),
        writer::<DisputeRequest>(
            NAMES[5],
            "Say that a memory is wrong, by its id. It is not served any more, nor what was concluded from it alone.",
            &["id", "because", "withdraw"],
        ),
    ]
}

/// A tool that changes what is known, and destroys nothing.
fn writer<T: JsonSchema>(name: &'static str, description: &'static str, fields: &[&str]) -> Tool {
    let hints = ToolAnnotations::new().read_only(false).destructive(false).open_world(false);
    Tool::new(name, description, Arc::new(schema::<T>(fields))).with_annotations(hints)
}

/// A tool that takes these fields of a request and changes nothing.
fn tool<T: JsonSchema>(name: &'static str, description: &'static str, fields: &[&str]) -> Tool {
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(name, description, Arc::new(schema::<T>(fields))).with_annotations(hints)
}

/// The schema of these fields, flat: strict clients refuse types of several names, and references.
fn schema<T: JsonSchema>(fields: &[&str]) -> Map<String, Value> {
    let whole = SchemaGenerator::default().into_root_schema_for::<T>().to_value();
    let of = |field: &&str| {
        let mut one = whole.get("properties")?.get(*field)?.clone();
        flatten(&mut one);
        Some(((*field).to_owned(), one))
    };
    let properties: Map<String, Value> = fields.iter().filter_map(of).collect();
    let mut required: Vec<Value> = match whole.get("required") {
        Some(Value::Array(required)) => required.clone(),
        _ => Vec::new(),
    };
    // A search may be asked otherwise than in words, and not by an agent.
    if fields.contains(&QUERY) && required.is_empty() {
        required.push(QUERY.into());
    }
    let parts = [
        ("type", Value::from("object")),
        ("properties", Value::Object(properties)),
        ("required", Value::Array(required)),
        ("additionalProperties", Value::from(false)),
    ];
    parts.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
}

fn flatten(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    // A number that is too large comes back with its bounds.
    for noise in ["format", "default", "title", "minimum", "maximum"] {
        fields.remove(noise);
    }
    if let Some(Value::Array(types)) = fields.get("type") {
        let first = types.iter().find(|one| *one != "null").cloned();
        fields.insert("type".to_owned(), first.unwrap_or_default());
    }
    if let Some(items) = fields.get_mut("items") {
        flatten(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_listed_and_can_be_called() {
        let listed: Vec<String> = all().into_iter().map(|tool| tool.name.into_owned()).collect();
        assert_eq!(listed, NAMES);
        assert!(NAMES.iter().all(|name| call_of(name).is_some()) && call_of("forget").is_none());
    }

    #[test]
    fn schemas_are_flat_and_say_what_each_field_is() {
        for tool in all() {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for (name, field) in properties {
                assert!(field["type"].is_string(), "{name} of {}: {field}", tool.name);
                assert!(field["description"].is_string(), "{name} of {}: {field}", tool.name);
                assert!(field.get("$ref").is_none() && field.get("anyOf").is_none(), "{field}");
            }
            for required in tool.input_schema["required"].as_array().unwrap() {
                assert!(properties.contains_key(required.as_str().unwrap()), "{}: {required}", tool.name);
            }
        }
        let fields_of = |at: usize| all().swap_remove(at).input_schema["properties"].as_object().unwrap().len();
        assert_eq!((fields_of(4), fields_of(5)), (10, 3), "a field that is named and does not exist");
        let search = all().swap_remove(1);
        let fields: Vec<&String> = search.input_schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(fields.len(), 9, "a field that is named and does not exist: {fields:?}");
    }

    #[test]
    fn what_changes_something_says_so() {
        for tool in all() {
            let (hints, writes) = (tool.annotations.unwrap(), writes(&tool.name));
            assert_eq!((hints.read_only_hint, hints.destructive_hint), (Some(!writes), writes.then_some(false)));
            // What is said twice is surer; no tool claims otherwise.
            assert_eq!((hints.idempotent_hint, hints.open_world_hint), (None, Some(false)));
        }
    }

    /// What an agent pays before it has asked anything.
    #[test]
    fn all_that_is_told_at_first_is_small() {
        use crate::engine::face::frames::Tokenizer;
        let listed = serde_json::to_value(all()).unwrap().to_string() + super::super::INSTRUCTIONS;
        let tokens = Tokenizer::O200k.counter().unwrap().count(&listed);
        assert!(tokens <= 1_200, "{tokens} tokens");
    }
}
