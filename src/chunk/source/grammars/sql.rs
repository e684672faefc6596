//! SQL of several databases.

use super::super::name::{content, field, spaced};
use super::{Grammar, Rule, Shape, told, wrapper};
use std::sync::OnceLock;
use tree_sitter::Node;

const fn created(kind: &'static str) -> Rule {
    told(kind, Shape::Record, create)
}

pub(super) static SQL: Grammar = Grammar {
    language: tree_sitter_sequel::LANGUAGE,
    rules: &[
        wrapper("statement"),
        created("create_table"),
        created("create_view"),
        created("create_materialized_view"),
        created("create_function"),
        created("create_index"),
        created("create_trigger"),
        created("create_type"),
        created("create_schema"),
        created("create_sequence"),
        created("create_database"),
        created("create_role"),
        created("create_extension"),
    ],
    comments: &["comment", "marginalia"],
    attributes: &[],
    noise: &[],
    bodies: &[],
    meanings: OnceLock::new(),
};

/// `table "shop".users`, `index idx`.
fn create(node: Node, text: &str) -> Option<(Shape, String)> {
    let word = node.kind().rsplit('_').next().unwrap_or("");
    let name = match word {
        "index" => field(node, "column", text),
        _ => None,
    };
    let mut cursor = node.walk();
    let first = || {
        let mut names = node.named_children(&mut cursor);
        names.find(|child| matches!(child.kind(), "object_reference" | "identifier")).map(|name| content(name, text))
    };
    Some((Shape::Record, spaced(&[word, name.or_else(first)?])))
}
