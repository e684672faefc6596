//! From the report of one run of a tool, a JSON object, to the run: the reports that common agents hand to a hook, and
//! a plain schema of our own: `session`, `tool`, `input`, `ok`, `exit_code`, `error`, `output`, `duration_ms`, `cwd`.
//!
//! Agents name the same things differently, so each is looked for under all its names (`names`). What a report does not
//! say is left empty. A run failed if a field or the name of the event says so; otherwise it went well. An event
//! without a run, such as the start of a session, gives none.
//!
//! Reports are bounded by [`TOOL_PAYLOAD`] and by the depth that the reader of JSON allows.

mod names;
mod result;
#[cfg(test)]
mod tests;
mod text;

pub(in crate::outcome) use text::{canonical, is_wordless};

use super::head::head;
use crate::types::Execution;
use crate::types::limits::TOOL_PAYLOAD;
use names::{CALL, DURATION, EVENT, FOLDER, INPUT, SESSION, TOOL, first, first_text};
use serde_json::{Map, Value};

/// A report that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// It is larger than any that is read.
    #[error("the report of the run has more than {} {}", TOOL_PAYLOAD.size().0, TOOL_PAYLOAD.size().1)]
    TooLarge,
    /// It is no JSON.
    #[error("the report of the run is no JSON: {0}")]
    NoJson(String),
    /// It is JSON, and no object.
    #[error("the report of the run is no JSON object")]
    NoObject,
    /// It names no tool.
    #[error("the report of the run names no tool")]
    NoTool,
}

/// The run that a report tells of; none if it tells of something else.
///
/// # Errors
/// [`PayloadError`] for what is no report.
pub fn read(bytes: &[u8]) -> Result<Option<Execution>, PayloadError> {
    if bytes.len() as u64 > TOOL_PAYLOAD.bytes {
        return Err(PayloadError::TooLarge);
    }
    // A mark of the byte order, as some shells write it.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(report)) => read_report(&report),
        Ok(_) => Err(PayloadError::NoObject),
        Err(error) => Err(PayloadError::NoJson(error.to_string())),
    }
}

/// The same of a report that is read already.
///
/// # Errors
/// [`PayloadError::NoTool`].
pub fn read_report(report: &Map<String, Value>) -> Result<Option<Execution>, PayloadError> {
    let event = first_text(report, EVENT).unwrap_or_default().to_lowercase();
    if !tells_of_a_run(&event) {
        return Ok(None);
    }
    // Of a command that an editor ran the report says no tool.
    let named = first_text(report, TOOL).filter(|tool| !tool.trim().is_empty());
    let is_command = event.contains("shell") || report.contains_key("command");
    let tool = match named {
        Some(tool) => tool.to_owned(),
        None if is_command => "shell".to_owned(),
        None => return Err(PayloadError::NoTool),
    };
    let result = result::of(report, &event);
    let input = first(report, INPUT).map_or_else(String::new, |input| input_of(&tool, input));
    let folder = first_text(report, FOLDER).filter(|folder| !folder.is_empty()).map(str::to_owned);
    Ok(Some(Execution {
        session: first_text(report, SESSION).unwrap_or_default().to_owned(),
        input,
        is_ok: result.is_ok,
        exit_code: result.exit_code,
        error: if result.is_ok { String::new() } else { result.error },
        duration_ms: first(report, DURATION).and_then(milliseconds).or(result.duration_ms),
        folder: folder.or_else(|| first_root(report)),
        call: first_text(report, CALL).unwrap_or_default().to_owned(),
        tool,
    }))
}

/// Whether an event of this name comes when a tool has run. A report without an event is one.
fn tells_of_a_run(event: &str) -> bool {
    let plain: String = event.chars().filter(char::is_ascii_alphanumeric).collect();
    let about_tools = ["tool", "shellexecution", "mcpexecution"].iter().any(|word| plain.contains(word));
    let is_behind = plain.contains("after") || plain.starts_with("post");
    plain.is_empty() || about_tools && is_behind
}

/// The first folder of an editor's window.
fn first_root(report: &Map<String, Value>) -> Option<String> {
    let roots = report.get("workspace_roots").or_else(|| report.get("workspaceRoots"))?;
    Some(roots.as_array()?.first()?.as_str()?.to_owned()).filter(|root| !root.is_empty())
}

fn milliseconds(value: &Value) -> Option<u64> {
    // Below 0 and what is no number is not known.
    value.as_u64().or_else(|| value.as_f64().filter(|ms| *ms >= 0.0).map(|ms| ms.round() as u64))
}

/// Fields of an input that hold a command line or a statement.
const COMMANDS: &[&str] = &["command", "cmd", "script", "sql", "query", "statement"];

/// What a tool was given: the command line or statement of a tool that takes one, else its JSON in one spelling.
fn input_of(tool: &str, input: &Value) -> String {
    let parsed;
    let input = match input {
        // Some agents write the arguments as JSON within JSON.
        Value::String(text) if text.trim_start().starts_with('{') => match serde_json::from_str(text) {
            Ok(value @ Value::Object(_)) => {
                parsed = value;
                &parsed
            }
            _ => return text.clone(),
        },
        Value::String(text) => return text.clone(),
        Value::Null => return String::new(),
        other => other,
    };
    let whole = canonical(input);
    let command = input.as_object().and_then(|fields| first(fields, COMMANDS)).and_then(command_text);
    match command {
        Some(command) if !head(tool, &command).is_empty() => command,
        _ => whole,
    }
}

/// A command line: as it is, or as words, of which those of a shell are left out.
fn command_text(command: &Value) -> Option<String> {
    let Value::Array(words) = command else { return command.as_str().map(str::to_owned) };
    let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => {
            Some((*line).to_owned())
        }
        words => Some(words.join(" ")),
    }
}
