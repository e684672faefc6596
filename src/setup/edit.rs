//! An entry put into a JSON text and taken out again, as text: whatever else stands there stays byte for byte, and
//! taking out what was put in gives the text of before.
//!
//! The layout tells what was there before. A container that is made for the entry has a line break behind its bracket;
//! one that was there and empty gets the entry right behind its bracket. So a container is taken out with its entry
//! exactly when it was put in with it. A whole text that is made is laid out by two blanks, and an empty object that
//! was there by four, so that [`made`] is a text that no other way leads to. Where somebody has laid the text out anew,
//! the entry is still found by its value; at worst an empty container of somebody's goes with it.

use super::Why;
use super::jsonc::{Gap, Kind, Node, gap};
use crate::render::json;
use serde_json::Value;

/// A blank layer in a text that shows none of its own.
const USUAL: &str = "    ";
/// A layer in a text that is made.
const OF_MADE: &str = "  ";

/// What is to stand in a JSON text.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// The value of a key, within the objects on the way.
    Named {
        way: &'static [&'static str],
        key: &'static str,
        value: Value,
        /// Whether what stands there in its place is an older or edited entry of ours.
        is_ours: fn(&Value) -> bool,
    },
    /// An element of an array, within the objects on the way.
    Element {
        way: &'static [&'static str],
        value: Value,
        /// Whether an element does what ours does.
        is_alike: fn(&Value) -> bool,
    },
    /// A value that a new text needs beside the others; it is put in nowhere else.
    New { key: &'static str, value: Value },
}

/// The text that there is to be where there was none.
pub(super) fn made(entries: &[Entry]) -> String {
    let mut object = Value::Object(serde_json::Map::new());
    for entry in entries {
        match entry {
            Entry::New { key, value } => set(&mut object, &[], key, value),
            Entry::Named { way, key, value, .. } => set(&mut object, way, key, value),
            Entry::Element { way, value, .. } => {
                let Some((last, before)) = way.split_last() else { continue };
                let at = before.iter().fold(&mut object, |at, key| &mut at[*key]);
                match at[*last].as_array_mut() {
                    Some(array) => array.push(value.clone()),
                    None => at[*last] = Value::Array(vec![value.clone()]),
                }
            }
        }
    }
    pretty(&object, "", OF_MADE, "\n") + "\n"
}

fn set(object: &mut Value, way: &[&str], key: &str, value: &Value) {
    way.iter().fold(object, |at, key| &mut at[*key])[key] = value.clone();
}

/// Puts an entry in; none if it stands there already.
pub(super) fn put(text: &str, entry: &Entry, force: bool) -> Result<Option<String>, Why> {
    let root = Node::read(text)?;
    let (way, leaf) = match entry {
        Entry::New { .. } => return Ok(None),
        Entry::Named { way, key, value, .. } => (*way, Leaf { key: Some(key), value }),
        Entry::Element { way, value, .. } => (*way, Leaf { key: None, value }),
    };
    let layout = Layout::of(text, &root);
    let mut parents = vec![&root];
    for (level, key) in way.iter().enumerate() {
        let object = parents[parents.len() - 1];
        let Some(next) = member(object, key)? else {
            let value = leaf.within(&way[level + 1..]);
            return Ok(Some(layout.insert(object, level == 0, Some(key), &value, true)));
        };
        parents.push(next);
    }
    let container = parents[parents.len() - 1];
    match (entry, &container.kind) {
        (Entry::Named { key, value, is_ours, .. }, Kind::Object(_)) => match member(container, key)? {
            None => Ok(Some(layout.insert(container, way.is_empty(), Some(key), value, false))),
            Some(there) if there.value() == *value => Ok(None),
            Some(there) if force && is_ours(&there.value()) => {
                let lines = pretty(value, layout.indent(there.start), &layout.unit, layout.end_of_line);
                Ok(Some([&text[..there.start], &lines, &text[there.end..]].concat()))
            }
            Some(there) if is_ours(&there.value()) => Err(Why::Edited),
            Some(_) => Err(Why::Own { name: (*key).to_owned() }),
        },
        (Entry::Element { value, is_alike, .. }, Kind::Array(all)) => {
            let values: Vec<Value> = all.iter().map(Node::value).collect();
            if values.contains(value) {
                Ok(None)
            } else if values.iter().any(is_alike) {
                Err(Why::OwnHook)
            } else {
                Ok(Some(layout.insert(container, false, None, value, false)))
            }
        }
        _ => Err(Why::WrongType { key: (*way.last().unwrap_or(&"it")).to_owned() }),
    }
}

/// Takes an entry out; none if it does not stand there.
pub(super) fn take_out(text: &str, entry: &Entry, force: bool) -> Result<Option<String>, Why> {
    let root = Node::read(text)?;
    let way = match entry {
        Entry::New { .. } => return Ok(None),
        Entry::Named { way, .. } | Entry::Element { way, .. } => *way,
    };
    // The containers on the way, each with the place of the child that leads on.
    let mut steps: Vec<(&Node, usize)> = Vec::new();
    let mut at = &root;
    for key in way {
        let Kind::Object(members) = &at.kind else { return Ok(None) };
        let Some(place) = members.iter().position(|member| member.key == *key) else { return Ok(None) };
        steps.push((at, place));
        at = &members[place].value;
    }
    let place = match (entry, &at.kind) {
        (Entry::Named { key, value, is_ours, .. }, Kind::Object(members)) => {
            let Some(place) = members.iter().position(|member| member.key == *key) else { return Ok(None) };
            let there = members[place].value.value();
            match there == *value || force && is_ours(&there) {
                true => place,
                false if is_ours(&there) => return Err(Why::Edited),
                false => return Ok(None),
            }
        }
        (Entry::Element { value, is_alike, .. }, Kind::Array(all)) => {
            let found = |wanted: &dyn Fn(&Value) -> bool| all.iter().position(|node| wanted(&node.value()));
            match (found(&|there| there == value), found(&|there| is_alike(there))) {
                (Some(place), _) => place,
                (None, Some(_)) => return Err(Why::OwnHook),
                (None, None) => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    let (mut container, mut place) = (at, place);
    while container.children().len() == 1 && was_made(text, container) {
        let Some((above, place_above)) = steps.pop() else { return Ok(Some(emptied(text, container))) };
        (container, place) = (above, place_above);
    }
    Ok(Some(without(text, container, place)))
}

/// Whether a container was put in together with the one child that it has.
fn was_made(text: &str, container: &Node) -> bool {
    container.children().first().is_some_and(|(start, _)| {
        let before = gap(text, container.start + 1, *start);
        !before.has_comment && text[container.start + 1..*start].contains('\n')
    })
}

/// The text with nothing in an object that was empty: its one child and the white space around it go.
fn emptied(text: &str, object: &Node) -> String {
    let (_, end) = object.children()[0];
    let rest = &text[end..object.end - 1];
    let kept = if rest.trim().is_empty() { "" } else { rest };
    [&text[..=object.start], kept, &text[object.end - 1..]].concat()
}

/// The text without one child of a container, and without the comma that it needed.
fn without(text: &str, container: &Node, place: usize) -> String {
    let children = container.children();
    let (start, end) = children[place];
    let before = match place.checked_sub(1) {
        None => gap(text, container.start + 1, start),
        Some(previous) => gap(text, children[previous].1, start),
    };
    let behind = gap(text, end, children.get(place + 1).map_or(container.end - 1, |next| next.0));
    let comma = behind.comma.or(before.comma);
    let mut cuts = vec![(before.after, end)];
    cuts.extend(comma.map(|at| (at, at + 1)));
    cuts.sort_unstable();
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (from, to) in cuts {
        out.push_str(&text[at..from.max(at)]);
        at = to.max(at);
    }
    out + &text[at..]
}

/// The member with this key; an error if there are two, or if it is looked for in something that is no object.
fn member<'a>(object: &'a Node, key: &str) -> Result<Option<&'a Node>, Why> {
    let Kind::Object(members) = &object.kind else { return Err(Why::NoObject { key: key.to_owned() }) };
    let mut found = members.iter().filter(|member| member.key == key).map(|member| &member.value);
    let first = found.next();
    match found.next() {
        Some(_) => Err(Why::Twice { key: key.to_owned() }),
        None => Ok(first),
    }
}

/// What stands innermost.
struct Leaf<'a> {
    key: Option<&'a str>,
    value: &'a Value,
}

impl Leaf<'_> {
    /// The value within the containers that are made for it.
    fn within(&self, way: &[&str]) -> Value {
        let inner = match self.key {
            Some(key) => Value::Object([(key.to_owned(), self.value.clone())].into_iter().collect()),
            None => Value::Array(vec![self.value.clone()]),
        };
        way.iter().rev().fold(inner, |value, key| Value::Object([((*key).to_owned(), value)].into_iter().collect()))
    }
}

/// How a text is laid out.
struct Layout<'a> {
    text: &'a str,
    unit: String,
    end_of_line: &'static str,
}

impl<'a> Layout<'a> {
    fn of(text: &'a str, root: &Node) -> Self {
        let first = root.children().first().map_or("", |(start, _)| &text[root.start + 1..*start]);
        let unit = first.rsplit_once('\n').map_or("", |(_, blanks)| blanks);
        let is_layer = !unit.is_empty() && unit.len() <= 16 && unit.trim_matches([' ', '\t']).is_empty();
        let unit = if is_layer { unit.to_owned() } else { USUAL.to_owned() };
        Self { text, unit, end_of_line: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    /// The blanks that the line of this place begins with.
    fn indent(&self, at: usize) -> &'a str {
        let line = self.text[..at].rsplit('\n').next().unwrap_or_default();
        let line = line.trim_start_matches('\u{feff}');
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The text with one more child at the end of a container; `is_made` if containers are made for it.
    fn insert(&self, container: &Node, is_root: bool, key: Option<&str>, value: &Value, is_made: bool) -> String {
        let text = self.text;
        let children = container.children();
        let Some((start_of_last, end_of_last)) = children.last().copied() else {
            return self.fill(container, is_root, key, value, is_made);
        };
        let before_last = match children.len().checked_sub(2) {
            None => gap(text, container.start + 1, start_of_last),
            Some(previous) => gap(text, children[previous].1, start_of_last),
        };
        let Gap { comma, after, ends_in_line_comment, .. } = gap(text, end_of_last, container.end - 1);
        let has_line = text[before_last.after..start_of_last].contains('\n') || ends_in_line_comment;
        let indent = self.indent(start_of_last);
        let between = if has_line { format!("{}{indent}", self.end_of_line) } else { " ".to_owned() };
        let child = self.child(key, value, (has_line || is_made).then_some(indent));
        let (comma_before, comma_behind) = if comma.is_some() { ("", ",") } else { (",", "") };
        let (head, rest) = (&text[..end_of_last], &text[end_of_last..after]);
        [head, comma_before, rest, &between, &child, comma_behind, &text[after..]].concat()
    }

    /// The text with the first child in a container that is empty, or holds comments alone.
    fn fill(&self, container: &Node, is_root: bool, key: Option<&str>, value: &Value, is_made: bool) -> String {
        let text = self.text;
        let Gap { after, ends_in_line_comment, .. } = gap(text, container.start + 1, container.end - 1);
        let indent = self.indent(container.start);
        let line = format!("{}{indent}", self.end_of_line);
        let inner = format!("{indent}{}", self.unit);
        let (before, child, behind) = if is_root && container.end == container.start + 2 {
            (format!("{line}{}", self.unit), self.child(key, value, Some(&inner)), line)
        } else if ends_in_line_comment {
            (format!("{line}{}", self.unit), self.child(key, value, Some(&inner)), String::new())
        } else {
            (String::new(), self.child(key, value, is_made.then_some(indent)), String::new())
        };
        [&text[..after], &before, &child, &behind, &text[after..]].concat()
    }

    /// A child as text: on lines of its own, set in so far, or on one.
    fn child(&self, key: Option<&str>, value: &Value, indent: Option<&str>) -> String {
        let value = match indent {
            Some(indent) => pretty(value, indent, &self.unit, self.end_of_line),
            None => compact(value),
        };
        match key {
            Some(key) => format!("{}: {value}", quoted(key)),
            None => value,
        }
    }
}

fn quoted(text: &str) -> String {
    json(&text).unwrap_or_default()
}

/// A value on lines of its own, the first of which has begun; a list of plain values stands on one.
fn pretty(value: &Value, indent: &str, unit: &str, end_of_line: &str) -> String {
    let inner = format!("{indent}{unit}");
    let lines = |open: &str, parts: Vec<String>, close: &str| {
        let parts = parts.join(&format!(",{end_of_line}{inner}"));
        format!("{open}{end_of_line}{inner}{parts}{end_of_line}{indent}{close}")
    };
    match value {
        Value::Object(all) if !all.is_empty() => {
            let part = |(key, value): (&String, &Value)| {
                format!("{}: {}", quoted(key), pretty(value, &inner, unit, end_of_line))
            };
            lines("{", all.iter().map(part).collect(), "}")
        }
        Value::Array(all) if all.iter().any(|value| value.is_object() || value.is_array()) => {
            lines("[", all.iter().map(|value| pretty(value, &inner, unit, end_of_line)).collect(), "]")
        }
        other => compact(other),
    }
}

/// A value on one line.
fn compact(value: &Value) -> String {
    match value {
        Value::Object(all) => {
            let parts: Vec<String> =
                all.iter().map(|(key, value)| format!("{}: {}", quoted(key), compact(value))).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Value::Array(all) => format!("[{}]", all.iter().map(compact).collect::<Vec<_>>().join(", ")),
        plain => json(plain).unwrap_or_default(),
    }
}
