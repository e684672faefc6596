//! Python.

use super::super::name::{content, spaced};
use super::{Grammar, Shape, named, told, wrapper};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static PYTHON: Grammar = Grammar {
    language: tree_sitter_python::LANGUAGE,
    rules: &[
        named("function_definition", Shape::Callable, "def"),
        named("class_definition", Shape::Class, "class"),
        wrapper("decorated_definition"),
        told("expression_statement", Shape::Value, assignment),
        told("type_alias_statement", Shape::Value, |node, text| {
            let name = content(node.child_by_field_name("left")?, text);
            Some((Shape::Value, spaced(&["type", name])))
        }),
    ],
    comments: &["comment"],
    attributes: &["decorator"],
    noise: &["import_statement", "import_from_statement", "future_import_statement"],
    bodies: &[
        "if_statement",
        "for_statement",
        "while_statement",
        "with_statement",
        "try_statement",
        "match_statement",
        "lambda",
    ],
    meanings: OnceLock::new(),
};

/// `LIMIT = 3` and `name: str`.
fn assignment(node: Node, text: &str) -> Option<(Shape, String)> {
    let inner = node.named_child(0).filter(|inner| inner.kind() == "assignment")?;
    let left = inner.child_by_field_name("left")?;
    matches!(left.kind(), "identifier" | "pattern_list" | "tuple_pattern")
        .then(|| (Shape::Value, spaced(&[content(left, text)])))
}
