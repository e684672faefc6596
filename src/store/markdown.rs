//! An item as Markdown with YAML front matter, out and in: what an export writes for people.

use crate::render::yaml;
use crate::screen::moves;
use crate::types::{Item, Span};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The fields of an item besides its text, as the front matter has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matter {
    id: String,
    kind: String,
    scope: String,
    authority: String,
    state: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    lines: Option<[usize; 2]>,
    #[serde(default)]
    bytes: Option<[usize; 2]>,
    created_at: i64,
    updated_at: i64,
    #[serde(default)]
    attributes: Value,
    /// The text with what is left out below, where something is.
    #[serde(default)]
    text: Option<String>,
}

/// An item as a Markdown file.
pub fn item_to_markdown(item: &Item) -> String {
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    put("id", json!(item.uid));
    put("kind", json!(item.kind.name()));
    put("scope", json!(item.scope));
    put("authority", json!(item.authority));
    put("state", json!(item.state));
    put("title", json!(item.title));
    if let Some(path) = &item.path {
        put("path", json!(path));
    }
    if let Some(span) = item.span {
        put("lines", json!([span.line_start, span.line_end]));
        put("bytes", json!([span.byte_start, span.byte_end]));
    }
    put("created_at", json!(item.created_at));
    put("updated_at", json!(item.updated_at));
    put("attributes", item.attributes.clone());
    let below = still(&item.body);
    if below != item.body {
        put("text", json!(item.body));
    }
    with_front_matter(&fields, &below)
}

/// A text for a file that somebody may print on a terminal: without what moves a cursor or turns a line around. Line
/// ends and what merely cannot be seen stay.
fn still(text: &str) -> Cow<'_, str> {
    let stays = |c: char| !moves(c) || matches!(c, '\n' | '\t');
    let unix = text.replace("\r\n", "\n");
    if unix.chars().all(stays) { Cow::Borrowed(text) } else { Cow::Owned(unix.chars().filter(|c| stays(*c)).collect()) }
}

/// Fields and a text as Markdown with front matter. A JSON value on one line is a YAML value.
pub fn with_front_matter(fields: &Map<String, Value>, body: &str) -> String {
    // Plain data with string keys cannot fail to serialise.
    let value = |value: &Value| yaml(value).unwrap_or_else(|_| "null".to_owned());
    let lines: String = fields.iter().map(|(key, field)| format!("{key}: {}\n", value(field))).collect();
    format!("---\n{lines}---\n{body}\n")
}

/// Front matter as a value, and the text below it.
///
/// # Errors
/// What is wrong with it.
pub fn read_front_matter(text: &str) -> Result<(Value, &str), String> {
    let rest = text.strip_prefix("---\n").ok_or("it does not begin with front matter")?;
    let end = rest.find("\n---\n").ok_or("its front matter does not end")?;
    let value = serde_saphyr::from_str(&rest[..=end]).map_err(|error| error.to_string())?;
    let body = &rest[end + 5..];
    Ok((value, body.strip_suffix('\n').unwrap_or(body)))
}

/// An item from its Markdown file.
///
/// # Errors
/// What is wrong with it.
pub fn item_from_markdown(text: &str) -> Result<Item, String> {
    let (value, body) = read_front_matter(text)?;
    let matter: Matter = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let span = matter.lines.zip(matter.bytes).map(|(lines, bytes)| Span {
        byte_start: bytes[0],
        byte_end: bytes[1],
        line_start: lines[0],
        line_end: lines[1],
    });
    // Whoever changed what stands below means that.
    let body = matter.text.filter(|text| still(text) == body).unwrap_or_else(|| body.to_owned());
    let item = json!({
        "uid": matter.id, "kind": matter.kind, "scope": matter.scope, "authority": matter.authority,
        "state": matter.state, "title": matter.title, "body": body, "attributes": matter.attributes,
        "path": matter.path, "span": span, "created_at": matter.created_at, "updated_at": matter.updated_at,
    });
    serde_json::from_value(item).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Authority, Kind, Scope, State};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            title in "[a-zß\"':#\\\\\n>-]{0,30}",
            body in "([a-z`#\n\r\t -]|\r\n|\x1b|\u{9b}|\u{202e}|\u{200b}|\u{e0041}){0,80}",
            path in prop::option::of("[a-z/ü'\" .]{1,20}"),
            tag in "[a-z:\"\u{2028}\u{9b}\u{e0041}]{0,9}",
            placed: bool,
        ) {
            let span = Span { byte_start: 3, byte_end: 9, line_start: 2, line_end: 4 };
            let item = Item {
                uid: "chunk/1".to_owned(),
                kind: Kind::Chunk,
                scope: Scope::repository(format!("path:/{tag}")),
                authority: Authority::Team,
                state: State::Active,
                title,
                body,
                attributes: json!({"tags": [tag], "context": "x: y"}),
                path,
                span: placed.then_some(span),
                created_at: 1_795_348_800_123,
                updated_at: -5,
            };
            let written = item_to_markdown(&item);
            prop_assert!(!written.replace("\r\n", "\n").chars().any(|c| moves(c) && c != '\n' && c != '\t'), "{:?}", written);
            prop_assert_eq!(item_from_markdown(&written), Ok(item));
        }
    }

    #[test]
    fn what_is_no_item_is_said() {
        for (text, what) in [
            ("# x\n", "begin"),
            ("---\nid: x\n", "end"),
            ("---\nid: x\n---\n", "missing field"),
            ("---\nid: [\n---\nx\n", ""),
        ] {
            assert!(item_from_markdown(text).unwrap_err().contains(what), "{text}");
        }
    }
}
