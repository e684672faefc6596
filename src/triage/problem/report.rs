//! Reports in JSON: SARIF, and what linters and compilers write in forms of their own.
//!
//! No form is known by name. An object with a message and a line, of its own or in what tells its place, is a problem;
//! its file is its own, or that of the nearest object around it.

use super::severity::ProblemSeverity;
use super::{Document, MOST_PROBLEMS, Problem, one_line};
use serde_json::{Map, Value};

/// How deep a place lies in its problem at most.
const PLACE_DEPTH: usize = 5;

const FILES: [&str; 12] = [
    "file",
    "filename",
    "file_name",
    "fileName",
    "filePath",
    "path",
    "uri",
    "source",
    "relative_path",
    "Filename",
    "absolute_path",
    "file_path",
];
const LINES: [&str; 8] = ["line", "startLine", "start_line", "line_start", "line_number", "row", "Line", "begin"];
const COLUMNS: [&str; 7] = ["column", "startColumn", "start_column", "column_start", "col", "Column", "col_offset"];
const MESSAGES: [&str; 9] =
    ["message", "text", "Text", "description", "failure", "issue_text", "summary", "msg", "extra"];
const SEVERITIES: [&str; 6] = ["severity", "level", "type", "issue_severity", "impact", "Severity"];
/// What tells a problem's place.
const PLACES: [&str; 13] = [
    "location",
    "locations",
    "range",
    "start",
    "region",
    "physicalLocation",
    "artifactLocation",
    "position",
    "Pos",
    "begin",
    "lines",
    "spans",
    "positions",
];

/// The problems of a document, or of several one after another.
pub(super) fn problems(text: &str) -> Document {
    let mut out = Document { is_whole: true, ..Document::default() };
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let Ok(value) = value else {
            out.is_whole = false;
            break;
        };
        walk(&value, None, &mut out.problems);
    }
    out
}

fn walk(value: &Value, file: Option<&str>, out: &mut Vec<Problem>) {
    if out.len() >= MOST_PROBLEMS {
        return;
    }
    match value {
        Value::Array(all) => all.iter().for_each(|one| walk(one, file, out)),
        Value::Object(object) => {
            let own = first(object, &FILES).and_then(Value::as_str);
            if let Some(problem) = problem(object, own.or(file)) {
                return out.push(problem);
            }
            for (key, one) in object {
                // A map from files to their problems names the file in the key.
                let named = super::file::is_file(key).then_some(key.as_str());
                walk(one, named.or(own).or(file), out);
            }
        }
        _ => {}
    }
}

fn problem(object: &Map<String, Value>, around: Option<&str>) -> Option<Problem> {
    let message = MESSAGES.iter().filter_map(|key| object.get(*key)).find_map(said)?;
    let mut place = Place::default();
    place.read(object, 0);
    let file = place.file.or(around)?;
    let line = place
        .line
        .and_then(|line| u32::try_from(line + u64::from(place.counts_from_0)).ok())
        .filter(|line| *line > 0)?;
    let column = place.column.and_then(|column| u32::try_from(column).ok());
    let severity = SEVERITIES.iter().filter_map(|key| object.get(*key)).find_map(severity);
    let file = file.strip_prefix("file://").unwrap_or(file).to_owned();
    Some(Problem { file, line: Some(line), column, severity, message: one_line(message), at: 0 })
}

/// A message, also where it lies in an object of its own.
fn said(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Object(object) => ["text", "message"].iter().find_map(|key| object.get(*key)?.as_str()),
        _ => None,
    }
}

fn severity(value: &Value) -> Option<ProblemSeverity> {
    match value {
        Value::String(word) => ProblemSeverity::of(word),
        Value::Number(number) => match number.as_u64()? {
            2 => Some(ProblemSeverity::Error),
            1 => Some(ProblemSeverity::Warning),
            _ => None,
        },
        Value::Object(object) => object.get("value").and_then(severity),
        _ => None,
    }
}

fn first<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| object.get(*key).filter(|value| !value.is_object() && !value.is_array()))
}

/// Where a problem is.
#[derive(Debug, Default)]
struct Place<'a> {
    file: Option<&'a str>,
    line: Option<u64>,
    column: Option<u64>,
    /// Editors' protocol counts lines from 0; it says `character` for a column.
    counts_from_0: bool,
}

impl<'a> Place<'a> {
    fn read(&mut self, object: &'a Map<String, Value>, depth: usize) {
        if depth > PLACE_DEPTH {
            return;
        }
        self.file = self.file.or_else(|| first(object, &FILES).and_then(Value::as_str));
        if self.line.is_none() {
            self.line = first(object, &LINES).and_then(Value::as_u64);
            self.counts_from_0 = self.line.is_some() && object.contains_key("character");
        }
        self.column = self.column.or_else(|| first(object, &COLUMNS).and_then(Value::as_u64));
        for key in PLACES {
            match object.get(key) {
                Some(Value::Object(inner)) => self.read(inner, depth + 1),
                Some(Value::Array(all)) => {
                    let primary = |one: &&Value| one.get("is_primary").and_then(Value::as_bool) == Some(true);
                    let chosen = all.iter().find(primary).or(all.first()).and_then(Value::as_object);
                    if let Some(inner) = chosen {
                        self.read(inner, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }
}
