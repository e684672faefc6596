//! A memory as an item that can be found like all others.

use crate::types::{FIELDS, Item, Kind, Memory, State};
use serde_json::{Value, json};

/// The item of a memory that may be served.
pub fn item_of(memory: &Memory) -> Item {
    let words = &memory.words;
    let mut fields = serde_json::Map::new();
    let mut put = |key: &str, value: Option<&String>| {
        if let Some(value) = value {
            fields.insert(key.to_owned(), value.as_str().into());
        }
    };
    put("category", words.category.as_ref());
    put("pattern", words.pattern.as_ref());
    put("service", words.service.as_ref());
    put("region", words.region.as_ref());
    put("subject", words.subject.as_ref());
    let mut attributes = json!({});
    if let Value::Object(all) = &mut attributes {
        if !words.tags.is_empty() {
            all.insert("tags".to_owned(), words.tags.clone().into());
        }
        if !fields.is_empty() {
            all.insert(FIELDS.to_owned(), Value::Object(fields));
        }
    }
    Item {
        uid: memory.id.clone(),
        kind: memory.kind,
        scope: memory.scope.clone(),
        authority: memory.authority,
        state: State::Active,
        title: title(memory),
        body: body(memory),
        attributes,
        path: None,
        span: None,
        created_at: memory.created_at,
        updated_at: memory.updated_at,
    }
}

/// Its title, else what it is about in its own words.
pub fn title(memory: &Memory) -> String {
    let words = &memory.words;
    if !words.title.is_empty() {
        return words.title.clone();
    }
    let about: Vec<&str> = match memory.kind {
        Kind::Fact => {
            [&words.service, &words.region, &words.subject].into_iter().flatten().map(String::as_str).collect()
        }
        Kind::Preference => words.category.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    about.join(", ")
}

/// A problem is its error; all others are what was said.
fn body(memory: &Memory) -> String {
    match (&memory.words.error, memory.kind) {
        (Some(error), Kind::Problem) => error.clone(),
        _ => memory.words.text.clone(),
    }
}
