//! Transcripts in JSON: one message to a line, one conversation to a line, or one document over many lines.
//!
//! A message names who speaks (`role`, `type`, `from`, `speaker`, `author`) and what (`content`, `text`, `value`,
//! `parts`), at the top or in `message` or `payload`; `content` is a string or a list of parts. What a tool printed is
//! a turn of the tool even if the line says `user`, and so is what the program itself put there (`isMeta`, reminders in
//! tags) or had another program say (`isSidechain`). A command that the program ran becomes a line `$ command`.
//! Exports of chats name them differently: ChatGPT's `mapping` holds messages by id, and VS Code's `requests` hold what
//! the person asked beside the list of what was answered.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use serde_json::value::RawValue;

use super::{MAX_TURNS, Role, Turn, role_of};

/// Lines that are looked at before a text is taken for something else.
const TRIED_LINES: usize = 50;

/// How deep messages may lie in each other.
const MAX_DEPTH: usize = 4;

/// What lists of messages are called.
const LISTS: [&str; 6] = ["messages", "turns", "conversation", "conversations", "history", "requests"];

/// What messages by id are called, each in a node of a tree that names its `parent`. Their order in the file is mostly
/// that of time. A question that was asked anew, or an answer that was made anew, begins another branch.
const TREE: &str = "mapping";

/// The last node of the branch that the person saw last.
const LEAF: &str = "current_node";

/// The turns of a transcript, or nothing if the text is none.
pub(super) fn turns(text: &str) -> Option<Vec<Turn>> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    by_line(text).or_else(|| whole(text))
}

/// The turns of a text that is one document.
fn whole(text: &str) -> Option<Vec<Turn>> {
    let document: &RawValue = serde_json::from_str(text).ok()?;
    let mut reader = Document { text, counted: 0, line: 1, out: Vec::new() };
    reader.read(document, MAX_DEPTH);
    (!reader.out.is_empty()).then_some(reader.out)
}

/// A document that is read from its start to its end.
struct Document<'a> {
    text: &'a str,
    /// Bytes of `text` whose line ends are in `line`.
    counted: usize,
    line: usize,
    out: Vec<Turn>,
}

impl Document<'_> {
    /// Appends what a part of the document says. Messages keep the line that they begin in.
    fn read(&mut self, part: &RawValue, depth: usize) {
        if depth == 0 || self.out.len() > MAX_TURNS {
            return;
        }
        if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(part.get()) {
            return list.into_iter().for_each(|one| self.read(one, depth - 1));
        }
        let Ok(fields) = serde_json::from_str::<HashMap<String, &RawValue>>(part.get()) else { return };
        let Ok(value) = serde_json::from_str::<Value>(part.get()) else { return };
        let is_list = role(&value).is_none();
        let list = LISTS
            .iter()
            .filter(|_| is_list)
            .find_map(|name| fields.get(*name).filter(|list| list.get().starts_with('[')));
        if let Some(list) = list {
            return self.read(list, depth - 1);
        }
        if let Some(tree) = value.get(TREE).and_then(Value::as_object) {
            let branch = branch(&value, tree);
            let nodes: HashMap<String, &RawValue> = serde_json::from_str(fields[TREE].get()).unwrap_or_default();
            let is_seen = |id: &String| branch.is_empty() || branch.contains(id.as_str());
            let mut nodes: Vec<&RawValue> =
                nodes.into_iter().filter(|(id, _)| is_seen(id)).map(|(_, node)| node).collect();
            nodes.sort_unstable_by_key(|node| node.get().as_ptr());
            return nodes.into_iter().for_each(|node| self.read(node, depth - 1));
        }
        let at = part.get().as_ptr().addr() - self.text.as_ptr().addr();
        self.line += self.text.as_bytes()[self.counted..at].iter().filter(|&&byte| byte == b'\n').count();
        self.counted = at;
        said(&value, self.line, 1, &mut self.out);
    }
}

/// The turns of a text in which a line holds a message or a conversation.
fn by_line(text: &str) -> Option<Vec<Turn>> {
    let lines = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let tried: Vec<Option<Value>> = lines().take(TRIED_LINES).map(|(_, line)| parsed(line)).collect();
    let objects = tried.iter().flatten().count();
    let has_messages = tried.iter().flatten().any(|value| {
        let mut out = Vec::new();
        said(value, 1, MAX_DEPTH, &mut out);
        !out.is_empty()
    });
    if !has_messages || objects * 2 < tried.len() {
        return None;
    }
    let mut out = Vec::new();
    for (at, line) in lines() {
        if let Some(value) = parsed(line) {
            said(&value, at + 1, MAX_DEPTH, &mut out);
        }
        if out.len() > MAX_TURNS {
            break;
        }
    }
    Some(out)
}

fn parsed(line: &str) -> Option<Value> {
    let line = line.trim().trim_end_matches(',');
    if !line.starts_with(['{', '[']) {
        return None;
    }
    serde_json::from_str(line).ok()
}

/// Appends what a line says.
fn said(value: &Value, line: usize, depth: usize, out: &mut Vec<Turn>) {
    if depth == 0 {
        return;
    }
    if let Some(list) = value.as_array() {
        list.iter().take(MAX_TURNS).for_each(|one| said(one, line, depth - 1, out));
        return;
    }
    // A message may hold a list too, such as what was said before it.
    let is_list = role(value).is_none();
    let list = LISTS.iter().filter(|_| is_list).find_map(|name| value.get(name).filter(|list| list.is_array()));
    if let Some(list) = list {
        return said(list, line, depth - 1, out);
    }
    if let Some(tree) = value.get(TREE).and_then(Value::as_object) {
        let branch = branch(value, tree);
        let seen = tree.iter().filter(|(id, _)| branch.is_empty() || branch.contains(id.as_str()));
        return seen.for_each(|(_, node)| said(node, line, depth - 1, out));
    }
    if let (Some(asked), Some(answers)) = (asked(value), value.get("response").and_then(Value::as_array)) {
        push(Role::User, asked, line, out);
        let is_said = |one: &&Value| one.get("kind").and_then(Value::as_str) != Some("thinking");
        let texts = answers.iter().filter(is_said).filter_map(|one| one.get("value").and_then(Value::as_str));
        return push(Role::Assistant, &texts.collect::<String>(), line, out);
    }
    let message = ["message", "payload"].iter().find_map(|name| value.get(name).filter(|inner| inner.is_object()));
    let Some(role) = message.and_then(role).or_else(|| role(value)) else { return };
    let is_set = |name| value.get(name).and_then(Value::as_bool) == Some(true);
    let role = match role {
        Role::User if is_set("isMeta") || is_set("isSidechain") => Role::Tool,
        role => role,
    };
    let content = |value: &Value| {
        let names = ["content", "text", "value", "parts", "message"];
        let inner = |name: &&str| match value.get(*name) {
            Some(inner @ Value::Object(_)) => inner.get("parts"),
            inner => inner,
        };
        names.iter().find_map(|name| inner(name).filter(|inner| inner.is_string() || inner.is_array())).cloned()
    };
    match message.and_then(content).or_else(|| content(value)) {
        Some(Value::String(text)) => push(role, &text, line, out),
        Some(Value::Array(parts)) => parts.iter().for_each(|one| part(role, one, line, out)),
        _ => {}
    }
}

fn role(value: &Value) -> Option<Role> {
    let names = ["role", "from", "speaker", "author", "type"];
    let word = |name: &&str| match value.get(*name)? {
        Value::String(word) => role_of(word),
        inner => inner.get("role").and_then(Value::as_str).and_then(role_of),
    };
    names.iter().find_map(word)
}

/// What a person asked, where the answers stand beside it.
fn asked(value: &Value) -> Option<&str> {
    value.get("message")?.get("text")?.as_str()
}

/// The ids of the nodes from the leaf up to the root; none if no leaf is named.
fn branch<'a>(value: &'a Value, tree: &'a serde_json::Map<String, Value>) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    let mut next = value.get(LEAF).and_then(Value::as_str);
    while let Some(id) = next.filter(|id| seen.insert(*id)) {
        next = tree.get(id).and_then(|node| node.get("parent")).and_then(Value::as_str);
    }
    seen
}

/// Appends one part of a message.
fn part(role: Role, value: &Value, line: usize, out: &mut Vec<Turn>) {
    if let Some(text) = value.as_str() {
        return push(role, text, line, out);
    }
    let text = |name| value.get(name).and_then(Value::as_str);
    match text("type") {
        Some("tool_result") => match value.get("content") {
            Some(Value::String(text)) => push(Role::Tool, text, line, out),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|one| one.get("text").and_then(Value::as_str));
                texts.for_each(|text| push(Role::Tool, text, line, out));
            }
            _ => {}
        },
        Some("tool_use") => {
            let command = value.get("input").and_then(|input| input.get("command")).and_then(Value::as_str);
            if let Some(command) = command {
                push(Role::Assistant, &format!("$ {}", command.trim()), line, out);
            }
        }
        Some("thinking" | "reasoning" | "image" | "document") => {}
        _ => {
            if let Some(text) = text("text").or_else(|| text("content")) {
                push(role, text, line, out);
            }
        }
    }
}

/// Appends a turn; successive parts of one line by the same speaker are one turn.
fn push(role: Role, text: &str, line: usize, out: &mut Vec<Turn>) {
    let text = without_reminders(text);
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    // Commands and their output that a terminal program wraps in tags are not the person's words.
    let is_wrapped =
        ["<command-", "<local-command", "<bash-", "<system-", "<environment_context", "<user_instructions"]
            .iter()
            .any(|tag| text.starts_with(tag));
    let role = if is_wrapped { Role::Tool } else { role };
    match out.last_mut() {
        Some(last) if last.role == role && last.line_start == line && role != Role::User => {
            last.text.push('\n');
            last.text.push_str(text);
        }
        _ => out.push(Turn { role, text: text.to_owned(), line_start: line, line_end: line }),
    }
}

/// The text without what a program added in tags.
fn without_reminders(text: &str) -> String {
    const TAGS: (&str, &str) = ("<system-reminder>", "</system-reminder>");
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, inner)) = rest.split_once(TAGS.0) {
        out.push_str(before);
        rest = inner.split_once(TAGS.1).map_or("", |(_, after)| after);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Role, String, usize)> {
        turns(text).unwrap_or_default().into_iter().map(|t| (t.role, t.text, t.line_start)).collect()
    }
    fn user(text: &str, line: usize) -> (Role, String, usize) {
        (Role::User, text.to_owned(), line)
    }

    #[test]
    fn all_shapes_are_read() {
        for line in [
            r#"{"role":"user","content":"hi"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"hi"}]}"#,
            r#"{"type":"user","message":{"role":"user","content":"hi"}}"#,
            concat!(
                r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"hi<system-reminder"#,
                r#">no</system-reminder>"}]}}"#,
            ),
            concat!(
                r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_"#,
                r#"text","text":"hi"}]}}"#,
            ),
            r#"{"from":"human","value":"hi"}"#,
            r#"{"role":"user","parts":[{"text":"hi"}]}"#,
            r#"{"type":"user","message":"hi"}"#,
            r#"{"id":1,"turns":[{"role":"user","text":"hi"}]}"#,
            r#"[{"role":"user","content":"hi"}]"#,
            r#"{"role":"user","content":"hi","history":[],"mapping":null}"#,
            "{\"role\":\"user\",\"history\":[{\"role\":\"user\",\"content\":\"x\"}],\n\"content\":\"hi\"}",
        ] {
            assert_eq!(read(&format!("\n{line}\n")), [user("hi", 2)], "{line}");
        }
    }

    #[test]
    fn documents_over_many_lines_are_read() {
        let answer = |line| (Role::Assistant, "ho".to_owned(), line);
        let messages = r#"{
 "sessionId": "x",
 "messages": [
  {
   "type": "user",
   "content": "hi"
  },
  { "type": "info", "content": "x" },
  { "type": "gemini", "content": "ho" }
 ]
}"#;
        assert_eq!(read(messages), [user("hi", 4), answer(9)]);
        let tree = r#"[
{ "title": "x", "mapping": {
 "r": { "id": "r", "message": null },
 "a": { "message": { "author": { "role": "user" },
  "content": { "content_type": "text", "parts": ["hi"] } } },
 "b": { "message": { "author": { "role": "assistant" }, "content": { "parts": ["ho"] } } } } }
]"#;
        assert_eq!(read(tree), [user("hi", 4), answer(6)]);
        let requests = r#"{
 "requests": [
  { "message": { "text": "hi", "parts": [] },
    "response": [{ "kind": "thinking", "value": "x" }, { "value": "h" }, { "kind": "x" }, { "value": "o" }] }
 ]
}"#;
        assert_eq!(read(requests), [user("hi", 3), answer(3)]);
        let branched = tree.replace("\"title\": \"x\"", "\"current_node\": \"b\"");
        assert_eq!(read(&branched), [answer(6)], "`a` is no parent of `b`");
        // The same in a line.
        assert_eq!(read(&requests.replace('\n', "")), [user("hi", 1), answer(1)]);
        assert_eq!(read(&tree.replace('\n', "")), [user("hi", 1), answer(1)]);
    }

    #[test]
    fn what_programs_wrote_is_not_the_persons() {
        for line in [
            r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"hi"}]}}"#,
            concat!(
                r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"#,
                r#""text","text":"hi"}]}]}}"#,
            ),
            r#"{"type":"user","isMeta":true,"message":{"role":"user","content":"hi"}}"#,
            r#"{"type":"user","isSidechain":true,"message":{"role":"user","content":"hi"}}"#,
        ] {
            assert_eq!(read(line), [(Role::Tool, "hi".to_owned(), 1)], "{line}");
        }
        let ran = concat!(
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"x"},"#,
            r#"{"type":"text","text":"I run it."},{"type":"tool_use","input":{"command":"ls"}}]}}"#,
        );
        assert_eq!(read(ran), [(Role::Assistant, "I run it.\n$ ls".to_owned(), 1)]);
    }

    #[test]
    fn other_json_is_no_transcript() {
        for text in [
            "",
            "{",
            "[1,2]",
            r#"{"level":"info","msg":"x"}"#,
            r#"{"type":"summary","summary":"x"}"#,
            "{\n  \"role\": \"user\"\n}",
            "{\n  \"messages\": {\"a\": \"b\"}, \"requests\": 3\n}",
            "{\n  \"name\": \"x\", \"conversation\": {\"role\": \"user\"}\n",
        ] {
            assert!(turns(text).is_none(), "{text}");
        }
        // Broken lines among good ones are left out.
        assert_eq!(read("{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":"), [user("a", 1)]);
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(turns(&deep).is_none());
    }
}
