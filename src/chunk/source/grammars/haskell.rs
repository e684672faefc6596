//! Haskell. A function is its signature and its clauses, which stand beside each other.

use super::super::name::{content, field, joined, spaced};
use super::{Grammar, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static HASKELL: Grammar = Grammar {
    language: tree_sitter_haskell::LANGUAGE,
    rules: &[
        named("data_type", Shape::Record, "data"),
        named("newtype", Shape::Record, "newtype"),
        named("type_synonym", Shape::Value, "type"),
        named("type_family", Shape::Value, "type family"),
        named("class", Shape::Class, "class"),
        told("instance", Shape::Scope, |node, text| {
            let of = field(node, "patterns", text).unwrap_or("");
            Some((Shape::Scope, spaced(&["instance", field(node, "name", text)?, of])))
        }),
        told("signature", Shape::Callable, signature),
        named("function", Shape::Callable, ""),
        named("bind", Shape::Callable, ""),
        told("header", Shape::Quiet, |node, text| {
            Some((Shape::Quiet, spaced(&["module", field(node, "module", text)?])))
        }),
    ],
    comments: &["comment", "haddock"],
    attributes: &[],
    noise: &["import", "pragma"],
    bodies: &[],
    meanings: OnceLock::new(),
};

fn signature(node: Node, text: &str) -> Option<(Shape, String)> {
    let names = match node.child_by_field_name("names") {
        Some(list) => joined(list.named_children(&mut list.walk()).map(|name| content(name, text))),
        None => field(node, "name", text)?.to_owned(),
    };
    Some((Shape::Callable, spaced(&[&names])))
}
