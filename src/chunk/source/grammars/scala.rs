//! Scala.

use super::super::name::{content, field, spaced};
use super::{Grammar, Shape, named, told};
use std::sync::OnceLock;
use tree_sitter::Node;

pub(super) static SCALA: Grammar = Grammar {
    language: tree_sitter_scala::LANGUAGE,
    rules: &[
        named("class_definition", Shape::Class, "class"),
        named("trait_definition", Shape::Class, "trait"),
        named("object_definition", Shape::Class, "object"),
        named("package_object", Shape::Class, "package object"),
        named("enum_definition", Shape::Class, "enum"),
        told("extension_definition", Shape::Scope, |node, text| {
            Some((Shape::Scope, spaced(&["extension", field(node, "parameters", text).unwrap_or("")])))
        }),
        named("function_definition", Shape::Callable, "def"),
        named("function_declaration", Shape::Callable, "def"),
        named("type_definition", Shape::Value, "type"),
        told("given_definition", Shape::Value, |node, text| {
            let name = field(node, "name", text).or_else(|| field(node, "return_type", text));
            Some((Shape::Value, spaced(&["given", name.unwrap_or("")])))
        }),
        told("val_definition", Shape::Value, |node, text| value(node, text, "val")),
        told("var_definition", Shape::Value, |node, text| value(node, text, "var")),
        named("val_declaration", Shape::Value, "val"),
        named("var_declaration", Shape::Value, "var"),
        told("package_clause", Shape::Quiet, |node, _| {
            node.child_by_field_name("body").is_none().then(|| (Shape::Quiet, String::new()))
        }),
    ],
    comments: &["comment", "block_comment"],
    attributes: &[],
    noise: &["import_declaration", "export_declaration"],
    bodies: &["lambda_expression", "case_block"],
    meanings: OnceLock::new(),
};

fn value(node: Node, text: &str, word: &str) -> Option<(Shape, String)> {
    Some((Shape::Value, spaced(&[word, content(node.child_by_field_name("pattern")?, text)])))
}
