//! Rust.

use super::super::name::{content, field, spaced};
use super::{Grammar, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static RUST: Grammar = Grammar {
    language: tree_sitter_rust::LANGUAGE,
    rules: &[
        named("function_item", Shape::Callable, "fn"),
        named("function_signature_item", Shape::Callable, "fn"),
        named("macro_definition", Shape::Callable, "macro_rules"),
        named("struct_item", Shape::Record, "struct"),
        named("union_item", Shape::Record, "union"),
        named("enum_item", Shape::Record, "enum"),
        named("trait_item", Shape::Class, "trait"),
        named("mod_item", Shape::Scope, "mod"),
        named("type_item", Shape::Value, "type"),
        named("associated_type", Shape::Value, "type"),
        named("const_item", Shape::Value, "const"),
        named("static_item", Shape::Value, "static"),
        told("impl_item", Shape::Scope, implementation),
        told("foreign_mod_item", Shape::Scope, |node, text| {
            Some((Shape::Scope, spaced(&[content(node.named_child(0)?, text)])))
        }),
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    noise: &["use_declaration", "extern_crate_declaration", "inner_attribute_item", "shebang"],
    bodies: &["closure_expression"],
    meanings: OnceLock::new(),
};

/// `impl Retry<T>`, `impl Display for Retry<T>`.
fn implementation(node: Node, text: &str) -> Option<(Shape, String)> {
    let of = field(node, "type", text)?;
    let name = match field(node, "trait", text) {
        Some(what) => spaced(&["impl", what, "for", of]),
        None => spaced(&["impl", of]),
    };
    Some((Shape::Scope, name))
}
