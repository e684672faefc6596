//! The texts of an item that have a vector: the whole text, and each stretch of a long one, under its title.

use crate::text::windows;
use crate::types::{Item, passage, titled};
use serde_json::Value;

/// The texts of an item with this title, body and these attributes that are embedded; the whole is the first.
pub(super) fn passages(title: &str, body: &str, attributes: &Value) -> Vec<String> {
    let stretches = windows(body).into_iter().map(|range| titled(title, body[range].trim()));
    std::iter::once(passage(title, body, attributes)).chain(stretches).collect()
}

/// The texts of an item that are embedded; the whole is the first.
pub fn passages_of(item: &Item) -> Vec<String> {
    passages(&item.title, &item.body, &item.attributes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_text_has_its_stretches_beside_the_whole() {
        assert_eq!(passages("T", "short", &json!({ "context": "before" })), ["T\nbefore\nshort"]);
        let body = format!("{}\n\n{}\n", "one two three. ".repeat(40), "four five six. ".repeat(40));
        let found = passages("T", &body, &json!({ "context": "before" }));
        assert!(found.len() > 2 && found[0].starts_with("T\nbefore\none"), "{found:#?}");
        assert!(found[1].starts_with("T\none") && found.last().is_some_and(|last| last.starts_with("T\nfour")));
    }
}
