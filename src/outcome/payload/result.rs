//! How a run ended, from all the places where a report may say so: its event, its own fields, and those of the tool's
//! answer. Where one says that it failed, it failed, whatever another says.

use super::names::{BAD_ENDS, ERROR, EXIT, FAILURE, OUTPUT, RESPONSE, STATUS, SUCCESS, first, first_text};
use super::text::{self, joined};
use serde_json::{Map, Value};

/// How a run ended.
pub(super) struct Ended {
    pub is_ok: bool,
    pub exit_code: Option<i32>,
    pub error: String,
    pub duration_ms: Option<u64>,
}

/// How the run of this report ended.
pub(super) fn of(report: &Map<String, Value>, event: &str) -> Ended {
    let answer = answer_of(report);
    let empty = Map::new();
    let fields = answer.as_ref().and_then(Value::as_object).unwrap_or(&empty);
    let metadata = |of: &Map<String, Value>| of.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let (beside, within) = (metadata(report), metadata(fields));
    let all = [report, fields, &beside, &within];

    let printed = printed(report, answer.as_ref());
    let said = first_text(report, ERROR).map(str::to_owned).or_else(|| all.iter().find_map(|part| error_text(part)));
    let exit_code = all
        .iter()
        .find_map(|part| first(part, EXIT).and_then(code))
        .or_else(|| said.as_deref().and_then(text::exit_code))
        // Only an agent writes one around what was printed.
        .or_else(|| text::exit_code(&printed).filter(|_| !event.is_empty()));
    let is_ok =
        !event.contains("fail") && exit_code.is_none_or(|code| code == 0) && !all.iter().any(|part| failed(part));
    let seconds = all.iter().find_map(|part| part.get("duration_seconds").and_then(Value::as_f64));
    Ended {
        is_ok,
        exit_code,
        error: if is_ok { String::new() } else { error_of(said.as_deref(), &printed, &all) },
        duration_ms: seconds.filter(|seconds| *seconds >= 0.0).map(|seconds| (seconds * 1e3).round() as u64),
    }
}

/// What the tool answered. JSON within a text is read, so that its fields count.
fn answer_of(report: &Map<String, Value>) -> Option<Value> {
    let answer = first(report, RESPONSE).or_else(|| report.get("output").filter(|output| output.is_object()))?;
    match answer {
        Value::String(text) if text.trim_start().starts_with('{') => {
            Some(serde_json::from_str(text).ok().filter(Value::is_object).unwrap_or_else(|| answer.clone()))
        }
        other => Some(other.clone()),
    }
}

/// Whether these fields say that the run failed.
fn failed(fields: &Map<String, Value>) -> bool {
    let is = |names: &[&str], wanted: bool| names.iter().any(|name| fields.get(*name) == Some(&Value::Bool(wanted)));
    let bad_end = || {
        STATUS.iter().filter_map(|name| fields.get(*name)?.as_str()).any(|end| {
            let end = end.to_ascii_lowercase();
            BAD_ENDS.contains(&end.as_str())
        })
    };
    let says = || ERROR.iter().filter_map(|name| fields.get(*name)).any(is_said);
    is(SUCCESS, false) || is(FAILURE, true) || says() || bad_end()
}

/// Whether an error is one: not null, `false`, or an empty text.
fn is_said(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) => true,
        Value::Number(number) => number.as_i64() != Some(0),
    }
}

/// The error of these fields in words.
fn error_text(fields: &Map<String, Value>) -> Option<String> {
    let error = ERROR.iter().filter_map(|name| fields.get(*name)).find(|error| is_said(error))?;
    match error {
        Value::String(text) => Some(text.clone()),
        Value::Object(inner) => Some(
            first_text(inner, &["message", "text", "detail", "data"])
                .map_or_else(|| text::canonical(error), str::to_owned),
        ),
        Value::Array(_) => Some(text::canonical(error)),
        _ => None,
    }
}

fn code(value: &Value) -> Option<i32> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok()).and_then(|code| i32::try_from(code).ok())
}

/// What the tool printed, as far as the report holds it: what went to standard error comes last, for it says most.
fn printed(report: &Map<String, Value>, answer: Option<&Value>) -> String {
    let of = |fields: &Map<String, Value>, may_be: fn(&Value) -> bool| {
        let texts =
            |names: &[&str]| first(fields, names).filter(|value| may_be(value)).map(text::plain).unwrap_or_default();
        joined(&[&texts(&["stdout"]), &texts(OUTPUT), &texts(&["stderr"])])
    };
    // An object beside the tool's name is the answer.
    let beside = of(report, |value| !value.is_object());
    match answer {
        Some(Value::Object(fields)) => joined(&[&of(fields, |_| true), &beside]),
        Some(other) => joined(&[&text::plain(other), &beside]),
        None => beside,
    }
}

/// Why it failed: what is said of it, then what it printed.
fn error_of(said: Option<&str>, printed: &str, all: &[&Map<String, Value>]) -> String {
    let said = said.unwrap_or_default();
    let text = if said.contains(printed.trim()) { said.to_owned() } else { joined(&[said, printed]) };
    if !text.trim().is_empty() {
        return text::without_exit_line(&text).to_owned();
    }
    let is_interrupted = |fields: &&&Map<String, Value>| {
        ["interrupted", "is_interrupt", "isInterrupt"].iter().any(|name| fields.get(*name) == Some(&Value::Bool(true)))
    };
    if all.iter().any(|fields| is_interrupted(&fields)) { "interrupted".to_owned() } else { String::new() }
}
