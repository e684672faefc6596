//! Sessions of agents with what their tools did: `events.jsonl`, `sessions.jsonl` and perhaps `recoveries.jsonl`.

use crate::eval::retrieval::BenchError;
use crate::eval::retrieval::source::{bad, lines, read};
use crate::outcome::head;
use crate::text::{fingerprint, mask, sha256_hex};
use crate::types::limits::OUTCOME_TEXT_BYTES;
use crate::types::{Scope, ToolOutcome};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;

const LAYOUT: &str = "a set holds events.jsonl and sessions.jsonl; see `ken bench outcomes --help`";
const EVENT: &str = r#"a line of events.jsonl is {"session": "a", "seq": 0, "tool": "bash", "args": "ls", "ok": true}"#;
const SESSION: &str = r#"a line of sessions.jsonl is {"session": "a", "env": "bash", "model": "m", "task_key": "t"}"#;
const LABEL: &str =
    r#"a line of recoveries.jsonl is {"session": "a", "fail_seq": 0, "kind": "edited", "via": [], "fix_seq": 2}"#;

/// What a set holds.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeSet {
    pub rows: Vec<ToolOutcome>,
    pub about: HashMap<String, About>,
    /// Steps with the full reward.
    pub rewarded: HashSet<(String, u32)>,
    /// The labels of failures.
    pub labels: HashMap<(String, u32), Label>,
}

/// What is known of a session.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct About {
    session: String,
    #[serde(default)]
    pub env: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub task_key: Option<String>,
}

/// The label of a failure.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Label {
    session: String,
    fail_seq: u32,
    pub kind: String,
    #[serde(default)]
    pub via: Vec<(String, Option<String>)>,
    #[serde(default)]
    pub fix_seq: Option<u32>,
}

#[derive(Deserialize)]
struct Event {
    session: String,
    seq: u32,
    tool: String,
    #[serde(default)]
    head: Option<String>,
    #[serde(default)]
    args: Value,
    #[serde(default)]
    ok: Option<bool>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    reward: Option<f64>,
    #[serde(default)]
    duration_ms: Option<f64>,
}

/// Reads a set from its folder. Events of which it is not said whether they went well are left out.
pub(super) fn read_set(folder: &Path) -> Result<OutcomeSet, BenchError> {
    let mut out = OutcomeSet::default();
    let path = folder.join("events.jsonl");
    for (number, line) in lines(&read(&path, LAYOUT)?) {
        let event: Event = serde_json::from_str(line).map_err(|error| bad(&path, number, EVENT)(&error.to_string()))?;
        if event.reward.is_some_and(|reward| reward >= 1.0) {
            out.rewarded.insert((event.session.clone(), event.seq));
        }
        out.rows.extend(row(event));
    }
    let path = folder.join("sessions.jsonl");
    for (number, line) in lines(&read(&path, LAYOUT)?) {
        let one: About = serde_json::from_str(line).map_err(|error| bad(&path, number, SESSION)(&error.to_string()))?;
        out.about.insert(one.session.clone(), one);
    }
    let path = folder.join("recoveries.jsonl");
    if path.is_file() {
        for (number, line) in lines(&read(&path, LAYOUT)?) {
            let one: Label =
                serde_json::from_str(line).map_err(|error| bad(&path, number, LABEL)(&error.to_string()))?;
            out.labels.insert((one.session.clone(), one.fail_seq), one);
        }
    }
    if out.rows.is_empty() {
        let what = "no event says whether it went well".to_owned();
        return Err(BenchError::Set { path: folder.to_owned(), what, hint: LAYOUT.to_owned() });
    }
    Ok(out)
}

fn row(event: Event) -> Option<ToolOutcome> {
    let input = match event.args {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let error = event.error.unwrap_or_default();
    let is_ok = event.ok?;
    Some(ToolOutcome {
        call: None,
        session: event.session,
        sequence: event.seq,
        at: i64::from(event.seq),
        head: event.head.unwrap_or_else(|| head(&event.tool, &input)),
        tool: event.tool,
        input_fingerprint: sha256_hex(input.as_bytes()),
        input: cut(input),
        is_ok,
        exit_code: None,
        error_fingerprint: (!is_ok).then(|| fingerprint(&mask(&error))),
        error: cut(error),
        duration_ms: event.duration_ms.filter(|ms| *ms >= 0.0).map(|ms| ms.round() as u64),
        scope: Scope::global(),
    })
}

/// As much of a text as a row keeps.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(OUTCOME_TEXT_BYTES));
    text
}
