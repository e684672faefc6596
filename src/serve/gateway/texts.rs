//! The gateway's own tools, and what it says in their results.

use crate::engine::ToolsFound;
use crate::engine::face::text::single_line;
use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What an agent is told when it connects.
pub(super) const INSTRUCTIONS: &str = "Tools of several servers stand behind this one. Call find with your task; it \
    names the few tools that fit. Call describe for what a tool takes, then call.";
/// Where all tools are listed.
pub(super) const INSTRUCTIONS_TRANSPARENT: &str =
    "Tools of several servers; the name of each begins with that of its server.";

/// Longest description in a list, in characters.
const DESCRIPTION: usize = 200;
const NAME: usize = 200;

pub(super) const FIND: &str = "find";
pub(super) const DESCRIBE: &str = "describe";
pub(super) const CALL: &str = "call";

/// What stands between the name of a server and that of its tool.
pub(super) const BETWEEN: &str = "__";

/// The gateway's own tools. The order never changes: clients keep what they were told.
pub(super) fn own_tools() -> Vec<Tool> {
    let tool = |name: &'static str, description: &'static str, properties: Value, required: &[&str], reads: bool| {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties);
        schema.insert("required".to_owned(), json!(required));
        Tool::new(name, description, Arc::new(schema)).with_annotations(ToolAnnotations::new().read_only(reads))
    };
    vec![
        tool(
            FIND,
            "The few tools that a task needs, each with the reason; or none. Say the task in a sentence.",
            json!({"task": {"type": "string", "description": "What is to be done"}}),
            &["task"],
            true,
        ),
        tool(
            DESCRIBE,
            "What tools take and give: their descriptions and schemas.",
            json!({"names": {"type": "array", "items": {"type": "string"}, "description": "Names that find gave"}}),
            &["names"],
            true,
        ),
        tool(
            CALL,
            "Calls a tool. What cannot be taken back is confirmed first.",
            json!({
                "name": {"type": "string", "description": "Its name"},
                "arguments": {"type": "object", "description": "Its arguments, by its schema"},
                "confirmation": {"type": "string", "description": "The token, if a refusal gave one"},
            }),
            &["name"],
            false,
        ),
    ]
}

/// The name of a tool behind the gateway, from a key such as `git/log`.
pub(super) fn shown_name(key: &str) -> String {
    key.replacen('/', BETWEEN, 1)
}

/// A list of tools that were found. What servers say of them is theirs, a line each.
pub(super) fn found_text(found: &ToolsFound, notes: &[String]) -> String {
    let mut text = String::new();
    if found.tools.is_empty() {
        text.push_str(&format!("None of {} tools fits this task for sure.", found.known));
        text.push_str(if found.closest.is_empty() { "\n" } else { " Closest:\n" });
    }
    for one in found.tools.iter().chain(&found.closest) {
        let (name, said) = (single_line(&shown_name(&one.key), NAME), single_line(&one.tool.description, DESCRIPTION));
        text.push_str(&format!("{name}: {said}\n"));
        if !one.because.is_empty() {
            text.push_str(&format!("    because {}\n", single_line(&one.because.join("; "), DESCRIPTION)));
        }
    }
    if found.unapproved > 0 {
        let count = found.unapproved;
        text.push_str(&format!("Not offered until somebody approves them (ken tools list): {count}.\n"));
    }
    for note in notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

/// A result that says what went wrong.
pub(super) fn failure(why: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.into())])
}

/// A result with a text.
pub(super) fn success(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text.into())])
}
