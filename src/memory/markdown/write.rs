//! Memories to Markdown. A string is written as it is where YAML cannot take it for anything else, over several lines
//! where it has some, and quoted otherwise.

use super::format::{MAX_TEXT_BYTES, MarkdownMemory};
use super::split::stands_alone;
use crate::render::yaml;
use crate::screen::{is_hidden, moves};

/// Plain words that YAML, or a reader of an older YAML, takes for something else.
const RESERVED: &[&str] = &["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"];
/// Longer strings are quoted: they are no names.
const PLAIN_CHARS: usize = 80;

/// A memory as a file of its own.
pub fn write(memory: &MarkdownMemory) -> String {
    let mut out = String::from("---\n");
    let mut put = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            out.push_str(&format!("{key}: {value}\n"));
        }
    };
    let string = |text: &Option<String>| text.as_deref().map(scalar);
    let tags: Vec<String> = memory.tags.iter().map(|tag| one_line(tag)).collect();
    put("id", string(&memory.id));
    put("kind", Some(scalar(&memory.kind)));
    put("authority", string(&memory.authority));
    put("title", string(&memory.title));
    put("category", string(&memory.category));
    put("pattern", string(&memory.pattern));
    put("service", string(&memory.service));
    put("region", string(&memory.region));
    put("subject", string(&memory.subject));
    put("until", string(&memory.until));
    put("tags", (!tags.is_empty()).then(|| format!("[{}]", tags.join(", "))));
    put("global", memory.global.map(|global| global.to_string()));
    put("worked", memory.worked.map(|worked| worked.to_string()));
    put("error", string(&memory.error));
    put("fingerprint", string(&memory.fingerprint));
    put("because", string(&memory.because));
    let below = is_still(&memory.text) && stands_alone(&memory.text);
    put("text", (!below).then(|| scalar(&memory.text)));
    out.push_str("---\n");
    if below {
        out.push_str(&memory.text);
        out.push('\n');
    }
    out
}

/// Memories as one file, with an empty line between them.
pub fn write_all<'a>(memories: impl IntoIterator<Item = &'a MarkdownMemory>) -> String {
    memories.into_iter().map(write).collect::<Vec<_>>().join("\n")
}

/// A string as a value of a key.
fn scalar(text: &str) -> String {
    if is_block(text) { block(text) } else { one_line(text) }
}

/// A string on one line.
fn one_line(text: &str) -> String {
    // Plain data cannot fail to serialise.
    if is_plain(text) { text.to_owned() } else { yaml(&text).unwrap_or_else(|_| "\"\"".to_owned()) }
}

/// Whether a string can stand there without quotation marks: words of a name, or a date.
fn is_plain(text: &str) -> bool {
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() });
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./-".contains(&b));
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_reserved = RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text));
    is_date || text.len() <= PLAIN_CHARS && begins && !is_reserved && text.split(' ').all(is_word)
}

/// Whether a text holds nothing that moves on a screen but line feeds and tabs.
fn is_still(text: &str) -> bool {
    text.chars().all(|c| !moves(c) || matches!(c, '\n' | '\t'))
}

/// Whether a string is written over several lines: it has some, and none that YAML reads in a way of its own.
fn is_block(text: &str) -> bool {
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let is_safe = |line: &str| line.is_empty() || !line.trim().is_empty();
    lines.contains('\n')
        && text.len() <= MAX_TEXT_BYTES
        && !lines.starts_with([' ', '\t', '\n'])
        && !lines.ends_with('\n')
        && lines.split('\n').all(is_safe)
        && text.chars().all(|c| !is_hidden(c) || matches!(c, '\n' | '\t'))
}

fn block(text: &str) -> String {
    let (mark, lines) = text.strip_suffix('\n').map_or(("|-", text), |lines| ("|", lines));
    let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("\n  {line}") };
    mark.to_owned() + &lines.split('\n').map(indented).collect::<String>()
}
