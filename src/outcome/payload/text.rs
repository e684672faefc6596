//! Texts of a report: what a value says in words, JSON in one spelling, and exit codes that stand in a text.

use serde_json::Value;

/// A value as text: a text as it is, the texts of a list of contents, else JSON in one spelling.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text").unwrap_or(part).as_str()).collect();
            texts.map_or_else(|| canonical(value), |texts| texts.join("\n"))
        }
        other => canonical(other),
    }
}

/// JSON in one spelling: keys in order, no spaces. Equal values are equal texts.
pub(in crate::outcome) fn canonical(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut all: Vec<(&String, &Value)> = fields.iter().collect();
            all.sort_by_key(|(key, _)| *key);
            let all = all.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)));
            format!("{{{}}}", all.collect::<Vec<_>>().join(","))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// Texts that are not empty, one below the other; none twice in a row.
pub(super) fn joined(texts: &[&str]) -> String {
    let mut all: Vec<&str> = texts.iter().map(|text| text.trim_end()).filter(|text| !text.trim().is_empty()).collect();
    all.dedup();
    all.join("\n")
}

/// How the line begins with which agents say the exit code of a command, in lower case.
const EXIT_LINES: &[&str] = &["exit code: ", "exit code ", "exited with code ", "process exited with code "];

/// Lines that an agent writes below what a command printed, at most.
const MOST_TRAILER: usize = 6;

/// The number behind one of these beginnings, if nothing else stands there.
fn code_of(line: &str) -> Option<i32> {
    let line = line.trim().to_ascii_lowercase();
    EXIT_LINES.iter().find_map(|begins| line.strip_prefix(begins)?.trim().trim_end_matches('.').parse().ok())
}

/// The exit code that an agent wrote above what a command printed, or below it. What stands between is the command's
/// own and is not looked at.
pub(super) fn exit_code(text: &str) -> Option<i32> {
    // One agent says the time first, another the command and its folder.
    let mut lines = text.trim().lines().take(4);
    lines
        .find_map(code_of)
        .or_else(|| {
            let last = text.trim().lines().rev().take(3);
            last.into_iter().find_map(code_of)
        })
        .or_else(|| {
            // Below it there may be more of the kind, such as `Signal: 0` and `Background PIDs: (none)`.
            let trailer = text.trim().lines().rev().take(MOST_TRAILER).take_while(|line| is_trailer(line));
            trailer.into_iter().find_map(code_of)
        })
}

/// Whether a line is a name and a value, as agents write them below what a command printed.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ')
    })
}

/// Whether a text holds nothing that a command printed, but only what agents add: exit code, command, folder and empty
/// fields.
pub(in crate::outcome) fn is_wordless(text: &str) -> bool {
    const AROUND: [&str; 5] = ["Command", "Directory", "Signal", "Background PIDs", "Process Group PGID"];
    const EMPTY: [&str; 3] = ["", "(empty)", "(none)"];
    let is_around = |line: &str| {
        line.split_once(':').is_some_and(|(name, value)| AROUND.contains(&name) || EMPTY.contains(&value.trim()))
    };
    text.lines().all(|line| line.trim().is_empty() || code_of(line).is_some() || is_around(line))
}

/// The text without a first line that says an exit code and no more, if something else follows.
pub(super) fn without_exit_line(text: &str) -> &str {
    match text.trim_start().split_once('\n') {
        Some((first, rest)) if code_of(first).is_some() && !rest.trim().is_empty() => rest,
        _ => text,
    }
}
