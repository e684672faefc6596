//! Logs of failed runs with the lines that somebody marked as the reason: `logs.jsonl` and `labels.jsonl` in a folder.

use crate::eval::retrieval::BenchError;
use crate::eval::retrieval::source::{bad, lines, read};
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::path::Path;

const LAYOUT: &str = "a set of logs holds logs.jsonl and labels.jsonl; see `ken bench logs --help`";
const PACKED: &str = "unpack it first: xz -dk logs.jsonl.xz";
const LOG: &str = r#"a line of logs.jsonl is {"id": "1", "lines": ["...", "..."]}"#;
const LABEL: &str = r#"a line of labels.jsonl is {"id": "1", "repo": "owner/name", "start": 10, "end": 12}"#;

/// A log and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledLog {
    /// Its id.
    pub id: String,
    /// The repository that was built.
    pub repo: String,
    /// Its text.
    pub text: String,
    /// The marked stretches: first and last line, from 1, both belong to them.
    pub marked: Vec<(usize, usize)>,
}

#[derive(Deserialize)]
struct Log {
    #[serde(deserialize_with = "id")]
    id: String,
    lines: Vec<String>,
}

#[derive(Deserialize)]
struct Label {
    #[serde(deserialize_with = "id")]
    id: String,
    repo: String,
    start: usize,
    end: usize,
}

/// An id is a string or a number.
fn id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Id {
        Text(String),
        Number(u64),
    }
    Ok(match Id::deserialize(from)? {
        Id::Text(text) => text,
        Id::Number(number) => number.to_string(),
    })
}

/// Reads a set from its folder, in the order of its logs. Logs without a label are left out.
///
/// # Errors
/// [`BenchError`] with file and line for what is not of the layout.
pub fn read_logs(folder: &Path) -> Result<Vec<LabelledLog>, BenchError> {
    let (logs, labels) = (folder.join("logs.jsonl"), folder.join("labels.jsonl"));
    let hint = if folder.join("logs.jsonl.xz").is_file() && !logs.is_file() { PACKED } else { LAYOUT };
    let mut marked: HashMap<String, (String, Vec<(usize, usize)>)> = HashMap::new();
    for (number, line) in lines(&read(&labels, LAYOUT)?) {
        let wrong = bad(&labels, number, LABEL);
        let label: Label = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        if label.start == 0 || label.end < label.start {
            return Err(wrong("lines count from 1, and the end is not before the start"));
        }
        let of_log = marked.entry(label.id).or_insert_with(|| (label.repo, Vec::new()));
        of_log.1.push((label.start, label.end));
    }
    let mut out = Vec::new();
    for (number, line) in lines(&read(&logs, hint)?) {
        let wrong = bad(&logs, number, LOG);
        let log: Log = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        if let Some((repo, marked)) = marked.remove(&log.id) {
            // An array of lines is what says where they end, so that the labels' numbers hold.
            let text: Vec<String> = log.lines.into_iter().map(|line| line.replace('\n', " ")).collect();
            out.push(LabelledLog { id: log.id, repo, text: text.join("\n"), marked });
        }
    }
    match out.is_empty() {
        true => Err(BenchError::Set {
            path: folder.to_owned(),
            what: "no log has a label".to_owned(),
            hint: LAYOUT.to_owned(),
        }),
        false => Ok(out),
    }
}
