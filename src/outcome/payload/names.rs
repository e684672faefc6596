//! The names under which agents report the same thing. The first that is there counts.

use serde_json::{Map, Value};

/// What happened.
pub(super) const EVENT: &[&str] = &["hook_event_name", "hookEventName", "event", "hook"];
/// The session.
pub(super) const SESSION: &[&str] =
    &["session", "session_id", "sessionId", "sessionID", "conversation_id", "conversationId", "thread_id", "threadId"];
/// The call, by the id that the agent gave it.
pub(super) const CALL: &[&str] =
    &["call", "call_id", "callId", "callID", "tool_use_id", "toolUseId", "tool_call_id", "toolCallId"];
/// The tool.
pub(super) const TOOL: &[&str] = &["tool", "tool_name", "toolName"];
/// What it was given. `command` is the last: where there is a tool it may be one of many fields.
pub(super) const INPUT: &[&str] =
    &["input", "tool_input", "toolInput", "args", "tool_args", "toolArgs", "arguments", "command"];
/// What it answered.
pub(super) const RESPONSE: &[&str] = &[
    "tool_response",
    "toolResponse",
    "tool_output",
    "toolOutput",
    "toolResult",
    "tool_result",
    "result_json",
    "result",
    "response",
];
/// What it answered, where that is a text or an object beside other fields of the answer.
pub(super) const OUTPUT: &[&str] = &["output", "content", "text", "textResultForLlm", "llmContent", "returnDisplay"];
/// How long it took, in milliseconds.
pub(super) const DURATION: &[&str] = &["duration_ms", "durationMs", "duration"];
/// The folder.
pub(super) const FOLDER: &[&str] = &["cwd", "folder", "working_directory", "workdir", "directory"];
/// The exit code.
pub(super) const EXIT: &[&str] = &["exit_code", "exitCode", "exit", "returncode", "return_code", "exit_status"];
/// What went wrong, in words, or whether something did.
pub(super) const ERROR: &[&str] = &["error", "error_message", "errorMessage", "stderr_message"];
/// Whether it went well.
pub(super) const SUCCESS: &[&str] = &["ok", "success", "succeeded", "is_ok", "isOk"];
/// Whether it did not.
pub(super) const FAILURE: &[&str] = &[
    "is_error",
    "isError",
    "failed",
    "interrupted",
    "is_interrupt",
    "isInterrupt",
    "timed_out",
    "timedOut",
    "aborted",
];
/// How it ended, in one word.
pub(super) const STATUS: &[&str] = &["status", "resultType", "result_type", "failure_type", "failureType"];
/// Words for an end that is no success.
pub(super) const BAD_ENDS: &[&str] = &[
    "error",
    "failed",
    "failure",
    "denied",
    "timeout",
    "timed_out",
    "cancelled",
    "canceled",
    "aborted",
    "permission_denied",
    "rejected",
];

/// The value of the first of these names that has one.
pub(super) fn first<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().find_map(|name| fields.get(*name).filter(|value| !value.is_null()))
}

/// The text of the first of these names that has one.
pub(super) fn first_text<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| fields.get(*name)?.as_str())
}
