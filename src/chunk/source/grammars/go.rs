//! Go.

use super::super::name::{content, field, joined, spaced};
use super::{Grammar, Shape, named, told, wrapper};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static GO: Grammar = Grammar {
    language: tree_sitter_go::LANGUAGE,
    rules: &[
        named("function_declaration", Shape::Callable, "func"),
        told("method_declaration", Shape::Callable, method),
        wrapper("type_declaration"),
        named("type_spec", Shape::Record, "type"),
        named("type_alias", Shape::Value, "type"),
        told("const_declaration", Shape::Value, values),
        told("var_declaration", Shape::Value, values),
        told("package_clause", Shape::Quiet, |node, text| {
            Some((Shape::Quiet, spaced(&["package", content(node.named_child(0)?, text)])))
        }),
    ],
    comments: &["comment"],
    attributes: &[],
    noise: &["import_declaration"],
    bodies: &["func_literal"],
    meanings: OnceLock::new(),
};

/// `func Retry.Backoff` for `func (r *Retry[T]) Backoff()`.
fn method(node: Node, text: &str) -> Option<(Shape, String)> {
    let receiver = node.child_by_field_name("receiver")?.named_child(0)?;
    let of = field(receiver, "type", text)?.trim_start_matches('*');
    let of = of.split('[').next().unwrap_or(of);
    Some((Shape::Callable, spaced(&["func", &format!("{of}.{}", field(node, "name", text)?)])))
}

/// `const Low, High`.
fn values(node: Node, text: &str) -> Option<(Shape, String)> {
    let word = content(node.child(0)?, text);
    let mut cursor = node.walk();
    let mut specs: Vec<Node> = node.named_children(&mut cursor).collect();
    if let [list] = specs[..]
        && list.kind() == "var_spec_list"
    {
        specs = list.named_children(&mut list.walk()).collect();
    }
    let names = specs.iter().filter_map(|spec| field(*spec, "name", text));
    Some((Shape::Value, spaced(&[word, &joined(names)])))
}
