//! Front matter to a memory: which keys there are, and what each may hold.

use super::error::MarkdownError;
use super::format::MarkdownMemory;
use super::format::{AUTHORITIES, KEYS, KINDS, MAX_FIELD_BYTES, MAX_LONG_FIELD_BYTES, MAX_TAGS, MAX_TEXT_BYTES};
use super::split::{Part, key};
use crate::text::{near_names, parse_timestamp};
use serde::Deserialize;
use serde_saphyr::Spanned;

type Field = Option<Spanned<String>>;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Matter {
    id: Field,
    kind: Field,
    authority: Field,
    title: Field,
    category: Field,
    pattern: Field,
    service: Field,
    region: Field,
    subject: Field,
    until: Field,
    tags: Option<Vec<Spanned<String>>>,
    global: Option<bool>,
    worked: Option<Spanned<bool>>,
    error: Field,
    fingerprint: Field,
    because: Field,
    /// The text, where it cannot stand below.
    text: Field,
}

/// Reads one memory of a file.
pub(super) fn memory(part: &Part<'_>) -> Result<MarkdownMemory, MarkdownError> {
    let matter: Matter = serde_saphyr::from_str(part.yaml).map_err(|error| refused(&error, part))?;
    let line = |at: u64| part.line_start + usize::try_from(at).unwrap_or(0).max(1);
    let at = |field: &Spanned<String>| line(field.referenced.line());
    let short = |name: &str, field: Field| bounded(name, field, MAX_FIELD_BYTES, at);
    let long = |name: &str, field: Field| bounded(name, field, MAX_LONG_FIELD_BYTES, at);

    let Some(kind) = &matter.kind else {
        let error = MarkdownError::new(part.line_start, "`kind` is missing");
        return Err(error.with_hint(format!("kinds are {}", KINDS.join(", "))));
    };
    one_of("kind", kind, KINDS, at(kind))?;
    if let Some(authority) = &matter.authority {
        one_of("authority", authority, AUTHORITIES, at(authority))?;
    }
    if let Some(until) = &matter.until
        && parse_timestamp(&until.value).is_none()
    {
        let error = MarkdownError::new(at(until), "`until` is no date and no time");
        return Err(error.with_hint("write 2026-11-22 or 2026-11-22T12:00Z"));
    }
    if let Some(worked) = &matter.worked
        && kind.value != "tactic"
    {
        let line = line(worked.referenced.line());
        return Err(MarkdownError::new(line, format!("`worked` is for tactics, and this is a {}", kind.value)));
    }
    let tags = matter.tags.unwrap_or_default();
    if let Some(tag) = tags.get(MAX_TAGS) {
        return Err(MarkdownError::new(at(tag), format!("a memory has at most {MAX_TAGS} tags")));
    }
    if let Some(tag) = tags.iter().find(|tag| tag.value.len() > MAX_FIELD_BYTES) {
        return Err(MarkdownError::new(at(tag), format!("a tag has at most {MAX_FIELD_BYTES} bytes")));
    }
    let (text, text_line) = match matter.text {
        Some(text) if !part.body.is_empty() => {
            let error = MarkdownError::new(part.body_line, "the text stands here and in the front matter");
            return Err(error.with_hint(format!("remove it here, or `text` in line {}", at(&text))));
        }
        Some(text) => {
            let line = at(&text);
            (text.value, line)
        }
        None => (part.body.to_owned(), part.body_line),
    };
    if text.trim().is_empty() {
        return Err(MarkdownError::new(part.line_start, "the memory has no text below its front matter"));
    }
    if text.len() > MAX_TEXT_BYTES {
        return Err(MarkdownError::new(text_line, format!("the text of a memory has at most {MAX_TEXT_BYTES} bytes")));
    }
    Ok(MarkdownMemory {
        kind: short("kind", matter.kind)?.unwrap_or_default(),
        id: short("id", matter.id)?,
        authority: short("authority", matter.authority)?,
        title: short("title", matter.title)?,
        category: short("category", matter.category)?,
        pattern: short("pattern", matter.pattern)?,
        service: short("service", matter.service)?,
        region: short("region", matter.region)?,
        subject: short("subject", matter.subject)?,
        until: short("until", matter.until)?,
        tags: tags.into_iter().map(|tag| tag.value).collect(),
        global: matter.global,
        worked: matter.worked.map(|worked| worked.value),
        error: long("error", matter.error)?,
        fingerprint: short("fingerprint", matter.fingerprint)?,
        because: long("because", matter.because)?,
        text,
    })
}

fn bounded(
    name: &str,
    field: Field,
    most: usize,
    at: impl Fn(&Spanned<String>) -> usize,
) -> Result<Option<String>, MarkdownError> {
    match field {
        Some(field) if field.value.len() > most => {
            Err(MarkdownError::new(at(&field), format!("`{name}` has at most {most} bytes")))
        }
        field => Ok(field.map(|field| field.value)),
    }
}

fn one_of(name: &str, field: &Spanned<String>, known: &[&str], line: usize) -> Result<(), MarkdownError> {
    if known.contains(&field.value.as_str()) {
        return Ok(());
    }
    let error = MarkdownError::new(line, format!("`{name}` is none of {}", known.join(", ")));
    Err(match near_names(&field.value, known.iter().copied()).first() {
        Some(near) => error.with_hint(format!("did you mean {near}?")),
        None => error,
    })
}

/// What the parser did not take. Its own messages begin with their place and go on with an excerpt.
fn refused(error: &serde_saphyr::Error, part: &Part<'_>) -> MarkdownError {
    let at = error.location().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1).max(1));
    let line = part.line_start + at;
    let here = part.yaml.lines().nth(at - 1).unwrap_or_default();
    let name = here.trim_end();
    let name = key(name).unwrap_or_else(|| name.split(':').next().unwrap_or_default().trim_matches(['"', '\'', ' ']));
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default();
    let message = message.split_once("column ").and_then(|(_, rest)| rest.split_once(": ")).map_or(message, |(_, m)| m);
    if message.starts_with("unknown field") {
        let error = MarkdownError::new(line, format!("`{name}` is no key of a memory"));
        return match near_names(name, KEYS.iter().copied()).first() {
            Some(near) => error.with_hint(format!("did you mean {near}?")),
            None => error.with_hint(format!("keys are {}", KEYS.join(", "))),
        };
    }
    if message.starts_with("duplicate") {
        return MarkdownError::new(line, format!("`{name}` stands there twice"));
    }
    let error = MarkdownError::new(line, format!("this is not YAML that a memory has: {message}"));
    match name {
        "tags" => error.with_hint("write `tags: [one, two]`"),
        _ if message.starts_with("mapping values") => error.with_hint("put a value with a colon in quotation marks"),
        _ => error,
    }
}
