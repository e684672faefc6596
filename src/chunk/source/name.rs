//! How what is declared is called: a word of the language and its names, as one line of bounded length.

use tree_sitter::Node;

/// The longest label, in bytes.
pub(super) const MAX_LABEL: usize = 100;

/// The text of a node.
pub(super) fn content<'t>(node: Node, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}

/// The text of a field of a node; `None` if it is empty.
pub(super) fn field<'t>(node: Node, name: &str, text: &'t str) -> Option<&'t str> {
    node.child_by_field_name(name).map(|child| content(child, text).trim()).filter(|found| !found.is_empty())
}

/// Names as a list, as many as a label has room for.
pub(super) fn joined<'t>(names: impl Iterator<Item = &'t str>) -> String {
    let mut out = String::new();
    for name in names {
        if out.len() + name.len() > MAX_LABEL {
            break;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(name);
    }
    out
}

/// The words of these texts between single spaces, cut at a length.
pub(super) fn spaced(texts: &[&str]) -> String {
    let mut label = String::new();
    for word in texts.iter().flat_map(|text| text.split_whitespace()) {
        if label.len() + word.len() > MAX_LABEL {
            break;
        }
        if !label.is_empty() {
            label.push(' ');
        }
        label.push_str(word);
    }
    label
}
